"""The report as Markdown, for the summary of a pull request: what was covered, what is wrong, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sagaproof._report.console import tally_line
from sagaproof._report.group import Group, grouped, varied
from sagaproof._report.harden import weaknesses
from sagaproof._report.schema import Report, ScenarioPart
from sagaproof._report.standing import counting, unmet

__all__ = ["as_markdown"]

BYTES_MAX: Final = 60_000
"""GitHub shows a summary of at most 1 MiB for each step, and other steps have something to say as well."""

_ROOM: Final = 200  # for the line that says what was left out
_HARDEN_MAX: Final = 5
_ROWS_MAX: Final = 100
_SPECIAL: Final = re.compile(r"([\\`*_\[\]|~>]|^[#+-])")


def as_markdown(report: Report, *, bytes_max: int = BYTES_MAX) -> str:
    """The summary, cut to `bytes_max` bytes of UTF-8: whole findings are left out at its end, and counted.

    Whatever comes from the saga or the world is escaped: it makes no markup, no HTML and no mention.
    """
    lines = [_headline(report), "", *_table(report), *_asides(report), *_harden(report)]
    text = "\n".join(lines) + "\n"
    blocks = list(_findings(report))
    for number, block in enumerate(blocks):
        if len((text + block).encode()) + _ROOM > bytes_max:
            left = len(blocks) - number
            return text + f"\n... and {left} more {'run' if left == 1 else 'runs'} with findings.\n"
        text += block
    return text


def _headline(report: Report) -> str:
    failing = sum(scenario.exit_code != 0 for scenario in report.scenarios)
    found = sum(len(counting(scenario)) for scenario in report.scenarios)
    runs = sum(scenario.runs for scenario in report.scenarios)
    many = f"{failing} of {len(report.scenarios)} scenarios to look at, "
    told = {0: "no finding", 1: "1 finding"}.get(found, f"{found} findings")
    return f"## sagaproof: {many if failing else ''}{told} in {runs} runs"


def _table(report: Report) -> Iterator[str]:
    if not report.scenarios:
        return
    yield "| scenario | status | findings | cells covered | plans |"
    yield "| --- | --- | --- | --- | --- |"
    for one in report.scenarios[:_ROWS_MAX]:
        cells = f"{one.cells.covered} of {one.cells.coverable}"
        row = (_code(one.name), _status(one), _count(one), cells, _escaped(tally_line(one)))
        yield f"| {' | '.join(row)} |"
    if len(report.scenarios) > _ROWS_MAX:
        yield f"\n... and {len(report.scenarios) - _ROWS_MAX} more scenarios."


def _status(scenario: ScenarioPart) -> str:
    if scenario.status == "findings" and scenario.exit_code == 0 and scenario.expected_met is None:
        return "known findings"
    if scenario.expected_met is None or scenario.status == "error":
        return scenario.status
    return "as expected" if scenario.expected_met else "not as expected"


def _count(scenario: ScenarioPart) -> str:
    known = sum(finding.known is not None for finding in scenario.findings)
    return f"{len(scenario.findings)}" + (f" ({known} known)" if known else "")


def _asides(report: Report) -> Iterator[str]:
    """What is wrong with the whole, or with a scenario as such, a line each."""
    texts = [f"{'✔' if gate.passed else '✘'} {gate.text}" for gate in report.gates]
    texts += [f"✘ problem: {problem}" for problem in report.problems]
    texts += [f"✘ conflict: {conflict.line}" for conflict in report.conflicts]
    for one in report.scenarios:
        words = [*(f"harness error: {error}" for error in one.errors)]
        words += [*(f"incomplete: {text}" for text in one.incomplete), *unmet(one)]
        texts += [f"✘ {one.name}: {text}" for text in words]
    if texts:
        yield ""
        yield from (f"- {_escaped(text)}" for text in texts[:_ROWS_MAX])
    if len(texts) > _ROWS_MAX:
        yield f"- and {len(texts) - _ROWS_MAX} more"


def _harden(report: Report) -> Iterator[str]:
    ranked = weaknesses({one.name: counting(one) for one in report.scenarios})[:_HARDEN_MAX]
    if ranked:
        yield "\n### Harden these first\n"
    for number, weak in enumerate(ranked, start=1):
        yield f"{number}. {_code(weak.operation)}: in {weak.plans} of {weak.of} smallest failing plans"


def _findings(report: Report) -> Iterator[str]:
    """A block for each run with findings; the kinds of fault that are new in a scenario come first."""
    for scenario in report.scenarios:
        for number, group in enumerate(varied(grouped(counting(scenario)))):
            head = "" if number else f"\n### Findings of {_code(scenario.name)}\n"
            yield head + "\n".join(_block(group)) + "\n"


def _block(group: Group) -> Iterator[str]:
    lead = group.lead
    yield f"\n**{_escaped(lead.check)}**  {_escaped(lead.says)}\n"
    if lead.because:
        yield f"because {_escaped(lead.because)}\n"
    yield from (f"also **{_escaped(other.check)}**  {_escaped(other.says)}\n" for other in group.also)
    yield from _fenced("sh", lead.replay)


def _fenced(language: str, text: str) -> Iterator[str]:
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    fence = max(fence, "```", key=len)
    yield f"{fence}{language}"
    yield text
    yield fence


def _code(text: str) -> str:
    """The text as code; in a table too, where a bar would end the cell."""
    plain = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (max(map(len, re.findall("`+", plain)), default=0) + 1)
    room = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{room}{plain}{room}{fence}"


def _escaped(text: str) -> str:
    """The text as it is, on one line: neither markup nor HTML, and a mention of nobody."""
    one_line = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return _SPECIAL.sub(r"\\\1", one_line).replace("@", "@<!-- -->")
