"""Events that systems send: what sends one, who is told of it and when, and what faults do to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from sagaproof import Refusal, System, Table, operation
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.claim import Claim
from sagaproof._model.event import Called, Ended, Heard, Notified, Restarted, Sent
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import UsageError

Body = Callable[[Any], Any]
Event = dict[str, Any]


class Till(System):
    """Takes money, and sends an event whenever some has come in or gone out."""

    name: ClassVar[str] = "till"
    sends: ClassVar[tuple[str, ...]] = ("money.in", "money.out")

    payments = Table()

    @operation(cls=4, ref="id")
    def pay(self, order: str) -> dict[str, Any]:
        """Take the money for an order."""
        self.emit("money.in", {"order": order})
        if order == "bad":
            raise Refusal(422, "bad_order", "not that one")
        self.payments.put(order, {"id": order, "status": "paid"})
        return {"id": order}

    @operation(cls=4, ref="id", undoes="pay")
    def give_back(self, id: str) -> dict[str, Any]:  # noqa: A002  # what the answer calls it
        """Give it back."""
        if id not in self.payments:
            raise Refusal(404, "not_found", "nothing was paid")
        self.payments.patch(id, status="back")
        self.emit("money.out", {"order": id})
        return {"id": id}

    @operation(cls=3, ref="id")
    def reserve(self, order: str) -> dict[str, Any]:
        """Reserve something, of which nobody is told."""
        self.payments.put(f"r-{order}", {"id": f"r-{order}"})
        return {"id": f"r-{order}"}

    @operation(cls=3, ref="id")
    def book(self, order: str) -> dict[str, Any]:
        """Book an order, which the built-in undo takes back."""
        self.payments.put(f"b-{order}", {"id": f"b-{order}"})
        self.emit("money.in", {"order": f"b-{order}"})
        return {"id": f"b-{order}"}

    @operation(cls=1)
    def look(self) -> dict[str, Any]:
        """Read nothing."""
        return {}


def run(saga: Body, plan: str = "", recover: Body | None = None) -> History:
    """The history of one run of a saga with a till."""
    with Runner(WorldHandle({"till": Till()}), CallableDriver(saga, recover)) as runner:
        return runner.run(OPAQUE, Plan.parse(plan))


def seen(history: History) -> list[str]:
    """Calls, what was sent and told, and the end, in the order of the history."""
    found = []
    for event in history.events:
        match event:
            case Called():
                found.append(event.point.operation)
            case Sent():
                found.append(f"sent {event.type}")
            case Notified():
                found.append(f"told {event.type}{' late' if event.late else ''}")
            case Restarted():
                found.append("restarted")
            case Ended():
                found.append("end")
            case _:
                pass
    return found


def paying(*orders: str) -> Body:
    """A saga that listens, and pays these orders."""

    def saga(world: Any) -> None:
        world.on_event(lambda _: None)
        for order in orders:
            world.direct.till.pay(order=order)

    return saga


# What sends an event ----------------------------------------------------------------------------------------


def test_an_event_tells_its_id_its_type_and_its_data() -> None:
    heard: list[Event] = []

    def saga(world: Any) -> None:
        world.on_event(heard.append)
        world.direct.till.pay(order="1")

    run(saga)
    assert heard == [{"id": "evt_till_1", "type": "money.in", "data": {"order": "1"}}]


def test_a_refused_call_sends_nothing() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: None)
        with pytest.raises(Exception, match="not that one"):
            world.direct.till.pay(order="bad")

    assert "sent money.in" not in seen(run(saga))


def test_a_repetition_under_the_same_key_sends_nothing_more() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: None)
        for _ in range(2):
            world.direct.till.pay(order="1", key="k")

    assert seen(run(saga)).count("sent money.in") == 1


def test_a_call_whose_answer_is_lost_has_sent_its_event_and_its_retry_sends_none() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: None)
        with pytest.raises(Exception):  # noqa: B017, PT011  # whatever a timeout is to this tap
            world.direct.till.pay(order="1", key="k")
        world.direct.till.pay(order="1", key="k")

    assert seen(run(saga, "till.pay.1=lost")).count("sent money.in") == 1


def test_an_undo_by_key_sends_what_its_operation_sends_and_the_built_in_one_nothing() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: None)
        world.direct.till.pay(order="1", key="k")
        world.direct.till.undo_by_key("pay", "k")
        world.direct.till.book(order="2", key="b")
        world.direct.till.undo_by_key("book", "b")

    told = [what for what in seen(run(saga)) if what.startswith("told")]
    assert told == ["told money.in", "told money.out", "told money.in"]


def test_what_another_writer_does_sends_events_as_well() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: None)
        world.till.emit("money.in", {"order": "by somebody else"})
        world.direct.till.look()

    assert seen(run(saga)) == ["sent money.in", "told money.in", "till.look", "end"]


def test_a_type_that_the_system_does_not_name_is_refused() -> None:
    with pytest.raises(UsageError, match=r"does not say that it sends 'money\.im'"):
        Till().emit("money.im", {})


def test_an_operation_cannot_have_the_name_of_the_events() -> None:
    class Clash(System):
        name: ClassVar[str] = "clash"
        sends: ClassVar[tuple[str, ...]] = ("a",)

        @operation(cls=1)
        def events(self) -> dict[str, Any]:
            """Takes the name away."""
            return {}

    with pytest.raises(UsageError, match=r"clash\.events is an operation"):
        WorldHandle({"clash": Clash()})


# Who is told, and when --------------------------------------------------------------------------------------


def test_an_event_comes_before_the_next_call_and_the_last_one_before_the_end() -> None:
    assert seen(run(paying("1", "2"))) == [
        "till.pay", "sent money.in", "told money.in",
        "till.pay", "sent money.in", "told money.in", "end",
    ]  # fmt: skip


def test_a_saga_that_sleeps_is_told_meanwhile() -> None:
    heard: list[Event] = []

    def saga(world: Any) -> str:
        world.on_event(heard.append)
        world.direct.till.pay(order="1")
        while not heard:
            time.sleep(1)
        return "completed"

    assert run(saga).claim is Claim.COMPLETED


def test_a_saga_in_a_loop_is_told_while_it_waits_for_just_that() -> None:
    async def saga(world: Any) -> str:
        paid = asyncio.Event()

        async def on_event(_: Event) -> None:
            await asyncio.sleep(5)
            paid.set()

        world.on_event(on_event, "money.in")
        world.direct.till.pay(order="1")
        await paid.wait()
        return "completed"

    assert run(saga).claim is Claim.COMPLETED


def test_a_handler_in_a_loop_is_waited_for_before_the_end() -> None:
    async def saga(world: Any) -> None:
        async def on_event(_: Event) -> None:
            await asyncio.sleep(5)
            world.direct.till.look()

        world.on_event(on_event)
        world.direct.till.pay(order="1")

    assert seen(run(saga))[-2:] == ["till.look", "end"]


def test_only_the_types_that_were_asked_for_are_told() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: None, "*.out")
        world.direct.till.pay(order="1")
        world.direct.till.give_back(id="1")

    assert seen(run(saga)) == ["till.pay", "till.give_back", "sent money.out", "told money.out", "end"]


def test_a_type_that_nobody_sends_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no system of this world sends 'money\.ni'"):
        run(lambda world: world.on_event(lambda _: None, "money.ni"))


def test_who_does_not_listen_has_no_points_of_events() -> None:
    def saga(world: Any) -> None:
        world.direct.till.pay(order="1")

    assert seen(run(saga)) == ["till.pay", "end"]


def test_calls_of_a_handler_are_calls_of_the_saga_and_their_events_come_after_it() -> None:
    def saga(world: Any) -> None:
        def on_event(event: Event) -> None:
            if event["type"] == "money.in":
                world.direct.till.give_back(id="1")
                world.direct.till.look()

        world.on_event(on_event)
        world.direct.till.pay(order="1")

    assert seen(run(saga)) == [
        "till.pay", "sent money.in", "told money.in", "till.give_back", "till.look",
        "sent money.out", "told money.out", "end",
    ]  # fmt: skip


def test_a_handler_that_raises_is_told_again_and_at_last_not_any_more() -> None:
    def saga(world: Any) -> None:
        def on_event(_: Event) -> None:
            msg = "the books are closed"
            raise ValueError(msg)

        world.on_event(on_event)
        world.direct.till.pay(order="1")

    history = run(saga)
    assert history.claim is Claim.COMPLETED
    assert [event.point.attempt for event in history.of(Notified)] == [1, 2, 3]
    assert {event.error for event in history.of(Heard)} == {"ValueError: the books are closed"}


def test_an_asynchronous_handler_needs_an_asynchronous_saga() -> None:
    async def on_event(_: Event) -> None:
        """Cannot be awaited."""

    def saga(world: Any) -> None:
        world.on_event(on_event)
        world.direct.till.pay(order="1")

    with pytest.raises(UsageError, match="something to await"):
        run(saga)


# Faults -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("event-lost", ["2", "end"]),
        ("event-twice", ["1", "1", "2", "end"]),
        ("event-late", ["2", "end", "1 late"]),
        ("event-reordered", ["2", "1", "end"]),
    ],
)
def test_a_fault_does_to_an_event_what_it_says(fault: str, told: list[str]) -> None:
    history = run(paying("1", "2"), f"till.events.1={fault}")
    orders = {event.point: event.body["data"]["order"] for event in history.of(Sent)}
    found = []
    for event in history.events:
        if isinstance(event, Notified):
            found.append(f"{orders[event.point]}{' late' if event.late else ''}")
        elif isinstance(event, Ended):
            found.append("end")
    assert found == told


def test_a_reordered_event_without_a_next_one_comes_at_the_end() -> None:
    history = run(paying("1"), "till.events.1=event-reordered")
    assert seen(history) == ["till.pay", "sent money.in", "told money.in", "end"]


def test_a_handler_that_is_told_late_may_call_and_meets_no_faults() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: world.direct.till.look())
        world.direct.till.pay(order="1")
        with pytest.raises(Exception):  # noqa: B017, PT011  # whatever an outage is to this tap
            world.direct.till.reserve(order="1")

    history = run(saga, "till.events.1=event-late,till.reserve.1=outage")
    assert seen(history)[-3:] == ["end", "told money.in late", "till.look"]
    assert history.calls[-1].ok


def test_what_a_late_effect_sends_comes_after_the_end() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: None)
        with pytest.raises(Exception):  # noqa: B017, PT011  # whatever a timeout is to this tap
            world.direct.till.pay(order="1")

    assert seen(run(saga, "till.pay.1=late-end"))[-2:] == ["sent money.in", "told money.in late"]


def test_what_lands_before_the_next_call_sends_its_event_after_that_call() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: None)
        with pytest.raises(Exception):  # noqa: B017, PT011  # whatever a timeout is to this tap
            world.direct.till.pay(order="1")
        world.direct.till.look()
        world.direct.till.look()

    assert seen(run(saga, "till.pay.1=late")) == [
        "till.pay", "till.look", "sent money.in", "told money.in", "till.look", "end",
    ]  # fmt: skip


# Processes --------------------------------------------------------------------------------------------------


def test_what_comes_while_the_process_is_dead_goes_to_the_handler_of_the_next_one() -> None:
    old: list[Event] = []
    new: list[Event] = []

    def saga(world: Any) -> None:
        world.on_event(old.append)
        world.direct.till.pay(order="1")

    def recover(world: Any) -> None:
        world.on_event(new.append)
        world.direct.till.look()

    history = run(saga, "till.pay.1=crash-after", recover)
    assert seen(history)[:5] == ["till.pay", "restarted", "sent money.in", "told money.in", "till.look"]
    assert old == []
    assert len(new) == 1


def test_a_process_that_dies_in_its_handler_gets_the_event_again_in_the_next_one() -> None:
    def listen(world: Any) -> None:
        world.on_event(lambda _: world.direct.till.look())

    def saga(world: Any) -> None:
        listen(world)
        world.direct.till.pay(order="1")

    history = run(saga, "till.look.1=crash-before", listen)
    assert seen(history)[:7] == [
        "till.pay", "sent money.in", "told money.in", "till.look", "restarted", "told money.in", "till.look",
    ]  # fmt: skip


def test_what_a_handler_returns_may_say_what_the_saga_now_claims() -> None:
    def saga(world: Any) -> str:
        world.on_event(lambda _: "completed")
        world.direct.till.pay(order="1")
        return "compensated"

    history = run(saga, "till.events.1=event-late")
    assert [event.claim for event in history.of(Heard)] == [Claim.COMPLETED]


def test_a_handler_may_return_what_is_no_claim() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: {"status": 200})
        world.direct.till.pay(order="1")

    assert not [*run(saga).of(Heard)]
