"""A person decides about an escalated saga: each decision ends it accordingly, and none is done twice."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from sagaproof.saga import (
    AsyncRuntime,
    Decision,
    DecisionRefused,
    Ending,
    NotApplied,
    Retry,
    Runtime,
    Saga,
    SagaMisuse,
)

if TYPE_CHECKING:
    from tests.saga.conftest import World


class Books:
    """A small world in which the undos of `a`, the call `last` and the mail can be broken for a while."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.is_broken = True

    def undo(self, step: Any, *, key: str) -> None:
        if self.is_broken:
            raise NotApplied("locked")
        self.world.undo_by_ref(step, key=key)

    def runtime(self, journal: Any = None, **options: Any) -> Runtime:
        world = self.world
        tools = [
            world.tool("a", 4, undo=self.undo),
            world.tool("b", 4, undo=world.undo_by_ref),
            world.tool("mail", 5),
            world.tool("tag", 2),
        ]
        return Runtime(tools, journal=journal or world, desk=world, **options)

    # States --------------------------------------------------------------------------------------------

    def failed_undo(self) -> Saga:
        """`b` is undone, `a` is not."""
        saga = self.runtime().start("order", goal="credit")
        saga.call("a", {"what": "a"})
        saga.call("b", {"what": "b"})
        saga.give_up("no stock")
        return saga

    def past_pivot(self) -> Saga:
        """The mail went out, a tag is owed."""
        saga = self.runtime().start("order")
        saga.call("a", {"what": "a"})
        saga.call("mail", {"what": "hello"})
        self.world.lasting = {"tag": "refuse/all"}
        saga.call("tag", {"what": "t"})
        self.world.lasting = {}
        saga.finish()
        return saga

    def given_up_past_pivot(self) -> Saga:
        """The mail went out, and nothing else is wanted."""
        saga = self.runtime().start("order")
        saga.call("a", {"what": "a"})
        saga.call("mail", {"what": "hello"})
        saga.give_up("no stock")
        return saga

    def unknown_pivot(self) -> Saga:
        """Nobody knows whether the mail went out: it did not."""
        saga = self.runtime().start("order")
        saga.call("a", {"what": "a"})
        self.world.lasting = {"mail": "down/all"}
        saga.call("mail", {"what": "hello"})
        self.world.lasting = {}
        saga.give_up("no stock")
        return saga

    def unknown_step(self) -> Saga:
        """Nobody knows of `b`, and all else is fine: it was applied."""
        saga = self.runtime().start("order")
        saga.call("a", {"what": "a"})
        self.world.lasting = {"b": "lost/all"}
        saga.call("b", {"what": "b"})
        self.world.lasting = {}
        saga.finish()
        return saga


STATES: dict[str, Callable[[Books], Saga]] = {
    "failed undo": Books.failed_undo,
    "past pivot": Books.past_pivot,
    "given up past pivot": Books.given_up_past_pivot,
    "unknown pivot": Books.unknown_pivot,
    "unknown step": Books.unknown_step,
}

DECISIONS: dict[str, Decision] = {
    "retry": Decision.retry(),
    "retry anyway": Decision.retry(anyway=True),
    "go on": Decision.go_on(),
    "accept": Decision.accept("small"),
    "handled": Decision.handled("by phone"),
}

STANDING = {
    "failed undo": ["a"],
    "past pivot": ["a", "mail"],
    "given up past pivot": ["a", "mail"],
    "unknown pivot": ["a"],
    "unknown step": ["a", "b"],
}
"""What stands when the case is opened."""

ENDS: dict[tuple[str, str], tuple[str, list[str]] | str] = {
    ("failed undo", "retry"): ("compensated", []),
    ("failed undo", "retry anyway"): ("compensated", []),
    ("failed undo", "go on"): "impossible",
    ("past pivot", "retry"): "impossible",
    ("past pivot", "retry anyway"): ("escalated: undone, but for the pivot", ["mail"]),
    ("past pivot", "go on"): ("completed", ["a", "mail", "tag"]),
    ("given up past pivot", "retry"): "impossible",
    ("given up past pivot", "retry anyway"): ("escalated: undone, but for the pivot", ["mail"]),
    ("given up past pivot", "go on"): "impossible",
    ("unknown pivot", "retry"): ("escalated: ", ["a"]),  # there is no lookup: a new case
    ("unknown pivot", "retry anyway"): ("escalated: undone, but for the pivot", []),
    ("unknown pivot", "go on"): ("completed", ["a", "mail"]),
    ("unknown step", "retry"): ("escalated: ", ["b"]),  # `b` cannot be looked up: a new case
    ("unknown step", "retry anyway"): ("escalated: ", ["b"]),
    ("unknown step", "go on"): ("completed", ["a", "b"]),
}


