"""A sink of telemetry that raises or blocks, behind `world.sink`."""

from __future__ import annotations

from typing import Any

import pytest

from sagaproof import explore
from sagaproof._doors.failure import CampaignFailed

_OPTIONS: dict[str, Any] = {"faults": 1, "families": ["telemetry"], "systems": ["billing"]}


def explored(saga: Any) -> None:
    """Explore it as a plain call does."""
    saga()


def _credit(world: Any) -> str:
    world.billing.add_customer("cus_1", name="Kim", email="kim@example.test")
    return str(world.direct.billing.issue_credit(customer="cus_1", amount=5, currency="usd", key="k")["id"])


def test_a_saga_that_dies_of_its_log_is_found() -> None:
    @explore(**_OPTIONS)
    def saga(world: Any) -> str:
        log = world.sink(lambda _text: None, name="log")
        credit = _credit(world)
        log(f"issued {credit}")
        return "completed"

    with pytest.raises(CampaignFailed, match=r"tools\.log\.1=sink-raises"):
        explored(saga)


def test_a_saga_that_minds_no_sink_is_silent_and_its_sink_was_called() -> None:
    lines: list[str] = []

    @explore(**_OPTIONS)
    def saga(world: Any) -> str:
        log = world.sink(lines.append, name="log")
        credit = _credit(world)
        try:
            log(f"issued {credit}")
        except OSError:
            lines.append("not logged")
        return "completed"

    with pytest.raises(CampaignFailed) as failed:  # nothing was retried, which leaves a check unreached
        explored(saga)
    assert failed.value.campaign is not None
    assert failed.value.campaign.findings == []
    assert "issued cr_1" in lines
    assert "not logged" in lines


def test_a_sink_that_blocks_takes_as_long_as_its_caller_waits() -> None:
    waited: set[float] = set()

    @explore(**_OPTIONS)
    def saga(world: Any) -> str:
        log = world.sink(lambda _text: None, name="log")
        began = world.clock.elapsed
        try:
            log("a line")
        except OSError:
            return "completed"
        waited.add(round(world.clock.elapsed - began))
        return "completed"

    explored(saga)
    assert waited == {0, 60}


def test_no_other_fault_is_put_on_a_sink() -> None:
    called: list[str] = []

    @explore(faults=1, families=["outage", "lost answer", "rejection"], systems=["billing"])
    def saga(world: Any) -> str:
        log = world.sink(called.append, name="log")
        log("a line")
        return "completed"

    with pytest.raises(CampaignFailed):
        explored(saga)
    assert set(called) == {"a line"}
