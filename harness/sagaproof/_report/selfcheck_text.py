"""A self-check for people: the kill matrix, what each family of faults is needed for, and the controls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sagaproof._search.ablation import SelfCheck
from sagaproof._search.selfcheck import Fate, Trial

__all__ = ["matrix", "print_selfcheck", "saw", "summary"]

MATRIX = ("bug", "class", "k", "runs", "smallest plan", "seen by")
SAW = ("check", "meant", "besides")


def print_selfcheck(result: SelfCheck, console: Console) -> None:
    """Killed bugs with the checks that were meant and fired; then all that is not as it should be."""
    _section(console, "planted bugs that were killed", MATRIX, matrix(result))
    _section(console, "which check saw which bugs, up to the first finding that was meant", SAW, saw(result))
    without = ((w.family, _of(w.killed, result), " ".join(w.missed)) for w in result.ablation)
    _section(console, "without a family of faults", ("family", "killed", "missed"), without)
    controls = ((t.planted.id, str(t.planted.faults), str(t.runs), t.planted.story) for t in result.controls)
    _section(console, "controls", ("saga", "k", "runs", "what is right about it"), controls)
    deferred = ((t.planted.id, t.planted.deferred) for t in result.of(Fate.DEFERRED))
    _section(console, "deferred", ("bug", "what is missing"), deferred)
    bad = ((t.planted.id, t.fate.value, _why(t)) for t in result.trials if t.fate.is_bad)
    _section(console, "NOT AS IT SHOULD BE", ("bug", "fate", "because"), bad)
    console.print(Text(summary(result), style="bold"))


def matrix(result: SelfCheck) -> Iterator[tuple[str, ...]]:
    """A row for each killed bug."""
    for trial in result.of(Fate.KILLED):
        one = trial.planted
        plan = "\n".join(map(str, trial.plan or ())) or "none"
        seen = "\n".join(slug for slug in trial.fired if slug in one.expect)
        yield one.id, one.bug.partition(" ")[0], str(trial.k), str(trial.runs), plan, seen


def saw(result: SelfCheck) -> Iterator[tuple[str, str, str]]:
    """A row for each check that fired: the bugs that it was meant for, and those that it saw besides."""
    slugs = sorted({slug for trial in result.mutants for slug in trial.fired})
    for slug in slugs:
        fired = [trial.planted for trial in result.mutants if slug in trial.fired]
        meant = " ".join(one.id for one in fired if slug in one.expect)
        yield slug, meant, " ".join(one.id for one in fired if slug not in one.expect)


def summary(result: SelfCheck) -> str:
    """The counts in one sentence."""
    tried = len(result.mutants) - len(result.of(Fate.DEFERRED))
    words = [f"{len(result.of(Fate.KILLED))} of {tried} planted bugs killed"]
    words += [f"{len(result.of(f))} {f.value}" for f in (Fate.WRONG_CHECK, Fate.SURVIVED, Fate.BROKEN)]
    words += [f"{len(result.of(Fate.DEFERRED))} deferred"]
    alarms, controls = len(result.of(Fate.FALSE_ALARM)), len(result.controls)
    return f"{', '.join(words)}; {alarms} false alarms on {controls} controls"


def _of(killed: int, result: SelfCheck) -> str:
    return f"{killed} of {len(result.of(Fate.KILLED))}"


def _why(trial: Trial) -> str:
    fired = "\n".join(f"{slug} under '{plan}'" for slug, plan in trial.fired.items())
    wanted = f"wanted one of {', '.join(trial.planted.expect)}" if trial.planted.expect else ""
    return "\n".join(filter(None, [trial.problem, wanted, fired]))


def _section(console: Console, title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in head:
        table.add_column(name, overflow="fold", no_wrap=name in {"bug", "k", "runs", "saga", "check"})
    for row in rows:
        table.add_row(*map(Text, row))
    if table.row_count:
        console.print(Text(title, style="bold"))
        console.print(table)
        console.print()
