"""Errors that came again under other plans, told once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["told_once"]

_UNDER: Final = re.compile(r"under plan '[^']*'")


def told_once(errors: Iterable[str]) -> list[str]:
    """The first of the errors that differ only in the plan, with how many more there are of it."""
    same: dict[str, list[str]] = {}
    for error in errors:
        same.setdefault(_UNDER.sub("", error, count=1), []).append(error)
    return [f"{first}{_more(len(rest))}" for first, *rest in same.values()]


def _more(count: int) -> str:
    if not count:
        return ""
    return f" (and under {count} more {'plan' if count == 1 else 'plans'})"
