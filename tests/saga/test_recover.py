"""After a restart a saga goes on where its journal ends: once, in order, and never forward from an unwind."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from sagaproof.saga import ABSENT, NotApplied, Outcome, Record, Retry, Runtime, SagaMisuse, UnreadableJournal

if TYPE_CHECKING:
    from tests.saga.conftest import World


def runtime(world: World, *names: str, **options: Any) -> Runtime:
    usual: dict[str, Any] = {"undo": world.undo_by_ref}
    tools = [world.tool(name, 4, **{**usual, **options}) for name in names or ("a", "b")]
    return Runtime(tools, journal=world, desk=world, desk_retry=Retry(2, wait_s=0))


def die(world: World, crash: type[BaseException], point: str, **options: Any) -> None:
    """Do a and b, give up, and die just after this point is met."""
    world.lasting = {point: "die-after/all"}
    with pytest.raises(crash):
        give_up_after_two(runtime(world, **options))
    world.lasting = {}


def give_up_after_two(fresh: Runtime) -> None:
    saga = fresh.start("order", goal="credit")
    for name in ("a", "b"):
        saga.call(name, {"what": name})
    saga.give_up("no stock")


def kinds(world: World) -> list[str]:
    return [record.kind for record in world.rows["order"]]


def test_an_id_that_is_in_use_cannot_be_started_again(world: World) -> None:
    runtime(world).start("order").finish()
    with pytest.raises(SagaMisuse, match="order"):
        runtime(world).start("order")


def test_a_running_saga_is_given_back_and_repeats_nothing(world: World, crash: type[BaseException]) -> None:
    die(world, crash, "b")
    (saga,) = runtime(world).recover()
    assert saga.call("a", {"what": "a"}).ok
    assert saga.call("b", {"what": "b"}).ok
    assert [effect.name for effect in world.effects] == ["a", "b"]
    assert saga.finish().status == "completed"


def test_what_became_of_an_open_call_is_looked_up_and_not_fenced(
    world: World, crash: type[BaseException]
) -> None:
    hooks: dict[str, Any] = {"lookup": world.look_up, "fence": world.fence}
    die(world, crash, "b", **hooks)
    runtime(world, **hooks).recover()
    assert kinds(world)[-1] == "outcome"
    assert "fence b" not in world.points


def test_an_open_call_that_is_not_there_is_sent_again_under_its_key(
    world: World, crash: type[BaseException]
) -> None:
    world.lasting = {"a": "die-before/all"}
    with pytest.raises(crash):
        runtime(world).start("order").call("a", {"what": "a"}, call_id="x")
    world.lasting = {}
    (saga,) = runtime(world, lookup=lambda _step: ABSENT).recover()
    assert saga.call("a", {"what": "a"}, call_id="x").ok
    assert [effect.key for effect in world.effects] == ["order/x"]


def test_a_refusal_after_a_restart_says_nothing_of_what_was_sent_before_it(
    world: World, crash: type[BaseException]
) -> None:
    die(world, crash, "a")
    (saga,) = runtime(world).recover()
    world.lasting = {"a": "refuse/all"}
    assert saga.call("a", {"what": "a"}).outcome is Outcome.UNKNOWN


def test_an_open_call_is_not_sent_again_where_keys_are_not_honoured(
    world: World, crash: type[BaseException]
) -> None:
    world.keyed = False
    die(world, crash, "a", keyed=False)
    (saga,) = runtime(world, keyed=False).recover()
    assert saga.call("a", {"what": "a"}).outcome is Outcome.UNKNOWN
    assert len(world.effects) == 1


@pytest.mark.parametrize("point", ["journal unwinding", "journal undoing", "undo b", "journal undone"])
def test_a_saga_that_was_unwinding_only_unwinds(world: World, crash: type[BaseException], point: str) -> None:
    die(world, crash, point)
    assert runtime(world).recover() == []
    assert world.undos == ["b-2", "a-1"]
    ending = runtime(world).saga("order").ending
    assert ending is not None
    assert (ending.status, ending.cause) == ("compensated", "no stock")


def test_an_undo_that_was_given_up_before_the_restart_is_not_tried_after_it(
    world: World, crash: type[BaseException]
) -> None:
    world.plan = {}
    die(world, crash, "journal undo-failed", undo=_refuse)
    runtime(world).recover()
    assert world.undos == ["a-1"]
    assert [step.undo for step in world.cases["order/case"].steps] == ["undone", "failed"]


def _refuse(_step: object, *, key: str) -> None:
    raise NotApplied(key)


def test_an_undo_that_acts_each_time_is_not_sent_again_after_a_restart(
    world: World, crash: type[BaseException]
) -> None:
    options: dict[str, Any] = {"undo": world.undo_each_time}
    die(world, crash, "undo b", **options)
    runtime(world, **options).recover()
    assert world.undos == ["b-2", "a-1"]
    assert [step.undo for step in world.cases["order/case"].steps] == ["undone", "unknown"]


def test_recovering_again_adds_nothing(world: World, crash: type[BaseException]) -> None:
    die(world, crash, "undo b")
    runtime(world).recover()
    before = (kinds(world), list(world.undos))
    assert runtime(world).recover() == []
    assert (kinds(world), world.undos) == before


def test_the_journal_alone_gives_the_ending_that_was_told(world: World) -> None:
    saga = runtime(world).start("order")
    saga.call("a", {"what": "a"})
    assert saga.give_up("no stock") == runtime(world).saga("order").ending


def test_a_step_whose_tool_is_gone_is_left_to_a_person(world: World, crash: type[BaseException]) -> None:
    die(world, crash, "journal unwinding")
    runtime(world, "a").recover()
    steps = world.cases["order/case"].steps
    assert [(step.tool, step.undo, step.note) for step in steps] == [
        ("a", "undone", ""),
        ("b", "failed", "no tool"),
    ]


def test_a_case_that_the_desk_did_not_take_is_kept_and_sent_again(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    saga = runtime(world, undo=_refuse).start("order")
    saga.call("a", {"what": "a"})
    world.lasting = {"desk": "down/all"}
    with caplog.at_level(logging.ERROR):
        ending = saga.give_up()
    assert (ending.status, ending.case_sent) == ("escalated", False)
    assert "could not be sent" in caplog.text
    assert runtime(world).send_cases() == 1
    world.lasting = {}
    assert runtime(world).send_cases() == 0
    assert list(world.cases) == ["order/case"]
    assert runtime(world).saga("order").ending == saga.ending or not saga.ending.case_sent  # type: ignore[union-attr]


def test_recovery_sends_a_kept_case_too(world: World) -> None:
    saga = runtime(world, undo=_refuse).start("order")
    saga.call("a", {"what": "a"})
    world.lasting = {"desk": "down/all"}
    saga.give_up()
    world.lasting = {}
    assert runtime(world).recover() == []
    assert list(world.cases) == ["order/case"]
    assert kinds(world)[-1] == "closed"


def test_a_case_that_the_desk_has_is_not_sent_again(world: World, crash: type[BaseException]) -> None:
    world.lasting = {"journal case-sent": "die-after/all"}
    saga = runtime(world, undo=_refuse).start("order")
    saga.call("a", {"what": "a"})
    with pytest.raises(crash):
        saga.give_up()
    world.lasting = {}
    runtime(world).recover()
    assert world.points.count("desk") == 1
    assert kinds(world)[-1] == "closed"


def test_one_saga_that_cannot_be_read_keeps_none_of_the_others_from_recovery(world: World) -> None:
    for name in ("one", "two", "three"):
        runtime(world).start(name)
    world.rows["two"].append(Record("from the future", {}))  # type: ignore[arg-type]
    with pytest.raises(ExceptionGroup, match="1 sagas could not be recovered, 2 were") as caught:
        runtime(world).recover()
    assert "'two'" in str(caught.value.exceptions[0].__notes__)


def test_a_record_that_does_not_follow_from_the_others_is_said(world: World) -> None:
    runtime(world).start("order")
    world.rows["order"].append(Record("undoing", {"call_id": "none", "at": 0.0}))
    with pytest.raises(UnreadableJournal, match="record 2 of saga 'order', undoing"):
        runtime(world).saga("order")


def test_a_saga_at_work_in_this_runtime_is_not_taken_from_it(world: World) -> None:
    first = runtime(world)
    saga = first.start("order")
    (again,) = first.recover()
    saga.call("a", {"what": "a"}, call_id="x")
    assert again.call("a", {"what": "a"}, call_id="x").ok
    assert len(world.effects) == 1