@pytest.fixture
def books(world: World) -> Books:
    return Books(world)


def standing(world: World) -> list[str]:
    return [effect.name for effect in world.effects if not effect.undone]


def said(ending: Ending | None) -> str:
    assert ending is not None
    return f"{ending.status}: {ending.settled}" if ending.status == "escalated" else str(ending.status)


def kinds(world: World) -> list[str]:
    return [record.kind for record in world.rows["order"]]


def decide(books: Books, decision: Decision, **more: Any) -> Ending:
    ending = books.runtime().decide("order", decision, by="anna", **more).ending
    assert ending is not None
    return ending


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", DECISIONS)
def test_each_decision_in_each_state_ends_the_saga_or_is_refused_and_changes_nothing(
    books: Books, state: str, name: str
) -> None:
    STATES[state](books)
    books.is_broken = False
    assert standing(books.world) == STANDING[state]
    left_alone = (f"escalated: {name}ed" if name == "accept" else f"escalated: {name}", STANDING[state])
    expected = ENDS.get((state, name), left_alone)
    before = kinds(books.world)
    if isinstance(expected, str):
        with pytest.raises(DecisionRefused) as refused:
            decide(books, DECISIONS[name])
        assert refused.value.reason == expected
        assert kinds(books.world) == before
        return
    ending = decide(books, DECISIONS[name])
    assert (said(ending), standing(books.world)) == expected
    assert kinds(books.world)[-1] == "closed"
    assert all(effect.undone <= 1 for effect in books.world.effects)
    assert ending.decisions[0].line.startswith("anna decided: ")


@pytest.mark.parametrize("state", STATES)
def test_a_case_says_which_decisions_are_possible_and_the_runtime_agrees(books: Books, state: str) -> None:
    ending = STATES[state](books).ending
    assert ending is not None
    assert ending.case is not None
    for choice in ending.case.choices:
        takes = ENDS.get((state, choice.name), "") != "impossible"
        assert (choice.is_possible and not choice.needs_anyway) == takes, choice.line
        assert choice.line in ending.case.text()


# Crashes -----------------------------------------------------------------------------------------------


CRASHED = [("failed undo", "retry"), ("past pivot", "go on"), ("past pivot", "retry anyway")]
CRASHED += [("unknown pivot", "go on"), ("unknown step", "go on"), ("failed undo", "accept")]
CRASHED += [("failed undo", "handled"), ("unknown pivot", "retry")]


@pytest.mark.parametrize("death", ["die-before", "die-after"])
@pytest.mark.parametrize(("state", "name"), CRASHED)
def test_a_crash_anywhere_in_a_decision_is_recovered_to_the_same_end(
    make_world: Callable[..., World], crash: type[BaseException], state: str, name: str, death: str
) -> None:
    plain = Books(make_world())
    STATES[state](plain)
    plain.is_broken, begin = False, len(plain.world.points)
    expected = (said(decide(plain, DECISIONS[name])), standing(plain.world))
    points = range(begin + 1, len(plain.world.points) + 1)
    assert len(points) >= 3
    for point in points:
        books = Books(make_world())
        STATES[state](books)
        books.is_broken, books.world.plan = False, {point: death}
        with pytest.raises(crash):
            decide(books, DECISIONS[name], id="d1")
        is_known = "decision" in kinds(books.world)
        assert is_known == (point > begin + 1 or death == "die-after")
        if is_known:
            books.runtime().recover()
        ending = decide(books, DECISIONS[name], id="d1")
        assert (said(ending), standing(books.world)) == expected, plain.world.points[point - 1]
        assert kinds(books.world).count("decision") == 1
        assert all(effect.undone <= 1 for effect in books.world.effects)
        assert len({effect.key for effect in books.world.effects}) == len(books.world.effects)
        assert kinds(books.world)[-1] == "closed"


def test_nothing_is_done_on_the_strength_of_a_decision_that_the_journal_did_not_take(
    books: Books, crash: type[BaseException]
) -> None:
    books.failed_undo()
    books.is_broken = False
    books.world.lasting = {"journal decision": "die-before/all"}
    before = list(books.world.undos)
    with pytest.raises(crash):
        decide(books, Decision.retry())
    assert books.world.undos == before


