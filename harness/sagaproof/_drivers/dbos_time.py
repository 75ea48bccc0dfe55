"""Time and chance of DBOS' own threads, apart from those of the saga that it runs.

What the saga waits for is in virtual time: the backoff between the attempts of a step, and `DBOS.sleep`. What
DBOS waits for is real: it polls a real database, and compares with the clock of that. And since its threads
poll as often as they come to it, they must not draw from the randomness of the run.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from threading import Event
from types import ModuleType
from typing import Any, Final
from unittest import mock

from sagaproof._taps.site import caller_site

__all__ = ["POLL_S", "apart", "nap"]

POLL_S: Final = 0.002
"""How long DBOS really waits between two looks; what it asks for is a second."""

_never: Final = Event()
_chance: Final = random.Random()  # noqa: S311  # ids of claims on a queue, and jitter


def nap(seconds: float = POLL_S) -> None:
    """Wait in real time, whatever `time.sleep` is just now."""
    _never.wait(seconds)


@contextmanager
def apart(refuse: Callable[[], None]) -> Iterator[None]:
    """While entered, DBOS has its own time and chance; `refuse` raises in a saga that is dead or stopped."""
    with ExitStack() as stack:
        for name, stand_ins in _stand_ins(refuse).items():
            module = _loaded(name)
            for attribute, value in stand_ins.items():
                if hasattr(module, attribute):
                    stack.enter_context(mock.patch.object(module, attribute, value))
        yield


def _loaded(name: str) -> ModuleType | None:
    """A module, loaded now: DBOS loads that of its database later, when it has no stand-in any more."""
    try:
        return import_module(name)
    except ImportError:  # another version of DBOS
        return None


def _stand_ins(refuse: Callable[[], None]) -> dict[str, dict[str, Any]]:
    """By module what is put in place of which name. The ids of workflows stay those that the run draws."""

    def poll(seconds: float) -> None:
        if caller_site():  # somebody waits for a workflow, which may never end now
            refuse()
        nap(min(seconds, POLL_S))

    real = {"time": _like(time, time=_now, sleep=poll)}
    # `DBOS.sleep` writes down when it ends, and a new process sleeps the rest: both in time of the run.
    polling = {"time": _like(time, sleep=poll)}
    ids = {"generate_uuid": lambda: str(_uuid4()), "uuid": _like(uuid, uuid4=_uuid4)}
    chance = {"random": _chance, **ids}
    loop = {"asyncio": _like(asyncio, sleep=_sleep)}
    return {
        "dbos._context": real,
        "dbos._core": {**real, **ids},
        "dbos._dbos": {**ids, **loop},
        "dbos._enqueue_options": real,
        "dbos._outcome": loop,
        "dbos._queue": chance,
        "dbos._scheduler": chance,
        "dbos._sys_db": {**polling, **chance},
        "dbos._sys_db_postgres": polling,
        # It names subqueries at random: those of DBOS, and as often as its threads happen to ask.
        "sqlalchemy.sql.selectable": {"os": _like(os, urandom=_chance.randbytes)},
    }


def _like(module: ModuleType, **others: Any) -> ModuleType:
    """A module that is another one but for some of its names; what is asked for later is found there."""
    copy = ModuleType(module.__name__, module.__doc__)
    vars(copy).update(others)
    copy.__getattr__ = lambda name: getattr(module, name)  # type: ignore[method-assign]
    return copy


async def _sleep(seconds: float) -> None:
    """A wait of the saga in the event loop of DBOS, which is a real one: in virtual time it takes none."""
    time.sleep(seconds)  # noqa: ASYNC251  # moves the clock of the run


def _now() -> float:
    return time.clock_gettime(time.CLOCK_REALTIME)


def _uuid4() -> uuid.UUID:
    return uuid.UUID(int=_chance.getrandbits(128), version=4)
