"""A timeline as swim lanes: each step in the lane of its system, gaps and the first difference marked."""

from __future__ import annotations

from tests.harness.report.browser.made_finding import finding

from sagaproof._report.lanes import lanes
from sagaproof._report.schema import Step

FINDING = finding(1, 0, "mail.send.1=503")


def test_systems_stand_in_the_order_in_which_the_run_came_to_them() -> None:
    assert lanes(FINDING).systems == ("billing", "ledger", "mail", "crm", "desk")


def test_each_call_is_in_the_lane_of_its_system_and_the_end_in_none() -> None:
    found = lanes(FINDING)
    for row in found.rows:
        if row.lane is None:
            assert row.step.kind in {"died", "restarted", "ended"}
        else:
            assert row.step.operation.startswith(f"{found.systems[row.lane]}.")


def test_an_effect_whose_answer_was_an_error_is_a_gap() -> None:
    assert [row.step.number for row in lanes(FINDING).rows if row.gap] == [4]


def test_the_step_that_the_twin_names_is_where_the_runs_part() -> None:
    assert [row.step.number for row in lanes(FINDING).rows if row.apart] == [4]


def test_a_twin_whose_step_the_timeline_folds_marks_nothing() -> None:
    assert FINDING.twin is not None
    other = FINDING.model_copy(update={"twin": FINDING.twin.model_copy(update={"step": "9 elsewhere"})})
    assert not any(row.apart for row in lanes(other).rows)
    assert not any(row.apart for row in lanes(FINDING.model_copy(update={"twin": None})).rows)


def test_a_store_of_the_saga_has_a_lane_and_its_agent_has_none() -> None:
    steps = (
        Step(kind="asked", at=0, what="agent, step 1: pay", told="ok"),
        Step(kind="noted", at=0, what="journal.append.1", operation="journal.append", happened="written"),
    )
    found = lanes(FINDING.model_copy(update={"timeline": steps, "twin": None}))
    assert found.systems == ("journal",)
    assert [row.lane for row in found.rows] == [None, 0]
    assert found.rows[1].text == "written"
