"""What is explored: a driver, the systems around it, its scripts, and what judges it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sagaproof._checks.campaign_check import Check
from sagaproof._drivers.protocol import Driver
from sagaproof._model.script import OPAQUE, Script
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.system import System

__all__ = ["Subject"]


@dataclass(frozen=True, slots=True)
class Subject:
    """One saga under test with all that belongs to it. `hosts` maps a system to other hosts than its own."""

    name: str
    driver: Driver
    systems: Mapping[str, System]
    checks: Sequence[Check]
    scripts: tuple[Script, ...] = (OPAQUE,)
    claim: Callable[[Any], object] | None = None
    invariants: tuple[Callable[[WorldHandle], object], ...] = ()
    hosts: Mapping[str, tuple[str, ...]] | None = None
    allow_hosts: tuple[str, ...] = ()
    sometimes: Sequence[Sometimes] = ()

    def all_scripts(self) -> Iterator[Script]:
        """Each script, then given up after each of its calls."""
        for script in self.scripts:
            yield from script.endings()
