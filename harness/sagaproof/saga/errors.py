"""What tools raise to say more than an error can, and what the runtime raises at its caller."""

from __future__ import annotations

__all__ = ["NotApplied", "NothingToUndo", "PartialEffect", "SagaError", "SagaMisuse", "ToolMistake"]


class SagaError(Exception):
    """Base of what the runtime raises at its caller; how calls went is told in results instead."""


class ToolMistake(SagaError):
    """A tool is declared in a way that cannot work."""


class SagaMisuse(SagaError):
    """The runtime is used in a way that cannot work: an id in use, an async tool in a sync runtime."""


class NotApplied(Exception):
    """Raise it in a tool to say: this call was refused for good and has changed nothing."""


class PartialEffect(Exception):
    """Raise it in a tool to say: a part of the work is done and the rest is not.

    The agent is told that the outcome is unknown. What is done counts as an effect and is undone in an
    unwind. `answer` is kept like the answer of a call that went well, so put the reference into it.
    """

    def __init__(self, answer: object = None, text: str = "only a part of the work was done") -> None:
        self.answer = answer
        super().__init__(text)


class NothingToUndo(Exception):
    """Raise it in an undo to say: the effect is not there, be it undone already or never made."""
