"""What a shard alone cannot say: whether what it never came to was never come to at all."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

__all__ = ["Gap", "GapKind"]

GapKind: TypeAlias = Literal["check", "sometimes", "undo", "taken back", "called", "when", "idle", "expected"]


class Gap(NamedTuple):
    """One thing that no run of a shard showed: `about` names it, `text` says so.

    `spoils`: if no other shard shows it either, the campaign is incomplete; else it is worth a note.
    """

    kind: GapKind
    about: str
    text: str
    spoils: bool
