"""The difference of two reports as text: what got worse first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sagaproof._report.diff_schema import CellChange, Diff, FindingChange

__all__ = ["diff_lines"]


def diff_lines(diff: Diff) -> Iterator[str]:
    """The lines, without any for what did not change."""
    yield from _findings("new findings", diff.new_findings)
    yield from _cells("newly violated", diff.newly_violated)
    yield from _cells("newly uncovered", diff.newly_uncovered)
    yield from _cells("gone", diff.gone)
    yield from _findings("fixed findings", diff.fixed_findings)
    yield from _cells("no longer violated", diff.no_longer_violated)
    yield from _cells("newly covered", diff.newly_covered)
    for word, names in (("new", diff.new_scenarios), ("gone", diff.gone_scenarios)):
        if names:
            yield f"{word} scenarios: {', '.join(names)}"
    yield from (f"not made alike: {text}" for text in diff.apart)
    yield _headline(diff)


def _headline(diff: Diff) -> str:
    counts = (
        (len(diff.new_findings), "new findings"),
        (len(diff.newly_violated), "cells newly violated"),
        (len(diff.newly_uncovered), "newly uncovered"),
        (len(diff.gone), "gone"),
        (len(diff.fixed_findings), "findings fixed"),
        (len(diff.newly_covered), "cells newly covered"),
    )
    told = [f"{count} {word}" for count, word in counts if count]
    return ", ".join(told) if told else "no difference"


def _findings(title: str, found: tuple[FindingChange, ...]) -> Iterator[str]:
    if not found:
        return
    yield f"{title}: {len(found)}"
    for one in found:
        known = "  (known)" if one.known else ""
        yield f"  {one.scenario}  {one.check}  {one.plan or 'no fault'}{known}"
        yield f"    {one.says}"
        yield f"    {one.replay}"


def _cells(title: str, found: tuple[CellChange, ...]) -> Iterator[str]:
    """One line for each row of a grid, with all faults that share a change."""
    if not found:
        return
    yield f"{title}: {len(found)}"
    for (scenario, *where, change, reason), faults in _rows(found).items():
        why = f"  ({reason})" if reason else ""
        yield f"  {scenario}  {' '.join(where)}: {', '.join(faults)}  {change}{why}"


def _rows(found: Iterable[CellChange]) -> dict[tuple[str, ...], list[str]]:
    rows: dict[tuple[str, ...], list[str]] = {}
    for one in found:
        attempt = "retry" if one.attempt == "retry" else ""
        position = one.position if one.position != "before-pivot" else ""
        where = filter(None, (one.operation, one.phase, attempt, position))
        change = f"{one.before or 'not there'} -> {one.after or 'not there'}"
        rows.setdefault((one.scenario, *where, change, one.reason), []).append(one.fault)
    return rows
