"""Sagas of a journal as text on a terminal."""

from __future__ import annotations

from sagaproof.saga.survey import Standing

__all__ = ["in_full", "one_line"]

_UNITS = (("d", 86400), ("h", 3600), ("min", 60))


def one_line(one: Standing) -> str:
    """A saga on one line, and what is due below it."""
    pivot = f", past {one.pivot}" if one.pivot else ""
    head = f"{one.saga}  {one.state}, {_age(one.age_s)} old{pivot}"
    return "\n".join([head, *(f"    {line}" for line in one.due)])


def in_full(one: Standing) -> str:
    """All that the journal has of a saga, and its case."""
    parts = [one_line(one) if one.case is None else one_line(one).partition("\n")[0]]
    parts.append("\n".join(["Records", *one.lines]))
    if one.decisions:
        parts.append("\n".join(["Decisions", *(f"  {line}" for line in one.decisions)]))
    if one.case is not None:
        parts.append(one.case.text())
    return "\n\n".join(parts)


def _age(seconds: float | None) -> str:
    if seconds is None:
        return "nobody knows how"
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
