"""A finding as an argument: what was said, what is so all the same, why, and the rule."""

from __future__ import annotations

from tests.harness.report.browser.made_finding import finding

from sagaproof._report.argument import argument
from sagaproof._report.schema import ErrorPart, ToldPart

FINDING = finding(1, 0, "mail.send.1=503")


def test_it_has_the_claim_what_stands_the_reason_and_the_rule() -> None:
    found = argument(FINDING)
    assert found.claim == "it said 'compensated' at support.py:90"
    assert found.but == (
        "billing.issue_credit cr_1 (2500.00 usd) of step 2 still stands, and no open case names it",
    )
    assert found.because == FINDING.because
    assert found.rule == "If an undo fails for good, somebody is told."


def test_a_check_of_the_user_has_no_rule_to_show() -> None:
    assert argument(FINDING.model_copy(update={"check": "own-check"})).rule == ""


def test_an_error_is_what_a_saga_said_that_raised() -> None:
    error = ErrorPart(type="ReadTimeout", text="no answer", number=4)
    told = ToldPart(claim="raised", how="raised", where="a.py:1", errors=(error,), cases=())
    assert (
        argument(FINDING.model_copy(update={"told": told})).claim
        == "it raised ReadTimeout: no answer at a.py:1"
    )


def test_where_nothing_stands_the_world_contradicts() -> None:
    bare = FINDING.model_copy(update={"residue": ()})
    assert argument(bare).but[0] == "billing.credits[cr_0] is there, was not there at the start"
    row = bare.world_diff[0].model_copy(update={"field": "status", "after": "open", "fault_free": "solved"})
    completed = bare.model_copy(update={"claim": "completed", "world_diff": (row,)})
    assert argument(completed).but == ("billing.credits[cr_0].status is open, without faults solved",)


def test_many_contradictions_are_counted_and_not_all_listed() -> None:
    found = argument(FINDING.model_copy(update={"residue": FINDING.residue * 7})).but
    assert len(found) == 5
    assert found[-1].startswith("and 3 more")
