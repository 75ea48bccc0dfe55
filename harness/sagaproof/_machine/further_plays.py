"""The database of examples while a machine is played again for other kinds of findings."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis.database import ExampleDatabase

__all__ = ["FurtherPlays"]


class FurtherPlays(ExampleDatabase):
    """Saves what is found, and forgets nothing: what is passed over in such a play has not been mended."""

    def __init__(self, database: ExampleDatabase) -> None:
        super().__init__()
        self._database = database

    def save(self, key: bytes, value: bytes) -> None:
        """Keep an example."""
        self._database.save(key, value)

    def fetch(self, key: bytes) -> Iterable[bytes]:  # noqa: ARG002  # the first play has tried them all
        """Nothing."""
        return ()

    def delete(self, key: bytes, value: bytes) -> None:
        """Do nothing."""
