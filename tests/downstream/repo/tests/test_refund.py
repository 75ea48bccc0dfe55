import pytest
import respx
from sagaproof import explore

from harness.guests import GUEST, TICKET, check_in
from inn import naive, right
from inn.rates import in_cents
from inn.settings import RATES


@explore
def test_the_right_refund_leaves_nothing(world):
    check_in(world)
    return right.refund(GUEST, TICKET, 9900)


@pytest.mark.xfail(reason="the note may have been written although its answer was lost")
@explore
def test_the_naive_refund(world):
    check_in(world)
    return naive.refund(GUEST, TICKET, 9900)


@explore
def test_the_amount_comes_from_a_mock_of_ours(world):
    check_in(world)
    with respx.mock(assert_all_called=False) as mock:
        mock.get(f"{RATES}/usd").respond(json={"rate": 1.1})
        return right.refund(GUEST, TICKET, in_cents(90, "usd"))


def test_the_services_can_be_used_without_a_fault(world):
    check_in(world)
    assert naive.refund(GUEST, TICKET, 100) == "completed"
    assert len(world.billing.credits.rows) == 1
