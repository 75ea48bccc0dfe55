"""The process in which a saga runs, as far as the world can tell: alive, dead, or started again.

A simulated crash is an exception, so code of the dead process goes on running: `finally` blocks, parallel
siblings, background threads. Whatever that code asks of the world is refused.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NoReturn
from weakref import WeakSet

from sagaproof._model.event import Died, Paused, Restarted, Woke
from sagaproof._model.point import Point
from sagaproof._taps.stopped import ProcessDied
from sagaproof._world.world import World

__all__ = ["AT_REST_S", "PAUSE_S", "RESTART_S", "Process"]

RESTART_S: Final = 1.0
"""What a restart takes, in virtual time."""

AT_REST_S: Final = 3600.0
"""How long after the end of a saga it is looked whether anything is left to do."""


PAUSE_S: Final = 3600.0
"""How long a process stands still under a pause: longer than any lease that somebody would give it."""


class Process:
    """`restarts` counts how often it was started again; `dead` says that it has to be.

    `woken` are the processes, by that count, that stood still while another one went on.

    `at_death` is called where it dies, before any of its code runs on. If it is a process of its own that is
    to be killed in earnest, the call does not return.
    """

    __slots__ = (
        "_asleep",
        "_died_at",
        "_stale",
        "_started",
        "_world",
        "at_death",
        "dead",
        "restarts",
        "woken",
    )

    def __init__(self, world: World) -> None:
        self.restarts = self._started = 0
        self.dead = False
        self.woken: frozenset[int] = frozenset()
        self._asleep: tuple[int, ...] = ()
        self.at_death: Callable[[], None] = _let_die
        self._world = world
        self._died_at = 0.0
        self._stale: WeakSet[threading.Thread] | None = None

    def fall(self, point: Point) -> None:
        """Be dead from here on: it was brought down by an error of its own, and none of its code runs on."""
        self.dead = True
        self._died_at = self._world.clock.elapsed
        self._world.log.append(Died(self._died_at, point))

    def die(self, point: Point) -> NoReturn:
        """Be dead from here on. Raises `ProcessDied`."""
        self.fall(point)
        self.at_death()
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
        self._started += 1
        self.restarts = self._started
        clock.elapsed += AT_REST_S if at_rest else RESTART_S
        self._world.log.append(Restarted(clock.elapsed, self.restarts, at_rest))

    def pause(self, point: Point) -> None:
        """Stand still at a point; what is asked of the world from here on is asked by another process."""
        self._asleep = (*self._asleep, self.restarts)
        self._world.log.append(Paused(self._world.clock.elapsed, point, self.restarts))
        self._world.clock.elapsed += PAUSE_S

    def wake(self) -> None:
        """Be the process again that was paused last, and knows nothing of any other."""
        *asleep, self.restarts = self._asleep
        self._asleep = tuple(asleep)
        self.woken |= {self.restarts}
        self.dead = False
        self._world.log.append(Woke(self._world.clock.elapsed, self.restarts))

    def is_alive(self, restart: int) -> bool:
        """Whether a process still runs, or stands still: the `restart`-th after the first."""
        return restart in self._asleep or (restart == self.restarts and not self.dead)

    def state(self) -> dict[str, Any]:
        """What whoever starts the next process has to know of this one."""
        return {name: getattr(self, name) for name in self.__slots__ if name not in _OF_ITS_OWN}

    def adopt(self, state: Mapping[str, Any]) -> None:
        """Be in the state of the process that had it."""
        for name, value in state.items():
            setattr(self, name, value)


_OF_ITS_OWN: Final = frozenset({"_stale", "_world", "at_death"})
"""What is of no use in another process of the operating system."""


def _let_die() -> None:
    """A simulated death needs nothing but its exception."""
