"""Events that systems send: what sends one, who is told of it and when, and what faults do to it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from sagaproof import Refusal, System, Table, ToolError, operation
from sagaproof._checks.catalogue import checks
from sagaproof._checks.errors_classified import ErrorsClassified
from sagaproof._checks.protocol import State
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._model.claim import Claim
from sagaproof._model.event import Called, Ended, Heard, Notified, Restarted, Sent
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE, Script, ToolCall
from sagaproof._report.sites import Sites
from sagaproof._report.timeline import timeline
from sagaproof._run.runner import Runner
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.signature import signature
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import NotInjected, UsageError

Body = Callable[[Any], Any]
Event = dict[str, Any]


class Till(System):
    """Takes money, and sends an event whenever some has come in or gone out."""

    name: ClassVar[str] = "till"
    sends: ClassVar[tuple[str, ...]] = ("money.in", "money.out")

    payments = Table(gone={"status": ("back",)})
    cases = Table()

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

    @operation(cls=2, ref="id", escalates=True)
    def tell(self, text: str) -> dict[str, Any]:
        """Tell a person."""
        self.cases.put(text, {"id": text})
        return {"id": text}


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


def test_an_error_of_a_handler_without_any_fault_is_told_once() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda event: event["no such field"])
        world.direct.till.pay(order="1")

    with Runner(WorldHandle({"till": Till()}), CallableDriver(saga)) as runner:
        runner.run(OPAQUE, Plan.parse(""))
        assert runner.notes() == ["a handler of events raised, without any fault: KeyError: 'no such field'"]


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


# Checks -----------------------------------------------------------------------------------------------------

FAILURES = (ToolError, OSError)


class Shipping:
    """Pays, books once an event says that the money is in, or by itself if none comes, and reserves.

    If it cannot go on, it takes all back; if it cannot do that, it tells a person.
    """

    def __init__(self, world: Any) -> None:
        self.till = world.direct.till
        self.status = "running"
        self.booked: bool | None = None
        world.on_event(self.on_event, "money.in")

    def run(self) -> str:
        try:
            self.till.pay(order="1", key="pay")
            time.sleep(1)
            if not self.book():
                return self.back()
            self.till.reserve(order="1", key="reserve")
        except FAILURES:
            return self.back()
        self.status = "completed"
        return self.status

    def book(self) -> bool:
        """Try once, whoever asks for it first."""
        if self.booked is None:
            try:
                self.till.book(order="1", key="book")
                self.booked = True
            except FAILURES:
                self.booked = False
        return self.booked

    def back(self) -> str:
        self.status = "aborting"
        try:
            for forward in ("reserve", "book", "pay"):
                self.till.undo_by_key(forward, forward)
            self.status = "compensated"
        except FAILURES:
            self.till.tell(text="pay, book or reserve of order 1 may stand: keys pay book reserve")
            self.status = "escalated"
        return self.status

    def on_event(self, event: Event) -> str | None:
        """Look how the saga stands first."""
        if self.status == "running" and event["data"]["order"] == "1":
            self.book()
        return None


class NoLook(Shipping):
    def on_event(self, event: Event) -> str | None:
        """Do what the event asks for, in whatever state the saga is."""
        if event["data"]["order"] == "1":
            self.till.book(order="1", key=f"book-{event['id']}-{self.status}")
        return None


class NewWord(Shipping):
    def on_event(self, _: Event) -> str | None:
        """Take the status from the event."""
        self.status = "completed"
        return self.status


class TellsLater(Shipping):
    def on_event(self, event: Event) -> str | None:
        """Tell a person what came after the end; the saga is then one that has escalated."""
        if self.status in {"escalated", "compensated"} and event["data"]["order"] == "1":
            self.till.tell(text=f"{event['type']} came late: is anything left of order 1?")
            self.status = "escalated"
            return self.status
        return super().on_event(event)


def findings(made: type[Shipping], faults: int = 2) -> set[str]:
    """The checks that complain, over the faults of events and refusals."""
    driver = CallableDriver(lambda world: made(world).run())
    subject = Subject("shipping", driver, {"till": Till()}, checks(independent=[("till.*", "till.*")]))
    campaign = explore(subject, Settings(faults=faults, families=("event", "rejection")))
    assert not campaign.errors
    return {finding.check for finding in campaign.findings}


def test_each_event_is_a_point_for_each_fault_of_events_and_for_no_other() -> None:
    driver = CallableDriver(lambda world: Shipping(world).run())
    campaign = explore(Subject("shipping", driver, {"till": Till()}, checks()), Settings(faults=1))
    cells = {fault for where, fault in campaign.cells if where.operation == "till.events"}
    assert cells == {name for name, fault in FAULTS.items() if fault.family == "event"}
    assert {name for name, fault in FAULTS.items() if fault.family == "event"}.isdisjoint(
        fault for where, fault in campaign.cells if where.operation != "till.events"
    )


def test_a_saga_that_looks_at_its_state_first_is_right() -> None:
    assert findings(Shipping) == set()


def test_a_late_event_that_makes_a_new_effect_is_found() -> None:
    assert "rest-is-rest" in findings(NoLook)


def test_a_late_event_that_changes_what_the_saga_says_is_found() -> None:
    assert "truthful-claim" in findings(NewWord)


def test_a_person_may_be_told_of_what_came_late() -> None:
    assert findings(TellsLater) == set()


def test_a_saga_that_does_nothing_unless_it_is_told_is_found_when_the_event_is_lost() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda event: world.direct.till.reserve(order=event["data"]["order"]), "money.in")
        world.direct.till.pay(order="1", key="pay")

    subject = Subject("told", CallableDriver(saga), {"till": Till()}, checks())
    campaign = explore(subject, Settings(faults=1, families=("event",)))
    assert {str(f.plan) for f in campaign.findings if f.check == "completed-is-complete"} >= {
        "till.events.1=event-lost"
    }


def test_events_are_rows_of_the_timeline() -> None:
    history = run(paying("1"), "till.events.1=event-late")
    rows = [step for step in timeline(history, Sites(stable=True)) if step.kind == "event"]
    assert [(step.what, step.happened, step.faults) for step in rows] == [
        ("till.events.1 money.in", "", (1,)),
        ("money.in", "comes after the end", ()),
    ]


def test_an_event_that_comes_otherwise_looks_otherwise() -> None:
    plain = signature(run(paying("1", "2")))
    for name, fault in FAULTS.items():
        if fault.family == "event":
            assert signature(run(paying("1", "2"), f"till.events.1={name}")) != plain


def test_a_saga_that_is_fed_listens_by_the_world_that_makes_it() -> None:
    class Fed:
        def __init__(self, world: Any) -> None:
            self.world = world
            self.heard = 0
            world.on_event(self.on_event)

        def on_event(self, _: Event) -> None:
            self.heard += 1

        def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
            return getattr(self.world.direct.till, tool)(**args, key=call_id)

        def give_up(self) -> str:
            return "escalated"

        def finish(self) -> str:
            return "completed" if self.heard == 1 else "refused"

    script = Script("two", (ToolCall("pay", {"order": "1"}, "a"), ToolCall("look", {}, "b")))
    with Runner(WorldHandle({"till": Till()}), FedDriver(Fed)) as runner:
        history = runner.run(script, Plan.parse(""))
    assert seen(history) == ["till.pay", "sent money.in", "told money.in", "till.look", "end"]
    assert history.claim is Claim.COMPLETED


def test_runs_with_events_are_the_same_each_time() -> None:
    async def saga(world: Any) -> None:
        async def on_event(_: Event) -> None:
            await asyncio.sleep(1)
            world.direct.till.look()

        world.on_event(on_event)
        await asyncio.gather(*(asyncio.to_thread(time.sleep, 1) for _ in range(2)))
        for order in ("1", "2"):
            world.direct.till.pay(order=order)
            await asyncio.sleep(0.5)

    for fault in ("event-reordered", "event-late", "event-twice"):
        plan = f"till.events.1={fault}"
        assert run(saga, plan).events == run(saga, plan).events


def test_a_fault_of_calls_is_refused_at_an_event_and_one_of_events_at_a_call() -> None:
    with pytest.raises(UsageError, match=r"till\.events\.1 is an event .* '503' cannot be put on it"):
        run(paying("1"), "till.events.1=503")
    with pytest.raises(UsageError, match=r"till\.pay\.1 is no event"):
        run(paying("1"), "till.pay.1=event-late")


def test_an_event_that_never_came_is_not_injected() -> None:
    with pytest.raises(NotInjected, match=r"till\.events\.3=event-late was planned") as found:
        run(paying("1", "2"), "till.events.3=event-late")
    assert "This run came to till.events.1, till.events.2" in found.value.advice


def test_a_handler_may_wait_for_a_thread_that_calls() -> None:
    def saga(world: Any) -> str:
        def on_event(_: Event) -> None:
            thread = threading.Thread(target=world.direct.till.look)
            thread.start()
            thread.join(5)
            assert not thread.is_alive()

        world.on_event(on_event)
        world.direct.till.pay(order="1")
        world.direct.till.reserve(order="1")
        return "completed"

    history = run(saga)
    assert seen(history)[2:5] == ["told money.in", "till.look", "till.reserve"]
    assert not [*history.of(Heard)]


def test_what_a_handler_does_again_when_its_event_comes_again_is_no_retry() -> None:
    def saga(world: Any) -> None:
        world.on_event(lambda _: world.direct.till.book(order="2"))
        world.direct.till.reserve(order="1")
        world.direct.till.pay(order="1")

    history = run(saga, "till.book.1=422/2")
    booked = next(call for call in history.calls if call.operation.name == "book")
    assert len(booked.arrivals) > 1
    assert ErrorsClassified().judge(history).state is not State.VIOLATED
