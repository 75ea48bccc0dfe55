"""The right saga of which each planted bug changes one method.

It is written by hand, over `world.direct`, and keeps a journal in a store that outlives its process. Each
call is written down before it is made and carries a key that the step determines; what may have happened is
undone by that key, which also shuts out what has not arrived yet; past the irreversible step nothing is
undone; and what cannot be settled is told to the desk, with all that is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from sagaproof import World
from sagaproof_scenarios.planted.sending import Answer, Result, send

__all__ = ["Entry", "Journal", "Reference", "Step"]

Journal = list[dict[str, Any]]
"""The durable store: records, oldest first."""

TIMEOUT_S = 5.0


class Step(NamedTuple):
    """One call to make: `args` may need the answers of the steps before it, by their names.

    `handle` is the field of the answer that names what was made. `inverse` is the operation that takes it
    back by reference, with its argument for that; `pivot` says that nothing does.
    """

    name: str
    system: str
    operation: str
    args: Callable[[Mapping[str, Answer]], dict[str, Any]]
    inverse: tuple[str, str] = ("", "")
    pivot: bool = False
    handle: str = "id"


@dataclass
class Entry:
    """A step and what became of it: begun, done, refused, unknown, lapsed, undone or left.

    `error` is its last one, `at` when it was begun, by a clock that nobody sets. `known` is False where an
    earlier process may have made the call and told nobody what came of it.
    """

    step: Step
    key: str | None
    args: dict[str, Any]
    state: str = "begun"
    answer: Answer = field(default_factory=dict)
    error: str = ""
    known: bool = True
    at: float = 0.0

    @property
    def may_stand(self) -> bool:
        """Whether there may be something to take back."""
        return self.state in {"begun", "done", "unknown", "lapsed", "left"}


class Reference:
    """One saga: `run` it, or `recover` it in a new process; both return the claim."""

    attempts: ClassVar[int] = 3
    undo_attempts: ClassVar[int] = 4

    def __init__(self, world: World, steps: Sequence[Step], journal: Journal) -> None:
        self.world = world
        self.steps = steps
        self.entries: dict[str, Entry] = {}
        self.status = "running"
        self.cause = ""
        self.case: dict[str, Any] | None = None
        self.journal = journal
        self.write = world.durable(journal.append, name="journal.append")

    # Forward ------------------------------------------------------------------------------------------

    def run(self) -> str:
        """Make the steps; if one fails, abort."""
        for step in self.steps:
            if not self.do(step):
                return self.abort()
        return self.end("completed")

    def do(self, step: Step) -> bool:
        """Make one step, written down before and after; True if it is done."""
        entry = self.begin(step)
        if entry.state in {"begun", "unknown"}:
            self.settle(entry, self.forward(entry))
            self.note(entry)
        return entry.state == "done"

    def begin(self, step: Step) -> Entry:
        """The entry of a step, written down if it is new."""
        if step.name not in self.entries:
            answers = {name: entry.answer for name, entry in self.entries.items()}
            entry = Entry(step, self.key_for(step), step.args(answers), at=time.monotonic())
            self.note(entry)
            self.entries[step.name] = entry
        return self.entries[step.name]

    def key_for(self, step: Step) -> str | None:
        """The key that all attempts of a step carry, in every process."""
        return f"order-4921-{step.name}"

    def forward(self, entry: Entry) -> Result:
        """Call, with retries."""
        return send(lambda _attempt: self.call(entry), self.attempts, needs=entry.step.handle, since=entry.at)

    def call(self, entry: Entry) -> Answer:
        """One attempt."""
        system = getattr(self.world.direct, entry.step.system)
        operation = getattr(system, entry.step.operation)
        answer: Answer = operation(**entry.args, key=entry.key, timeout_s=TIMEOUT_S)
        return answer

    def settle(self, entry: Entry, result: Result) -> None:
        """Take in what came of a call; of an irreversible one it is found out, by a try to shut it out."""
        in_doubt = result.state == "refused" and not entry.known
        entry.state = "unknown" if in_doubt else result.state
        entry.answer, entry.error = result.answer, result.error
        if entry.state == "unknown" and entry.step.pivot:
            shut = self.undo_by_key(entry)
            entry.state = {"done": "refused"}.get(shut.state, "unknown")
            if shut.code == "irreversible":
                entry.state = "done"
        if entry.state != "done":
            self.cause = self.cause or f"{entry.step.operation}: {entry.error}"

    # Back ---------------------------------------------------------------------------------------------

    def abort(self) -> str:
        """Take back what may stand, newest first; past the irreversible step call a person instead."""
        self.enter("aborting")
        if any(entry.step.pivot and entry.may_stand for entry in self.entries.values()):
            return self.escalate()
        return self.unwind()

    def unwind(self) -> str:
        """Undo one after the other; go on after one that fails."""
        for entry in self.to_undo():
            self.undo(entry)
        if any(entry.state == "left" for entry in self.entries.values()):
            return self.escalate()
        return self.end("compensated")

    def to_undo(self) -> list[Entry]:
        """What has to be undone, in this order."""
        return [entry for entry in reversed(self.entries.values()) if entry.may_stand]

    def undo(self, entry: Entry) -> None:
        """Undo one step, and write down what came of it."""
        result = self.undo_call(entry)
        entry.state, entry.error = ("undone", "") if result.is_undone else ("left", result.error)
        self.note(entry)

    def undo_call(self, entry: Entry) -> Result:
        """By key, where there is one: that also shuts out what has not arrived yet."""
        if entry.state == "lapsed":
            return Result("lapsed", error=entry.error)
        return self.undo_by_ref(entry) if entry.key is None else self.undo_by_key(entry)

    def undo_by_key(self, entry: Entry) -> Result:
        """Undo what came under the key of a step, or see to it that it never comes."""
        system = getattr(self.world.direct, entry.step.system)
        undo = lambda _: system.undo_by_key(entry.step.operation, entry.key) or {}  # noqa: E731
        return send(undo, self.undo_attempts, needs="state", since=entry.at)

    def undo_by_ref(self, entry: Entry) -> Result:
        """Undo what was answered."""
        operation, argument = entry.step.inverse
        if "id" not in entry.answer:
            return Result("unknown", error=entry.error)
        inverse = getattr(getattr(self.world.direct, entry.step.system), operation)
        return send(lambda _: inverse(**{argument: entry.answer["id"]}), self.undo_attempts)

    # A person -----------------------------------------------------------------------------------------

    def escalate(self) -> str:
        """Open a case; it is written down first, so that a later process can send it again."""
        if self.case is None:
            self.case = self.picture()
            self.write({"case": self.case})
        told = self.tell(self.case)
        return self.end("escalated") if told else "escalated"

    def picture(self) -> dict[str, Any]:
        """All that a person needs: each step with its reference and state, the cause, what is left to do."""
        steps = [
            {"operation": e.step.operation, "key": e.key, "ref": e.answer.get("id"), "args": e.args}
            | {"state": e.state, "error": e.error, "pivot": e.step.pivot}
            for e in self.entries.values()
        ]
        return {"cause": self.cause, "steps": steps, "next": "settle each step that is not as it should be"}

    def tell(self, case: dict[str, Any]) -> bool:
        """Open the case at the desk, under one key; False if the desk cannot be reached."""
        desk, title = self.world.direct.desk, "Order 4921 needs a person"
        result = send(
            lambda _: desk.open_case(title=title, package=case, key="order-4921-case"), 6, needs="id"
        )
        return result.state == "done"

    # Journal ------------------------------------------------------------------------------------------

    def note(self, entry: Entry) -> None:
        """Write down how a step stands."""
        self.write(
            {
                "step": entry.step.name,
                "operation": entry.step.operation,
                "key": entry.key,
                "args": entry.args,
                "state": entry.state,
                "answer": dict(entry.answer),
                "error": entry.error,
                "at": time.time() - (time.monotonic() - entry.at),
                "cause": self.cause,
            }
        )

    def enter(self, status: str) -> None:
        """Be in another phase, and write that down."""
        if self.status != status:
            self.status = status
            self.write({"status": status, "cause": self.cause})

    def end(self, claim: str) -> str:
        """The end: nothing is done after it."""
        self.enter(claim)
        return claim

    def load(self) -> None:
        """Know again what is written."""
        steps = {step.name: step for step in self.steps}
        for record in self.journal:
            self.status = record.get("status", self.status)
            self.case = record.get("case", self.case)
            self.cause = record.get("cause", self.cause)
            if "step" in record:
                entry = Entry(steps[record["step"]], record["key"], record["args"], record["state"])
                entry.answer, entry.error = record["answer"], record["error"]
                entry.known = entry.state != "begun"
                entry.at = time.monotonic() - max(0.0, time.time() - record["at"])
                self.entries[entry.step.name] = entry

    def recover(self) -> str:
        """Go on in a new process where the journal ends."""
        self.load()
        if self.status in {"completed", "compensated", "escalated"}:
            return self.status
        if self.case is not None:
            return self.escalate()
        return self.abort() if self.status == "aborting" else self.run()
