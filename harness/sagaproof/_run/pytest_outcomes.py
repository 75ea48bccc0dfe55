"""Telling the outcomes of pytest, which are exceptions, from the errors of a saga."""

from __future__ import annotations

__all__ = ["is_outcome", "tells_pytest"]


def is_outcome(error: BaseException) -> bool:
    """Whether pytest is being told something (skip, exit, xfail); a failed assertion is not among these."""
    return tells_pytest(error) and type(error).__name__ != "Failed"


def tells_pytest(error: BaseException) -> bool:
    """Whether an exception is an outcome of pytest; some of the classes pass themselves off as built-in."""
    return any(cls.__module__ == "_pytest.outcomes" for cls in type(error).__mro__)
