"""How a store of your own comes to harm: `world.durable(write, store=stores.file(path))`.

Ready-made are `file` (lines that are appended, or a file that is rewritten), `database` (SQLite), `mapping`
(a dict) and `sequence` (a list). For any other write a `Store`: functions, each of which may be left out.
"""

from __future__ import annotations

from sagaproof._taps.ready_stores import database, file, mapping, sequence
from sagaproof._taps.store import Store

__all__ = ["Store", "database", "file", "mapping", "sequence"]
