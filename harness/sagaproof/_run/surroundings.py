"""What surrounds the runs of a campaign: taps, leak guard, time, randomness, watchdog, threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Protocol, Self

from sagaproof._run.loop import LoopReport
from sagaproof._run.quiet import Quiet
from sagaproof._run.randomness import Randomness
from sagaproof._run.stragglers import ThreadsOfRun
from sagaproof._run.virtual_time import SECONDS_MAX, VirtualTime
from sagaproof._run.watchdog import Watchdog
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.httpx import HttpxTap
from sagaproof._taps.leaks import LeakGuard
from sagaproof.errors import LeakError

__all__ = ["Companion", "Limits", "Surroundings"]

_NOTES_MAX = 20
_HANGS_PATIENT = 2
_IMPATIENT_S = 1.0
"""After two runs that hung, the others are stopped sooner: a saga that hangs does so under many plans."""


class Companion(Protocol):
    """Watches the runs of a campaign from within their processes."""

    def begin_in_fork(self) -> None:
        """A new process begins; what was seen before belongs to another one."""

    def state(self) -> object:
        """What was seen in this process, to be handed over."""

    def adopt(self, state: Any) -> None:
        """Take in what was seen in another process."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a saga counts as one that would not end: calls, virtual seconds, real seconds of one run."""

    calls_max: int = 500
    virtual_s_max: float = SECONDS_MAX
    real_s_max: float = 10.0


class Surroundings:
    """Entered once for a campaign; `begin` and `end` enclose each process of the saga in each run.

    `notes` gathers what a user should know and no check judges: clients that would hang, real waits,
    threads and tasks that outlived their run, requests that no operation answers.
    """

    def __init__(
        self,
        world: WorldHandle,
        limits: Limits,
        hosts: Mapping[str, tuple[str, ...]] | None,
        allow_hosts: Iterable[str],
    ) -> None:
        self._world = world
        self._tap = HttpxTap(world.state.systems, lambda: world.gate, hosts)
        self._leaks = LeakGuard(allow_hosts=allow_hosts, sites=self._tap.passed)
        self._time = VirtualTime(seconds_max=limits.virtual_s_max)
        self._randomness = Randomness()
        self._watchdog = Watchdog(limits.real_s_max)
        self._threads = ThreadsOfRun()
        self.quiet = Quiet()
        self.companion: Companion | None = None
        self._stack = ExitStack()
        self._hangs = 0
        self._noted: dict[str, None] = {}
        self._kept_chance: object = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for part in (self._tap, self._leaks, self._time, self._randomness, self._watchdog):
                stack.enter_context(part)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._stack.close()

    def begin(self, on_sleep: Callable[[float], None], *, anew: bool = True) -> None:
        """The saga's part of a run begins; not `anew`: it goes on in another process."""
        self.quiet.begin()
        self._threads.begin()
        self._randomness.begin(anew=anew)
        if self._kept_chance is not None and not anew:
            self._randomness.adopt(self._kept_chance)
        self._kept_chance = None
        self._time.begin(self._world.clock, on_sleep)
        self._watchdog.begin(above=1)  # whoever called this

    def end(self, loop: LoopReport | None, *, died: bool = False) -> None:
        """It is over: real time for the harness again, and a look at what the run left behind.

        Whoever `died` leaves things behind, and nobody is to be told of that.
        """
        self._watchdog.end()
        if self._watchdog.hung_at:
            self._hangs += 1
            if self._hangs >= _HANGS_PATIENT:
                self._watchdog.limit_s = min(self._watchdog.limit_s, _IMPATIENT_S)
        self._time.pause()
        self._randomness.pause()
        self.quiet.end()
        stragglers = self._threads.end()
        for straggler in () if died else stragglers:
            self.note(f"thread {straggler.name} ({straggler.target}) outlived its run, at {straggler.site}")
        for task in loop.left if loop is not None and not died else ():
            self.note(f"task {task.name} was left behind by its run, at {task.site}")

    @property
    def threads_left(self) -> tuple[threading.Thread, ...]:
        """The threads that outlived the last part."""
        return self._threads.alive

    @property
    def seconds_max(self) -> float:
        """How long, really, one process may take before it is stopped."""
        return self._watchdog.limit_s

    @property
    def hung_at(self) -> str:
        """Where the watchdog had to stop the last run; empty if it had not."""
        return self._watchdog.hung_at

    def notes(self) -> list[str]:
        """All there is to say so far, each once."""
        said = [*self._noted]
        said += [f"a client without a timeout would wait for ever at {site}" for site in self._tap.would_hang]
        said += [f"no operation answers {request}" for request in self._tap.unrouted]
        said += [f"waits in real time: {wait}" for wait in self._watchdog.real_waits]
        return said[:_NOTES_MAX]

    def said(self) -> tuple[Any, ...]:
        """What `notes` is made of, to be taken in elsewhere by `hear`."""
        return (tuple(self._noted), [*self._tap.would_hang], [*self._tap.unrouted], self._watchdog.real_waits)

    def hear(self, said: tuple[Any, ...]) -> None:
        """Take in what is to be noted of runs that were made in another process."""
        noted, would_hang, unrouted, waits = said
        self._noted.update(dict.fromkeys(noted))
        for known, more in ((self._tap.would_hang, would_hang), (self._tap.unrouted, unrouted)):
            known.extend(text for text in more if text not in known)
        self._watchdog.note_waits(waits)

    def note(self, text: str) -> None:
        """Keep something that a user should know, once."""
        self._noted.setdefault(text)

    # From one process to another ------------------------------------------------------------------------

    def look_before_fork(self) -> None:
        """Keep what a fork would lose, and do once what each process would else have to do."""
        self._time.look()
        self.keep_chance()  # CPython seeds `random` anew in each fork

    def begin_in_fork(self) -> None:
        """Be as complete in a new process as in the one that it was forked from, before the fork."""
        self._watchdog.begin_in_fork()
        if self.companion is not None:
            self.companion.begin_in_fork()

    def state(self) -> tuple[object, ...]:
        """What a process leaves to the next one and to the report: how far chance has come, and notes."""
        return (
            self._randomness.state(),
            self._noted,
            (self._tap.would_hang, self._tap.unrouted, self._tap.passed),
            (self._watchdog.real_waits, self._watchdog.hung_at),
            self._leaks.leaks,
            None if self.companion is None else self.companion.state(),
        )

    def adopt(self, state: tuple[Any, ...]) -> None:
        """Go on from what another process left."""
        chance, self._noted, of_tap, (waits, self._watchdog.hung_at), self._leaks.leaks[:], seen = state
        self._randomness.adopt(chance)
        self._tap.would_hang[:], self._tap.unrouted[:], passed = of_tap
        self._tap.passed.update(passed)
        self._watchdog.note_waits(waits)
        if self.companion is not None:
            self.companion.adopt(seen)

    def keep_chance(self) -> None:
        """Have the next process draw on from here, whatever the code of this one draws yet, which is dead."""
        self._kept_chance = self._randomness.state()

    def raise_leak(self) -> None:
        """Raise for a connection that tried to leave the world, also if the saga caught the error."""
        for leak in self._leaks.leaks:
            raise LeakError(
                f"the saga tried to reach {leak.host}",
                where=leak.site,
                advice="If a system stands for it, say so with hosts=; else add one that answers there, "
                "or allow it with allow_hosts=.",
            )
