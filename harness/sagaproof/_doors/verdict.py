"""What a campaign came to, in words: the text of a failed test."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._report.console import CARDS_MAX, findings_text, headline, tally_line
from sagaproof._report.explanation import explain_command
from sagaproof._report.schema import ScenarioPart

__all__ = ["first_line", "verdict"]


def first_line(part: ScenarioPart, *, replayed: str | None = None) -> str:
    """The findings and the tally, or the plan that was `replayed`; what went wrong goes before them."""
    if part.errors:
        return f"harness error: {part.errors[0]}"
    if part.incomplete and not part.findings:
        return f"incomplete: {part.incomplete[0]}"
    if replayed is None:
        return headline(part)
    count = len(part.findings)
    found = {0: "no finding", 1: "1 finding"}.get(count, f"{count} findings")
    return f"{found} in the replay of {replayed or 'no fault'}"


def verdict(
    part: ScenarioPart, *, replayed: str | None = None, width: int = 100, in_full: bool = False
) -> str:
    """The first line, what else is missing, and the findings as cards: a few or, `in_full`, all."""
    first = first_line(part, replayed=replayed)
    cards = len(part.findings) if in_full else CARDS_MAX
    return "\n".join(
        [first, *_besides(part, first), *findings_text(part, width=width, cards=cards, see="-vv")]
    )


def _besides(part: ScenarioPart, first: str) -> Iterator[str]:
    texts = [f"harness error: {text}" for text in part.errors]
    texts += [f"explain {command}" for command in dict.fromkeys(map(_explained, part.errors)) if command]
    # What a campaign that never made a run did not reach says nothing besides its error.
    texts += [f"incomplete: {text}" for text in part.incomplete if part.runs or not part.errors]
    texts += [f"note: {text}" for text in part.notes]
    yield from (f" {text}" for text in texts if text != first)
    if part.runs and (part.errors or part.incomplete) and not first.endswith(f"({tally_line(part)})"):
        yield f" covered: {tally_line(part)}"


def _explained(error: str) -> str:
    """The command that explains an error, by the slug at its head."""
    return explain_command(error.partition(": ")[0])
