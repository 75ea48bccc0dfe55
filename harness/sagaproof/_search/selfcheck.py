"""Proving the checks: each planted bug has to be seen by a check meant for it, and right sagas by none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._search.campaign import Campaign
from sagaproof._search.coverage import UNDO_NEVER_RUN
from sagaproof._search.explore import explore
from sagaproof._search.planted import Planted
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject

__all__ = ["Fate", "Trial", "families_of", "settings_of", "tried", "without"]


class Fate(StrEnum):
    """What became of a planted bug or a control."""

    KILLED = "killed"
    WRONG_CHECK = "wrong check"
    SURVIVED = "survived"
    DEFERRED = "deferred"
    SILENT = "silent"
    FALSE_ALARM = "false alarm"
    BROKEN = "broken"

    @property
    def is_bad(self) -> bool:
        """Whether a self-check with it fails."""
        return self not in {Fate.KILLED, Fate.DEFERRED, Fate.SILENT}


@dataclass(frozen=True, slots=True)
class Trial:
    """One planted bug after its campaign, which ended with the first finding that was meant.

    `fired` has each check that fired with its smallest plan, `runs` how many runs it took, `plan` the
    smallest plan with a finding that was meant. `problem` says why it could not be tried.
    """

    planted: Planted
    fate: Fate
    fired: Mapping[str, Plan]
    runs: int = 0
    plan: Plan | None = None
    seconds: float = 0.0
    problem: str = ""

    @property
    def k(self) -> int | None:
        """The number of faults in the smallest plan."""
        return None if self.plan is None else len(self.plan)


def tried(planted: Planted, subject: Subject, *, families: tuple[str, ...] = ()) -> Trial:
    """Try one; `families` are the only ones used, besides what it limits itself to."""
    assert planted.scenario is not None
    settings = settings_of(planted, families)
    campaign = explore(subject, settings, enough=frozenset(planted.expect))
    fired = _fired(campaign)
    meant = [plan for slug, plan in fired.items() if slug in planted.expect]
    plan = min(meant, key=len, default=None)
    problem = "; ".join(e for e in campaign.errors if e.partition(":")[0] not in planted.expect)
    if planted.faults and any(f.plan == EMPTY and f.check in planted.expect for f in campaign.findings):
        problem = "it fails without any fault, so that nothing is proved"
    fate = Fate.BROKEN if problem else _fate(planted, fired, plan)
    return Trial(planted, fate, fired, campaign.runs, plan, campaign.seconds, problem)


def without(trial: Trial, family: str, subject: Subject) -> bool:
    """Whether a bug that was killed still is when a family of faults is taken away."""
    if family not in families_of(trial):
        return True
    others = tuple(name for name in _all_families() if name != family)
    return tried(trial.planted, subject, families=others).fate is Fate.KILLED


def families_of(trial: Trial) -> frozenset[str]:
    """The families of the faults in its smallest plan."""
    return frozenset(FAULTS[injection.fault].family for injection in trial.plan or ())


def settings_of(planted: Planted, families: tuple[str, ...] = ()) -> Settings:
    """The settings under which a bug is tried."""
    assert planted.scenario is not None
    chosen = planted.families or planted.scenario.settings.families or _all_families()
    if families:
        chosen = tuple(name for name in chosen if name in families)
    faults = planted.faults if chosen else 0
    return replace(planted.scenario.settings, faults=faults, families=chosen)


def _all_families() -> tuple[str, ...]:
    return tuple(dict.fromkeys(fault.family for fault in FAULTS.values() if not fault.opt_in))


def _fired(campaign: Campaign) -> dict[str, Plan]:
    """Each check that fired, kind of error of the harness and gap in coverage, with the smallest plan."""
    fired: dict[str, Plan] = {}
    for finding in campaign.findings:  # the smallest plans come first
        fired.setdefault(finding.check, finding.plan)
    for error in campaign.errors:
        fired.setdefault(error.partition(":")[0], EMPTY)
    if any(text.startswith(UNDO_NEVER_RUN) for text in campaign.incomplete):
        fired.setdefault(UNDO_NEVER_RUN, EMPTY)
    return fired


def _fate(planted: Planted, fired: Mapping[str, Plan], plan: Plan | None) -> Fate:
    if planted.is_control:
        return Fate.FALSE_ALARM if fired else Fate.SILENT
    if plan is not None:
        return Fate.KILLED
    return Fate.WRONG_CHECK if fired else Fate.SURVIVED
