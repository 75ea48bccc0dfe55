"""The system database of DBOS, empty for each run: a copy of a file, or tables that are emptied."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from typing import Any, Final, Protocol

import sqlalchemy as sa
from dbos import DBOS

from sagaproof.errors import UsageError

__all__ = ["VERSION", "Database", "database"]

VERSION: Final = "sagaproof"
"""The version of the application under which runs start workflows, by which these are known."""

_FILE: Final = "dbos.sqlite"
_MARK: Final = "dbos.emptied"
_VERSIONS: Final = "dbos_migrations"


class Database(Protocol):
    """Where DBOS keeps what outlives its process. `engine` is one for all runs; None: each makes its own."""

    engine: sa.Engine | None

    @property
    def url(self) -> str:
        """Where it is, in the words of SQLAlchemy."""

    def prepare(self, folder: Path) -> None:
        """Make ready for a process of the run whose folder this is: empty, unless it was restarted."""


def database(url: str, schema: str) -> Database:
    """The database behind a URL, with the tables of DBOS in that schema; without a URL, SQLite files."""
    return _Server(url, schema) if url else _File()


class _File:
    """A file in the folder of the run, copied from one with all tables: to make these takes long."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="sagaproof-dbos-") as folder:
            self._path = Path(folder) / _FILE
            DBOS.migrate(self.url)
            self._template = self._path.read_bytes()
        self.engine = _engine(self.url, None, creator=self._connect)

    @property
    def url(self) -> str:
        return f"sqlite:///{self._path}"

    def prepare(self, folder: Path) -> None:
        self._path = folder / _FILE
        if not self._path.exists():
            self._path.write_bytes(self._template)

    def _connect(self) -> sqlite3.Connection:
        """A connection to the file of the current run, for the engine of all runs."""
        return sqlite3.connect(self._path, check_same_thread=False)


class _Server:
    """Tables that are emptied for each run."""

    def __init__(self, url: str, schema: str) -> None:
        self._url = url
        DBOS.migrate(url, schema=schema)
        self.engine = _engine(url, schema)
        self._own = sa.create_engine(url, poolclass=sa.NullPool)
        tables = sa.MetaData()
        tables.reflect(self._own, schema=schema)
        self._refuse_others(tables.tables.get(f"{schema}.workflow_status"))
        self._tables = [table for table in reversed(tables.sorted_tables) if table.name != _VERSIONS]

    @property
    def url(self) -> str:
        return self._url

    def prepare(self, folder: Path) -> None:
        """Delete the few rows of the last run: to truncate tables takes PostgreSQL longer than the run."""
        mark = folder / _MARK
        if not mark.exists():
            mark.touch()
            with self._own.begin() as connection:
                for table in self._tables:
                    connection.execute(sa.delete(table))

    def _refuse_others(self, workflows: Any) -> None:
        """Raise `UsageError` for a database that somebody works with: it would be emptied."""
        if workflows is None:
            return
        others = sa.select(sa.func.count()).where(workflows.c.application_version.is_distinct_from(VERSION))
        with self._own.connect() as connection:
            count = connection.execute(others).scalar()
        if count:
            raise UsageError(
                f"the database holds {count} workflows that no test has started, and would be emptied",
                where=sa.make_url(self._url).render_as_string(hide_password=True),
                advice="Give Dbos the URL of a database for tests alone; one that is not there is made.",
            )


def _engine(url: str, schema: str | None, **more: Any) -> sa.Engine | None:
    """The engine that DBOS would make, to be used by all launches: half of a run is compiling statements.

    DBOS has no public way to make one as it would; without it each launch goes the slow way.
    """
    try:
        from dbos._serialization import DefaultSerializer  # noqa: PLC0415  # private, and may be gone
        from dbos._sys_db import SystemDatabase  # noqa: PLC0415  # as above

        made: sa.Engine = SystemDatabase.create(
            system_database_url=url,
            engine_kwargs={"pool_size": 20, "max_overflow": 0, "pool_timeout": 30, **more},
            engine=None,
            schema=schema,
            serializer=DefaultSerializer(),
            executor_id=None,
        ).engine
    except (ImportError, AttributeError, TypeError):
        return None
    return made
