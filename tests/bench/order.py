"""How soon a campaign with a budget comes upon each planted bug: `python -m tests.bench.order [ID ...]`.

Of each bug the line has the runs of its complete campaign, the run that was the first to show what was
meant, and its share of all; the last line counts those that were found in the first fifth.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from sagaproof._checks.campaign_check import Check
from sagaproof._checks.protocol import Facts, RunCheck, State, Verdict, verdict_of
from sagaproof._doors.registry import planted
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._model.history import History
from sagaproof._search.explore import explore
from sagaproof._search.planted import Planted
from sagaproof._search.selfcheck import settings_of

SHARE = 0.2
_NO_END_S = 1e6


class Found(NamedTuple):
    """The runs of a whole campaign, and the number of the first one that showed a bug."""

    bug: str
    k: int
    runs: int
    at: int

    @property
    def share(self) -> float:
        """How much of the campaign it took."""
        return self.at / self.runs


class _First:
    """A check in another's place, which remembers the first plan under which that was violated."""

    def __init__(self, check: RunCheck, plans: dict[str, None], shown: list[str]) -> None:
        self.slug = check.slug
        self._check, self._plans, self._shown = check, plans, shown

    def applies(self, facts: Facts) -> bool:
        return self._check.applies(facts)

    def judge(self, history: History) -> Verdict:
        run = f"{history.script.name}: {history.plan}"
        self._plans.setdefault(run)
        verdict = verdict_of(self._check.judge(history))
        if verdict.state is State.VIOLATED and not self._shown:
            self._shown.append(run)
        return verdict


def found(bug: Planted) -> Found | None:
    """One bug under its own number of faults; None if no single run shows it."""
    assert bug.scenario is not None
    plans: dict[str, None] = {}
    shown: list[str] = []
    subject = subject_of_scenario(bug.scenario)
    checks: Sequence[Check] = [
        _First(check, plans, shown) if isinstance(check, RunCheck) and check.slug in bug.expect else check
        for check in subject.checks
    ]
    settings = replace(settings_of(bug), seconds_max=_NO_END_S, audit=0.0)
    explore(replace(subject, checks=tuple(checks)), settings)
    return Found(bug.id, settings.faults, len(plans), list(plans).index(shown[0]) + 1) if shown else None


def main(names: Sequence[str]) -> None:
    """Print a line for each bug, then the sum."""
    bugs = [bug for bug in planted(names) if bug.faults and not bug.is_control and not bug.deferred]
    results = []
    for bug in bugs:
        result = found(bug)
        if result is not None:
            results.append(result)
            print(
                f"{result.bug:16} k={result.k} {result.at:5} of {result.runs:5} {result.share:5.0%}",
                flush=True,
            )
    soon = sum(result.share <= SHARE for result in results)
    print(f"{soon} of {len(results)} in the first {SHARE:.0%} of the runs")


if __name__ == "__main__":
    main(sys.argv[1:])
