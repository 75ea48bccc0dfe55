"""`when=`: a fault is put on those calls only of which the condition holds."""

from __future__ import annotations

from typing import Any

import pytest

from sagaproof import explore
from sagaproof._doors.failure import CampaignFailed
from sagaproof.errors import UsageError


class _Seen:
    """A body that notes how its calls ended."""

    def __init__(self) -> None:
        self.failed: set[int] = set()

    def body(self, world: Any) -> None:
        """Two credits; a fault on either is noted and goes no further."""
        world.billing.add_customer("cus_1", name="Kim", email="kim@example.test")
        for amount in (50, 500):
            try:
                world.direct.billing.issue_credit(customer="cus_1", amount=amount, currency="usd")
            except Exception:  # noqa: BLE001  # whatever the fault makes of it
                self.failed.add(amount)
                return


def _explored(seen: _Seen, **options: Any) -> None:
    @explore(faults=1, families=["outage"], durations=["once"], systems=["billing"], **options)
    def body(world: Any) -> None:
        seen.body(world)

    saga: Any = body
    saga()


def test_a_fault_is_put_on_the_calls_that_fulfil_its_condition() -> None:
    seen = _Seen()
    with pytest.raises(CampaignFailed):
        _explored(seen, when={"billing.*=*": lambda call: call.args.get("amount", 0) > 100})
    assert seen.failed == {500}


def test_a_fault_without_a_condition_is_put_everywhere() -> None:
    seen = _Seen()
    with pytest.raises(CampaignFailed):
        _explored(seen, when={"billing.*=refused": lambda call: call.args.get("amount", 0) > 100})
    assert seen.failed == {50, 500}


def test_a_condition_that_no_call_fulfils_is_told() -> None:
    with pytest.raises(CampaignFailed, match=r"when='billing\.\*=503' held for no call"):
        _explored(_Seen(), when={"billing.*=503": lambda _call: False})


def test_a_condition_that_breaks_names_the_call_it_broke_on() -> None:
    with pytest.raises(CampaignFailed, match=r"broke on billing\.issue_credit\.1: KeyError"):
        _explored(_Seen(), when={"billing.*=503": lambda call: call.args["no such argument"]})


def test_a_condition_on_an_operation_that_does_not_exist_is_refused() -> None:
    with pytest.raises(CampaignFailed, match=r"when= names 'billing\.chargee'.* Did you mean"):
        _explored(_Seen(), when={"billing.chargee=503": lambda _: True})


@pytest.mark.parametrize(
    ("cell", "holds", "says"),
    [
        ("billing.*=50", lambda _: True, "no condition on a known fault"),
        ("billing.*=503", True, "cannot be called"),
    ],
)
def test_a_condition_that_cannot_work_is_refused_at_once(cell: str, holds: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        _explored(_Seen(), when={cell: holds})
