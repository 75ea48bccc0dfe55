"""Scenarios on the command line: explored or replayed, and held against what they are known to have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sagaproof._doors.campaigns import Wanted, broken, run
from sagaproof._doors.cli_output import Output
from sagaproof._doors.options import Options, settings_of
from sagaproof._doors.registry import scenarios
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Expectation, Outcome, compare, write_expected
from sagaproof._search.gaps import Gap
from sagaproof._search.scenario import Scenario
from sagaproof._search.settings import Settings
from sagaproof.errors import SagaproofError, UsageError

__all__ = ["all_that_can_run", "explore_scenarios", "replay_scenario"]


def all_that_can_run(output: Output) -> list[Scenario]:
    """Every registered scenario whose extra is installed; the others are named on standard error."""
    found = list(scenarios().values())
    for needs in sorted({scenario.needs for scenario in found if scenario.missing}):
        names = ", ".join(scenario.name for scenario in found if scenario.needs == needs)
        output.err.print(f'left out, for want of {needs} (pip install "sagaproof[{needs}]"): {names}')
    return [scenario for scenario in found if not scenario.missing]


def explore_scenarios(
    chosen: Sequence[Scenario], options: Options, output: Output, *, accept: bool = False
) -> list[Outcome]:
    """Explore each, until one is interrupted. With `accept`, what is found becomes what is expected."""
    outcomes: list[Outcome] = []
    for number, scenario in enumerate(chosen, start=1):
        campaign, settings = _explored(scenario, options, output)
        rest = [later.name for later in chosen[number:]]
        if "interrupted" in campaign.incomplete and rest:
            campaign.incomplete.append(f"{', '.join(rest)} came after it and did not run")
        try:
            if accept:
                _accept(scenario, settings, campaign)
            outcomes.append(Outcome(campaign, _expectation(scenario, settings, campaign)))
        except SagaproofError as error:
            campaign.errors.append(f"{error.slug}: {error}")
            outcomes.append(Outcome(campaign))
        if "interrupted" in campaign.incomplete:
            break
    return outcomes


def replay_scenario(scenario: Scenario, plan: str, script: str | None, options: Options) -> Outcome:
    """Replay one plan. Nothing is expected of it: what it violates is a finding."""
    settings = settings_of([options], base=scenario.settings)
    return Outcome(run(subject_of_scenario(scenario), settings, Wanted(plan, script)))


def _explored(scenario: Scenario, options: Options, output: Output) -> tuple[Campaign, Settings]:
    settings = settings_of([options], base=scenario.settings)
    try:
        subject = subject_of_scenario(scenario)
    except SagaproofError as error:
        return broken(scenario.name, settings, error), settings
    with output.ticking(scenario.name) as ticker:
        return run(subject, settings, on_progress=ticker), settings


def _expectation(scenario: Scenario, settings: Settings, campaign: Campaign) -> Expectation | None:
    """What was expected, where that can be told: under other settings than its own nothing is."""
    if scenario.expected is None or campaign.errors:
        return None
    if _space(settings) != _space(scenario.settings):
        campaign.notes.append("its expected findings are those of its own settings, and were not compared")
        return None
    found = compare(campaign.findings, scenario.expected)
    if settings.shard is not None and not _is_cut(campaign):
        # Another shard may have what is missing of this one.
        campaign.gaps += [Gap("expected", line, line, spoils=True) for line in found.missing]
        return Expectation((), found.surplus)
    # What was cut off may hold what is missing.
    return Expectation((), found.surplus) if _is_cut(campaign) else found


def _accept(scenario: Scenario, settings: Settings, campaign: Campaign) -> None:
    """Write the expected findings. Raises `UsageError` if these are not those of the whole scenario."""
    if scenario.expected is None:
        raise UsageError(
            f"scenario {scenario.name!r} names no file for its expected findings",
            advice="Give it expected=Path(...).",
        )
    if campaign.errors:
        return
    if _is_cut(campaign) or settings.shard is not None or _space(settings) != _space(scenario.settings):
        raise UsageError(
            f"nothing was accepted for {scenario.name!r}: this was not the whole of it",
            advice="Run it to its end, under its own settings, with --accept.",
        )
    write_expected(campaign.findings, Path(scenario.expected))


def _is_cut(campaign: Campaign) -> bool:
    return "interrupted" in campaign.incomplete or any(
        level.skipped for level in campaign.levels if level.attempted
    )


def _space(settings: Settings) -> tuple[object, ...]:
    """What decides which findings there are to be found."""
    return (settings.faults, settings.statuses, settings.durations, settings.families, settings.exclude)
