"""A self-check as plain data: what `sagaproof selfcheck --json` prints."""

from __future__ import annotations

from typing import Any

from sagaproof._search.ablation import SelfCheck
from sagaproof._search.selfcheck import Fate, Trial

__all__ = ["as_data"]


def as_data(result: SelfCheck) -> dict[str, Any]:
    """Counts first, then the kill matrix with a row for each planted bug, the ablation and the controls."""
    return {
        "mutants": {
            "total": len(result.mutants),
            "killed": len(result.of(Fate.KILLED)),
            "wrong_check": len(result.of(Fate.WRONG_CHECK)),
            "survived": [trial.planted.id for trial in result.of(Fate.SURVIVED)],
            "broken": [{"id": t.planted.id, "problem": t.problem} for t in result.of(Fate.BROKEN)],
            "deferred": [
                {"id": t.planted.id, "reason": t.planted.deferred} for t in result.of(Fate.DEFERRED)
            ],
        },
        "false_alarms": len(result.of(Fate.FALSE_ALARM)),
        "matrix": [_row(trial) for trial in result.mutants if trial.fate is not Fate.DEFERRED],
        "ablation": [
            {"without": one.family, "killed": one.killed, "missed": list(one.missed)}
            for one in result.ablation
        ],
        "controls": [
            {"id": t.planted.id, "fate": t.fate.value, "runs": t.runs, "k": t.planted.faults}
            | {"fired": {slug: str(plan) for slug, plan in t.fired.items()}}
            for t in result.controls
        ],
    }


def _row(trial: Trial) -> dict[str, Any]:
    return {
        "id": trial.planted.id,
        "bug": trial.planted.bug,
        "fate": trial.fate.value,
        "expected": list(trial.planted.expect),
        "fired": {slug: str(plan) for slug, plan in trial.fired.items()},
        "k": trial.k,
        "runs": trial.runs,
        "plan": None if trial.plan is None else str(trial.plan),
    }