def test_recovery_carries_out_a_decision_and_none_that_is_done(
    books: Books, crash: type[BaseException]
) -> None:
    books.failed_undo()
    books.is_broken = False
    books.world.lasting = {"journal decision": "die-after/all"}
    with pytest.raises(crash):
        decide(books, Decision.retry())
    books.world.lasting = {}
    assert books.runtime().recover() == []
    assert said(books.runtime().saga("order").ending) == "compensated"
    before = kinds(books.world)
    books.runtime().recover()
    assert kinds(books.world) == before


# Not twice, not otherwise ----------------------------------------------------------------------------------


def refused(books: Books, decision: Decision, **more: Any) -> DecisionRefused:
    before = (kinds(books.world), list(books.world.undos), len(books.world.effects))
    with pytest.raises(DecisionRefused) as caught:
        decide(books, decision, **more)
    assert (kinds(books.world), books.world.undos, len(books.world.effects)) == before
    return caught.value


@pytest.mark.parametrize("more", [{}, {"id": "d1"}])
def test_the_same_decision_again_gives_the_same_answer_and_does_nothing(books: Books, more: Any) -> None:
    books.failed_undo()
    books.is_broken = False
    first = decide(books, Decision.retry(), **more)
    before = kinds(books.world)
    assert decide(books, Decision.retry(), **more) == first
    assert kinds(books.world) == before
    assert books.world.undos.count("a-1") == 1


def test_an_id_that_is_given_to_another_decision_is_refused_as_double(books: Books) -> None:
    books.failed_undo()
    decide(books, Decision.retry(), id="d1")
    assert refused(books, Decision.accept("small"), id="d1").reason == "double"


def test_a_decision_about_a_settled_saga_is_late_and_names_who_settled_it(books: Books) -> None:
    books.failed_undo()
    decide(books, Decision.accept("too small to chase"))
    error = refused(books, Decision.retry())
    assert error.reason == "late"
    assert "anna decided: accept (too small to chase)" in str(error)


def test_a_decision_about_a_saga_that_needs_none_is_refused(books: Books) -> None:
    saga = books.runtime().start("order")
    assert refused(books, Decision.retry()).reason == "impossible"
    saga.finish()
    assert refused(books, Decision.retry()).reason == "late"


def test_another_decision_about_a_case_that_was_answered_contradicts_it(books: Books) -> None:
    books.failed_undo()
    decide(books, Decision.retry())  # fails again: case 2
    error = refused(books, Decision.accept("small"), case=1)
    assert error.reason == "contradictory"
    assert "case 2 is open now" in str(error)


def test_another_decision_while_one_is_under_way_contradicts_it(
    books: Books, crash: type[BaseException]
) -> None:
    books.failed_undo()
    books.world.lasting = {"journal decision": "die-after/all"}
    with pytest.raises(crash):
        decide(books, Decision.retry())
    books.world.lasting = {}
    error = refused(books, Decision.accept("small"))
    assert error.reason == "contradictory"
    assert "is under way" in str(error)


def test_two_processes_that_decide_at_the_same_time_decide_once(books: Books) -> None:
    books.failed_undo()
    books.is_broken = False
    first, second = books.runtime(), books.runtime()
    first.saga("order"), second.saga("order")  # both have read it
    held = second.saga("order")
    assert said(first.decide("order", Decision.retry(), by="anna").ending) == "compensated"
    assert said(second.decide("order", Decision.retry(), by="bob").ending) == "compensated"
    assert kinds(books.world).count("decision") == 1
    assert held.id == "order"


def test_decisions_without_a_word_or_a_name_are_refused(books: Books) -> None:
    books.failed_undo()
    with pytest.raises(SagaMisuse, match="without a word"):
        Decision.accept(" ")
    with pytest.raises(SagaMisuse, match="without a word"):
        Decision.handled()
    with pytest.raises(SagaMisuse, match="without a word"):
        Decision.handled(steps={"x": ""})
    with pytest.raises(SagaMisuse, match="who decides"):
        books.runtime().decide("order", Decision.retry(), by="")


def test_a_call_or_case_that_is_not_there_cannot_be_decided_on(books: Books) -> None:
    books.failed_undo()
    assert "no call call_9" in str(refused(books, Decision.handled(steps={"call_9": "done"})))
    assert "no case 7" in str(refused(books, Decision.retry(), case=7))


# What cannot be carried out --------------------------------------------------------------------------------


