"""What an agent went on after is not why a saga ended; what it was told nothing of is open."""

from __future__ import annotations

from sagaproof import AfterRestart, AgentMachine, Script, ToolCall
from sagaproof._checks.agent_second_thoughts import got_over, meant_again, untold_steps
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof.machine import IfFailed
from sagaproof_scenarios.planted.deciding import DECIDING

SCENARIO = next(planted for planted in DECIDING if planted.is_control).scenario
BOOK = ToolCall("book", {"debit": "receivables", "credit": "sales", "amount": 100}, "a")
REFUSED = ToolCall("book", {"debit": "nobody", "credit": "sales", "amount": 100}, "b")


def run(*calls: ToolCall, plan: str = "", after: object = AfterRestart.GO_ON) -> History:
    assert SCENARIO is not None
    with AgentMachine.of(SCENARIO)._trials() as trials:
        script = Script("s", calls, after_restart=after)  # type: ignore[arg-type]
        return trials.of(script, Plan.parse(plan)).history


def test_a_failed_call_is_got_over_only_if_its_agent_goes_on() -> None:
    assert not got_over(run(REFUSED, BOOK))
    history = run(REFUSED._replace(if_failed=IfFailed.GO_ON), BOOK)
    assert {history.calls[index].first.args["debit"] for index in got_over(history)} == {"nobody"}


def test_a_tolerant_call_that_went_well_is_none() -> None:
    assert not got_over(run(BOOK._replace(if_failed=IfFailed.GO_ON)))


def test_a_step_is_untold_if_its_process_died_and_nobody_asked_again() -> None:
    plan = "ledger.post_transfer.1=crash-before"
    assert untold_steps(run(BOOK, plan=plan, after=(REFUSED,)))
    assert not untold_steps(run(BOOK, plan=plan))
    assert not untold_steps(run(BOOK))


def test_who_was_told_and_asks_again_after_a_restart_means_a_second_one() -> None:
    person = ToolCall("customer", {"name": "Kim", "email": "kim@example.test", "reference": "1"}, "c")
    history = run(
        BOOK, person, plan="billing.create_customer.1=crash-before", after=(BOOK._replace(call_id="n"),)
    )
    (again,) = meant_again(history)
    assert history.calls[again].operation.name == "post_transfer"
    assert len([e for e in history.effects if e.operation == "post_transfer" and e.undoes is None]) == 2


def test_who_was_told_nothing_or_repeats_a_turn_does_not() -> None:
    plan = "ledger.post_transfer.1=crash-after"
    assert not meant_again(run(BOOK, plan=plan, after=(BOOK._replace(call_id="n"),)))
    assert not meant_again(run(BOOK, plan="journal.append.3=crash-before", after=(BOOK,)))
    assert not meant_again(run(BOOK, BOOK._replace(call_id="n")))
