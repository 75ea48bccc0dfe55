"""A whole campaign: every fault, alone and in pairs, on the bundled story `credit-rederive`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from tests.bench.rounds import Once
from tests.bench.saga import systems

from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._search.campaign import Campaign
from sagaproof._search.explore import explore
from sagaproof._search.subject import Subject
from sagaproof._search.sweep import Progress
from sagaproof_scenarios.credit_ticket_reply import SCENARIOS

_SCENARIO = next(scenario for scenario in SCENARIOS if scenario.name == "credit-rederive")


def credit(made: list[int]) -> Callable[[], AbstractContextManager[Once]]:
    """The campaign with at most two faults in a plan; its number of runs, audits included, goes to `made`."""

    @contextmanager
    def ready() -> Iterator[Once]:
        yield lambda: made.append(_runs(explored()))

    return ready


def explored(on_progress: Callable[[Progress], None] | None = None, **changed: Any) -> Campaign:
    """That campaign, with these settings `changed`."""
    assert _SCENARIO.body is not None
    subject = Subject(_SCENARIO.name, CallableDriver(_SCENARIO.body), systems(), checks())
    settings = replace(_SCENARIO.settings, faults=2, **changed)
    campaign = explore(subject, settings, on_progress=on_progress)
    assert not campaign.errors, campaign.errors
    return campaign


def _runs(campaign: Campaign) -> int:
    return campaign.runs + 2 * sum(level.audited for level in campaign.levels)
