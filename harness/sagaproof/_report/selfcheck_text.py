"""A self-check for people: the kill matrix, what each family of faults is needed for, and the controls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sagaproof._search.ablation import SelfCheck
from sagaproof._search.selfcheck import Fate, Trial

__all__ = ["print_selfcheck"]


def print_selfcheck(result: SelfCheck, console: Console) -> None:
    """Each planted bug with the checks that fired up to the first that was meant; those are marked `*`."""
    _section(
        console, "planted bugs", _MATRIX, (_row(t) for t in result.mutants if t.fate is not Fate.DEFERRED)
    )
    rows = ((t.planted.id, t.planted.bug, t.planted.deferred) for t in result.of(Fate.DEFERRED))
    _section(console, "deferred", ("bug", "class", "what is missing"), rows)
    killed = len(result.of(Fate.KILLED))
    without = ((w.family, f"{w.killed} of {killed}", " ".join(w.missed)) for w in result.ablation)
    _section(console, "without a family of faults", ("family", "killed", "missed"), without)
    _section(console, "controls", ("saga", "fate", "k", "runs", "alarms"), map(_control, result.controls))
    for trial in result.of(Fate.BROKEN):
        console.print(Text(f"{trial.planted.id}: {trial.problem}"))
    console.print(Text(_summary(result), style="bold"))


_MATRIX = ("bug", "class", "fate", "k", "runs", "plan", "checks that fired")


def _row(trial: Trial) -> tuple[str, ...]:
    fired = sorted(trial.fired, key=lambda slug: slug not in trial.planted.expect)
    marked = (f"*{slug}" if slug in trial.planted.expect else slug for slug in fired)
    k = "" if trial.k is None else str(trial.k)
    plan = "" if trial.plan is None else str(trial.plan) or "(no fault)"
    return (
        trial.planted.id, trial.planted.bug, trial.fate.value, k, str(trial.runs), plan, " ".join(marked)
    )  # fmt: skip


def _control(trial: Trial) -> tuple[str, ...]:
    alarms = " ".join(f"{slug} ({plan})" for slug, plan in trial.fired.items())
    return trial.planted.id, trial.fate.value, str(trial.planted.faults), str(trial.runs), alarms


def _summary(result: SelfCheck) -> str:
    mutants, deferred = len(result.mutants), len(result.of(Fate.DEFERRED))
    words = [f"{len(result.of(Fate.KILLED))} of {mutants - deferred} planted bugs killed"]
    words += [f"{len(result.of(f))} {f.value}" for f in (Fate.WRONG_CHECK, Fate.SURVIVED, Fate.BROKEN)]
    words += [f"{deferred} deferred", f"{len(result.of(Fate.FALSE_ALARM))} false alarms"]
    return f"{', '.join(words)} on {len(result.controls)} controls"


def _section(console: Console, title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in head:
        table.add_column(name, overflow="fold", no_wrap=name in {"bug", "k", "runs", "saga"})
    for row in rows:
        table.add_row(*map(Text, row))
    if table.row_count:
        console.print(Text(title, style="bold"))
        console.print(table)
        console.print()
