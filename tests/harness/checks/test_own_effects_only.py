"""`own-effects-only` finds an undo that is aimed at what somebody else has done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "own-effects-only"
FAILURE = (ToolError, OSError)


def saga(chosen: Callable[[Any, str], str]) -> Callable[[Any], str]:
    """Books a room beside one that somebody else has, and cancels the one that is chosen."""

    def run(world: Any) -> str:
        world.hotel.rooms.put("room_9", {"id": "room_9", "guest": "ann", "status": "booked"})
        room = world.direct.hotel.book(guest="ann")["id"]
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            world.direct.hotel.cancel(room=chosen(world, room))
            return "compensated"
        return "completed"

    return run


def first_of_the_guest(world: Any, _room: str) -> str:
    return str(next(row["id"] for row in world.hotel.rooms.rows.values() if row["guest"] == "ann"))


def its_own(_world: Any, room: str) -> str:
    return room


def test_an_undo_of_what_somebody_else_did_is_found(judged: Judged) -> None:
    verdict = judged(saga(first_of_the_guest), "mail.send.1=422")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "hotel.cancel room_9 took back what is not its own: hotel.rooms[room_9]"
    assert verdict.because.endswith("was applied to it, and no call before that had touched it")
    assert verdict.calls == (2,)


def test_an_undo_of_its_own_holds(judged: Judged) -> None:
    assert judged(saga(its_own), "mail.send.1=422")[SLUG].state is State.HELD
    assert judged(saga(its_own))[SLUG].state is State.NOT_REACHED


def test_to_cancel_for_somebody_is_a_step_and_no_undo(judged: Judged) -> None:
    def cancels(world: Any) -> None:
        world.hotel.rooms.put("room_9", {"id": "room_9", "guest": "ann", "status": "booked"})
        world.direct.hotel.cancel(room="room_9")

    assert judged(cancels)[SLUG].state is State.HELD
    assert judged(cancels, "hotel.cancel.1=lost")[SLUG].state is State.HELD


def test_a_tool_that_clears_away_more_than_its_step_made_is_found(judged: Judged) -> None:
    def clears(world: Any) -> str:
        rooms = world.hotel.rooms
        rooms.put("room_9", {"id": "room_9", "guest": "ann", "status": "booked"})

        room = world.direct.hotel.book(guest="ann")["id"]
        world.direct.hotel.cancel_all(room=room)
        return "compensated"

    verdict = judged(clears)[SLUG]
    assert verdict.claim == "hotel.cancel_all room_1 took back what is not its own: hotel.rooms[room_9]"


def test_what_the_service_writes_beside_it_is_the_affair_of_the_service(judged: Judged) -> None:
    def visits(world: Any) -> str:
        world.hotel.guests.put("ann", {"cancelled": 0})
        room = world.direct.hotel.book(guest="ann")["id"]
        world.direct.hotel.cancel_counted(room=room)
        return "compensated"

    assert judged(visits)[SLUG].state is State.HELD
