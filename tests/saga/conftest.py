"""A small world for the runtime: services that lose answers, land late, forget nothing and die on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel

from sagaproof.saga import ABSENT, Case, Found, Record, Retry, Step, Superseded, Tool


class Crash(BaseException):
    """The process dies here."""


class What(BaseModel):
    """The arguments of all tools here."""

    what: str


class Http(Exception):
    """An answer that is an error."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(f"HTTP {status}")


@dataclass
class Effect:
    """What one call has changed, and how often that was taken back."""

    name: str
    key: str
    args: dict[str, Any]
    ref: str
    undone: int = 0


@dataclass
class World:
    """All services in one. `plan` says what happens to the n-th message or write, counted from 1 for all.

    Faults: refuse (400), down (503, not applied), lost (applied, no answer), late (no answer, applied at the
    end), die-before, die-after. A fault with "/all" holds for all later calls of the same name.
    """

    plan: dict[int, str] = field(default_factory=dict)
    keyed: bool = True
    convergent: frozenset[str] = frozenset({"stamp"})
    points: list[str] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    undos: list[str] = field(default_factory=list)
    fenced: set[str] = field(default_factory=set)
    undo_keys: set[str] = field(default_factory=set)
    late: list[Callable[[], Any]] = field(default_factory=list)
    lasting: dict[str, str] = field(default_factory=dict)
    cases: dict[str, Case] = field(default_factory=dict)
    rows: dict[str, list[Record]] = field(default_factory=dict)

    # What arrives -----------------------------------------------------------------------------------------

    def message(self, name: str, work: Callable[[], Any]) -> Any:
        """A message to a service: the plan decides whether it is worked on and whether the answer arrives."""
        self.points.append(name)
        fault = self.plan.get(len(self.points)) or self.lasting.get(name, "")
        if fault.endswith("/all"):
            self.lasting[name] = fault
        kind = fault.removesuffix("/all")
        if kind == "die-before":
            raise Crash
        if kind in {"refuse", "down"}:
            raise Http(400 if kind == "refuse" else 503)
        if kind == "late":
            self.late.append(work)
            raise TimeoutError("no answer")
        answer = work()
        if kind == "die-after":
            raise Crash
        if kind == "lost":
            raise TimeoutError("no answer")
        return answer

    def settle(self) -> None:
        """All that was on its way arrives."""
        for work in self.late:
            try:
                work()
            except Http:
                continue
        self.late = []

    # The services -----------------------------------------------------------------------------------------

    def act(self, name: str, key: str, args: dict[str, Any]) -> Any:
        """Apply a call once for a key, or each time if keys are not honoured."""

        def work() -> dict[str, str]:
            if key in self.fenced:
                raise Http(409)
            known = self.by_key(key)
            if known is None or not (self.keyed or name in self.convergent):
                known = Effect(name, key, args, f"{name}-{len(self.effects) + 1}")
                self.effects.append(known)
            return {"id": known.ref}

        return self.message(name, work)

    def by_key(self, key: str) -> Effect | None:
        return next((effect for effect in self.effects if effect.key == key), None)

    def by_ref(self, ref: str) -> Effect:
        return next(effect for effect in self.effects if effect.ref == ref)

    def look_up(self, step: Step) -> Any:
        found = self.message(f"look-up {step.tool}", lambda: self.by_key(step.key))
        return ABSENT if found is None else Found({"id": found.ref})

    def fence(self, step: Step) -> Any:
        def work() -> Effect | None:
            found = self.by_key(step.key)
            if found is None:
                self.fenced.add(step.key)
            return found

        found = self.message(f"fence {step.tool}", work)
        return None if found is None else Found({"id": found.ref})

    def undo_by_key(self, step: Step) -> None:
        def work() -> None:
            found = self.by_key(step.key)
            if found is None:
                self.fenced.add(step.key)
            elif not found.undone:
                self._take_back(found)

        self.message(f"undo {step.tool}", work)

    def undo_by_ref(self, step: Step, *, key: str) -> None:
        """A reversal that honours keys."""

        def work() -> None:
            if key not in self.undo_keys:
                self.undo_keys.add(key)
                self._take_back(self.by_ref(step.ref))

        self.message(f"undo {step.tool}", work)

    def undo_each_time(self, step: Step) -> None:
        """A reversal that acts as often as it is asked for."""
        self.message(f"undo {step.tool}", lambda: self._take_back(self.by_ref(step.ref)))

    def _take_back(self, effect: Effect) -> None:
        self.undos.append(effect.ref)
        effect.undone += 1

    def stands(self, step: Step) -> Any:
        def look() -> bool:
            found = self.by_key(step.key)
            return found is not None and not found.undone

        return self.message(f"read {step.tool}", look)

    # Journal and desk -------------------------------------------------------------------------------------

    def append(self, saga: str, number: int, record: Record) -> None:
        def work() -> None:
            rows = self.rows.setdefault(saga, [])
            if number != len(rows) + 1:
                raise Superseded(saga, number)
            rows.append(record)

        fault = self.plan.get(len(self.points) + 1, "")
        if fault and not fault.startswith("die"):
            self.points.append(f"journal {record.kind}")
            raise AssertionError(f"{fault} means nothing at a journal")
        self.message(f"journal {record.kind}", work)

    def read(self, saga: str) -> list[Record]:
        return list(self.rows.get(saga, []))

    def open_sagas(self) -> list[str]:
        return [saga for saga, rows in self.rows.items() if rows[-1].kind != "closed"]

    def open(self, case: Case, key: str) -> str:
        def work() -> str:
            self.cases.setdefault(key, case)
            return "case-1"

        return str(self.message("desk", work))

    # Tools ------------------------------------------------------------------------------------------------

    def tool(self, name: str, cls: int, **options: Any) -> Tool:
        """A tool of this world, without any hooks but those given."""

        def call(what: str, *, key: str) -> Any:
            return self.act(name, key, {"what": what})

        usual = {"cls": cls, "name": name, "schema": What, "ref": "id", "retry": Retry(3, wait_s=0)}
        return Tool(call, **{**usual, **options})


@pytest.fixture
def make_world() -> Callable[..., World]:
    return World


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def crash() -> type[Crash]:
    return Crash


@pytest.fixture
def http() -> type[Http]:
    return Http
