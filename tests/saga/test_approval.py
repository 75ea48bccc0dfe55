"""An approval lets exactly one call pass, once: this tool, these arguments, this key."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sagaproof.saga import (
    AsyncRuntime,
    Decision,
    DecisionRefused,
    Outcome,
    PivotView,
    Retry,
    Runtime,
    Saga,
    SqliteJournal,
    ToolMistake,
)

if TYPE_CHECKING:
    from tests.saga.conftest import World

HELLO = {"what": "hello"}


def runtime(world: World, **options: Any) -> Runtime:
    tools = [world.tool("a", 4, undo=world.undo_by_ref), world.tool("mail", 5)]
    return Runtime(
        tools, journal=world, desk=world, desk_retry=Retry(2, wait_s=0), **{"approval": True, **options}
    )


def waiting(world: World, **options: Any) -> Saga:
    saga = runtime(world, **options).start("order", goal="answer")
    saga.call("a", {"what": "a"})
    assert saga.call("mail", HELLO, "m").waits
    return saga


def sent(world: World) -> list[tuple[str, str]]:
    return [(effect.args["what"], effect.key) for effect in world.effects if effect.name == "mail"]


def approve(world: World, call_id: str | None = None, **options: Any) -> None:
    runtime(world, **options).decide("order", Decision.approve(call_id), by="anna")


def test_without_approval_asked_for_nothing_waits(world: World) -> None:
    saga = runtime(world, approval=False).start("order")
    assert saga.call("mail", HELLO).ok


def test_a_call_that_waits_was_certainly_not_sent_and_the_agent_is_told_so(world: World) -> None:
    saga = waiting(world)
    result = saga.call("mail", HELLO, "m")
    assert (result.outcome, result.waits) == (Outcome.FAILED, True)
    assert "waits for approval and was not sent" in result.text
    assert sent(world) == []


def test_the_desk_is_asked_once_with_tool_arguments_and_key(world: World) -> None:
    saga = waiting(world)
    saga.call("mail", HELLO, "m")
    assert list(world.cases) == ["order/approval/m"]
    case = world.cases["order/approval/m"]
    assert case.kind == "approval"
    assert case.question == {"call_id": "m", "tool": "mail", "args": HELLO, "key": "order/m"}
    assert [choice.name for choice in case.choices] == ["approve", "reject"]
    assert 'mail(what="hello")' in case.text()
    assert "call_1  a" in case.text()


def test_the_same_call_goes_through_after_approval_under_the_key_that_was_approved(world: World) -> None:
    saga = waiting(world)
    approve(world)  # by another process
    assert saga.call("mail", HELLO, "m").ok
    assert sent(world) == [("hello", "order/m")]
    assert saga.finish().status == "completed"


def test_a_call_that_is_repeated_under_another_id_keeps_the_key_that_was_approved(world: World) -> None:
    saga = waiting(world)
    assert saga.call("mail", HELLO, "other").waits
    approve(world)
    assert saga.call("mail", HELLO, "third").ok
    assert sent(world) == [("hello", "order/m")]
    assert list(world.cases) == ["order/approval/m"]


def test_a_second_call_needs_an_approval_of_its_own(world: World) -> None:
    saga = waiting(world)
    approve(world)
    saga.call("mail", HELLO, "m")
    assert saga.call("mail", HELLO, "n").waits
    assert len(sent(world)) == 1
    assert list(world.cases) == ["order/approval/m", "order/approval/n"]


def test_other_arguments_need_an_approval_of_their_own(world: World) -> None:
    saga = waiting(world)
    approve(world)
    assert saga.call("mail", {"what": "other"}, "n").waits
    assert sent(world) == []


def test_an_id_that_waits_cannot_be_used_for_other_arguments(world: World) -> None:
    saga = waiting(world)
    approve(world)
    result = saga.call("mail", {"what": "other"}, "m")
    assert "was used before" in result.text
    assert sent(world) == []


@pytest.mark.parametrize("point", ["journal intent", "mail", "journal outcome"])
@pytest.mark.parametrize("death", ["die-before", "die-after"])
def test_an_approval_is_neither_lost_nor_used_twice_when_the_process_dies(
    world: World, crash: type[BaseException], point: str, death: str
) -> None:
    saga = waiting(world)
    approve(world)
    world.lasting = {point: f"{death}/all"}
    with pytest.raises(crash):
        saga.call("mail", HELLO, "m")
    world.lasting = {}
    (again,) = runtime(world).recover()
    assert again.call("mail", HELLO, "m").ok
    assert sent(world) == [("hello", "order/m")]
    assert again.call("mail", HELLO, "n").waits


def test_a_call_that_waits_is_asked_for_once_whatever_dies(
    make_world: Callable[..., World], crash: type[BaseException]
) -> None:
    for point in ("journal question", "desk", "journal question-sent"):
        for death in ("die-before", "die-after"):
            world = make_world()
            saga = runtime(world).start("order")
            world.lasting = {point: f"{death}/all"}
            with pytest.raises(crash):
                saga.call("mail", HELLO, "m")
            world.lasting = {}
            (again,) = runtime(world).recover()
            assert again.call("mail", HELLO, "m").waits
            assert list(world.cases) == ["order/approval/m"]
            approve(world)
            assert again.call("mail", HELLO, "m").ok


def test_what_was_rejected_is_refused_with_the_reason_however_often_it_is_asked_for(world: World) -> None:
    saga = waiting(world)
    runtime(world).decide("order", Decision.reject("too harsh"), by="anna")
    for call_id in ("m", "n"):
        result = saga.call("mail", HELLO, call_id)
        assert "anna decided: reject m (too harsh)" in result.text
        assert not result.waits
    assert list(world.cases) == ["order/approval/m"]
    assert saga.give_up().status == "compensated"


def test_an_approval_expires_and_is_asked_for_anew(world: World) -> None:
    now = [0.0]
    options: dict[str, Any] = {"clock": lambda: now[0], "approval_lifetime_s": 60.0}
    saga = waiting(world, **options)
    now[0] = 1000.0  # nobody is hurried
    approve(world, **options)
    now[0] = 1060.0
    with pytest.raises(DecisionRefused, match="has expired"):
        approve(world, **options)
    assert saga.call("mail", HELLO, "m").waits
    assert list(world.cases) == ["order/approval/m", "order/approval/m/2"]
    approve(world, **options)
    now[0] = 1119.0
    assert saga.call("mail", HELLO, "m").ok


def test_answers_that_are_late_double_or_contradict_are_refused(world: World) -> None:
    saga = waiting(world)
    approve(world)
    approve(world)  # the same again
    with pytest.raises(DecisionRefused) as caught:
        runtime(world).decide("order", Decision.reject(), by="bob")
    assert caught.value.reason == "contradictory"
    assert [record.kind for record in world.rows["order"]].count("decision") == 1
    assert runtime(world).decide("order", Decision.approve(), by="anna").id == saga.id
    with pytest.raises(DecisionRefused) as caught:
        approve(world, "none")
    assert caught.value.reason == "impossible"


def test_an_answer_after_the_saga_has_ended_is_late(world: World) -> None:
    waiting(world).give_up()
    with pytest.raises(DecisionRefused) as caught:
        approve(world)
    assert caught.value.reason == "late"


def test_where_several_wait_the_answer_has_to_say_which(world: World) -> None:
    saga = waiting(world)
    saga.call("mail", {"what": "other"}, "n")
    with pytest.raises(DecisionRefused, match="several calls wait for approval: m, n"):
        approve(world)
    approve(world, "n")
    assert saga.call("mail", HELLO, "m").waits
    assert saga.call("mail", {"what": "other"}, "n").ok


def test_a_question_that_the_desk_did_not_take_is_sent_later(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.lasting = {"desk": "down/all"}
    with caplog.at_level(logging.ERROR):
        saga = waiting(world)
        assert "as soon as the desk can be reached" in saga.call("mail", HELLO, "m").text
    fresh = runtime(world)
    assert fresh.send_cases() == 1
    world.lasting = {}
    assert fresh.send_cases() == 0
    assert list(world.cases) == ["order/approval/m"]


def test_a_function_says_which_calls_need_a_person_and_one_that_fails_says_all(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    def asks(view: PivotView) -> bool:
        if view.args["what"] == "broken":
            raise ValueError
        return bool(view.args["what"] == "large")

    saga = runtime(world, approval=asks).start("order")
    assert saga.call("mail", {"what": "small"}).ok
    assert saga.call("mail", {"what": "large"}).waits
    with caplog.at_level(logging.ERROR):
        assert saga.call("mail", {"what": "broken"}).waits


def test_a_tool_can_ask_for_approval_and_only_one_of_class_5(world: World) -> None:
    tools = [world.tool("mail", 5, approval=True), world.tool("post", 5)]
    saga = Runtime(tools, journal=world, desk=world).start("order")
    assert saga.call("mail", HELLO).waits
    assert saga.call("post", HELLO).ok
    with pytest.raises(ToolMistake, match="class 5"):
        world.tool("tag", 2, approval=True)


def test_a_person_is_asked_only_when_all_that_is_open_is_settled(world: World) -> None:
    saga = runtime(world).start("order")
    world.lasting = {"a": "lost/all"}
    saga.call("a", {"what": "a"})
    result = saga.call("mail", HELLO)
    assert not result.waits
    assert world.cases == {}


def test_an_answer_through_another_process_reaches_the_one_that_holds_the_saga(
    world: World, tmp_path: Path
) -> None:
    with SqliteJournal(tmp_path / "sagas.db") as journal, SqliteJournal(tmp_path / "sagas.db") as other:
        tools = [world.tool("mail", 5)]
        saga = Runtime(tools, journal=journal, desk=world, approval=True).start("order")
        assert saga.call("mail", HELLO).waits
        Runtime([], journal=other, desk=world).decide("order", Decision.approve(), by="anna")
        assert saga.call("mail", HELLO).ok
        assert saga.finish().status == "completed"
    assert sent(world) == [("hello", "order/call_1")]


@pytest.mark.asyncio
async def test_the_async_runtime_waits_alike(world: World) -> None:
    tools = list(runtime(world).tools)
    asynchronous = AsyncRuntime(tools, journal=world, desk=world, approval=True)
    saga = asynchronous.start("order")
    assert (await saga.call("mail", HELLO)).waits
    await asynchronous.decide("order", Decision.approve(), by="anna")
    assert (await saga.call("mail", HELLO)).ok
    assert sent(world) == [("hello", "order/call_1")]