def test_a_decision_that_fails_again_opens_a_new_case_for_the_next_one(books: Books) -> None:
    books.failed_undo()
    ending = decide(books, Decision.retry("billing is up again"))
    assert said(ending) == "escalated: "
    assert ending.case is not None
    assert ending.case.number == 2
    assert "anna decided: retry (billing is up again)" in ending.case.text()
    assert list(books.world.cases) == ["order/case", "order/case-2"]
    books.is_broken = False
    assert said(decide(books, Decision.retry())) == "compensated"


def test_an_owed_call_that_fails_again_is_made_once_by_the_next_decision(
    books: Books,
) -> None:
    books.past_pivot()
    books.world.lasting = {"tag": "refuse/all"}
    ending = decide(books, Decision.go_on())
    assert ending.case is not None
    assert [step.call_id for step in ending.case.steps if step.owed] == ["call_3/again-1"]
    books.world.lasting = {}
    assert said(decide(books, Decision.go_on())) == "completed"
    assert standing(books.world) == ["a", "mail", "tag"]


def test_the_unknown_keeps_its_key_and_what_is_not_there_gets_another(
    books: Books,
) -> None:
    books.past_pivot()
    decide(books, Decision.go_on())
    assert [effect.key for effect in books.world.effects if effect.name == "tag"] == ["order/call_3/again-1"]
    other = Books(type(books.world)())
    other.unknown_step()
    decide(other, Decision.go_on())
    assert [effect.key for effect in other.world.effects] == ["order/call_1", "order/call_2"]


def test_an_undo_that_acts_each_time_and_may_have_worked_is_not_sent_again(world: World) -> None:
    tools = [world.tool("a", 4, undo=world.undo_each_time)]
    runtime = Runtime(tools, journal=world, desk=world)
    saga = runtime.start("order")
    saga.call("a", {"what": "a"})
    world.lasting = {"undo a": "lost/all"}
    saga.give_up()
    world.lasting = {}
    assert said(runtime.decide("order", Decision.retry(), by="anna").ending) == "escalated: "
    assert world.undos == ["a-1"]


def test_a_call_that_was_refused_past_the_pivot_is_made_when_a_person_says_so(books: Books) -> None:
    saga = books.runtime().start("order")
    saga.call("mail", {"what": "hello"})
    saga.call("a", {"what": "a"})
    case = saga.finish().case
    assert case is not None
    assert case.missed == ("a (call_2)",)
    assert said(decide(books, Decision.go_on())) == "completed"
    assert standing(books.world) == ["mail", "a"]


# By hand -------------------------------------------------------------------------------------------------


def two_failed(books: Books) -> None:
    saga = books.runtime().start("order")
    for name in ("a", "b"):
        saga.call(name, {"what": name})
    books.world.lasting = {"undo b": "refuse/all"}
    saga.give_up()
    books.world.lasting = {}


def test_what_was_handled_by_hand_is_not_undone_and_the_rest_is_a_new_case(books: Books) -> None:
    two_failed(books)
    ending = decide(books, Decision.handled(steps={"call_1": "refunded by phone"}))
    assert said(ending) == "escalated: "
    assert ending.case is not None
    assert "call_1  refunded by phone" in ending.case.text()
    assert not any(line.startswith("call_1") for line in ending.case.todo)
    books.is_broken = False
    assert said(decide(books, Decision.retry())) == "escalated: undone, in part by hand"
    assert books.world.undos == ["b-2"]


def test_when_each_step_was_handled_the_saga_is_settled(books: Books) -> None:
    two_failed(books)
    ending = decide(books, Decision.handled(steps={"call_1": "by phone", "call_2": "by mail"}))
    assert said(ending) == "escalated: handled"


# While others are at work ----------------------------------------------------------------------------------


def test_a_person_who_answers_while_the_case_is_sent_is_heard_once_it_is(books: Books) -> None:
    runtime = books.runtime()
    opened = books.world.open

    def answer(case: Any, key: str) -> str:
        books.is_broken = False
        runtime.decide("order", Decision.retry(), by="anna", id="d1")
        return opened(case, key)

    books.world.open = answer  # type: ignore[method-assign]
    saga = runtime.start("order")
    saga.call("a", {"what": "a"})
    assert said(saga.give_up("no stock")) == "compensated"
    assert books.world.undos == ["a-1"]
    assert kinds(books.world)[-1] == "closed"


