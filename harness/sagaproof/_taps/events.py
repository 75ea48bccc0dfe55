"""Events that systems send, on their way to the saga under test.

An event is handed over before the next call of the saga, while it sleeps, or at its end, whatever comes
first; to a saga in an event loop, as soon as that gets its turn. What lands late with a call sends its event
after that call. A handler is code of the saga's process: it
gets nothing once that is dead, and what comes in the meantime goes to the handlers of the next process.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from sagaproof._model.event import Sent
from sagaproof._model.fault import Applied, Fault, Lands
from sagaproof._model.point import Point
from sagaproof._taps.listeners import Letter, Listeners
from sagaproof._taps.process import Process
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.delivery import Emission
from sagaproof._world.system import System
from sagaproof._world.world import World

__all__ = ["Events"]


class Events:
    """The post of one run: what it hands over, and what it holds back as the faults say."""

    def __init__(self, world: World, process: Process, fault_at: Callable[[Point], Fault | None]) -> None:
        self.listeners = Listeners(world, process)
        self._world = world
        self._process = process
        self._fault_at = fault_at
        self._numbers: Counter[str] = Counter()
        self._held: list[Letter] = []
        self._late: list[Letter] = []
        self._busy = threading.Lock()

    # Handing over ---------------------------------------------------------------------------------------

    def hand_out(self, first: Iterable[Letter] = ()) -> None:
        """Hand over what is due, these first. From within a handler it does nothing: that comes after it."""
        if self._process.dead or not self._busy.acquire(blocking=False):
            return
        try:
            again, self.listeners.again = self.listeners.again, []
            for letter in (*first, *again):
                self.listeners.notify(letter)
            while self._world.outbox:
                self._send(*self._world.outbox.pop(0))
        finally:
            self._busy.release()

    def soon(self) -> None:
        """Have a saga in an event loop told when the loop gets its turn, also if it waits for just that."""
        if self.listeners.of_type():
            try:
                loop = asyncio.get_running_loop()
            except RuntimeError:
                return
            self.listeners.tasks.append(loop.create_task(self._hand_out()))

    async def _hand_out(self) -> None:
        self.hand_out()

    async def come_to_rest(self) -> None:
        """Hand over all that is not held back until after the end, and wait for the handlers."""
        self.hand_out()
        while not self._process.dead and (self._is_due() or self.listeners.tasks):
            held, self._held = self._held, []
            self.hand_out(held)
            tasks, self.listeners.tasks = self.listeners.tasks, []
            outcomes = await asyncio.gather(*tasks, return_exceptions=True) if tasks else ()
            for outcome in outcomes:
                _raise_unless_stopped(outcome)

    async def come_late(self) -> None:
        """After the end: hand over what was held back until then, and what else has been sent by now."""
        late, self._late = self._late, []
        self.hand_out(late)
        await self.come_to_rest()

    def _is_due(self) -> bool:
        return bool(self._held or self.listeners.again or self._world.outbox)

    # One event ------------------------------------------------------------------------------------------

    def _send(self, system: System, emission: Emission) -> None:
        if not self.listeners.of_type(emission.type):
            return
        source = f"{system.name}.events"
        self._numbers[source] += 1
        number = self._numbers[source]
        point = Point(source, number, 1, self._process.restarts)
        body = {"id": f"evt_{system.name}_{number}", "type": emission.type, "data": emission.data}
        fault = self._fault_at(point)
        name = None if fault is None else fault.name
        self._world.log.append(Sent(self._world.clock.elapsed, point, emission.type, body, name))
        self._deliver(Letter(point, emission.type, body), fault)

    def _deliver(self, letter: Letter, fault: Fault | None) -> None:
        applied = Applied.YES if fault is None else fault.applied
        if fault is not None and applied is Applied.LATE:
            (self._late if fault.lands is Lands.END else self._held).append(letter)
            return
        held, self._held = self._held, []
        copies = {Applied.NO: 0, Applied.TWICE: 2}.get(applied, 1)
        for due in (*[letter] * copies, *held):
            self.listeners.notify(due)

    # What there is --------------------------------------------------------------------------------------

    def waiting(self) -> bool:
        """Whether anything is still on its way."""
        return bool(self._late) or self._is_due()

    def pending(self) -> Hashable:
        """What is still on its way."""
        letters = (*self._held, *self.listeners.again, *self._late)
        ours = tuple((letter.point.operation, letter.type, repr(letter.body["data"])) for letter in letters)
        return (ours, tuple((system.name, repr(emission)) for system, emission in self._world.outbox))

    # From one process to another ------------------------------------------------------------------------

    def take_back(self) -> None:
        """Have what the handlers of a process have not answered come again: it is about to be gone."""
        for letter in [*self.listeners.under_way]:
            self.listeners.send_again(letter)

    def state(self) -> dict[str, Any]:
        """What is on its way, whoever will be told of it."""
        return {
            "numbers": self._numbers,
            "held": self._held,
            "late": self._late,
            "again": self.listeners.again,
            "ended": self.listeners.ended,
        }

    def adopt(self, state: Mapping[str, Any]) -> None:
        """Go on as the post of another process, to which none of the handlers here belong."""
        self._numbers, self._held, self._late = state["numbers"], state["held"], state["late"]
        self.listeners.again, self.listeners.ended = state["again"], state["ended"]


def _raise_unless_stopped(outcome: object) -> None:
    """Raise what must not get lost; a process that has died in a handler is dead without that."""
    if isinstance(outcome, BaseException) and not isinstance(outcome, SagaStopped | asyncio.CancelledError):
        raise outcome
