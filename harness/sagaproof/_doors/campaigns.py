"""One campaign, from a subject to what it came to: explored whole, in one script, or replayed in one plan."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sagaproof._doors.exploration import Exploration
from sagaproof._doors.failure import CampaignFailed
from sagaproof._doors.late_names import late_names, require_recovery
from sagaproof._doors.options import FileOptions, settings_of
from sagaproof._doors.subjects import subject_of_test, systems_of_test
from sagaproof._doors.user_checks import breakages
from sagaproof._doors.verdict import verdict
from sagaproof._model.plan import Plan
from sagaproof._model.script import Script
from sagaproof._report.build import build_scenario
from sagaproof._search.campaign import Campaign, Level, Status
from sagaproof._search.expected import Outcome
from sagaproof._search.explore import explore, replay
from sagaproof._search.gaps import Gap
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._search.sweep import Progress
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import SagaproofError, UsageError, suggest

__all__ = ["Wanted", "broken", "explore_directly", "run"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a subject: one plan (a replay), one script, or with neither all there is."""

    plan: str | None = None
    script: str | None = None


def run(
    subject: Subject,
    settings: Settings,
    wanted: Wanted = Wanted(),
    *,
    world: WorldHandle | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Campaign:
    """Explore or replay. What goes wrong in it is an error of the campaign that is returned.

    Outcomes of pytest (a skip in the body) get through, as does Ctrl-C outside of the exploration itself.
    """
    try:
        world = WorldHandle(subject.systems) if world is None else world
        scripts = subject.scripts if wanted.script is None else (_script(subject, wanted.script),)
        if wanted.plan is not None:
            plan = _plan(wanted.plan, world)
            require_recovery(plan, restarts=subject.driver.restarts)
            return _replay(subject, settings, plan, scripts[0], world)
        campaign = explore(replace(subject, scripts=scripts), settings, world, on_progress)
    except SagaproofError as error:
        return broken(subject.name, settings, error)
    campaign.errors.extend(breakages(subject.checks))
    _refuse_idleness(campaign)
    return campaign


def _replay(subject: Subject, settings: Settings, plan: Plan, script: Script, world: WorldHandle) -> Campaign:
    """Replay a plan, and count what was run: of no size is this all."""
    campaign = replay(subject, settings, plan, script, world)
    if campaign.baseline is not None:
        sizes = {0, len(plan)}
        campaign.levels = [Level(k, run=1, bound="lower" if k else "exact") for k in sorted(sizes)]
    return campaign


def broken(name: str, settings: Settings, error: SagaproofError) -> Campaign:
    """The campaign that an error kept from beginning."""
    return Campaign(name, settings, (), errors=[f"{error.slug}: {error}"])


def _refuse_idleness(campaign: Campaign) -> None:
    """Faults were asked for and none was ever injected: that proves nothing."""
    wanted, made = campaign.settings.faults, sum(level.run for level in campaign.levels if level.k > 0)
    if wanted and not made and not campaign.errors and not campaign.incomplete:
        text = "no fault was injected: every fault at every call is excluded or does not apply"
        campaign.miss(Gap("idle", "", text, spoils=True))


def _script(subject: Subject, name: str) -> Script:
    known = {script.name: script for script in subject.all_scripts()}
    if name not in known:
        raise UsageError(f"{subject.name} has no script {name!r}", advice=suggest(name, known))
    return known[name]


def _plan(text: str, world: WorldHandle) -> Plan:
    """The plan; what is wrapped while the body runs is not known before it has."""
    return Plan.parse(text, late_names(Plan.parse(text), world.state.systems) | world.state.operations.keys())


def explore_directly(exploration: Exploration, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Explore an explored test that is called like a function. Raises `CampaignFailed` unless it is clean."""
    arguments = dict(inspect.signature(exploration.body).bind_partial(*args, **kwargs).arguments)
    world = arguments.pop("world", None)
    options = FileOptions()
    settings = exploration.conditioned(settings_of([exploration.options]))
    try:
        if not isinstance(world, WorldHandle):
            world = WorldHandle(systems_of_test(exploration, options))
        subject = subject_of_test(exploration, exploration.name, arguments, world, options)
    except SagaproofError as error:
        campaign = broken(exploration.name, settings, error)
    else:
        campaign = run(subject, settings, world=world)
        campaign.notes.extend(exploration.notes)
        world.close()
    if campaign.status is not Status.CLEAN:
        raise CampaignFailed(verdict(build_scenario(Outcome(campaign))), campaign)
