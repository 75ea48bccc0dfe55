"""In the story of the person who answers, the answer settles what the saga could not."""

from __future__ import annotations

from typing import Any

import pytest

from sagaproof._doors.campaigns import Wanted, run
from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._model.event import Noted

UNDO_FAILS = ("billing.reverse_credit.1=503/2", "to the end, given up after 1")


@pytest.mark.parametrize(
    ("plan", "script", "choice", "ends"),
    [
        (*UNDO_FAILS, "retry", {"status": "compensated", "settled": "compensated"}),
        (
            "crm.set_ticket_priority.1=503/2",
            "to the end",
            "go on",
            {"status": "completed", "settled": "completed"},
        ),
    ],
)
def test_what_was_decided_first_is_carried_out_once(
    plan: str, script: str, choice: str, ends: dict[str, str]
) -> None:
    story = scenario("goodwill-decided")
    campaign = run(subject_of_scenario(story), story.settings, Wanted(plan, script))
    assert campaign.replayed is not None
    assert campaign.findings == []
    written: list[Any] = [event.record[2] for event in campaign.replayed.events if isinstance(event, Noted)]
    assert [one["body"]["choice"] for one in written if one["kind"] == "decision"] == [choice]
    assert [one["body"] for one in written if one["kind"] == "ended"] == [{"status": "escalated"}, ends]
