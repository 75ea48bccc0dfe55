"""A scenario: a story with a saga in it that can be run by name, and the findings it is known to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sagaproof._checks.campaign_check import Check
from sagaproof._drivers.fed import FedSaga
from sagaproof._model.script import OPAQUE, Script
from sagaproof._search.settings import Settings
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof._taps.handle import WorldHandle

__all__ = ["Scenario"]


@dataclass(frozen=True, slots=True)
class Scenario:
    """Give either `body` (runs the saga itself) or `agent` (makes a saga that is fed the calls of `scripts`).

    `recover` says what a new process does after a crash: of a body it returns the claim, of an agent the saga
    that goes on. Without it no process is killed.

    `systems` names the systems of the world; `expected` is a JSON file with the findings that it must have,
    no more and no fewer. `story` is what a reader is told. `checks` are its own, besides the built-in ones;
    `sometimes` are states of its own that a run of it should reach. `needs` is an extra of sagaproof, of the
    name of the package that comes with it: a scenario whose extra is not installed is left out of `sagaproof
    run`, unless it is named.
    """

    name: str
    story: str
    systems: tuple[str, ...]
    body: Callable[[WorldHandle], Any] | None = None
    agent: Callable[[WorldHandle], FedSaga] | None = None
    recover: Callable[[WorldHandle], Any] | None = None
    scripts: tuple[Script, ...] = (OPAQUE,)
    claim: Callable[[Any], object] | None = None
    invariants: tuple[Callable[[WorldHandle], object], ...] = ()
    independent: Sequence[tuple[str, str]] = ()
    attempts: Mapping[str, int] = field(default_factory=dict)
    checks: Sequence[Check] = ()
    sometimes: Sequence[Sometimes] = ()
    settings: Settings = field(default_factory=Settings)
    expected: Path | None = None
    needs: str = ""

    @property
    def missing(self) -> bool:
        """Whether the extra that it needs is not installed."""
        return bool(self.needs) and find_spec(self.needs) is None
