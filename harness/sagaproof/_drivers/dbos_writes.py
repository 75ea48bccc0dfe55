"""The writes of DBOS into its system database: points at which the process dies, or the database is away."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.store import Store

__all__ = ["DatabaseAway", "lost", "tap_writes"]

Record = Callable[..., dict[str, Any]]

_WAITS_S: Final = (1.0, 2.0, 4.0, 8.0)
"""DBOS waits for its database that long between its tries, and has no last one."""


class DatabaseAway(BaseException):
    """DBOS waits for its database in vain, until whoever watches over the process starts it anew."""


class _Refused(Exception):
    """One try to write has failed."""


lost: Final[list[DatabaseAway]] = []
"""Why the workflow that somebody waits for has stopped without an outcome. There is one DBOS in a process."""


def tap_writes(database: Any, world: WorldHandle) -> None:
    """Put a tap around the writes of one instance. What this DBOS does not have is left out."""
    lost.clear()
    for method, (name, record) in _WRITES.items():
        write = getattr(database, method, None)
        if write is not None:
            setattr(database, method, _tapped(write, name, record, world))


def _tapped(write: Callable[..., Any], name: str, record: Record, world: WorldHandle) -> Callable[..., Any]:
    store = Store(fails=lambda error: _Refused(str(error)))

    def tapped(*args: Any, **kwargs: Any) -> Any:
        if name == _STEP:  # by which DBOS knows a try of the same write
            kwargs["completed_at_epoch_ms"] = kwargs.get("completed_at_epoch_ms") or int(time.time() * 1000)
        # What is noted of a write must be the same in each run: no times, no tokens.
        durable = world.durable(lambda _: write(*args, **kwargs), name=name, store=store)
        return _insist(lambda: durable(record(*args, **kwargs)))

    world.durable(write, name=name, store=store)  # so that plans may name it before it is first written
    return tapped


def _insist(write: Callable[[], Any]) -> Any:
    """Write as DBOS does when the connection to its database is lost: again and again, and nothing else."""
    for wait_s in _WAITS_S:
        try:
            return write()
        except _Refused:
            time.sleep(wait_s)
    lost.append(DatabaseAway("DBOS waits for its database"))
    raise lost[0]


def _started(status: Mapping[str, Any], *_: Any, **__: Any) -> dict[str, Any]:
    return {"workflow": status["workflow_uuid"], "function": status["name"]}


def _step(result: Mapping[str, Any], *_: Any, **__: Any) -> dict[str, Any]:
    said = "error" if result["error"] is not None else "result"
    return {"step": result["function_id"], "function": result["function_name"], "is": said}


def _outcome(workflow: str, status: str, *_: Any, **__: Any) -> dict[str, Any]:
    return {"workflow": workflow, "status": status}


_STEP: Final = "dbos.step"
_WRITES: Final[Mapping[str, tuple[str, Record]]] = {
    "init_child_workflow": ("dbos.child", _started),
    "record_operation_result": (_STEP, _step),
    "update_workflow_outcome": ("dbos.outcome", _outcome),
}
"""By method: what plans call the write, and what is noted of it.

The write that takes in a workflow is none of them: a process that dies before it has begun nothing, and one
that dies after it dies before the first call.
"""
