"""The lines about explored tests at the end of a run of pytest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict

from sagaproof._report.card import calls
from sagaproof._report.code_schema import CodePart
from sagaproof._report.code_text import code_lines
from sagaproof._report.console import sometimes_lines
from sagaproof._report.schema import ScenarioPart

__all__ = ["Heard", "heard_of", "summary"]


class Heard(TypedDict):
    """What a report of pytest tells of a campaign, from a worker too: plain JSON."""

    status: str
    line: str
    runs: int
    findings: int
    notes: list[str]
    calls: list[str]
    sometimes: list[str]
    code: dict[str, Any] | None
    whole: str


_NOTES_MAX: Final = 5


def heard_of(part: ScenarioPart, line: str, whole: str = "") -> Heard:
    """What there is to tell of a campaign; `whole` is its report as JSON, where that is needed at the end."""
    return {
        "status": "known" if part.status == "findings" and not part.exit_code else part.status,
        "line": line,
        "runs": part.runs,
        "findings": len(part.findings),
        "notes": list(part.notes),
        "calls": [] if part.replayed is None or part.findings else calls(part.replayed),
        "sometimes": sometimes_lines(part),
        "code": None if part.code is None else part.code.model_dump(mode="json"),
        "whole": whole,
    }


def summary(heard: Mapping[str, Heard], *, verbose: bool) -> list[str]:
    """A line for each test that is incomplete, or with `verbose` for each, then the notes, then one for all.

    Without `verbose` only the first notes are told, and of the states that were reached none.
    """
    told = [(name, one) for name, one in heard.items() if verbose or one["status"] == "incomplete"]
    notes = [f"{name}  note: {note}" for name, one in heard.items() for note in one["notes"]]
    if len(notes) > _NOTES_MAX and not verbose:
        notes = [*notes[:_NOTES_MAX], f"{len(notes) - _NOTES_MAX} notes more with -v"]
    lines = [f"{name}  {line}" for name, one in told for line in _lines(one, verbose=verbose)]
    for name, one in heard.items():
        if one["calls"]:
            lines += [f"{name}  {one['line']}", *one["calls"]]
    return [*lines, *notes, *_code(heard.values()), _total(list(heard.values()))]


def _code(heard: Iterable[Heard]) -> list[str]:
    """What no fault has reached of the undo code, in none of the tests."""
    measured = (one["code"] for one in heard)
    return code_lines(None if code is None else CodePart.model_validate(code) for code in measured)


def _lines(one: Heard, *, verbose: bool) -> list[str]:
    return [one["line"], *(one["sometimes"] if verbose else ())]


def _total(heard: Sequence[Heard]) -> str:
    runs, findings = sum(one["runs"] for one in heard), sum(one["findings"] for one in heard)
    counts = {
        status: sum(one["status"] == status for one in heard)
        for status in ("clean", "known", "findings", "incomplete", "error")
    }
    parts = [f"{counts['clean']} clean"]
    if counts["known"]:
        parts.append(f"{counts['known']} with known findings")
    if counts["findings"]:
        parts.append(f"{counts['findings']} with findings")
    if counts["incomplete"]:
        parts.append(f"{counts['incomplete']} incomplete")
    if counts["error"]:
        parts.append(f"{counts['error']} with a harness error")
    return (
        f"{_many(len(heard), 'explored test')}: {', '.join(parts)}; "
        f"{_many(runs, 'run')}, {_many(findings, 'finding')}"
    )


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
