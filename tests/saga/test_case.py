"""A person who has only the case knows what happened, what stands, what is unknown and what to do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from sagaproof.saga.case import Case, CaseStep, UndoFailure, build_case


def step(number: int, tool: str, cls: int, outcome: Any, **more: Any) -> CaseStep:
    key = f"order-4921/call_{number}"
    more.setdefault("args", {"order": "4921"})
    if cls in {3, 4}:
        more = {"undo": "not tried", "undo_name": f"undo_{tool}", "undo_key": f"{key}/undo", **more}
    return CaseStep(call_id=f"call_{number}", tool=tool, cls=cls, outcome=outcome, key=key, **more)


def case(steps: Sequence[CaseStep], pivot: str | None = None, *, gave_up: bool = True) -> Case:
    return build_case(
        saga="order-4921", goal=None, cause="it broke", gave_up=gave_up, steps=steps, pivot=pivot
    )


RESERVED = step(1, "reserve", 3, "ok", ref="res_7", undo="undone", undo_how="answered, and it is gone")
CREDIT = step(
    2, "credit", 4, "ok",
    args={"customer": "c_1", "amount": 250000}, ref="cr_1",
    undo="failed", undo_error="HTTPStatusError: 503\nsee the manual", undo_attempts=6,
)  # fmt: skip
TICKET = step(
    3, "set_ticket", 3, "unknown",
    args={"ticket": "9104", "status": "solved"}, before="open", error="ReadTimeout: timed out",
    lookup_name="find_ticket",
)  # fmt: skip
TAGGED = step(4, "tag", 2, "ok", args={"ticket": "9104", "tag": "credit"})
REFUSED = step(5, "reply", 5, "failed, not applied", error="MailDown: 503")

UNWOUND = """\
Saga order-4921: 1 could not be undone, 1 unknown

goal   credit order 4921, answer ticket 9104
cause  MailDown: 503
pivot  none was reached: everything can be taken back

What to do
  1. call_3: find out with find_ticket whether set_ticket(ticket="9104", status="solved") happened \
(key order-4921/call_3). If it did: undo_set_ticket for key order-4921/call_3, with the undo key \
order-4921/call_3/undo; before, it was "open". If it did not, make sure that it cannot still arrive.
  2. call_2: undo it by hand: undo_credit for cr_1 (key order-4921/call_2), with the undo key \
order-4921/call_2/undo.

What can be decided
  retry: undo call_3, call_2
  go on: not possible, undos have been made or tried: call_1, call_2
  accept: leave all as it is, with a reason
  handled: it was settled by hand: say what was done

What happened, in order
  call_1  reserve(order="4921"): ok, res_7 (key order-4921/call_1)
  call_2  credit(customer="c_1", amount=250000): ok, cr_1 (key order-4921/call_2)
  call_3  set_ticket(ticket="9104", status="solved"): unknown, key order-4921/call_3
    ReadTimeout: timed out
  call_4  tag(ticket="9104", tag="credit"): ok, key order-4921/call_4
  call_5  reply(order="4921"): failed, not applied
    MailDown: 503

What stands
  call_2  credit, cr_1 (key order-4921/call_2): could not be undone
  call_4  tag, key order-4921/call_4: sets a state, there is nothing to undo

What was undone
  call_1  reserve, res_7 (key order-4921/call_1), by undo_reserve: answered, and it is gone

What could not be undone, and why
  call_2  credit, cr_1 (key order-4921/call_2): undo_credit, 6 attempts, the last: \
HTTPStatusError: 503 see the manual

What is unknown, and how to find out
  call_3  set_ticket, whether it happened (ReadTimeout: timed out): ask find_ticket for key order-4921/call_3

Undos that were given up
  call_2  undo_credit, 6 attempts, the last: HTTPStatusError: 503 see the manual

