"""The planted bugs by other means, for people: a row for each bug, and how many each of them kills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median_low

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sagaproof._machine.comparison import Comparison, Row

__all__ = ["head", "print_comparison", "rows", "summary", "totals"]


def print_comparison(result: Comparison, console: Console) -> None:
    """A table that fits 80 columns, then what it comes to."""
    console.print(Text("the same bugs by other means: the first run that shows it", style="bold"))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in head(result):
        table.add_column(name, no_wrap=True)
    for row in (*rows(result), totals(result)):
        table.add_row(*map(Text, row))
    console.print(table)
    console.print()
    for line in summary(result):
        console.print(Text(line, style="bold"))


def head(result: Comparison) -> list[str]:
    """The names of the columns."""
    return ["bug", "explored", "single errors", *(f"{n} examples" for n in result.examples)]


def rows(result: Comparison) -> Iterator[list[str]]:
    """A row for each bug, and for each control on which something was found."""
    for row in result.rows:
        if not row.planted.is_control or not row.is_silent:
            yield _cells(row)


def totals(result: Comparison) -> list[str]:
    """How many are killed; by the machine as the least, the median and the most over the seeds."""
    of = len(result.bugs)
    spreads = (result.spread(n) for n in result.examples)
    drawn = (f"{s.least} / {s.median:g} / {s.most} of {of}" for s in spreads)
    return ["killed", f"{result.explored} of {of}", f"{result.errors} of {of}", *drawn]


def summary(result: Comparison) -> Iterator[str]:
    """What it comes to, in a sentence for each means."""
    of, seeds = len(result.bugs), len(result.seeds)
    yield f"explored over k<=2: killed {result.explored} of {of}"
    yield f"single errors: killed {result.errors} of {of}"
    for examples in result.examples:
        least, middle, most = result.spread(examples)
        yield (
            f"plain machine, {examples} examples: killed {least} to {most} of {of} "
            f"(median {middle:g} over {seeds} seeds)"
        )
    alarms = len(result.false_alarms)
    yield f"{alarms} false alarms on {len(result.controls)} controls; not compared: {_names(result.left_out)}"


def _cells(row: Row) -> list[str]:
    drawn = (_seeds(by_seed) for by_seed in row.machine.values())
    return [row.planted.id, _first(row.explored), _first(row.errors), *drawn]


def _seeds(by_seed: Sequence[int | None]) -> str:
    found = [first for first in by_seed if first is not None]
    return f"{len(found)} of {len(by_seed)}" + (f", run {median_low(found)}" if found else "")


def _first(first: int | None) -> str:
    return "-" if first is None else f"run {first}"


def _names(ids: Sequence[str]) -> str:
    return " ".join(ids) or "none"
