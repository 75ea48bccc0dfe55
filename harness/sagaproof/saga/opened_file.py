"""The file that a journal was opened as: another one under its name, or none, is not that journal."""

from __future__ import annotations

import os
from contextlib import suppress

from sagaproof.saga.journal import UnreadableJournal

__all__ = ["OpenedFile"]


class OpenedFile:
    """Remembers which file stands at `path` now, whatever becomes of the working directory."""

    __slots__ = ("_identity", "_path")

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)  # noqa: PTH100 - Path.absolute keeps "..", and is looked up each time
        found = os.stat(self._path)  # noqa: PTH116 - before each record: a Path costs five times as much
        self._identity = (found.st_dev, found.st_ino)

    def confirm(self) -> None:
        """Raises `UnreadableJournal` if it is gone: what is written into it nobody would ever read."""
        identity = None
        with suppress(FileNotFoundError):
            try:
                found = os.stat(self._path)  # noqa: PTH116 - as above
            except PermissionError:
                return  # rights were given up after it was opened
            identity = (found.st_dev, found.st_ino)
        if identity != self._identity:
            raise UnreadableJournal(
                f"the journal {self._path} was removed or replaced while it was open. Bring it back, or "
                "settle its open sagas by hand; then open it anew"
            )
