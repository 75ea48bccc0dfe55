"""What a campaign came to, in words: the text of a failed test."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._report.console import findings_text, headline, tally_line
from sagaproof._report.schema import ScenarioPart

__all__ = ["first_line", "verdict"]


def first_line(part: ScenarioPart) -> str:
    """The findings and the tally; before them the harness error, or what is missing."""
    if part.errors:
        return f"harness error: {part.errors[0]}"
    if part.incomplete and not part.findings:
        return f"incomplete: {part.incomplete[0]}"
    return headline(part)


def verdict(part: ScenarioPart, *, width: int = 100) -> str:
    """The first line, what else is missing, and the findings as cards."""
    return "\n".join([first_line(part), *_besides(part), *findings_text(part, width=width)])


def _besides(part: ScenarioPart) -> Iterator[str]:
    first = first_line(part)
    texts = [f"harness error: {text}" for text in part.errors]
    # What a campaign that never made a run did not reach says nothing besides its error.
    texts += [f"incomplete: {text}" for text in part.incomplete if part.runs or not part.errors]
    texts += [f"note: {text}" for text in part.notes]
    yield from (f" {text}" for text in texts if text != first)
    if first != headline(part) and part.runs:
        yield f" covered: {tally_line(part)}"
