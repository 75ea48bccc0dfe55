"""What a tool does to the outside world, in five classes: whether it can be repeated, and whether undone."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["EffectClass"]


class EffectClass(IntEnum):
    """How much a call of a tool matters. `cls=4` and `cls=EffectClass.COMPENSABLE` are the same."""

    READ = 1
    """Changes nothing: repeated at will, not journalled."""
    CONVERGENT = 2
    """Sets a desired state: repeated until it holds, never undone."""
    REVERSIBLE = 3
    """Can be put back as it was."""
    COMPENSABLE = 4
    """Is made good by a visible counter-entry: a refund, a reversal."""
    IRREVERSIBLE = 5
    """Cannot be taken back, as a mail that went out. The first one that happens is the pivot."""

    @property
    def is_undone(self) -> bool:
        """Whether an unwind has to undo calls of this class."""
        return self in {EffectClass.REVERSIBLE, EffectClass.COMPENSABLE}
