"""A report on a terminal: headlines, cards, and the table of scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sagaproof._model.script import OPAQUE
from sagaproof._report.card import calls, card
from sagaproof._report.code_text import code_lines
from sagaproof._report.group import Group, grouped, varied
from sagaproof._report.schema import FindingPart, Report, ScenarioPart, TallyPart

__all__ = [
    "CARDS_MAX",
    "as_text",
    "card",
    "findings_text",
    "headline",
    "print_scenario",
    "print_summary",
    "sometimes_lines",
    "tally_line",
]

CARDS_MAX: Final = 5
_COLOURS: Final = {"clean": "green", "findings": "red", "incomplete": "yellow", "error": "bold red"}


def headline(scenario: ScenarioPart) -> str:
    """One line: `2 findings in 281 runs (k<=2 complete: 412 = 281 run + 131 pruned)`."""
    found, known = len(scenario.findings), sum(one.known is not None for one in scenario.findings)
    count = "no finding" if not found else "1 finding" if found == 1 else f"{found} findings"
    count += f", {known} of them known," if known else ""
    runs = "1 run" if scenario.runs == 1 else f"{scenario.runs} runs"
    head = {"error": "harness error: ", "incomplete": "incomplete: "}.get(scenario.status, "")
    return f"{head}{count} in {runs} ({tally_line(scenario)})"


def tally_line(scenario: ScenarioPart) -> str:
    """What was covered, added up over the sizes of plan: `k<=2 complete: 412 = 281 run + 131 pruned`."""
    tried = [row for row in scenario.tally if row.attempted]
    if not tried:
        return "nothing was attempted"
    reachable, run, pruned, skipped = (
        sum(getattr(row, name) for row in tried) for name in ("reachable", "run", "pruned", "skipped")
    )
    parts = [f"{run} run"]
    parts += [f"{pruned} pruned"] if pruned else []
    parts += [f"{skipped} skipped"] if skipped else []
    more = ">=" if any(row.bound == "lower" for row in tried) else ""
    differ = sum(row.mismatched for row in tried)
    audit = f", audit: {differ} of {sum(row.audited for row in tried)} differ" if differ else ""
    return f"{_share(scenario)}{_reach(tried)}: {more}{reachable} = {' + '.join(parts)}{audit}"


def _share(scenario: ScenarioPart) -> str:
    """Which shards were counted, where that is not all of them."""
    if scenario.shard is None:
        return ""
    numbers = ", ".join(map(str, scenario.shard.parts))
    return f"shard {numbers} of {scenario.shard.of}, "


def _in_red(line: str, *, from_: str) -> Text:
    """A line whose end is bad news: a rule that leaves plans out was wrong."""
    text = Text(line)
    if from_ in line:
        text.stylize("bold red", line.index(from_) + 2)
    return text


def sometimes_lines(scenario: ScenarioPart) -> list[str]:
    """`sometimes 14 of 17 reached; not: ...`, with the best partial of each; none if nothing applies."""
    missed = [one for one in scenario.sometimes if one.state == "not reached"]
    reached = sum(one.state == "reached" for one in scenario.sometimes)
    if not missed and not reached:
        return []
    line = f"sometimes {reached} of {reached + len(missed)} reached"
    if missed:
        line += "; not: " + ", ".join(f"{one.sometimes} ({one.best}/{len(one.stages)})" for one in missed)
    return [line]


def findings_text(
    scenario: ScenarioPart, *, width: int = 100, cards: int = CARDS_MAX, see: str = ""
) -> list[str]:
    """The first `cards` findings as cards, then one line for each that is left, and for each known one.

    `see` says how those that are left can be seen as cards.
    """
    known = [finding for finding in scenario.findings if finding.known is not None]
    groups = varied(grouped(finding for finding in scenario.findings if finding.known is None))
    lines: list[str] = []
    for group in groups[:cards]:
        lines.extend(("", *card(group.lead, group.also, width=width)))
    rest = groups[cards:]
    if rest:
        how = f" (in full: {see})" if see else ""
        lines.extend(("", f" {_count(rest)} more, with the plan that shows each{how}:"))
        lines.extend(f"   {_brief(finding)}" for finding in _flat(rest))
    if known:
        lines.extend(("", " known, by the baseline:"))
        lines.extend(f"   {_brief(finding)}  ({finding.known})" for finding in known)
    return lines


def _brief(finding: FindingPart) -> str:
    """A finding in a line: its check, its plan and, where the agent has several scripts, which of them."""
    script = "" if finding.script == OPAQUE.name else f"  ({finding.script})"
    return f"{finding.check}  {finding.plan or 'no fault'}{script}"


def print_summary(report: Report, console: Console) -> None:
    """Print the table of all scenarios, then what is missing of it. Plain text where nobody sees colours."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("scenario", overflow="fold")
    table.add_column("status", no_wrap=True)
    table.add_column("findings", justify="right", no_wrap=True)
    table.add_column("expected", no_wrap=True)
    table.add_column("tally", overflow="fold")
    for scenario in report.scenarios:
        met = {None: "-", True: "met", False: "NOT MET"}[scenario.expected_met]
        table.add_row(
            Text(scenario.name),
            Text(scenario.status, style=_COLOURS[scenario.status] if scenario.expected_met is None else ""),
            str(len(scenario.findings)),
            Text(met, style={"met": "green", "NOT MET": "bold red"}.get(met, "")),
            _in_red(tally_line(scenario), from_=", audit: "),
        )
    if report.scenarios:
        console.print(table)
    for line in _missing(report):
        console.print(Text(line), soft_wrap=True)


