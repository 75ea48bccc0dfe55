"""Two processes at once: one stands still at a point, another takes its saga up, then the first goes on.

That is what a pause of the machine or of the collector does that outlasts a lease, and what two workers do
that were both handed the same saga. The second one comes to its end before the first one wakes.
"""

from __future__ import annotations

import asyncio
import copy
from asyncio import events, tasks
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context

from sagaproof._drivers.protocol import Driver
from sagaproof._model.claim import Ending
from sagaproof._model.event import Called, Noted
from sagaproof._model.point import Point
from sagaproof._taps.gate import Gate

__all__ = ["Standstill"]


class Standstill:
    """What becomes of a run whose process stands still: `heir` is how its successor ended, if it has one.

    A successor that did nothing found nothing to take up, and is no heir. How the saga ended is for the heir
    to say.

    `go_on(driver)` starts the next process with that driver and says how it ended, after all its restarts.
    """

    def __init__(self, driver: Driver, gate: Gate, go_on: Callable[[Driver], Ending]) -> None:
        self.heir: Ending | None = None
        self._driver = driver
        self._gate = gate
        self._go_on = go_on

    def __call__(self, point: Point) -> None:
        """Stand still; return when the other process is through."""
        gate = self._gate
        begun, whole = len(gate.world.log), gate.whole
        gate.process.pause(point)
        gate.process.restart()
        with _no_loop():
            # A copy of the driver holds the new process, which knows no context of the old one either; what
            # that holds, it finds again.
            ending = Context().run(self._go_on, copy.copy(self._driver))
        gate.whole = whole
        gate.process.wake()
        if any(isinstance(event, Called | Noted) for event in gate.world.log[begun:]):
            self.heir = ending


@contextmanager
def _no_loop() -> Iterator[None]:
    """Let another event loop run inside of a callback of this one, which stands still meanwhile."""
    loop = events._get_running_loop()  # noqa: SLF001  # asyncio has no public way out of a loop
    if loop is None:
        yield
        return
    task = asyncio.current_task()
    swap = getattr(tasks, "_swap_current_task", None)  # from 3.12 on a task is entered by thread
    if swap is not None:
        swap(loop, None)
    events._set_running_loop(None)  # noqa: SLF001
    try:
        yield
    finally:
        events._set_running_loop(loop)  # noqa: SLF001
        if swap is not None:
            swap(loop, task)
