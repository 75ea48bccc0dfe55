"""The process in which a saga runs, as far as the world can tell: alive, dead, or started again.

A simulated crash is an exception, so code of the dead process goes on running: `finally` blocks, parallel
siblings, background threads. Whatever that code asks of the world is refused.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Final, NoReturn
from weakref import WeakSet

from sagaproof._model.event import Died, Restarted
from sagaproof._model.point import Point
from sagaproof._taps.stopped import ProcessDied
from sagaproof._world.world import World

__all__ = ["AT_REST_S", "RESTART_S", "Process"]

RESTART_S: Final = 1.0
"""What a restart takes, in virtual time."""

AT_REST_S: Final = 3600.0
"""How long after the end of a saga it is looked whether anything is left to do."""


class Process:
    """`restarts` counts how often it was started again; `dead` says that it has to be."""

    __slots__ = ("_died_at", "_stale", "_world", "dead", "restarts")

    def __init__(self, world: World) -> None:
        self.restarts = 0
        self.dead = False
        self._world = world
        self._died_at = 0.0
        self._stale: WeakSet[threading.Thread] | None = None

    def die(self, point: Point) -> NoReturn:
        """Be dead from here on. Raises `ProcessDied`."""
        self.dead = True
        self._died_at = self._world.clock.elapsed
        self._world.log.append(Died(self._died_at, point))
        raise ProcessDied

    def refuse_the_dead(self) -> None:
        """Raise `ProcessDied` for a process that is dead, and for threads that one has left behind."""
        if self.dead or (self._stale is not None and threading.current_thread() in self._stale):
            raise ProcessDied

    def restart(self, threads: Collection[threading.Thread] = (), *, at_rest: bool = False) -> None:
        """Start a new process. `threads` of the old one are refused; time that it slept dead never was."""
        clock = self._world.clock
        if self.dead:
            clock.elapsed = self._died_at
        if threads:
            self._stale = WeakSet([*(self._stale or ()), *threads])
        self.dead = False
        self.restarts += 1
        clock.elapsed += AT_REST_S if at_rest else RESTART_S
        self._world.log.append(Restarted(clock.elapsed, self.restarts, at_rest))
