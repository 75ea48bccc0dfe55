"""Plan texts: read, printed, put in order; and what is said of one that cannot be read."""

from __future__ import annotations

import pickle

import pytest

from sagaproof._model.plan import ALL, EMPTY, Injection, Plan
from sagaproof._model.point import Point
from sagaproof.errors import PlanError

OPERATIONS = ("mail.send", "billing.issue_credit", "billing.reverse_credit")


@pytest.mark.parametrize(
    ("text", "injection"),
    [
        ("mail.send.1=503", Injection(Point("mail.send", 1), "503")),
        ("mail.send.2:3=lost", Injection(Point("mail.send", 2, 3), "lost")),
        ("mail.send.1@2=503", Injection(Point("mail.send", 1, 1, 2), "503")),
        ("mail.send.12:4@1=503/all", Injection(Point("mail.send", 12, 4, 1), "503", ALL)),
        ("mail.send.1=500-applied/3", Injection(Point("mail.send", 1), "500-applied", 3)),
        ("my-shop.place-order.1=late-end", Injection(Point("my-shop.place-order", 1), "late-end")),
    ],
)
def test_a_text_is_read_and_printed_as_it_was(text: str, injection: Injection) -> None:
    plan = Plan.parse(text)
    assert plan == (injection,)
    assert str(plan) == text
    assert Plan.parse(str(plan)) == plan


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("mail.send.1:1@0=503/1", "mail.send.1=503"),
        ("mail.send.01=503", "mail.send.1=503"),
        (" mail.send.1=503 , crm.get.1=lost ", "crm.get.1=lost,mail.send.1=503"),
        ("mail.send.1:2=503,mail.send.1=503,crm.get.10=503,crm.get.9=503",
         "crm.get.9=503,crm.get.10=503,mail.send.1=503,mail.send.1:2=503"),
    ],
)  # fmt: skip
def test_what_means_the_same_is_printed_the_same(text: str, canonical: str) -> None:
    assert str(Plan.parse(text)) == canonical


@pytest.mark.parametrize("text", ["", "   "])
def test_no_text_is_the_empty_plan(text: str) -> None:
    assert Plan.parse(text) == EMPTY
    assert str(EMPTY) == ""


@pytest.mark.parametrize(
    ("text", "column", "said", "advice"),
    [
        ("mail.send.1", 1, "'mail.send.1' has no '='", "Write POINT=FAULT."),
        ("mail.send.1=503,", 17, "'' has no '='", "Write POINT=FAULT."),
        ("mail.send=503", 1, "'mail.send' is not a point", "mail.send.1"),
        ("send.1=503", 1, "'send.1' is not a point", "SYSTEM.OPERATION.N"),
        ("mail.send.1 =503", 1, "'mail.send.1 ' is not a point", "SYSTEM.OPERATION.N"),
        ("mail.send.1\n=503", 1, "'mail.send.1\\n' is not a point", "SYSTEM.OPERATION.N"),
        ("mail.send.0=503", 1, "'mail.send.0' counts from 0", "Count from 1."),
        ("mail.send.1:0=503", 1, "'mail.send.1:0' counts from 0", "Count from 1."),
        ("mail.sent.1=503", 1, "there is no operation 'mail.sent'", "Did you mean 'mail.send'?"),
        ("mail.send.1=503,billing.reverse_credits.1=503", 17, "no operation 'billing.reverse_credits'",
         "Did you mean 'billing.reverse_credit'?"),
        ("mail.send.1=lots", 13, "there is no fault 'lots'", "Did you mean 'lost'?"),
        ("mail.send.1=503,mail.send.2=garbge", 29, "there is no fault 'garbge'", "Did you mean 'garbage'?"),
        ("mail.send.1=503, mail.send.2=garbge", 30, "there is no fault 'garbge'", "Did you mean 'garbage'?"),
        ("mail.send.1=", 13, "'' is not a fault", "FAULT/all"),
        ("mail.send.1=503/", 13, "'503/' is not a fault", "FAULT/all"),
        ("mail.send.1=503/ever", 13, "'503/ever' is not a fault", "FAULT/all"),
        ("mail.send.1=503=503", 13, "'503=503' is not a fault", "FAULT/all"),
        ("mail.send.1=503/0", 13, "0 times", "Leave it out."),
        ("mail.send.1=503/00", 13, "0 times", "Leave it out."),
        ("mail.send.1=503,mail.send.1:1=lost", 17, "point mail.send.1 is given twice", "one fault at each"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_column_and_what_to_do(
    text: str, column: int, said: str, advice: str
) -> None:
    with pytest.raises(PlanError) as caught:
        Plan.parse(text, OPERATIONS)
    error = caught.value
    assert (error.text, error.column) == (text, column)
    assert said in error.what
    assert advice in error.advice
    assert f"column {column} of {text!r}" in str(error)


def test_an_unknown_operation_passes_where_none_are_given() -> None:
    assert str(Plan.parse("shop.sell.1=503")) == "shop.sell.1=503"


def test_a_name_like_no_other_gets_the_list_of_what_there_is() -> None:
    with pytest.raises(PlanError) as caught:
        Plan.parse("xyz.qqq.1=503", OPERATIONS)
    assert caught.value.advice == "Known: billing.issue_credit, billing.reverse_credit, mail.send"


def test_an_error_keeps_its_column_over_a_pickle() -> None:
    with pytest.raises(PlanError) as caught:
        Plan.parse("mail.send.1=503,x")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.column, again.text) == (str(caught.value), 17, "mail.send.1=503,x")


def test_a_plan_is_the_same_in_whatever_order_it_was_made() -> None:
    one, other = Injection(Point("mail.send", 1), "503"), Injection(Point("crm.get", 1), "lost")
    assert (
        Plan.of(one, other) == Plan.of(other, one) == Plan.of(one).plus(other) == EMPTY.plus(other).plus(one)
    )
    assert hash(Plan.of(one, other)) == hash(Plan.of(other, one))


def test_subsets_come_smallest_first_without_the_plan_itself() -> None:
    plan = Plan.parse("crm.get.1=lost,mail.send.1=503,mail.send.2=503")
    sizes = [len(part) for part in plan.proper_subsets()]
    assert sizes == [0, 1, 1, 1, 2, 2, 2]
    assert all(set(part) < set(plan) for part in plan.proper_subsets())


def test_simpler_is_an_earlier_attempt_then_a_simpler_fault_then_a_shorter_time() -> None:
    texts = ["crm.get.1=503", "crm.get.1=503/2", "crm.get.1=503/all", "crm.get.1=lost", "crm.get.1:2=503"]
    costs = [Plan.parse(text)[0].cost for text in texts]
    assert costs == sorted(costs)
    assert len(set(costs)) == len(costs)


def test_no_character_of_a_plan_means_anything_to_a_shell() -> None:
    text = str(Plan.parse("mail.send.1:2@3=500-applied/all,my_shop.place-order.1=503/2"))
    assert not set(text) & set(" \t'\"`$&|;<>()[]{}*?!#~\\^%")


def test_a_plan_shows_itself_as_its_text() -> None:
    assert repr(Plan.parse("mail.send.1=503/all")) == "Plan('mail.send.1=503/all')"


@pytest.mark.parametrize("fault", ["late/3", "duplicate/all", "outage/2"])
def test_a_fault_that_has_no_duration_is_given_none(fault: str) -> None:
    with pytest.raises(PlanError, match="has no duration"):
        Plan.parse(f"mail.send.1={fault}")
