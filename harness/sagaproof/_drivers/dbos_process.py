"""One process of DBOS: launched, asked, and ended with all of its threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from dbos import DBOS, SetWorkflowID
from dbos._context import get_local_dbos_context

from sagaproof._drivers.dbos_database import VERSION, Database, database
from sagaproof._drivers.dbos_time import POLL_S, apart, nap
from sagaproof._drivers.dbos_writes import lost, tap_writes
from sagaproof._model.faults import FAULTS
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import SagaStopped
from sagaproof.errors import UsageError

__all__ = ["database", "last_workflow", "launched", "start", "wait"]

_CONFIG: Final[Mapping[str, Any]] = {
    "name": "sagaproof",
    # Pinned: by default a hash of the source, and after an edit nothing of before is recovered.
    "application_version": VERSION,
    "executor_id": "sagaproof",
    "log_level": "CRITICAL",
}

_UNFINISHED: Final = ["PENDING", "ENQUEUED"]
_JOIN_S: Final = 1.0


@contextmanager
def launched(world: WorldHandle, made: Callable[[], Database], config: Mapping[str, Any]) -> Iterator[None]:
    """A process of DBOS for the current run. At its end none of its threads is left."""
    _refuse_pauses(world)
    _require_none()
    with apart(lambda: _refuse(world)):
        database = made()
        database.prepare(world.path)
        engine: Any = DBOS(config=_config(database, config))
        try:
            if world.gate.process.restarts:
                _poll_often(engine)
            DBOS.launch()
            tap_writes(engine._sys_db, world)  # noqa: SLF001  # DBOS has no hook for them
            yield
        finally:
            _end(engine)
            if database.engine is not None:
                database.engine.dispose()


def _config(database: Database, given: Mapping[str, Any]) -> Any:
    whole: dict[str, Any] = {**_CONFIG, "system_database_url": database.url, **given}
    if database.engine is not None and "db_engine_kwargs" not in given:
        whole.setdefault("system_database_engine", database.engine)
    return whole


def start(workflow: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The handle of a workflow that was just started."""
    context = get_local_dbos_context()
    with ExitStack() as stack:
        if context is None or not context.id_assigned_for_next_workflow:
            stack.enter_context(SetWorkflowID(getattr(workflow, "__name__", "workflow")))
        return DBOS.start_workflow(workflow, *args, **kwargs)


def wait(handle: Any) -> Any:
    """The result of a workflow, also where the process dies over it."""
    return handle.get_result()


def last_workflow(world: WorldHandle) -> Any:
    """The handle of the workflow that was started last, once none is unfinished; None if there is none."""
    while DBOS.list_workflows(status=_UNFINISHED, limit=1, load_input=False, load_output=False):
        _refuse(world)
        nap()
    started = DBOS.list_workflows(has_parent=False, sort_desc=True, limit=1)
    return DBOS.retrieve_workflow(started[0].workflow_id) if started else None


def _refuse(world: WorldHandle) -> None:
    """Raise where the workflow that is waited for has been stopped, which leaves it unfinished."""
    if world.gate.closed:
        raise SagaStopped(world.gate.closed)
    world.gate.process.refuse_the_dead()
    if lost:
        raise lost[0]


def _refuse_pauses(world: WorldHandle) -> None:
    """Say ahead what would only fail in a step, where DBOS takes it for one to be tried again."""
    if any(FAULTS[injection.fault].pauses for injection in world.gate.plan):
        raise UsageError(
            "a process with DBOS cannot stand still here",
            advice="The one that takes over would be a second DBOS in this process, which allows only one. "
            "Leave pause out of families=.",
        )


def _require_none() -> None:
    import dbos._dbos as module  # noqa: PLC0415  # its name is that of the package

    if module._dbos_global_instance is not None:  # noqa: SLF001  # there is no public way to ask
        raise UsageError(
            "DBOS was launched already",
            advice="Dbos launches it for each run, with a database of its own: call DBOS() and DBOS.launch() "
            "where the program starts, not where the workflows are defined. DBOS.destroy() ends one.",
        )


def _poll_often(engine: Any) -> None:
    """Have what a dead process left behind taken up at once.

    It goes through a queue of DBOS' own, which looks once a second and has no public setting for that. If
    this version of DBOS keeps it elsewhere, nothing is changed, and a restart takes a second of real time.
    """
    queue: Any = getattr(engine._registry, "get_internal_queue", lambda: None)()  # noqa: SLF001
    if hasattr(queue, "_polling_interval_sec"):
        queue._polling_interval_sec = POLL_S  # noqa: SLF001


def _end(engine: Any) -> None:
    """End DBOS, and wait for its workers: a thread that outlives its run is one of the saga's."""
    workers = getattr(engine, "_executor_field", None)
    DBOS.destroy()
    for thread in tuple(getattr(workers, "_threads", ())):
        thread.join(_JOIN_S)