def print_scenario(
    scenario: ScenarioPart, console: Console, *, cards: int = CARDS_MAX, see: str = ""
) -> None:
    """Print one scenario: its headline, its cards, its tally. For `cards` and `see`: `findings_text`."""
    console.print(Text.assemble((scenario.name, "bold"), " - ", headline(scenario)), soft_wrap=True)
    for line in findings_text(scenario, width=console.width, cards=cards, see=see):
        console.print(Text(line), soft_wrap=True)
    if scenario.replayed is not None and not scenario.findings:
        for line in calls(scenario.replayed, width=console.width):
            console.print(Text(line), soft_wrap=True)
    console.print()
    for row in scenario.tally:
        console.print(Text(f" {row.text}"), soft_wrap=True)
    for line in sometimes_lines(scenario):
        console.print(Text(f" {line}"), soft_wrap=True)
    for line in code_lines([scenario.code]):
        console.print(Text(f" {line}"), soft_wrap=True)
    for left in scenario.excluded:
        if left.operation == "*":
            console.print(Text(f" left out everywhere: {left.fault} ({left.reason})"), soft_wrap=True)


def as_text(report: Report, *, width: int = 100) -> str:
    """What the terminal shows of a report, all findings included, as plain text without trailing blanks."""
    console = Console(
        file=StringIO(),
        width=width,
        color_system=None,
        force_terminal=False,
        legacy_windows=False,
        highlight=False,
    )
    for scenario in report.scenarios:
        print_scenario(scenario, console, cards=len(scenario.findings))
        console.print()
    print_summary(report, console)
    assert isinstance(console.file, StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def _reach(tried: list[TallyPart]) -> str:
    complete = [row.k for row in tried if row.complete]
    if len(complete) == len(tried):
        return f"k<={tried[-1].k} complete" if tried[-1].k else "k=0 complete"
    return f"k<={tried[-1].k} not complete"


def _count(groups: tuple[Group, ...]) -> str:
    found = len(list(_flat(groups)))
    return "1 finding" if found == 1 else f"{found} findings"


def _flat(groups: tuple[Group, ...]) -> Iterator[FindingPart]:
    for group in groups:
        yield group.lead
        yield from group.also


def _missing(report: Report) -> Iterator[str]:
    yield from (f"problem: {problem}" for problem in report.problems)
    for gate in report.gates:
        yield f"{'gate' if gate.passed else 'gate not passed'}: {gate.text}"
    yield from (f"conflict: {conflict.line}" for conflict in report.conflicts)
    for scenario in report.scenarios:
        for word, texts in (
            ("harness error", scenario.errors),
            ("incomplete", scenario.incomplete),
            ("expected and not found", scenario.missing),
            ("found and not expected", scenario.surplus),
            ("note", scenario.notes),
        ):
            yield from (f"{scenario.name}: {word}: {text}" for text in texts)
