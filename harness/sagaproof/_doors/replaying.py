"""`replay`: one script under one plan of an explored test or a scenario, as a test of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import SkipTest

from sagaproof._doors.campaigns import Wanted, run
from sagaproof._doors.exploration import exploration_of
from sagaproof._doors.failure import CampaignFailed
from sagaproof._doors.options import file_options, settings_of
from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario, subject_of_test, systems_of_test
from sagaproof._doors.verdict import verdict
from sagaproof._model.script import OPAQUE, Script
from sagaproof._report.build import build_scenario
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Outcome
from sagaproof._search.scenario import Scenario
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import NotInjected, UsageError

__all__ = ["replay"]


def replay(
    what: Callable[..., object] | Scenario | str, plan: str = "", script: Script = OPAQUE, **arguments: Any
) -> None:
    """Run one script under one plan and raise `AssertionError` with the report if a check is violated.

    `what` is a test with `@explore`, or a scenario, also by its name. Without a script it is the body of the
    test. `arguments` are the other fixtures of the test. A plan that does not meet its points any more shows
    nothing: then the test is skipped, and says so, unless the run without faults fails by itself.
    """
    campaign = _replayed(what, plan, script, arguments)
    if plan and not campaign.findings and _does_not_fit(campaign):
        without = _replayed(what, "", script, arguments)
        _require_clean(without)
        raise SkipTest(f"the plan does not fit any more: {campaign.errors[0]}")
    _require_clean(campaign)


def _require_clean(campaign: Campaign) -> None:
    if campaign.errors or campaign.findings or campaign.incomplete:
        raise CampaignFailed(verdict(build_scenario(Outcome(campaign)), replayed=""), campaign)


def _does_not_fit(campaign: Campaign) -> bool:
    return bool(campaign.errors) and all(one.startswith(f"{NotInjected.slug}:") for one in campaign.errors)


def _replayed(
    what: Callable[..., object] | Scenario | str, plan: str, script: Script, arguments: dict[str, Any]
) -> Campaign:
    wanted = Wanted(plan, script.name)
    if isinstance(what, str):
        what = scenario(what)
    if isinstance(what, Scenario):
        subject = replace(subject_of_scenario(what), scripts=(script,))
        return run(subject, what.settings, wanted)
    exploration = exploration_of(what)
    if exploration is None:
        raise UsageError(f"{what!r} is neither a test with @explore nor a scenario", advice="Give one.")
    options = file_options(Path.cwd())
    world = WorldHandle(systems_of_test(exploration, options))
    try:
        subject = subject_of_test(exploration, exploration.name, arguments, world, options)
        settings = exploration.conditioned(settings_of([options, exploration.options]))
        return run(replace(subject, scripts=(script,)), settings, wanted, world=world)
    finally:
        world.close()