def test_a_person_who_answers_the_next_case_while_that_is_sent_is_heard_too(books: Books) -> None:
    runtime = books.runtime()
    opened = books.world.open

    def answer(case: Any, key: str) -> str:
        runtime.decide("order", Decision.retry(), by="anna", id=key)
        books.is_broken = case.number == 1
        return opened(case, key)

    books.world.open = answer  # type: ignore[method-assign]
    saga = runtime.start("order")
    saga.call("a", {"what": "a"})
    assert said(saga.give_up("no stock")) == "compensated"
    assert list(books.world.cases) == ["order/case", "order/case-2"]


def test_a_case_that_never_reached_the_desk_is_not_sent_once_it_is_settled(
    books: Books, caplog: pytest.LogCaptureFixture
) -> None:
    books.world.lasting = {"desk": "refuse/all"}
    with caplog.at_level(logging.ERROR):
        saga = books.runtime(desk_retry=Retry(2, wait_s=0)).start("order")
        saga.call("a", {"what": "a"})
        saga.give_up()
    books.world.lasting = {}
    decide(books, Decision.accept("small"))
    assert books.runtime().send_cases() == 0
    assert books.world.cases == {}


@pytest.mark.asyncio
async def test_the_async_runtime_decides_alike(books: Books) -> None:
    saga = books.failed_undo()
    assert saga.ending is not None
    books.is_broken = False
    tools = list(books.runtime().tools)
    runtime = AsyncRuntime(tools, journal=books.world, desk=books.world)
    ending = (await runtime.decide("order", Decision.retry(), by="anna")).ending
    assert said(ending) == "compensated"
    with pytest.raises(DecisionRefused, match="late"):
        await runtime.decide("order", Decision.accept("small"), by="bob")


def test_an_answer_during_the_sending_survives_a_crash_right_after_it(
    books: Books, crash: type[BaseException]
) -> None:
    runtime = books.runtime()
    opened = books.world.open

    def answer(case: Any, key: str) -> str:
        books.is_broken = False
        runtime.decide("order", Decision.retry(), by="anna", id="d1")
        books.world.lasting = {"journal undoing": "die-before/all"}
        return opened(case, key)

    books.world.open = answer  # type: ignore[method-assign]
    saga = runtime.start("order")
    saga.call("a", {"what": "a"})
    with pytest.raises(crash):
        saga.give_up("no stock")
    books.world.lasting = {}
    books.runtime().recover()
    assert said(books.runtime().saga("order").ending) == "compensated"


def test_a_call_that_failed_again_before_a_crash_is_not_made_a_third_time(
    books: Books, crash: type[BaseException]
) -> None:
    saga = books.runtime().start("order")
    saga.call("mail", {"what": "hello"})
    books.world.lasting = {"tag": "refuse/all"}
    saga.call("tag", {"what": "t"})
    saga.call("a", {"what": "a"})  # refused past the pivot
    saga.finish()
    books.world.lasting = {"a": "refuse/all", "tag": "refuse/all", "journal case": "die-before/all"}
    with pytest.raises(crash):
        decide(books, Decision.go_on())
    before = [books.world.points.count(name) for name in ("a", "tag")]
    books.world.lasting = {}
    books.runtime().recover()
    assert [books.world.points.count(name) for name in ("a", "tag")] == before
    assert list(books.world.cases) == ["order/case", "order/case-2"]


@pytest.mark.parametrize("works", [True, False])
def test_a_call_that_is_fenced_off_while_going_on_is_made_anew_or_owed(
    world: World, crash: type[BaseException], *, works: bool
) -> None:
    def runtime() -> Runtime:
        hooks: dict[str, Any] = {"undo": world.undo_by_ref, "lookup": world.look_up, "fence": world.fence}
        return Runtime([world.tool("b", 4, keyed=False, **hooks)], journal=world, desk=world)

    saga = runtime().start("order")
    world.lasting = {"b": "late/all", "look-up b": "refuse/all"}
    saga.call("b", {"what": "b"})
    saga.finish()
    world.lasting = {"fence b": "die-after/all"} if works else {"b": "refuse/all"}
    if works:
        with pytest.raises(crash):
            runtime().decide("order", Decision.go_on(), by="anna")
        world.lasting = {"journal outcome": "die-after/all"}
        with pytest.raises(crash):
            runtime().recover()
        world.lasting = {}
        runtime().recover()
    ending = runtime().decide("order", Decision.go_on(), by="anna").ending
    world.settle()
    assert said(ending) == ("completed" if works else "escalated: ")
    assert len(world.effects) == works
