"""How a command ends with an exit code of its own."""

from __future__ import annotations

__all__ = ["Finished"]


class Finished(SystemExit):
    """The exit code of a command; one of `SystemExit` itself is about wrong use."""
