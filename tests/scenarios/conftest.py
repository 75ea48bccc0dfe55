"""A PostgreSQL of the tests' own: started when it is first asked for, gone with the session."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

DEBIAN = Path("/usr/lib/postgresql")
UNPRIVILEGED = ("postgres", "nobody")
SETTINGS = "-c listen_addresses='' -c fsync=off -c unix_socket_directories={folder}"


def program(name: str) -> str:
    """The path of a program of PostgreSQL's; Debian keeps them by version, off the path."""
    found = shutil.which(name)
    if found is None:
        places = sorted(DEBIAN.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
        found = str(places[-1]) if places else None
    if found is None:
        pytest.skip(f"needs postgresql: there is no {name}")
    return found


class Cluster:
    """A cluster in a folder that reaches nobody but this machine: by a socket in the same folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._owner = self._unprivileged() if os.geteuid() == 0 else None
        if self._owner is not None:
            os.chown(folder, self._owner.pw_uid, self._owner.pw_gid)
        self._control = program("pg_ctl")

    def start(self) -> str:
        """The URL of a database in it, which is not there yet."""
        data = str(self._folder / "data")
        self._run(
            program("initdb"), "-D", data, "-U", "tests", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"
        )
        log, settings = str(self._folder / "log"), SETTINGS.format(folder=self._folder)
        self._run(self._control, "-D", data, "-w", "-l", log, "-o", settings, "start")
        return f"postgresql+psycopg://tests@/sagas?host={self._folder}"

    def stop(self) -> None:
        self._run(self._control, "-D", str(self._folder / "data"), "-m", "immediate", "stop")

    def _run(self, *command: str) -> None:
        owner = self._owner
        whose = {} if owner is None else {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        # No pipes: the server would hold on to them, and who reads them would wait for its end.
        subprocess.run(command, check=True, cwd=self._folder, stdout=subprocess.DEVNULL, **whose)  # type: ignore[call-overload]

    @staticmethod
    def _unprivileged() -> pwd.struct_passwd:
        """Who runs it instead of root, as whom PostgreSQL refuses to run."""
        known = {entry.pw_name: entry for entry in pwd.getpwall()}
        for name in UNPRIVILEGED:
            if name in known:
                return known[name]
        pytest.skip(f"needs an account to run postgresql under: {' or '.join(UNPRIVILEGED)}")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL database for tests alone."""
    # Not below pytest's own folders: only their owner may enter those.
    with tempfile.TemporaryDirectory(prefix="sagas-") as folder:
        cluster = Cluster(Path(folder))
        url = cluster.start()
        try:
            yield url
        finally:
            cluster.stop()
