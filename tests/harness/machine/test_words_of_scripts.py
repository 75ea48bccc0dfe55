"""The words that scripts of agents have beyond plain calls, and what a run with them is held against."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sagaproof import AgentMachine, Answer, Script, ToolCall
from sagaproof._machine.trials import Trial
from sagaproof._model.event import Answered, Asked, Called, Wrote
from sagaproof._model.plan import Plan
from sagaproof.errors import UsageError
from sagaproof.machine import IfFailed, OtherWrite, Wait, around, recorded
from sagaproof_scenarios.planted.deciding import DECIDING

SCENARIO = next(planted for planted in DECIDING if planted.is_control).scenario
BOOK = {"debit": "receivables", "credit": "sales", "amount": 100}
REFUSED = {"debit": "nobody", "credit": "sales", "amount": 100}


def run(*turns: object, plan: str = "", **more: object) -> Trial:
    assert SCENARIO is not None
    script = Script("s", tuple(turns), **more)  # type: ignore[arg-type]
    with AgentMachine.of(SCENARIO)._trials() as trials:
        return trials.of(script, Plan.parse(plan))


def outcomes(trial: Trial) -> list[str]:
    return [event.outcome for event in trial.history.of(Answered)]


def test_a_failure_ends_the_script_unless_the_agent_goes_on() -> None:
    first, second = ToolCall("book", REFUSED, "a"), ToolCall("book", BOOK, "b")
    assert outcomes(run(first, second)) == ["failed"]
    assert outcomes(run(first._replace(if_failed=IfFailed.GO_ON), second)) == ["failed", "ok"]


def test_another_call_is_made_instead_of_one_that_failed_and_only_then() -> None:
    instead = (ToolCall("book", BOOK, "b"),)
    assert outcomes(run(ToolCall("book", REFUSED, "a", instead))) == ["failed", "ok"]
    assert outcomes(run(ToolCall("book", BOOK, "a", instead))) == ["ok"]


def test_a_run_is_held_against_what_its_agent_went_on_with() -> None:
    calls = (ToolCall("book", BOOK, "a", IfFailed.GO_ON), ToolCall("book", {**BOOK, "amount": 7}, "b"))
    trial = run(*calls, plan="ledger.post_transfer.1=422")
    assert outcomes(trial) == ["failed", "ok"]
    twin = trial.history.twin
    assert twin is not None
    assert [event.args["amount"] for event in twin.of(Asked)] == [7]
    assert not trial.violated


def test_waiting_and_other_writers_make_no_call_of_the_saga() -> None:
    write = OtherWrite("billing.create_customer", {"name": "Kim"})
    trial = run(Wait(60.0), write, ToolCall("book", BOOK, "a"))
    called = list(trial.history.of(Called))
    assert [event.point.operation for event in called] == ["ledger.post_transfer"]
    assert called[0].at >= 60.0
    assert any(event.system == "billing" for event in trial.history.of(Wrote))


def test_another_writer_of_no_operation_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="another writer calls"):
        run(OtherWrite("billing.create_costumer", {}))


def test_calls_after_the_end_are_made_and_change_no_claim() -> None:
    trial = run(ToolCall("book", BOOK, "a"), give_up_after=1, afterwards=(ToolCall("book", BOOK, "b"),))
    assert outcomes(trial) == ["ok", "failed"]
    assert trial.history.claim == "compensated"


def test_an_answer_can_be_named_by_the_id_of_its_call() -> None:
    customer = ToolCall("customer", {"name": "Kim"}, "who")
    trial = run(customer, ToolCall("book", {**BOOK, "reference": Answer("who", "id")}, "b"))
    assert [event.args for event in trial.history.of(Asked)][1]["reference"].startswith("cus")


# Recorded runs ----------------------------------------------------------------------------------------------

RUN = [
    {"tool": "customer", "args": {"name": "Kim"}, "call_id": "who"},
    {"function": {"name": "book", "arguments": json.dumps(BOOK)}, "id": "pay"},
]


def test_a_recorded_run_is_read_from_a_list_a_text_and_a_file(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps(RUN))
    script = recorded(RUN)
    assert script.calls == (ToolCall("customer", {"name": "Kim"}, "who"), ToolCall("book", BOOK, "pay"))
    assert recorded(json.dumps(RUN)) == recorded(file) == script


@pytest.mark.parametrize("wrong", ["[1]", "[]", '{"a": 1}', '[{"tool": "a", "args": 3}]', "no/such/file"])
def test_what_is_no_recorded_run_is_wrong_use(wrong: str) -> None:
    with pytest.raises(UsageError):
        recorded(wrong)


def test_around_a_run_are_its_prefixes_and_each_single_deviation() -> None:
    names = [script.name.removeprefix("recorded").lstrip(", ") for script in around(recorded(RUN))]
    assert names == [
        "",
        "first 1",
        "given up after 1",
        "given up after 2",
        "without who",
        "who repeated",
        "who again as new",
        "who retried if it fails",
        "who after the next",
        "pay repeated",
        "pay again as new",
        "pay retried if it fails",
    ]


def test_a_call_that_needs_an_answer_is_not_left_without_it() -> None:
    needs = [*RUN[:1], {"tool": "book", "args": {**BOOK, "reference": {"$answer": "who", "field": "id"}}}]
    names = [script.name for script in around(recorded(needs))]
    assert "recorded, without who" not in names
    assert "recorded, who after the next" not in names
