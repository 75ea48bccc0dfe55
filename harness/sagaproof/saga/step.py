"""What undos, lookups and the other hooks of a tool are given of the call that they are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a tool in one saga, as the journal has it: plain JSON, the same before and after a crash.

    `ref` is the reference that the forward call returned, None if it is not known; `key` the key under which
    the call was sent, `undo_key` the one for its undo; `before` what the tool's `before` has read.
    """

    saga: str
    call_id: str
    tool: str
    args: dict[str, Any]
    key: str
    undo_key: str
    before: Any = None
    answer: Any = None
    ref: Any = None
