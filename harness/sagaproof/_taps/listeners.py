"""The handlers with which the saga under test listens to events, and what comes of telling them."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Awaitable, Callable
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

from sagaproof._model.claim import Claim
from sagaproof._model.effect import Record
from sagaproof._model.event import Heard, Notified
from sagaproof._model.point import Point
from sagaproof._taps.process import Process
from sagaproof._taps.stopped import ProcessDied, SagaStopped
from sagaproof._world.world import World
from sagaproof.errors import SagaproofError, UsageError, suggest

__all__ = ["TRIES_MAX", "Handler", "Letter", "Listeners"]

TRIES_MAX: Final = 3
"""How often an event is sent to a handler that raises: senders take that for a failed delivery."""

Handler = Callable[[dict[str, Any]], Any]


class Letter(NamedTuple):
    """An event that was sent: `point.attempt` counts its deliveries, `body` is what a handler gets."""

    point: Point
    type: str
    body: Record


class _Listener(NamedTuple):
    handler: Handler
    patterns: tuple[str, ...]
    restart: int

    def wants(self, type_: str) -> bool:
        return not self.patterns or any(fnmatchcase(type_, pattern) for pattern in self.patterns)


class Listeners:
    """The handlers of one run; only those of the process that lives are told.

    `read_claim` makes a claim of what a handler returns. `again` holds the events that are to be sent once
    more, `tasks` the asynchronous handlers at work, `under_way` the events that handlers have not answered;
    `ended` says that the saga is at its end.
    """

    def __init__(self, world: World, process: Process) -> None:
        self.read_claim: Callable[[Any], Claim | None] = _says_nothing
        self.again: list[Letter] = []
        self.tasks: list[asyncio.Task[None]] = []
        self.under_way: list[Letter] = []
        self.ended = False
        self._world = world
        self._process = process
        self._listeners: list[_Listener] = []

    def add(self, handler: Handler, patterns: tuple[str, ...]) -> None:
        """Tell `handler` from now on, as long as this process lives."""
        known = sorted({kind for system in self._world.systems.values() for kind in system.sends})
        for pattern in patterns:
            if not any(fnmatchcase(kind, pattern) for kind in known):
                raise UsageError(
                    f"no system of this world sends {pattern!r}",
                    advice=suggest(pattern, known) if known else "None of them sends events.",
                )
        if not self._listeners:
            self._world.outbox.clear()  # what was sent before anybody listened, as set-up
        self._listeners.append(_Listener(handler, patterns, self._process.restarts))

    def of_type(self, type_: str | None = None) -> list[_Listener]:
        """Those of the living process that want to hear of a type; of any, if none is given."""
        restarts = self._process.restarts
        ours = [one for one in self._listeners if one.restart == restarts]
        return ours if type_ is None else [one for one in ours if one.wants(type_)]

    def notify(self, letter: Letter) -> None:
        """Hand an event to all that want it; one that raises gets it again later."""
        listeners = self.of_type(letter.type)
        if listeners:
            at = self._world.clock.elapsed
            self._world.log.append(Notified(at, letter.point, letter.type, self.ended))
        for listener in listeners:
            self._tell(listener.handler, letter)

    def _tell(self, handler: Handler, letter: Letter) -> None:
        self.under_way.append(letter)
        try:
            said = handler(copy.deepcopy(dict(letter.body)))
        except BaseException as error:  # noqa: BLE001  # a handler may raise anything
            self._failed(letter, error)
            return
        if not inspect.isawaitable(said):
            self._heard(letter, said)
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise _no_loop(said) from None
        self.tasks.append(loop.create_task(self._awaited(said, letter)))

    async def _awaited(self, said: Awaitable[Any], letter: Letter) -> None:
        try:
            answer = await said
        except BaseException as error:  # noqa: BLE001  # a handler may raise anything
            self._failed(letter, error)
        else:
            self._heard(letter, answer)

    def _heard(self, letter: Letter, said: Any) -> None:
        if self._process.dead:
            self._failed(letter, ProcessDied())  # it swallowed its own death, and what it says is void
        self.under_way.remove(letter)
        claim = self.read_claim(said)
        if claim is not None:
            self._world.log.append(Heard(self._world.clock.elapsed, letter.point, claim, ""))

    def _failed(self, letter: Letter, error: BaseException) -> None:
        """Send it again, as to an endpoint that has not answered with success; what stops a run goes on."""
        self.send_again(letter)
        self._process.refuse_the_dead()
        if not isinstance(error, SagaStopped | asyncio.CancelledError):
            said = f"{type(error).__name__}: {error}"
            self._world.log.append(Heard(self._world.clock.elapsed, letter.point, None, said))
        if isinstance(error, SagaproofError) or not isinstance(error, Exception):
            raise error

    def send_again(self, letter: Letter) -> None:
        """Note that a handler has not answered with success: the event comes once more, if it still may."""
        if letter in self.under_way:
            self.under_way.remove(letter)
        if letter.point.attempt < TRIES_MAX:
            point = letter.point._replace(attempt=letter.point.attempt + 1)
            self.again.append(letter._replace(point=point))


def _says_nothing(_said: Any) -> None:
    """Without a reader of claims no handler makes one."""


def _no_loop(said: Awaitable[Any]) -> UsageError:
    if inspect.iscoroutine(said):
        said.close()
    return UsageError(
        "a handler of events returned something to await, and the saga under test is not asynchronous",
        advice="Make the handler an ordinary function, or the saga `async def`.",
    )
