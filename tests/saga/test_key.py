"""Each call, undo and case is called outside by a name that no other one has."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from sagaproof.saga import CallableDesk, Retry, Runtime, SqliteJournal, Step, Tool
from sagaproof.saga.decision_state import Question
from sagaproof.saga.key import key_of

NAMES = ("", "a", "a/b", "a/b/c", "b/c", "b", "c", "a%2Fb", "a%b", "/", "%", "%2F", "case", "a/case")


def test_of_all_sagas_and_calls_no_two_have_one_key() -> None:
    pairs = list(itertools.product(NAMES, NAMES))
    assert len({key_of(*pair) for pair in pairs}) == len(pairs)


def test_a_slash_in_an_id_costs_no_other_saga_its_effect() -> None:
    """The service applies all calls with one key once: with a shared key the second one would be lost."""
    made: dict[str, int] = {}

    def credit(amount: int, *, key: str) -> dict[str, str]:
        made.setdefault(key, amount)
        return {"id": key}

    def reverse(step: Step) -> None:
        made.pop(step.key)

    tool = Tool(credit, cls=4, undo=reverse, ref="id", retry=Retry(attempts=1))
    runtime = Runtime([tool], journal=SqliteJournal(":memory:"), clock=lambda: 0.0)
    first, second = runtime.start("a"), runtime.start("a/b")
    assert first.call("credit", {"amount": 1}, "b/c").ok
    assert second.call("credit", {"amount": 2}, "c").ok
    assert sorted(made.values()) == [1, 2]
    assert second.give_up("not wanted").status == "compensated"
    assert list(made.values()) == [1]


def test_a_slash_in_an_id_costs_no_other_saga_its_case() -> None:
    cases: dict[str, str] = {}
    desk = CallableDesk(lambda case, key: cases.setdefault(key, case.saga))
    mail = Tool(_mail, cls=5, name="mail", approval=True)
    broken = Tool(_broken, cls=5, retry=Retry(attempts=1))
    options: dict[str, Any] = {"journal": SqliteJournal(":memory:"), "desk": desk, "clock": lambda: 0.0}
    runtime = Runtime([mail, broken], **options)
    runtime.start("a").call("mail", {"to": "x"}, "case")
    saga = runtime.start("a/approval")
    saga.call("_broken")
    saga.finish()
    assert sorted(cases.values()) == ["a", "a/approval"]


def test_no_call_has_the_key_of_the_undo_of_another() -> None:
    keys: list[str] = []

    def credit(*, key: str) -> dict[str, str]:
        keys.append(key)
        return {"id": key}

    tool = Tool(
        credit, cls=4, undo=lambda step: keys.append(step.undo_key), ref="id", retry=Retry(attempts=1)
    )
    saga = Runtime([tool], journal=SqliteJournal(":memory:"), clock=lambda: 0.0).start("a")
    assert saga.call("credit", {}, "b").ok
    second = saga.call("credit", {}, "b/undo")
    assert not second.ok
    assert "'b/undo' ends in /undo" in second.text
    saga.give_up("not wanted")
    assert keys == ["a/b", "a/b/undo"]


def _mail(to: str) -> str:
    return to


def _broken() -> None:
    raise TimeoutError


@pytest.mark.parametrize("call_id", ["m-2", "m/2"])
def test_a_call_that_is_asked_for_again_is_not_taken_for_another(call_id: str) -> None:
    again = Question(call_id="m", tool="mail", args={}, number=2, at=0.0, package={})
    other = Question(call_id=call_id, tool="mail", args={}, number=1, at=0.0, package={})
    assert again.desk_key != other.desk_key
