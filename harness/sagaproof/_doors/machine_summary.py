"""The lines of pytest about machines, and the file of tests that keeps what they found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sagaproof._doors.kept_tests import keep_in

__all__ = ["keep", "lines"]


def lines(machines: Sequence[Mapping[str, Any]], *, verbose: bool) -> list[str]:
    """A line for each machine, and with `verbose` its tables, each as `MachineResult.as_json` has it."""
    found: list[str] = []
    for one in machines:
        count = len(one["findings"])
        found.append(
            f"{one['name']}  {one['examples']} examples in {one['runs']} runs: "
            f"{count or 'no'} finding{'' if count == 1 else 's'}"
        )
        promoted = one["promoted"]
        if promoted and promoted["scripts"]:
            left = f", {promoted['left']} faults left out" if promoted["left"] else ""
            found.append(
                f"  {promoted['scripts']} of {promoted['of']} scripts that were new met each fault by "
                f"itself: {promoted['runs']} runs{left}"
            )
        found += [f"  {rule} never got through: {why}" for rule, why in one["never_went_through"].items()]
        if verbose:
            found += _table("rule", ("drawn", "ran", "refused", "failed"), one["rules"])
            found += _table("step", ("injected", "held", "violated"), one["steps"])
            reached = [f"{slug} {n}" for slug, n in one["sometimes"].items() if n]
            found.append(f"  reached: {', '.join(reached) or 'none'}")
    return found


def _table(title: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, int]]) -> list[str]:
    width = max([len(title), *map(len, rows)])
    head = f"  {title:{width}}" + "".join(f" {column:>9}" for column in columns)
    body = (f"  {name:{width}}" + "".join(f" {row[c]:>9}" for c in columns) for name, row in rows.items())
    return [head, *body]


def keep(file: Path, machines: Sequence[Mapping[str, Any]]) -> int:
    """Append a test for each finding that is not in the file yet; how many these are."""
    return len(keep_in(file, [finding["program"] for one in machines for finding in one["findings"]]))
