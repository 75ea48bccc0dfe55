"""What is left out shows nothing new: each rule leaves something out, is counted, and loses nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sagaproof._doors.registry import planted, scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._search.campaign import Campaign
from sagaproof._search.explore import explore
from sagaproof._search.reduce import RULES
from sagaproof._search.running import runner_of
from sagaproof._search.settings import Settings
from sagaproof._search.signature import signature_since
from sagaproof._search.subject import Subject
from sagaproof._tally.rows import rows
from sagaproof._taps.direct import ToolError
from sagaproof._world.system import System

Explored = Callable[..., Campaign]


def buys_twice(world: Any) -> str:
    """Each step is tried twice, with nothing to take back."""
    for item in ("tea", "cups"):
        for _ in range(2):
            try:
                world.direct.shop.buy(item=item, key=item)
                break
            except (ToolError, OSError):
                pass
    return "completed"


@pytest.fixture
def explored(shop: System, bank: System) -> Explored:
    """`explored(saga, ...)`: its campaign without any check, under these settings."""

    def explored(saga: Callable[[Any], object], **settings: Any) -> Campaign:
        subject = Subject("toy", CallableDriver(saga, None), {"shop": shop, "bank": bank}, ())
        campaign = explore(subject, Settings(**settings))
        assert campaign.errors == []
        return campaign

    return explored


@pytest.mark.parametrize(
    ("rule", "families"),
    [("R1", ("lost answer",)), ("R4", ("slow", "outage")), ("R5", ("outage", "silence"))],
)
def test_each_rule_leaves_plans_out_and_the_tally_still_adds_up(
    explored: Explored, rule: str, families: tuple[str, ...]
) -> None:
    full = explored(buys_twice, families=families, faults=3, reduce=False)
    reduced = explored(buys_twice, families=families, faults=3, audit=1.0)
    assert [row.reachable for row in rows(reduced)[:4]] == [row.reachable for row in rows(full)[:4]]
    assert sum(level.pruned_by.get(rule, 0) for level in reduced.levels) > 0
    assert {name for level in reduced.levels for name in level.pruned_by} <= set(RULES)
    assert [level.mismatched for level in reduced.levels] == [0] * 5
    assert all(level.pruned_by == {} for level in full.levels)


def slow_matters(world: Any) -> str:
    """Once an answer took its time, the second step is not tried again."""
    shop = world.direct.shop
    began = time.monotonic()
    shop.buy(item="tea", key="a")
    patient = time.monotonic() - began < 1.0
    for _ in range(2 if patient else 1):
        try:
            shop.buy(item="cups", key="b")
        except (ToolError, OSError):
            continue
        return "completed"
    return "refused"


def test_a_fault_that_matters_later_is_not_inert_once_the_audit_saw_it(explored: Explored) -> None:
    families = ("slow", "outage")
    audited = explored(slow_matters, families=families, audit=1.0)
    assert audited.levels[2].mismatched > 0
    assert any("wrong for 'shop.buy.1=slow' (taken for '')" in note for note in audited.notes)
    assert "R4" not in audited.levels[2].pruned_by or audited.levels[2].pruned_by["R4"] < 4


@pytest.mark.parametrize(
    ("bug", "families"), [("M28", ("outage", "rejection")), ("M12", ("outage", "lost answer"))]
)
def test_a_planted_bug_has_the_same_findings_with_and_without(bug: str, families: tuple[str, ...]) -> None:
    (one,) = planted((bug,))
    assert one.scenario is not None
    settings = replace(one.scenario.settings, faults=2, families=families)
    full, reduced = (
        explore(subject_of_scenario(one.scenario), replace(settings, reduce=reduce))
        for reduce in (False, True)
    )
    assert {str(f.key) for f in reduced.findings} == {str(f.key) for f in full.findings} != set()
    assert reduced.runs < full.runs


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "crm.set_order_status.1@1=meddled,journal.append.1=crash-after",
            "crm.set_order_status.1@1=meddled,journal.append.2=write-fails",
        ),
        (
            "billing.create_invoice.1@1=meddled,journal.append.4=crash-after",
            "billing.create_invoice.1=crash-before,billing.create_invoice.1:2@1=meddled",
        ),
        (
            "journal.append.6=crash-after,mail.send.1@1=bounced",
            "mail.send.1=crash-before,mail.send.1:2@1=bounced",
        ),
    ],
)
def test_a_new_process_looks_alike_whatever_number_of_calls_the_dead_one_made(one: str, other: str) -> None:
    found = scenario("order-runtime")
    with runner_of(subject_of_scenario(found), found.settings) as runner:
        first, second = (runner.run(OPAQUE, Plan.parse(plan)) for plan in (one, other))
    assert signature_since(first, 1) == signature_since(second, 1)
    assert signature_since(first, 1) != signature_since(first, 2)
