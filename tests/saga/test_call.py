"""One call: tried as its policy says, resolved if it can be, told as no more than is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from sagaproof.saga import (
    ABSENT,
    IN_FLIGHT,
    Found,
    NotApplied,
    Outcome,
    PartialEffect,
    Result,
    Retry,
    Runtime,
    Saga,
    SagaMisuse,
    SqliteJournal,
    Step,
    Tool,
    Verdict,
)

if TYPE_CHECKING:
    from tests.saga.conftest import Http

NO_WAIT = Retry(3, wait_s=0)


class Script:
    """A function that answers as it is told: errors are raised, the last answer stays."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.keys: list[str] = []
        self.asked: list[str] = []

    def __call__(self, what: str = "w", *, key: str) -> Any:
        self.keys.append(key)
        self.asked.append(what)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    return slept


def saga_of(call: Callable[..., Any], journal: SqliteJournal | None = None, **options: Any) -> Saga:
    usual: dict[str, Any] = {
        "cls": 4,
        "name": "credit",
        "undo": lambda _step: None,
        "ref": "id",
        "retry": NO_WAIT,
    }
    made = Tool(call, **{**usual, **options})
    journal = journal or SqliteJournal(":memory:")
    return Runtime([made], journal=journal, clock=lambda: 0.0).start("order")


def one(call: Callable[..., Any], **options: Any) -> Result:
    return saga_of(call, **options).call("credit", {"what": "w"})


def test_an_answer_is_ok_and_its_reference_is_kept() -> None:
    saga = saga_of(Script({"id": 7}))
    assert saga.call("credit", {"what": "w"}).value == {"id": 7}
    assert saga.finish().steps[0].ref == 7


def test_all_attempts_of_a_call_have_one_key_and_other_calls_another() -> None:
    script = Script(TimeoutError(), {"id": 1})
    saga = saga_of(script)
    saga.call("credit", {"what": "a"}, call_id="x")
    saga.call("credit", {"what": "a"}, call_id="y")
    assert script.keys == ["order/x", "order/x", "order/y"]


def test_a_refusal_is_not_tried_again_and_counts_as_not_applied(http: type[Http]) -> None:
    script = Script(http(422))
    assert one(script).outcome is Outcome.FAILED
    assert len(script.keys) == 1
    assert one(Script(NotApplied("sold out"))).error == "NotApplied: sold out"


@pytest.mark.parametrize("error", [ConnectionRefusedError(), 429])
def test_what_has_never_arrived_is_tried_again_and_then_counts_as_not_applied(
    error: int | Exception, http: type[Http]
) -> None:
    script = Script(http(error) if isinstance(error, int) else error)
    assert one(script, keyed=False).outcome is Outcome.FAILED
    assert len(script.keys) == 3


def test_a_refusal_after_a_lost_try_proves_nothing(http: type[Http]) -> None:
    assert one(Script(TimeoutError(), http(400))).outcome is Outcome.UNKNOWN


def test_an_unclear_call_is_not_repeated_where_keys_are_not_honoured(http: type[Http]) -> None:
    script = Script(http(500), {"id": 1})
    assert one(script, keyed=False).outcome is Outcome.UNKNOWN
    assert len(script.keys) == 1


def test_a_convergent_call_is_repeated_without_keys() -> None:
    script = Script(TimeoutError(), {})
    assert one(script, cls=2, undo=None, keyed=False).ok


@pytest.mark.parametrize(
    ("seen", "fenced", "outcome"),
    [
        (Found({"id": 3}), None, Outcome.OK),
        (IN_FLIGHT, None, Outcome.UNKNOWN),
        (OSError("down"), None, Outcome.UNKNOWN),
        (ABSENT, None, Outcome.FAILED),
        (ABSENT, Found({"id": 3}), Outcome.OK),
        (ABSENT, OSError("down"), Outcome.UNKNOWN),
        ("yes", None, Outcome.UNKNOWN),
    ],
)
def test_a_lost_answer_is_resolved_by_lookup_and_fence(
    seen: object, fenced: object, outcome: Outcome
) -> None:
    def say(answer: object) -> Any:
        def hook(_step: Step) -> object:
            if isinstance(answer, Exception):
                raise answer
            return answer

        return hook

    result = one(Script(TimeoutError()), lookup=say(seen), fence=say(fenced))
    assert result.outcome is outcome
    assert not result.ok or result.value == {"id": 3}


def test_not_there_without_a_fence_is_still_unknown() -> None:
    assert one(Script(TimeoutError()), lookup=lambda _step: ABSENT).outcome is Outcome.UNKNOWN


def test_an_answer_without_the_reference_is_looked_up_else_unknown() -> None:
    assert one(Script({}), lookup=lambda _step: Found({"id": 3})).ok
    assert one(Script({})).outcome is Outcome.UNKNOWN
    assert one(Script({}), undo_by_key=True).ok
    assert one(Script({}), cls=2, undo=None).ok


@pytest.mark.parametrize("answer", [{"id": 1, "x": object()}, {"id": 1, "x": math.nan}])
def test_an_answer_that_is_no_json_costs_the_answer_and_not_the_effect(answer: object) -> None:
    result = one(Script(answer), undo_by_key=True)
    assert result.ok
    assert result.value is None
    assert "cannot be kept" in result.text


def test_a_part_done_is_unknown_to_the_agent_and_undone_in_the_unwind() -> None:
    undone: list[object] = []
    saga = saga_of(Script(PartialEffect({"id": 9})), undo=lambda step: undone.append(step.ref))
    assert saga.call("credit", {"what": "w"}).outcome is Outcome.UNKNOWN
    assert saga.call("credit", {"what": "w"}).outcome is Outcome.UNKNOWN  # and is not done again
    assert saga.give_up().status == "compensated"
    assert undone == [9]


