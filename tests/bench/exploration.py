"""A whole campaign: every fault, alone and in pairs, on the bundled story `credit-rederive`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from tests.bench.rounds import Once
from tests.bench.saga import systems

from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._search.campaign import Campaign
from sagaproof._search.explore import explore
from sagaproof._search.subject import Subject
from sagaproof_scenarios.credit_ticket_reply import SCENARIOS

_SCENARIO = next(scenario for scenario in SCENARIOS if scenario.name == "credit-rederive")


def credit(made: list[int]) -> Callable[[], AbstractContextManager[Once]]:
    """The campaign with at most two faults in a plan; its number of runs, audits included, goes to `made`."""

    @contextmanager
    def ready() -> Iterator[Once]:
        assert _SCENARIO.body is not None
        subject = Subject(_SCENARIO.name, CallableDriver(_SCENARIO.body), systems(), checks())
        settings = replace(_SCENARIO.settings, faults=2)
        yield lambda: made.append(_runs(explore(subject, settings)))

    return ready


def _runs(campaign: Campaign) -> int:
    assert not campaign.errors, campaign.errors
    return campaign.runs + 2 * sum(level.audited for level in campaign.levels)
