"""Whatever the journal does: sagas on the runtime end right, or say that they cannot, also if killed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sagaproof._doors.registry import scenarios
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._model.event import Called, Died, Noted, Restarted, Spoiled
from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import Plan
from sagaproof._search.explore import explore, replay

pytestmark = pytest.mark.slow

ONE = "order-runtime"
HARMED = [
    "journal.append.2=lost-record,billing.issue_credit.1=crash-after",
    "journal.append.2=kept-but-error,billing.issue_credit.1@1=crash-before",
    "journal.append.2=crash-after,journal.append.4@1=torn-record",
    "journal.append.2=crash-after,journal.append.4@1=disk-full",
]


def test_with_the_journal_failing_in_every_way_at_every_write_nothing_is_found() -> None:
    scenario = scenarios()[ONE]
    settings = replace(scenario.settings, faults=1, families=("store",))
    campaign = explore(subject_of_scenario(scenario), settings)
    assert campaign.findings == []
    assert campaign.errors == []
    tried = {fault for _, fault in campaign.cells}
    of_stores = {fault.name for fault in FAULTS.values() if fault.family == "store"}
    assert tried == of_stores - {"read-only"}, "for which disk-full stands"
    assert campaign.checks["corrupt-journal-is-loud"].held > 0


@pytest.mark.parametrize("text", HARMED)
def test_a_journal_fails_alike_in_a_process_that_is_killed_in_earnest(text: str) -> None:
    scenario = scenarios()["credit-runtime"]
    subject, plan = subject_of_scenario(scenario), Plan.parse(text)
    seen = {}
    for crash in ("simulated", "real"):
        campaign = replay(subject, replace(scenario.settings, crash=crash), plan, subject.scripts[0])
        assert (campaign.errors, campaign.findings) == ([], [])
        assert campaign.replayed is not None
        seen[crash] = [*map(look, campaign.replayed.events)]
    assert seen["real"] == seen["simulated"]


def look(event: Any) -> object:
    """What has to be the same of an event: not its moment."""
    if isinstance(event, Called | Noted | Died | Spoiled):
        return (type(event).__name__, str(event.point), getattr(event, "kept", getattr(event, "harm", None)))
    return event.restart if isinstance(event, Restarted) else type(event).__name__