def test_a_known_call_id_gives_the_recorded_result_and_calls_nothing() -> None:
    script = Script({"id": 1})
    saga = saga_of(script)
    first = saga.call("credit", {"what": "w"}, call_id="x")
    assert saga.call("credit", {"what": "w"}, call_id="x") == first
    assert saga.call("credit", {"what": "v"}, call_id="x").outcome is Outcome.FAILED
    assert len(script.keys) == 1


def test_what_the_agent_does_to_a_result_does_not_reach_the_saga() -> None:
    saga = saga_of(Script({"id": 1}))
    saga.call("credit", {"what": "w"}, call_id="x").value["id"] = 2
    assert saga.call("credit", {"what": "w"}, call_id="x").value == {"id": 1}


def test_an_unknown_call_that_comes_again_under_a_new_id_is_the_same_intent() -> None:
    script = Script(TimeoutError(), TimeoutError(), TimeoutError(), {"id": 1})
    saga = saga_of(script)
    assert saga.call("credit", {"what": "w"}, call_id="x").outcome is Outcome.UNKNOWN
    assert saga.call("credit", {"what": "w"}, call_id="y").ok
    assert saga.call("credit", {"what": "w"}, call_id="y").ok
    assert script.keys == ["order/x"] * 4


def test_a_retry_waits_longer_each_time_and_as_long_as_the_service_asks(waits: list[float]) -> None:
    asked = TimeoutError()
    asked.retry_after = "7"  # type: ignore[attr-defined]
    one(Script(TimeoutError(), TimeoutError(), asked, {"id": 1}), retry=Retry(4, wait_s=1, factor=3))
    assert waits == [1, 3, 9]
    waits.clear()
    one(Script(asked, {"id": 1}), retry=Retry(4, wait_s=1))
    assert waits == [7]


def test_who_asks_for_more_time_than_allowed_is_not_asked_again(waits: list[float]) -> None:
    asked = ConnectionRefusedError()
    asked.headers = {"Retry-After": "Thu, 01 Jan 1970 00:01:01 GMT"}  # type: ignore[attr-defined]
    script = Script(asked)
    assert one(script, retry=Retry(4, wait_max_s=60)).outcome is Outcome.FAILED
    assert (len(script.keys), waits) == (1, [])


def test_a_tool_can_judge_its_own_errors(http: type[Http]) -> None:
    script = Script(http(409))
    assert one(script, errors=lambda _error: Verdict.DEFINITE).outcome is Outcome.FAILED
    assert one(Script(http(400)), errors=lambda _error: 1 / 0).outcome is Outcome.FAILED


def test_what_the_undo_needs_is_read_before_and_written_down_with_the_intent() -> None:
    journal = SqliteJournal(":memory:")
    saga = saga_of(Script({"id": 1}), journal, before=lambda args: {"was": args["what"]})
    saga.call("credit", {"what": "w"})
    assert journal.read("order")[1].body["before"] == {"was": "w"}


def test_a_call_whose_before_cannot_be_read_is_not_sent() -> None:
    script = Script({"id": 1})
    assert one(script, before=lambda _args: 1 / 0).outcome is Outcome.FAILED
    assert one(script, before=lambda _args: object()).outcome is Outcome.FAILED
    assert script.keys == []


def test_reads_are_retried_and_leave_no_trace() -> None:
    journal = SqliteJournal(":memory:")
    saga = saga_of(Script(TimeoutError(), 5), journal, cls=1, undo=None)
    assert saga.call("credit", {"what": "w"}).value == 5
    assert len(journal.read("order")) == 1


def test_after_the_end_nothing_is_called() -> None:
    script = Script({"id": 1})
    saga = saga_of(script)
    saga.finish()
    assert saga.call("credit", {"what": "w"}).outcome is Outcome.FAILED
    assert saga.call("nothing").outcome is Outcome.FAILED
    assert script.keys == []


def test_ending_a_saga_inside_its_own_call_is_an_error_and_no_deadlock() -> None:
    caught: list[Exception] = []

    def call(what: str) -> dict[str, int]:
        try:
            saga.give_up()
        except SagaMisuse as error:
            caught.append(error)
        return {"id": len(what)}

    saga = saga_of(call)
    assert saga.call("credit", {"what": "w"}).ok
    assert caught


def test_a_crash_passes_through_and_leaves_the_outcome_unknown(crash: type[BaseException]) -> None:
    journal = SqliteJournal(":memory:")
    saga = saga_of(Script(crash()), journal)
    with pytest.raises(crash):
        saga.call("credit", {"what": "w"})
    assert [record.kind for record in journal.read("order")] == ["started", "intent"]


def test_a_key_that_the_service_may_have_forgotten_is_not_used_again() -> None:
    now: Iterator[float] = iter([0.0, 0.0, 100.0] + [90_000.0] * 20)
    script = Script(TimeoutError())
    made = Tool(
        script,
        cls=4,
        name="credit",
        undo=lambda _step: None,
        ref="id",
        retry=Retry(1),
        fence=lambda _step: None,
    )
    made.fence, fence = None, made.fence
    saga = Runtime([made], journal=SqliteJournal(":memory:"), clock=lambda: next(now)).start("order")
    assert saga.call("credit", {"what": "w"}).outcome is Outcome.UNKNOWN
    made.fence = fence
    assert saga.call("credit", {"what": "w"}).outcome is Outcome.UNKNOWN
    assert len(script.keys) == 1
