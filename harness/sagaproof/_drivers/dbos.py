"""A saga that is a DBOS workflow, driven as its users start it; it need not know anything of sagaproof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from sagaproof._model.claim import Claim
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import UsageError

__all__ = ["Dbos"]


class Dbos:
    """DBOS for the runs of a test: launched anew in each process, over a database that is empty in each run.

    `url` is that of a PostgreSQL database for tests alone, made unless it is there: each run empties its
    tables, and a database with workflows of others is refused. Without a URL it is a SQLite file in
    `world.path`. `config` is passed on to DBOS, over what is set here.

    DBOS knows one instance for each process, so no other may be there when a run begins.
    """

    def __init__(self, url: str = "", *, config: Mapping[str, Any] | None = None) -> None:
        self.url = url
        self._config = dict(config or {})
        self._database: Any = None

    def run(self, world: WorldHandle, workflow: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Start a workflow, wait for it, and return what it returns or raise what it raises.

        A `SetWorkflowID` around the call holds; without one the id is the name of the workflow.
        """
        with self.launched(world):
            engine = _engine()
            return engine.wait(engine.start(workflow, args, kwargs))

    def recover(self, world: WorldHandle) -> Any:
        """Launch DBOS as a new process does, and wait until it has brought to an end what it finds.

        The result is that of the workflow that was started last and has no parent: what it returned, or
        raised. If the process died before DBOS had taken one in, it is `Claim.REFUSED`.
        """
        with self.launched(world):
            engine = _engine()
            found = engine.last_workflow(world)
            return Claim.REFUSED if found is None else engine.wait(found)

    @contextmanager
    def launched(self, world: WorldHandle) -> Iterator[None]:
        """DBOS between launch and end, for a body that does more than start one workflow."""
        with _engine().launched(world, self._made, self._config):
            yield

    def _made(self) -> Any:
        """The database, made when it is first asked for."""
        if self._database is None:
            self._database = _engine().database(self.url, self._config.get("dbos_system_schema", "dbos"))
        return self._database


def _engine() -> ModuleType:
    """The half of this that needs DBOS."""
    if find_spec("dbos") is None:
        raise UsageError(
            "this saga runs on DBOS, which is not installed",
            advice='It is an extra: pip install "sagaproof[dbos]".',
        )
    from sagaproof._drivers import dbos_process  # noqa: PLC0415  # with it comes all of DBOS

    return dbos_process
