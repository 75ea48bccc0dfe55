"""The exceptions that end a saga under test from outside: not for it to catch, and none of its errors."""

from __future__ import annotations

__all__ = ["ProcessDied", "SagaStopped"]


class SagaStopped(BaseException):
    """Ends a saga under test that would not end by itself; `why` says which limit it passed."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


class ProcessDied(SagaStopped):
    """The process of the saga is dead: raised where it died, and again from whatever it still tries."""

    def __init__(self) -> None:
        super().__init__("the process died here: what runs on after this is no longer part of the run")
