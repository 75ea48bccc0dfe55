"""The page of one check, error or fault, or all checks in a line each, on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from difflib import get_close_matches

from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from sagaproof._doors.cli_explain_fault import fault_pages
from sagaproof._doors.registry import planted
from sagaproof._model.faults import FAULTS
from sagaproof._report.explanation import Explanation, error_pages, explanations
from sagaproof.errors import UsageError, suggest

__all__ = ["page_of", "print_explained"]

_WIDTH = 110


def page_of(slug: str) -> str:
    """The page of a check, an error or a fault, in Markdown. Raises `UsageError` with the nearest name."""
    known = explanations()
    if slug not in known and slug in error_pages():
        return f"# {slug}\n\n{error_pages()[slug]}"
    if slug not in known:
        if pages := fault_pages(slug):
            return pages
        names = [*known, *error_pages(), *FAULTS]
        nearest = suggest(slug, get_close_matches(slug, names, n=1, cutoff=0.5) or known)
        raise UsageError(f"there is no check {slug!r}, and no error or fault", advice=nearest)
    one = known[slug]
    parts = [f"# {slug}", f"**{one.effect}**", "\n".join(_facts(one)), one.page.strip(), _switch(one)]
    return "\n\n".join([*parts, "## Exactly", one.exactly]) + "\n"


def print_explained(slug: str | None, console: Console) -> None:
    """Print the page of a check, or without a slug a line for each. Plain where nobody sees it."""
    if slug is None:
        _print_all(console)
        return
    text = page_of(slug)
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        console.print(Text(text), end="", soft_wrap=True)


def _facts(one: Explanation) -> Iterator[str]:
    yield _item(f"Judged: {one.judged}.")
    yield _item(one.applies)
    if one.faults_needed > 1:
        yield _item(f"It takes up to {one.faults_needed} faults in one run to reach it: `faults=`.")
    if one.source:
        yield _item(f"Definition: {one.source}.")
    bugs = [bug.id for bug in planted() if one.slug in bug.expect]
    if bugs:
        yield _item(
            f"Planted bugs that it is meant to see: {', '.join(bugs)} (`sagaproof selfcheck {bugs[0]}`)."
        )


def _item(text: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent="- ",
        subsequent_indent="  ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _switch(one: Explanation) -> str:
    return (
        f'To leave it out: `@explore(skip_checks={{"{one.slug}": "the reason"}})`. '
        "The reason stands in the report."
    )


def _print_all(console: Console) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for one in explanations().values():
        table.add_row(Text(one.slug), Text(one.effect))
    console.print(table)
