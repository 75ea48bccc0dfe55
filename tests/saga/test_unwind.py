"""Undos: newest first, by what the call returned, believed when the effect is gone, and never silent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sagaproof.saga import Call, Found, NothingToUndo, Outcome, Retry, Runtime, Saga, Step

if TYPE_CHECKING:
    from tests.saga.conftest import Http, World


def start(world: World, **options: Any) -> Saga:
    usual: dict[str, Any] = {"undo": world.undo_by_ref}
    tools = [world.tool(name, 4, **{**usual, **options}) for name in ("a", "b", "c")]
    return Runtime(tools, journal=world, desk=world, desk_retry=Retry(2, wait_s=0)).start("order")


def done(world: World, **options: Any) -> Saga:
    saga = start(world, **options)
    for name in ("a", "b", "c"):
        assert saga.call(name, {"what": name}).ok
    return saga


def kinds(world: World) -> list[str]:
    return [record.kind for record in world.rows["order"]]


def test_undos_run_newest_first_by_the_reference_that_was_returned(world: World) -> None:
    ending = done(world).give_up()
    assert ending.status == "compensated"
    assert world.undos == ["c-3", "b-2", "a-1"]
    assert [step.undo for step in ending.steps] == ["undone"] * 3


def test_the_calls_of_one_turn_are_undone_in_the_reverse_of_their_order(world: World) -> None:
    saga = start(world)
    saga.call_all([Call("b", {"what": "b"}), Call("c", {"what": "c"}), Call("a", {"what": "a"})])
    saga.give_up()
    assert [ref.partition("-")[0] for ref in world.undos] == ["a", "c", "b"]


def test_each_undo_is_in_the_journal_before_it_is_sent_and_after(world: World) -> None:
    saga = done(world)
    saga.give_up()
    assert kinds(world)[-9:] == ["unwinding", *["undoing", "undone"] * 3, "ended", "closed"]
    assert world.points.index("journal undoing") < world.points.index("undo c")


def test_an_undo_is_tried_more_often_than_the_call(world: World) -> None:
    saga = done(world)
    world.lasting = {"undo c": "down/all"}
    saga.give_up()
    assert world.points.count("undo c") == 6


def test_the_unwind_goes_on_after_an_undo_that_fails_and_tells_a_person(world: World) -> None:
    saga = done(world)
    world.lasting = {"undo b": "refuse/all"}
    ending = saga.give_up(ValueError("no stock"))
    assert world.undos == ["c-3", "a-1"]
    assert (ending.status, ending.cause) == ("escalated", "ValueError: no stock")
    assert isinstance(ending.error, ValueError)
    assert ending.case is not None
    assert [failure.call_id for failure in ending.case.undo_failures] == ["call_2"]
    assert world.cases == {"order/case": ending.case}
    assert world.points.count("undo b") == 1


def test_what_was_refused_is_not_undone(world: World) -> None:
    saga = start(world)
    world.lasting = {"a": "refuse/all"}
    saga.call("a", {"what": "a"})
    assert saga.give_up().status == "compensated"
    assert "undo a" not in world.points


def test_an_undo_that_says_there_is_nothing_to_undo_has_succeeded(world: World) -> None:
    def undo(_step: Step) -> None:
        raise NothingToUndo

    assert done(world, undo=undo).give_up().status == "compensated"


gone = pytest.mark.parametrize("status", [404, 410])


@gone
def test_an_undo_that_finds_nothing_of_what_was_acknowledged_goes_to_a_person(
    world: World, http: type[Http], status: int
) -> None:
    def undo(_step: Step) -> None:
        raise http(status)

    ending = done(world, undo=undo).give_up()
    assert {step.undo for step in ending.steps} == {"unknown"}, "a wrong address looks the same"
    assert ending.case is not None
    assert all("yet its undo found nothing" in failure.error for failure in ending.case.undo_failures)


@gone
def test_an_undo_that_finds_nothing_has_succeeded_where_a_look_shows_nothing(
    world: World, http: type[Http], status: int
) -> None:
    def undo(_step: Step) -> None:
        raise http(status)

    assert done(world, undo=undo, still_stands=lambda _step: False).give_up().status == "compensated"


@gone
def test_an_undo_that_finds_nothing_after_a_lost_try_has_succeeded(
    world: World, http: type[Http], status: int
) -> None:
    answers = [TimeoutError(), http(status)] * 3

    def undo(_step: Step) -> None:
        raise answers.pop(0)

    assert done(world, undo=undo, undo_repeatable=True).give_up().status == "compensated"


def test_success_is_not_believed_while_the_effect_stands(world: World) -> None:
    ending = done(world, undo=lambda _step: None, still_stands=world.stands).give_up()
    assert ending.status == "escalated"
    assert {step.undo for step in ending.steps} == {"failed"}


def test_success_that_cannot_be_verified_is_unknown(world: World) -> None:
    saga = done(world, still_stands=world.stands)
    world.lasting = {"read b": "down/all"}
    assert [step.undo for step in saga.give_up().steps] == ["undone", "unknown", "undone"]


def test_an_undo_that_acts_each_time_is_sent_once_and_then_looked_for(world: World) -> None:
    saga = done(world, undo=world.undo_each_time, still_stands=world.stands)
    world.lasting = {"undo b": "lost/all"}
    assert saga.give_up().status == "compensated"
    assert world.points.count("undo b") == 1
    assert [effect.undone for effect in world.effects] == [1, 1, 1]


def test_an_undo_that_acts_each_time_and_cannot_be_looked_for_is_left_to_a_person(world: World) -> None:
    saga = done(world, undo=world.undo_each_time)
    world.lasting = {"undo b": "lost/all"}
    assert [step.undo for step in saga.give_up().steps] == ["undone", "unknown", "undone"]


def test_a_lost_call_is_found_and_undone_by_its_reference(world: World) -> None:
    saga = start(world, lookup=lambda _step: found.pop(0)())
    found: list[Any] = [_down, _down, _down, lambda: Found({"id": "a-1"})]
    world.lasting = {"a": "lost/all"}
    assert saga.call("a", {"what": "a"}).outcome is Outcome.UNKNOWN
    assert saga.give_up().status == "compensated"
    assert world.undos == ["a-1"]


def _down() -> None:
    raise TimeoutError


def test_an_unknown_call_is_fenced_by_its_undo_so_that_it_never_lands(world: World) -> None:
    saga = start(world, undo=world.undo_by_key, undo_by_key=True)
    world.lasting = {"a": "late/all"}
    assert saga.call("a", {"what": "a"}).outcome is Outcome.UNKNOWN
    assert saga.give_up().status == "compensated"
    world.settle()
    assert world.effects == []


def test_an_unknown_call_that_cannot_be_found_is_named_in_the_case(world: World) -> None:
    saga = start(world)
    saga.call("b", {"what": "b"})
    world.lasting = {"a": "late/all"}
    saga.call("a", {"what": "a"}, call_id="lost")
    ending = saga.give_up()
    assert ending.case is not None
    assert "order/lost" in ending.case.text()
    assert world.undos == ["b-1"]


def test_a_second_end_is_the_first_one(world: World) -> None:
    saga = done(world)
    ending = saga.give_up()
    assert saga.give_up() == ending
    assert saga.finish() == ending
    assert world.undos == ["c-3", "b-2", "a-1"]


def test_finish_calls_for_a_person_if_something_is_unknown(world: World) -> None:
    saga = start(world)
    world.lasting = {"a": "lost/all"}
    saga.call("a", {"what": "a"})
    ending = saga.finish()
    assert ending.status == "escalated"
    assert world.undos == []


def test_finish_does_not_pass_over_a_call_that_turns_out_not_to_be_there(world: World) -> None:
    saga = start(world, fence=lambda _step: fences.pop(0)())
    fences: list[Any] = [_down, _down, _down, lambda: None]
    world.lasting = {"a": "down/all"}
    assert saga.call("a", {"what": "a"}).outcome is Outcome.UNKNOWN
    ending = saga.finish()
    assert ending.status == "escalated"
    assert [step.outcome for step in ending.steps] == ["failed, not applied"]


def fail_after_a(saga: Saga, error: BaseException) -> None:
    saga.call("a", {"what": "a"})
    raise error


def test_an_error_in_the_block_gives_the_saga_up_and_goes_on(world: World) -> None:
    saga = start(world)
    with pytest.raises(ValueError, match="no"), saga:
        fail_after_a(saga, ValueError("no"))
    assert world.undos == ["a-1"]
    assert saga.ending is not None
    assert saga.ending.cause == "ValueError: no"


def test_a_block_that_ends_well_finishes_the_saga(world: World) -> None:
    with start(world) as saga:
        saga.call("a", {"what": "a"})
    assert saga.ending is not None
    assert saga.ending.status == "completed"


def test_a_crash_in_the_block_leaves_the_saga_to_the_next_process(
    world: World, crash: type[BaseException]
) -> None:
    saga = start(world)
    with pytest.raises(crash), saga:
        fail_after_a(saga, crash())
    assert kinds(world) == ["started", "intent", "outcome"]
    assert saga.ending is None
