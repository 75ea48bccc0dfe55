"""The baseline on the command line: what was self-checked is tried again by other means."""

from __future__ import annotations

from collections.abc import Sequence

from sagaproof._doors.cli_output import Output
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._machine.compare import compared, shows_in_a_run
from sagaproof._machine.comparison import Comparison, Row
from sagaproof._search.ablation import SelfCheck
from sagaproof._search.selfcheck import Fate
from sagaproof.errors import UsageError

__all__ = ["EXAMPLES", "SEEDS", "comparison"]

EXAMPLES = (100, 1000)
SEEDS = 5


def comparison(result: SelfCheck, examples: Sequence[int], seeds: int, output: Output) -> Comparison:
    """Compare all that was tried. Raises `UsageError` for numbers below 1, and without Hypothesis."""
    _require_numbers(examples, seeds)
    rows: list[Row] = []
    left_out: list[str] = []
    for trial in result.trials:
        scenario = trial.planted.scenario
        if scenario is None:
            continue
        subject = subject_of_scenario(scenario)
        if trial.fate is Fate.BROKEN or not shows_in_a_run(trial.planted, subject):
            left_out.append(trial.planted.id)
            continue
        if output.err.is_terminal:
            output.err.print(f"{trial.planted.id}: by other means", soft_wrap=True)
        rows.append(compared(trial, subject, examples, range(seeds)))
    return Comparison(rows, tuple(examples), tuple(range(seeds)), tuple(left_out))


def _require_numbers(examples: Sequence[int], seeds: int) -> None:
    for name, number in (*(("examples", one) for one in examples), ("seeds", seeds)):
        if number < 1:
            raise UsageError(f"--{name} {number} draws nothing", advice="Give 1 or more.")
