"""The catalogue of faults, and that each does in the world and to its caller what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from sagaproof._model.event import Applied, Called, Landed, Rejected, Told
from sagaproof._model.fault import Applied as Half
from sagaproof._model.fault import Fault, Lands, applicable
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import EffectClass, Operation, durable_write
from sagaproof._model.point import Phase
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import ProcessDied

Under = Callable[..., WorldHandle]
FORWARD, UNDO, QUERY, ESCALATE = Phase.FORWARD, Phase.UNDO, Phase.QUERY, Phase.ESCALATE

# The catalogue ----------------------------------------------------------------------------------------------


def test_each_fault_goes_by_its_own_name_and_meaning() -> None:
    assert all(name == fault.name for name, fault in FAULTS.items())
    meanings = [fault.meaning for fault in FAULTS.values()]
    assert len(set(meanings)) == len(meanings)


def test_names_need_no_quotes_and_cannot_be_taken_for_a_duration() -> None:
    for name in FAULTS:
        assert name.replace("-", "").isalnum()
        assert name.islower() or name.isdigit()


def test_numbers_are_those_of_the_public_table() -> None:
    numbers = {name: fault.number for name, fault in FAULTS.items()}
    assert numbers == {
        "429": 5, "429-date": 5, "429-bare": 5, "429-huge": 5,
        "503": 2, "500": 2, "502": 2, "504": 2, "422": 3, "403": 3, "409": 3, "404": 3,
        "refused": 1, "timeout": 10, "lost": 9, "500-applied": 12, "torn": 13, "garbage": 28,
        "soft-error": 30, "late": 11, "late-undo": 11, "late-end": 11, "duplicate": 16, "again": 34,
        "outage": 7, "dropped": 43, "dropped-after": 46,
        "crash-before": 32, "crash-after": 33, "crash-late": 33,
    }  # fmt: skip


def test_a_fault_has_a_moment_to_land_just_if_it_is_late() -> None:
    for fault in FAULTS.values():
        assert (fault.lands is not None) is (fault.applied is Half.LATE), fault


def test_a_representative_is_a_fault_of_the_same_family_that_stands_for_itself() -> None:
    for fault in FAULTS.values():
        if fault.representative is not None:
            stands_for_it = FAULTS[fault.representative]
            assert stands_for_it.representative is None
            assert stands_for_it.family == fault.family


def operation(cls: int, *traits: str) -> Operation:
    return Operation("shop", "buy", EffectClass(cls), traits=frozenset(traits))


READS = {"429", "429-date", "429-bare", "429-huge",
         "503", "500", "502", "504", "422", "403", "409", "404", "refused", "timeout", "garbage",
         "soft-error", "outage", "crash-before"}  # fmt: skip
WRITES = READS | {"lost", "500-applied", "torn", "late", "late-undo", "late-end", "duplicate",
                  "crash-after", "crash-late"}  # fmt: skip
CRASHES = {"crash-before", "crash-after", "crash-late"}
LATE = {"late", "late-undo", "late-end", "crash-late"}


@pytest.mark.parametrize(
    ("described", "phase", "faults"),
    [
        (operation(1), FORWARD, READS),
        (operation(1), QUERY, READS),
        (operation(2), ESCALATE, WRITES),
        *((operation(cls), FORWARD, WRITES) for cls in (2, 3, 4, 5)),
        *((operation(cls), UNDO, WRITES - {"409", "404", "duplicate"} | {"again"}) for cls in (3, 4)),
        (operation(5, "mail"), FORWARD, WRITES | {"dropped", "dropped-after"}),
        (operation(3, "immediate"), FORWARD, WRITES - LATE),
        (durable_write("journal", "append"), Phase.JOURNAL, {"crash-before", "crash-after"}),
    ],
)
def test_where_a_fault_can_be_put(described: Operation, phase: Phase, faults: set[str]) -> None:
    assert {name for name, fault in FAULTS.items() if applicable(fault, described, phase)} == faults


# What it does -----------------------------------------------------------------------------------------------


class Seen(NamedTuple):
    """What one attempt looked like to the saga, and what the world held just after it."""

    saw: object
    effects: int


def attempt(world: WorldHandle, call: Callable[[], object]) -> Seen:
    try:
        saw: object = call()
    except (ToolError, OSError, ProcessDied) as error:
        saw = error
    return Seen(saw, effects_in(world))


def effects_in(world: WorldHandle, operation: str | None = None) -> int:
    applied = [event.effect for event in world.state.log if isinstance(event, Applied)]
    return sum(operation is None or effect.operation == operation for effect in applied)


def what_is_seen(fault: Fault, answer: object) -> Callable[[object], bool]:
    """Whether a value or an error is what this fault makes its caller see."""
    body = {"error": {"code": f"injected_{fault.name}".replace("-", "_"), "message": fault.meaning}}
    match fault.learnt.value:
        case "answer":
            return lambda saw: saw == answer
        case "200 with an error inside":
            return lambda saw: saw == body
        case "error status":
            return lambda saw: (
                isinstance(saw, ToolError)
                and (saw.status, saw.code, saw.message) == (fault.status, *body["error"].values())
            )
        case "garbage":
            return lambda saw: isinstance(saw, ToolError) and (saw.status, saw.code) == (200, "unreadable")
    error = {
        "connection refused": ConnectionRefusedError,
        "timeout": TimeoutError,
        "connection reset": ConnectionResetError,
        "answer torn off": ConnectionResetError,
        "the process dies": ProcessDied,
    }[fault.learnt.value]
    return lambda saw: type(saw) is error


APPLIED_AT_ONCE = {
    "lost": 1, "500-applied": 1, "torn": 1, "garbage": 1, "dropped-after": 1, "duplicate": 2, "again": 2,
    "crash-after": 1,
}  # fmt: skip
"""How many effects a fault leaves at a service without keys; none where it is not named."""


def test_the_meaning_of_a_fault_says_whether_it_is_applied() -> None:
    for name, fault in FAULTS.items():
        applied = 0 if fault.applied is Half.NO else 2 if fault.applied is Half.TWICE else 1
        assert applied == APPLIED_AT_ONCE.get(name, name in LATE), name
        if fault.meaning.startswith("not applied"):
            assert applied == 0
        if fault.meaning.startswith("applied"):
            assert applied == 1
        if fault.status is not None:
            assert str(fault.status) in fault.meaning
        if fault.learnt.value == "timeout":
            assert "timeout" in fault.meaning


@pytest.mark.parametrize(
    "fault", [f for f in FAULTS.values() if Phase.FORWARD in f.phases], ids=lambda f: f.name
)
def test_both_halves_of_a_fault_are_as_it_says(under: Under, fault: Fault) -> None:
    world = under(f"shop.send.1={fault.name}")
    seen = attempt(world, lambda: world.direct.shop.send(order="o_1"))
    answer = world.shop.parcels.get("p_1")
    assert what_is_seen(fault, answer)(seen.saw), seen.saw
    assert seen.effects == len(world.shop.parcels) == APPLIED_AT_ONCE.get(fault.name, 0)
    called, *_ = (event for event in world.state.log if isinstance(event, Called))
    assert called.fault == fault.name
    told = [event for event in world.state.log if isinstance(event, Told)]
    assert len(told) == (fault.name not in CRASHES), "the dead are told nothing"
    for event in told:
        assert event.ok is (fault.learnt.value == "answer")
        assert event.learnt == fault.learnt
    world.gate.land_everything()
    assert effects_in(world) == APPLIED_AT_ONCE.get(fault.name, int(fault.name in LATE))


def test_an_undo_that_comes_again_is_delivered_twice_and_its_caller_sees_the_first_answer(
    under: Under,
) -> None:
    world = under("bank.release.1=again")
    hold = world.direct.bank.hold(amount=5)
    assert world.direct.bank.release(hold=hold["id"]) is None
    assert effects_in(world, "release") == 1, "the bank itself refuses the second one"
    assert [e.code for e in world.state.log if isinstance(e, Rejected)] == ["not_found"]


def test_an_undo_that_was_refused_does_not_come_again(under: Under) -> None:
    world = under("bank.release.2=again")
    hold = world.direct.bank.hold(amount=5)
    world.direct.bank.release(hold=hold["id"])
    with pytest.raises(ToolError, match="not_found"):
        world.direct.bank.release(hold=hold["id"])
    assert [e.code for e in world.state.log if isinstance(e, Rejected)] == ["not_found"]


def test_a_second_delivery_under_a_key_is_absorbed(under: Under) -> None:
    world = under("shop.buy.1=duplicate")
    assert world.direct.shop.buy(item="tea", key="k")["id"] == "o_1"
    assert len(world.shop.orders) == 1


@pytest.mark.parametrize(
    "fault", [f for f in FAULTS.values() if f.learnt.value == "timeout"], ids=lambda f: f.name
)
def test_a_timeout_takes_as_long_as_its_caller_waits(under: Under, fault: Fault) -> None:
    world = under(f"shop.send.1={fault.name}")
    attempt(world, lambda: world.direct.shop.send(order="o_1", timeout_s=7.0))
    assert world.clock.elapsed == pytest.approx(7.0)


# How often --------------------------------------------------------------------------------------------------

ATTEMPTS = 5


def faulted(world: WorldHandle) -> list[int]:
    """The attempts, from 1, on which a fault was put."""
    return [e.point.attempt for e in world.state.log if isinstance(e, Called) and e.fault is not None]


@pytest.mark.parametrize("fault", [f for f in FAULTS.values() if f.spans], ids=lambda f: f.name)
@pytest.mark.parametrize(("duration", "hit"), [("", 1), ("/3", 3), ("/all", ATTEMPTS)])
def test_a_fault_hits_as_many_attempts_in_a_row_as_it_says(
    under: Under, fault: Fault, duration: str, hit: int
) -> None:
    world = under(f"shop.send.1={fault.name}{duration}")
    seen = [attempt(world, lambda: world.direct.shop.send(order="o_1")) for _ in range(ATTEMPTS)]
    looks = what_is_seen(fault, None)
    assert [looks(one.saw) for one in seen[:hit]] == [True] * hit
    attempts = faulted(world)
    assert attempts == [*range(1, hit + 1)]
    assert list(world.gate.injected.values()) == [hit]
    if hit < ATTEMPTS:
        assert isinstance(seen[hit].saw, dict), "the attempt after the last fault succeeds"
    once = APPLIED_AT_ONCE.get(fault.name, 0)
    assert seen[hit - 1].effects == once * hit


def test_a_fault_that_begins_later_leaves_the_attempts_before_it_alone(under: Under) -> None:
    world = under("shop.cancel.1:2=503/2")
    for _ in range(ATTEMPTS):
        attempt(world, lambda: world.direct.shop.cancel(order="o_1"))
    assert faulted(world) == [2, 3]


def test_a_later_fault_on_the_same_call_takes_over(under: Under) -> None:
    world = under("shop.cancel.1=503/all,shop.cancel.1:3=timeout")
    for _ in range(ATTEMPTS):
        attempt(world, lambda: world.direct.shop.cancel(order="o_1"))
    put = [e.fault for e in world.state.log if isinstance(e, Called)]
    assert put == ["503", "503", "timeout", None, None]
    assert list(world.gate.injected.values()) == [2, 1]


def test_an_outage_lasts_for_the_whole_system_and_no_other(under: Under) -> None:
    world = under("shop.buy.2=outage")
    shop, bank = world.direct.shop, world.direct.bank
    assert shop.buy(item="tea")["id"] == "o_1"
    for call in (
        lambda: shop.buy(item="milk"),
        lambda: shop.get_order(order="o_1"),
        lambda: shop.cancel(order="o_1"),
        lambda: shop.tell(text="help"),
    ):
        assert isinstance(attempt(world, call).saw, ConnectionRefusedError)
    assert bank.hold(amount=5)["id"] == "h_1"
    assert list(world.gate.injected.values()) == [4]


# When it lands ----------------------------------------------------------------------------------------------


def moments(world: WorldHandle) -> list[str]:
    """What happened, in order: calls by name, and late effects as `landed`."""
    found: list[str] = []
    for event in world.state.log:
        if isinstance(event, Called):
            found.append(event.point.operation)
        elif isinstance(event, Landed):
            found.append(f"landed {event.outcome}")
    return found


@pytest.mark.parametrize(
    ("lands", "expected"),
    [
        (Lands.NEXT_CALL, ["bank.hold", "shop.buy", "landed applied", "bank.release", "shop.send"]),
        (Lands.UNDO, ["bank.hold", "shop.buy", "bank.release", "landed applied", "shop.send"]),
        (Lands.END, ["bank.hold", "shop.buy", "bank.release", "shop.send", "landed applied"]),
    ],
)
def test_a_late_effect_lands_at_its_moment(under: Under, lands: Lands, expected: list[str]) -> None:
    (name,) = (f.name for f in FAULTS.values() if f.lands is lands and f.name not in CRASHES)
    world = under(f"shop.buy.1={name}")
    hold = world.direct.bank.hold(amount=5)
    attempt(world, lambda: world.direct.shop.buy(item="tea"))
    world.direct.bank.release(hold=hold["id"])
    world.direct.shop.send(order="x")
    world.gate.land_everything()
    assert moments(world) == expected
    assert all(e.late is (e.effect.operation == "buy") for e in world.state.log if isinstance(e, Applied))


@pytest.mark.parametrize("name", sorted(LATE - CRASHES))
def test_what_is_late_lands_at_the_end_at_the_latest_and_once(under: Under, name: str) -> None:
    world = under(f"shop.buy.1={name}")
    attempt(world, lambda: world.direct.shop.buy(item="tea"))
    world.gate.land_everything()
    world.gate.land_everything()
    assert moments(world) == ["shop.buy", "landed applied"]


def test_a_late_effect_is_fenced_absorbed_or_refused_as_the_world_is_by_then(under: Under) -> None:
    def landed(plan: str, *calls: Callable[[Any], object]) -> str:
        world = under(plan)
        for call in calls:
            attempt(world, lambda call=call: call(world.direct.shop))  # type: ignore[misc]
        world.gate.land_everything()
        return moments(world)[-1]

    late = "shop.buy.1=late-end"
    buy: Callable[[Any], object] = lambda shop: shop.buy(item="tea", key="k")  # noqa: E731
    assert landed(late, buy, lambda shop: shop.undo_by_key("buy", "k")) == "landed fenced"
    assert landed(late, buy, buy) == "landed absorbed"
    assert landed("shop.buy.1=late-end", lambda shop: shop.buy(item="sold out")) == "landed refused"
