"""`one-runner` finds a process that goes on with a saga which another one has taken up."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from sagaproof._checks.one_runner import OneRunner
from sagaproof._checks.protocol import State
from sagaproof._model.event import Called, Ended, Paused, Restarted, Woke
from sagaproof._model.history import History

Restarted_ = Callable[..., History]
CHECK = OneRunner()


def booking(store: Any, *, looks: bool) -> Callable[[Any], str]:
    """Two rooms; before each, a saga that `looks` asks its store whether it is still the one."""

    def body(world: Any) -> str:
        write = store.fresh(world)
        write("begun")
        for guest in ("ann", "bob"):
            if looks and "taken up" in store.lines:
                return "completed"
            world.direct.hotel.book(guest=guest)
        return "completed"

    return body


def taking_up(store: Any) -> Callable[[Any], str]:
    """Whoever comes next says so, and gives up."""

    def recover(world: Any) -> str:
        if "taken up" not in store.lines:
            store.tapped(world)("taken up")
        return "compensated"

    return recover


def test_a_process_that_goes_on_after_another_took_its_saga_up_is_found(
    restarted: Restarted_, store: Any
) -> None:
    verdict = CHECK.judge(restarted(booking(store, looks=False), taking_up(store), "hotel.book.1=pause"))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "a process did hotel.book room_2 after another one had taken its saga up"
    assert "hotel.book.1 for an hour" in verdict.because


def test_a_process_that_looks_before_each_call_is_right(restarted: Restarted_, store: Any) -> None:
    verdict = CHECK.judge(restarted(booking(store, looks=True), taking_up(store), "hotel.book.1=pause"))

    assert verdict.state is State.HELD


def test_a_successor_that_did_nothing_has_taken_nothing_up(restarted: Restarted_, store: Any) -> None:
    history = restarted(booking(store, looks=False), lambda _: "compensated", "hotel.book.1=pause")

    assert CHECK.judge(history).state is State.NOT_REACHED
    assert str(history.claim) == "completed"


def test_without_a_pause_it_is_not_reached(restarted: Restarted_, store: Any) -> None:
    history = restarted(booking(store, looks=False), taking_up(store), "hotel.book.1=crash-after")

    assert CHECK.judge(history).state is State.NOT_REACHED


def test_the_successor_is_through_before_the_first_process_wakes(restarted: Restarted_, store: Any) -> None:
    history = restarted(booking(store, looks=True), taking_up(store), "hotel.book.1=pause")

    kinds = [e for e in history.events if isinstance(e, Paused | Restarted | Woke | Ended)]
    assert [type(e).__name__ for e in kinds][:4] == ["Paused", "Restarted", "Woke", "Ended"]
    assert str(history.claim) == "compensated"  # what the successor says, for it owns the saga


def test_calls_after_waking_are_those_of_the_first_process(restarted: Restarted_, store: Any) -> None:
    history = restarted(booking(store, looks=False), taking_up(store), "hotel.book.1=pause")

    assert [e.point.restart for e in history.events if isinstance(e, Called)] == [0, 0]


def test_a_pause_at_a_write_comes_before_it(restarted: Restarted_, store: Any) -> None:
    restarted(booking(store, looks=False), taking_up(store), "hotel.book.1=pause")
    restarted(booking(store, looks=True), taking_up(store), "journal.append.1=pause")

    assert store.lines[:2] == ["taken up", "begun"]


def test_the_successor_knows_no_context_of_the_process_that_stands_still(restarted: Restarted_) -> None:
    inside: ContextVar[bool] = ContextVar("inside", default=False)
    seen: list[bool] = []

    def body(world: Any) -> str:
        inside.set(True)
        world.direct.hotel.book(guest="ann")
        seen.append(inside.get())
        return "completed"

    def recover(_: Any) -> str:
        seen.append(inside.get())
        return "compensated"

    restarted(body, recover, "hotel.book.1=pause")

    assert seen[1:3] == [False, True]  # seen[0] is the run without a fault
