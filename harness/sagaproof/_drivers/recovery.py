"""What to say where a process dies and nobody has said what a new one does."""

from __future__ import annotations

from sagaproof.errors import UsageError

__all__ = ["no_recovery"]


def no_recovery() -> UsageError:
    """The error for a crash of a saga that cannot be restarted."""
    return UsageError(
        "the plan kills the process, and nothing says what a new one does",
        advice="Pass recover=, a function of the world that recovers what is durable as a new process would.",
    )
