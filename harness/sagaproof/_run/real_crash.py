"""Real crashes: each process of a run is forked from this one, which no code of the saga ever enters."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from sagaproof._drivers.journal import Journals
from sagaproof._run.forks import Child, in_child
from sagaproof._run.surroundings import Surroundings
from sagaproof._taps.gate import Gate
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.handover import Handover, adopt, unpack

__all__ = ["Apart", "RealCrash"]

Apart = Callable[[Gate, Callable[[], None]], None]
"""Lets one process of a run do its work, from its start to its end or its death."""


class RealCrash:
    """Entered for one run: its journal and its folder are real, and outlive the processes that use them.

    `killed` counts the processes that were killed so far.
    """

    def __init__(self, world: WorldHandle, around: Surroundings, journals: Journals) -> None:
        self.killed = 0
        self._world = world
        self._around = around
        self._journals = journals
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        _ = self._world.path  # it is there before the first process, and so belongs to all of them
        self._folder = tempfile.TemporaryDirectory(prefix="sagaproof-journal-")
        self._journals.use_file(Path(self._folder.name) / "journal.sqlite")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._journals.use_file(None)
        self._world.close()
        if self._folder is not None:
            self._folder.cleanup()

    def __call__(self, gate: Gate, work: Callable[[], None]) -> None:
        """Do the work in a process of its own, and have here what it leaves behind."""
        self._around.look_before_fork()
        state, killed = in_child(
            partial(self._work, gate, work),
            self._around.seconds_max,
            partial(unpack, world=self._world.state),
        )
        self.killed += killed
        adopt(state, self._world.state, gate)
        self._around.adopt(state["besides"])

    def _work(self, gate: Gate, work: Callable[[], None], child: Child) -> bytes:
        self._around.begin_in_fork()
        leaves = Handover(self._world.state, gate)
        gate.process.at_death = lambda: child.hand_over(leaves.pack(self._around.state()))
        work()
        return leaves.pack(self._around.state())
