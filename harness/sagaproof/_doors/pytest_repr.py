"""A failed campaign as pytest prints it: its text as it is, and its first line in the short summary."""

from __future__ import annotations

from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

__all__ = ["as_it_is"]


def as_it_is(text: str, path: str, line: int) -> ReprExceptionInfo:
    """A representation without a traceback. It survives the way from a worker of pytest-xdist."""
    entry = ReprEntryNative([f"{row}\n" for row in text.split("\n")])
    return ReprExceptionInfo(
        reprcrash=ReprFileLocation(path, line, text.partition("\n")[0]),
        reprtraceback=ReprTraceback([entry], None, style="native"),
    )