Notes
  reply was refused once: set_ticket is unknown"""


def unwound() -> Case:
    return build_case(
        saga="order-4921",
        goal="credit order 4921, answer ticket 9104",
        cause="MailDown: 503",
        gave_up=True,
        steps=[RESERVED, CREDIT, TICKET, TAGGED, REFUSED],
        pivot=None,
        undo_failures=[
            UndoFailure(
                call_id="call_2", undo="undo_credit", error="HTTPStatusError: 503\nsee the manual", attempts=6
            )
        ],
        notes=["reply was refused once: set_ticket is unknown"],
    )


def test_the_text_of_an_unwind_that_did_not_come_to_its_end() -> None:
    assert unwound().text() == UNWOUND


def test_json_is_plain_holds_the_whole_and_reads_back_the_same() -> None:
    package = unwound().to_json()
    again = json.loads(json.dumps(package))
    assert again == package
    assert Case.from_json(again) == unwound()
    assert Case.from_json(again).text() == UNWOUND
    assert package["title"] == unwound().title
    assert package["undo_failures"][0]["error"] == "HTTPStatusError: 503\nsee the manual", "uncut"


def test_every_applied_effect_is_named_by_reference_and_key_in_text_and_json() -> None:
    for told in (UNWOUND, json.dumps(unwound().to_json())):
        for effect in (CREDIT, RESERVED):
            assert str(effect.ref) in told
        for effect in (CREDIT, RESERVED, TAGGED, TICKET):
            assert effect.key in told


# --- what to do ------------------------------------------------------------------------------------------

PIVOT = step(2, "reply", 5, "ok")
UNSURE = step(2, "reply", 5, "unknown", error="ReadTimeout")
PAID = step(1, "pay", 4, "ok", ref="p_1")


def test_past_the_pivot_what_stands_is_left_and_what_is_owed_comes_first() -> None:
    owed = step(3, "ship", 5, "failed, not applied", owed=True, error="503")
    told = case([PAID, PIVOT, owed], "call_2")
    assert told.todo == (
        'call_3: still to be done: ship(order="4921") (key order-4921/call_3).',
        (
            "call_1: it stands, since call_2 cannot be taken back. To undo it nevertheless: "
            "undo_pay for p_1 (key order-4921/call_1), with the undo key order-4921/call_1/undo."
        ),
    )
    assert told.title == "Saga order-4921: 1 still to be done, past its pivot"
    assert "pivot  call_2, reply, happened: nothing before it was undone" in told.text()
    assert "call_2  reply, key order-4921/call_2: cannot be taken back" in told.text()


def test_an_unknown_pivot_comes_before_all_that_hangs_on_it() -> None:
    told = case([PAID, UNSURE], "call_2")
    assert told.todo == (
        (
            'call_2: find out whether reply(order="4921") happened (key order-4921/call_2). It cannot be '
            "taken back. If it happened, leave the rest as it is; if it did not, undo the rest, last first."
        ),
        (
            "call_1: only if call_2 did not happen: undo_pay for p_1 (key order-4921/call_1), "
            "with the undo key order-4921/call_1/undo."
        ),
    )
    assert "pivot  call_2, reply, may have happened" in told.text()
    assert (
        "If it did not happen, do it, or undo the rest"
        in case([PAID, UNSURE], "call_2", gave_up=False).todo[0]
    )


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (step(1, "pay", 4, "unknown"), "If it did: undo_pay for key order-4921/call_1"),
        (step(1, "pay", 4, "partial", ref="p_1"), "undo it by hand: undo_pay for p_1"),
        (step(1, "pay", 4, "ok", ref="p_1", undo="unknown"), "see whether p_1 (key order-4921/call_1) still"),
        (step(1, "pay", 4, "unknown", undo="failed"), "find out whether"),
        (step(1, "pay", 4, "ok", note="no tool"), "undo it by hand (no tool): undo_pay"),
        (step(1, "pay", 4, "ok", undo_name=None), "take back key order-4921/call_1 by hand"),
        (step(1, "pay", 4, "ok", ref={"a": 1}), 'undo_pay for {"a":1} (key order-4921/call_1)'),
        (step(1, "tag", 2, "unknown", owed=True), "still to be done: tag("),
        (step(1, "pay", 4, "unknown", owed=True), "If it did not happen, it is still to be done."),
        (step(1, "reply", 5, "unknown"), "find out whether reply(order"),
    ],
)
def test_an_open_step_has_its_line(left: CaseStep, said: str) -> None:
    [line] = case([left]).todo
    assert line.startswith("call_1: ")
    assert said in line


@pytest.mark.parametrize(
    "settled",
    [
        step(1, "pay", 4, "ok", undo="undone"),
        step(1, "pay", 4, "unknown", undo="undone"),
        step(1, "pay", 4, "failed, not applied", undo="not needed"),
        step(1, "tag", 2, "ok"),
        step(1, "tag", 2, "unknown"),
        step(1, "reply", 5, "failed, not applied"),
    ],
)
def test_a_settled_step_has_no_line(settled: CaseStep) -> None:
    assert case([settled]).todo == ()


def test_what_a_finish_found_unknown_is_kept_if_it_is_wanted() -> None:
    [line] = case([step(1, "pay", 4, "unknown")], gave_up=False).todo
    assert "If it did, and is not wanted: undo_pay" in line


def test_undos_are_listed_last_first() -> None:
    told = case([step(n, "pay", 4, "ok", undo="failed", undo_error="503") for n in (1, 2, 3)])
    assert [line.split(":")[0] for line in told.todo] == ["call_3", "call_2", "call_1"]


def test_an_undo_that_was_never_sent_says_why() -> None:
    text = case([step(1, "pay", 4, "ok", undo="failed", undo_error="no tool 'pay' any more")]).text()
    assert "call_1  pay, key order-4921/call_1: undo_pay was not sent: no tool 'pay' any more" in text


def test_a_note_of_a_step_that_needs_no_undo_is_no_failed_undo() -> None:
    assert "could not be undone" not in case([step(1, "tag", 2, "ok", note="no tool")]).text()


def test_long_arguments_fit_on_a_line_of_text_and_stay_whole_in_json() -> None:
    told = case([step(1, "note", 2, "ok", args={"text": "x" * 5000})])
    assert max(map(len, told.text().splitlines())) < 300
    assert told.to_json()["steps"][0]["args"] == {"text": "x" * 5000}


def test_an_undo_whose_outcome_is_open_says_how_to_find_out() -> None:
    text = case([step(1, "pay", 4, "ok", ref="p_1", undo="unknown", undo_error="ReadTimeout")]).text()
    assert "pay, whether its undo worked (ReadTimeout): look in the system itself for p_1 (key" in text


def test_a_plain_undo_is_told_plainly() -> None:
    text = case([step(1, "pay", 4, "ok", ref="p_1", undo="undone", undo_how="undone")]).text()
    assert "  call_1  pay, p_1 (key order-4921/call_1), by undo_pay\n" in f"{text}\n"


@pytest.mark.parametrize(
    ("attempts", "said"), [(1, "undo_pay, one attempt: 503"), (6, "undo_pay, 6 attempts, the last: 503")]
)
def test_attempts_are_counted_in_words(attempts: int, said: str) -> None:
    given_up = step(1, "pay", 4, "ok", undo="failed", undo_error="503", undo_attempts=attempts)
    assert said in case([given_up]).text()
