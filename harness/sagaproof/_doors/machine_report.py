"""What is printed of a finding of a machine: the finding, and the test that shows it again."""

from __future__ import annotations

from sagaproof._machine.found import Kind
from sagaproof._machine.program import as_test
from sagaproof._machine.trials import Trial
from sagaproof._model.event import Answered, Asked

__all__ = ["report_of"]


def report_of(machine: type, trial: Trial, kind: Kind) -> str:
    """The report of a trial that violates a check."""
    verdict = trial.violated[kind.check]
    because = f"\n  because {verdict.because}" if verdict.because else ""
    others = [slug for slug in trial.violated if slug != kind.check]
    also = f"\n  also violated: {', '.join(others)}" if others else ""
    steps = "\n".join(_steps(trial))
    plan = str(trial.plan) or "no fault"
    return (
        f"{kind.check}: {verdict.claim}{because}{also}\n\n{steps}\n  plan {plan}\n\n"
        f"Paste this into a test:\n\n{as_test(machine, trial.script, trial.plan)}"
    )


def _steps(trial: Trial) -> list[str]:
    """Each call of the agent with what it was told."""
    told = {e.step: e.outcome for e in trial.history.events if isinstance(e, Answered)}
    asked = [e for e in trial.history.events if isinstance(e, Asked)]
    lines = [f"  {e.step} {e.tool} {dict(e.args)}  {told.get(e.step, 'no answer')}" for e in asked]
    ending = trial.history.ending
    return [*lines, f"  the saga {ending.how}, and said {trial.history.claim}"]
