"""One campaign, from subject to a verdict in words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sagaproof._doors.exploration import Exploration
from sagaproof._doors.failure import CampaignFailed
from sagaproof._doors.options import FileOptions, settings_of
from sagaproof._doors.subjects import subject_of_test, systems_of_test
from sagaproof._model.plan import Plan
from sagaproof._model.script import Script
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.explore import Progress, explore, replay
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import SagaproofError, UsageError, suggest

__all__ = ["Wanted", "explore_directly", "judge", "run"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a subject: all of it, one script, or one plan of one script."""

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
    """Explore or replay. Raises `UsageError` for a script or a plan that the subject does not know."""
    world = WorldHandle(subject.systems) if world is None else world
    scripts = subject.scripts if wanted.script is None else (_script(subject, wanted.script),)
    if wanted.plan is not None:
        return replay(subject, settings, _plan(wanted.plan, world), scripts[0], world)
    if wanted.script is not None:
        subject = _only(subject, scripts)
    return explore(subject, settings, world, on_progress)


def _only(subject: Subject, scripts: tuple[Script, ...]) -> Subject:
    values = {name: getattr(subject, name) for name in Subject.__dataclass_fields__}
    return Subject(**{**values, "scripts": scripts})


def _script(subject: Subject, name: str) -> Script:
    known = {script.name: script for script in subject.all_scripts()}
    if name not in known:
        raise UsageError(f"{subject.name} has no script {name!r}", advice=suggest(name, known))
    return known[name]


def _plan(text: str, world: WorldHandle) -> Plan:
    """The plan; operations of `world.tool` are only known once the body has run."""
    operations = set(world.state.operations)
    plan = Plan.parse(text)
    tools = {
        injection.point.operation for injection in plan if injection.point.operation.startswith("tools.")
    }
    return Plan.parse(text, operations | tools)


def judge(campaign: Campaign) -> None:
    """Raise `CampaignFailed` unless a campaign came out clean."""
    text = verdict(campaign)
    if campaign.status is not Status.CLEAN:
        raise CampaignFailed(text, campaign)


def verdict(campaign: Campaign) -> str:
    """A campaign in words; the first line is its headline."""
    lines = [f"{len(campaign.findings)} findings in {campaign.runs} runs"]
    if campaign.status is Status.ERROR:
        lines = [f"harness error: {campaign.errors[0]}", *campaign.errors[1:]]
    elif campaign.status is Status.INCOMPLETE:
        lines = [f"incomplete: {'; '.join(campaign.incomplete)}"]
    for finding in campaign.findings:
        lines += [
            "",
            f" {finding.check}     {finding.says}",
            f"   because {finding.because}",
            f"   plan {finding.plan}",
        ]
    return "\n".join(lines)


def explore_directly(exploration: Exploration, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Explore an explored test that was called like a function. Raises `CampaignFailed`."""
    bound = dict(inspect.signature(exploration.body).bind_partial(*args, **kwargs).arguments)
    options = FileOptions()
    world = bound.pop("world", None)
    try:
        if not isinstance(world, WorldHandle):
            world = WorldHandle(systems_of_test(exploration, options))
        subject = subject_of_test(exploration, exploration.name, bound, world, options)
        campaign = run(subject, settings_of([exploration.options]), world=world)
    except SagaproofError as error:
        raise CampaignFailed(f"harness error: {error}") from error
    judge(campaign)
