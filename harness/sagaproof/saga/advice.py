"""When not to use a saga: what the tools of one say about whether something simpler would do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["NOTHING_WRITTEN", "NO_LAST_WORD", "ONE_SYSTEM", "ONLY_CONVERGENT", "advice"]

NOTHING_WRITTEN: Final = (
    "All tools are of class 1: they only read. Call them, and call them again if that fails; "
    "there is nothing to write down and nothing to undo."
)

ONLY_CONVERGENT: Final = (
    "All writes are of class 2: each sets a desired state. Repeat them until they hold, from a queue or a "
    "reconciling loop; that survives a crash without a stack of undos."
)

ONE_SYSTEM: Final = (
    "All writes go to {system}. If it has transactions, use one: it undoes everything, at once and unseen, "
    "which no saga can."
)
"""`{system}` is the name of the system."""

NO_LAST_WORD: Final = (
    "No tool is of class 4 or 5: no money moves and nothing leaves the house for good. If a half-done state "
    "can be seen for a while, a job that repeats its steps until all hold is simpler than undoing them."
)


def advice(tools: Iterable[tuple[int, str | None]]) -> list[str]:
    """What speaks against a saga of these tools; empty where nothing does.

    Each is the effect class of a tool and the name of the system that it writes to, None if it is not known.
    """
    writes = [(int(cls), system) for cls, system in tools if cls > 1]
    systems = {system for _, system in writes}
    said = []
    if not writes:
        said.append(NOTHING_WRITTEN)
    elif all(cls == 2 for cls, _ in writes):
        said.append(ONLY_CONVERGENT)
    elif all(cls < 4 for cls, _ in writes):
        said.append(NO_LAST_WORD)
    if len(writes) > 1 and len(systems) == 1 and (system := next(iter(systems))) is not None:
        said.append(ONE_SYSTEM.format(system=system))
    return said
