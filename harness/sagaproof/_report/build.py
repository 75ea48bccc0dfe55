"""From outcomes to a report: every figure in it was counted, every text of the saga or the world is data."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from sagaproof._report.code import code_part
from sagaproof._report.fault_words import fault_parts
from sagaproof._report.finding import finding_part
from sagaproof._report.grid_parts import cells_part, grid_part
from sagaproof._report.origin import fault_free_of, revision, settings_part
from sagaproof._report.plain import one_line, printable
from sagaproof._report.repeated import told_once
from sagaproof._report.schema import (
    CheckPart,
    ExclusionPart,
    GapPart,
    ReplayPart,
    Report,
    ScenarioPart,
    ShardPart,
    SometimesPart,
    TallyPart,
)
from sagaproof._report.sites import Sites
from sagaproof._report.timeline import timeline
from sagaproof._search.campaign import Campaign, CheckCount
from sagaproof._search.expected import Outcome
from sagaproof._search.reached import SometimesCount
from sagaproof._search.reduce import RULES
from sagaproof._tally.grid import grid
from sagaproof._tally.rows import TallyRow, ledger, rows

__all__ = ["build", "build_scenario", "tally_part"]


def build(outcomes: Sequence[Outcome], *, stable: bool = False) -> Report:
    """The report of these outcomes, in their order.

    With `stable` it has no times, versions or folders: the same campaign gives the same bytes anywhere.
    """
    scenarios = tuple(build_scenario(outcome, stable=stable) for outcome in outcomes)
    return Report(version=None if stable else _version(), scenarios=scenarios)


def build_scenario(outcome: Outcome, *, stable: bool = False) -> ScenarioPart:
    """The part of a report that one outcome makes."""
    campaign, expectation = outcome.campaign, outcome.expectation
    sites = Sites(stable=stable)

    def texts(found: Sequence[str]) -> tuple[str, ...]:
        return tuple(sites.short(printable(text)) for text in found)

    found = grid_part(grid(campaign))
    return ScenarioPart(
        name=one_line(campaign.name),
        status=campaign.status.value,
        exit_code=outcome.exit_code,
        expected_met=None if expectation is None else expectation.met,
        missing=() if expectation is None else expectation.missing,
        surplus=() if expectation is None else expectation.surplus,
        scripts=tuple(campaign.scripts),
        runs=campaign.runs,
        findings=tuple(finding_part(finding, campaign.name, sites) for finding in campaign.findings),
        tally=tuple(map(tally_part, rows(campaign))),
        checks=tuple(_check(slug, count) for slug, count in campaign.checks.items()),
        sometimes=tuple(_sometimes(slug, count) for slug, count in campaign.sometimes.items()),
        grid=found,
        cells=cells_part(found),
        code=code_part(campaign.code, sites),
        excluded=_excluded(campaign),
        notes=texts(campaign.notes),
        incomplete=texts(campaign.incomplete),
        errors=texts(told_once(campaign.errors)),
        seconds=None if stable else round(campaign.seconds, 3),
        replayed=_replayed(campaign, sites),
        settings=settings_part(campaign.settings),
        shard=_shard(campaign),
        gaps=tuple(GapPart.model_validate(gap._asdict()) for gap in campaign.gaps),
        fault_free=fault_free_of(campaign.baseline),
        revision=None if stable else revision(),
    )


def _replayed(campaign: Campaign, sites: Sites) -> ReplayPart | None:
    history = campaign.replayed
    if history is None:
        return None
    return ReplayPart(faults=fault_parts(history.plan, history), timeline=timeline(history, sites))


def _shard(campaign: Campaign) -> ShardPart | None:
    shard = campaign.settings.shard
    return None if shard is None else ShardPart(parts=(shard.number,), of=shard.of)


def tally_part(row: TallyRow) -> TallyPart:
    """A row of the tally as data."""
    names = (name for name in TallyPart.model_fields if name not in {"text", "pruned_by"})
    pruned = [
        {"rule": rule, "plans": plans, "certainty": RULES[rule]} for rule, plans in row.pruned_by.items()
    ]
    values = {name: getattr(row, name) for name in names}
    return TallyPart.model_validate(values | {"text": ledger(row), "pruned_by": pruned})


def _check(slug: str, count: CheckCount) -> CheckPart:
    return CheckPart(
        check=slug,
        state="violated"
        if count.violated
        else "held"
        if count.held
        else "not reached"
        if count.applies
        else "not applicable",
        held=count.held,
        violated=count.violated,
        not_reached=count.not_reached,
        over_runs=None if count.over_runs is None else count.over_runs.value,
    )


def _sometimes(slug: str, count: SometimesCount) -> SometimesPart:
    script, plan = (None, None) if count.run is None else count.run
    return SometimesPart(
        sometimes=slug,
        state=count.state,
        count=count.count,
        best=count.best,
        stages=tuple(map(one_line, count.stages)),
        script=script,
        plan=None if plan is None else str(plan),
        number=count.number,
    )


def _excluded(campaign: Campaign) -> tuple[ExclusionPart, ...]:
    return tuple(
        ExclusionPart(operation=operation, fault=fault, reason=one_line(reason))
        for (operation, fault), reason in sorted(campaign.excluded.items())
    )


def _version() -> str | None:
    try:
        return version("sagaproof")
    except PackageNotFoundError:
        return None
