"""`reverse-order` finds undos that come in the order of the way there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof import Script, ToolCall
from sagaproof._checks.protocol import State, Verdict
from sagaproof._checks.reverse_order import ReverseOrder
from sagaproof._model.history import History
from sagaproof._taps.direct import ToolError
from sagaproof._world.delivery import Delivery

Judged = Callable[..., dict[str, Verdict]]
SLUG = "reverse-order"


def saga_of(unwind: Callable[[Any, str, str], None]) -> Callable[[Any], str | None]:
    def saga(world: Any) -> str | None:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        room = world.direct.hotel.book(guest="ann")["id"]
        try:
            world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            unwind(world, credit, room)
            return "compensated"
        return None

    return saga


def oldest_first(world: Any, credit: str, room: str) -> None:
    world.direct.bank.reverse(credit=credit)
    world.direct.hotel.cancel(room=room)


def newest_first(world: Any, credit: str, room: str) -> None:
    world.direct.hotel.cancel(room=room)
    world.direct.bank.reverse(credit=credit)


def newest_fails_at_first(world: Any, credit: str, room: str) -> None:
    try:
        world.direct.hotel.cancel(room=room)
    except (ToolError, OSError):
        world.direct.bank.reverse(credit=credit)
        world.direct.hotel.cancel(room=room)


def only_one(world: Any, _credit: str, room: str) -> None:
    world.direct.hotel.cancel(room=room)


def test_the_order_of_the_way_there_is_found(judged: Judged) -> None:
    verdict = judged(saga_of(oldest_first), "mail.send.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "bank.issue cr_1 (3) was undone before hotel.book room_1, which was made after it"
    )
    assert verdict.calls == (3, 4)


def test_inferred_undos_have_an_order_too(judged: Judged) -> None:
    def saga(world: Any) -> str | None:
        world.crm.add_ticket("t1")
        world.crm.add_ticket("t2")
        world.direct.crm.set_status(ticket="t1", status="solved")
        world.direct.crm.set_status(ticket="t2", status="solved")
        try:
            world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            world.direct.crm.set_status(ticket="t1", status="open")
            world.direct.crm.set_status(ticket="t2", status="open")
            return "compensated"
        return None

    assert judged(saga, "mail.send.1=503")[SLUG].state is State.VIOLATED


def test_the_way_back_holds(judged: Judged) -> None:
    assert judged(saga_of(newest_first), "mail.send.1=503")[SLUG].state is State.HELD


def test_it_is_the_first_invocation_that_counts(judged: Judged) -> None:
    verdicts = judged(saga_of(newest_fails_at_first), "mail.send.1=503,hotel.cancel.1=503")

    assert verdicts[SLUG].state is State.HELD


def test_independent_pairs_are_free_either_way(judged: Judged) -> None:
    for pair in (("bank.*", "hotel.book"), ("hotel.*", "bank.issue")):
        verdicts = judged(saga_of(oldest_first), "mail.send.1=503", independent=[pair])
        assert verdicts[SLUG].state is State.NOT_REACHED


def test_what_was_undone_before_the_other_was_made_is_free(judged: Judged) -> None:
    def saga(world: Any) -> str | None:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            world.direct.bank.reverse(credit=credit)
            room = world.direct.hotel.book(guest="ann")["id"]
            world.direct.hotel.cancel(room=room)
            return "compensated"
        return None

    assert judged(saga, "mail.send.1=503")[SLUG].state is State.NOT_REACHED


def test_one_undo_has_no_order(judged: Judged) -> None:
    assert judged(saga_of(only_one), "mail.send.1=503")[SLUG].state is State.NOT_REACHED


def test_overlapping_calls_are_free(judged: Judged) -> None:
    def saga(world: Any) -> str:
        gate, bank, hotel = world.gate, world.bank, world.hotel
        one = gate.arrive(bank, Delivery("issue", {"to": "ann", "amount": 3}, "k1"))
        other = gate.arrive(hotel, Delivery("book", {"guest": "ann"}))
        gate.tell(one)
        gate.tell(other)
        oldest_first(world, one.body["id"], other.body["id"])
        return "compensated"

    assert judged(saga)[SLUG].state is State.NOT_REACHED


class TakesTurns:
    """Takes the calls of a turn in any order it likes, and undoes those it has made in that order."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.undos: list[Callable[[], Any]] = []

    def call(self, tool: str, _args: dict[str, Any], call_id: str) -> None:
        direct = self.world.direct
        if tool == "credit":
            credit = direct.bank.issue(to="ann", amount=3, key=call_id)["id"]
            self.undos.append(lambda: direct.bank.reverse(credit=credit))
        else:
            room = direct.hotel.book(guest="ann")["id"]
            self.undos.append(lambda: direct.hotel.cancel(room=room))

    def call_all(self, calls: Any) -> list[None]:
        for one in calls:
            self.call(one.tool, {}, one.call_id)
        return [None for _ in calls]

    def give_up(self) -> str:
        for undo in self.undos:
            undo()
        return "compensated"

    finish = give_up


CREDIT, ROOM = ToolCall("credit", {}, "c1"), ToolCall("room", {}, "c2")


def test_what_an_agent_asks_for_at_once_has_no_order_and_what_it_asks_for_in_turn_has(
    fed: Callable[..., History],
) -> None:
    at_once = fed(TakesTurns, None, Script("s", ((CREDIT, ROOM),), give_up_after=1))
    in_turn = fed(TakesTurns, None, Script("s", (CREDIT, ROOM), give_up_after=2))

    assert ReverseOrder().judge(at_once).state is not State.VIOLATED
    assert ReverseOrder().judge(in_turn).state is State.VIOLATED


def test_what_one_step_of_a_turn_does_has_an_order(fed: Callable[..., History]) -> None:
    class Packages(TakesTurns):
        def call(self, tool: str, args: dict[str, Any], call_id: str) -> None:
            if tool == "package":
                super().call("credit", args, call_id)
                super().call("credit", args, f"{call_id}/more")

    nothing = ToolCall("nothing", {}, "c3")
    script = Script("s", ((ToolCall("package", {}, "c1"), nothing),), give_up_after=1)

    assert ReverseOrder().judge(fed(Packages, None, script)).state is State.VIOLATED
