"""The catalogue of faults, how often each meets a call, and when what is late lands. See also faults/."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from sagaproof._model.event import Applied, Called, Landed, Rejected
from sagaproof._model.fault import CALLS, Fault, Learnt, applicable
from sagaproof._model.fault import Applied as Half
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import STORE_HOOKS, EffectClass, Operation, durable_write
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
    assert {name: n for name, n in numbers.items() if FAULTS[name].phases & CALLS} == {
        "429": 5, "429-date": 5, "429-bare": 5, "429-huge": 5,
        "503": 2, "500": 2, "502": 2, "504": 2, "422": 3, "403": 3, "409": 3, "404": 3,
        "refused": 1, "timeout": 10, "lost": 9, "500-applied": 12, "torn": 13, "garbage": 28, "empty": 28,
        "soft-error": 30, "late": 11, "late-undo": 11, "late-end": 11, "duplicate": 16, "again": 34,
        "outage": 7, "outage-30s": 7, "dropped": 43, "dropped-after": 46, "bounced": 47,
        "401": 6, "auth-expired": 6, "revoked": 6, "removed": 8, "drifted": 8,
        "no-ref": 27, "nulls": 27, "renamed": 27, "stale": 24,
        "accepted": 14, "accepted-end": 14, "accepted-lost": 14, "slow": 40,
        "duplicate-changed": 17, "in-flight": 20, "stored-500": 19, "key-expired": 18,
        "partial": 4, "partial-422": 4, "some-refused": 4, "meddled": 25, "consumed": 26,
        "clock-back": 41, "clock-ahead": 41, "sink-raises": 58, "sink-blocks": 58,
        "other-ref": 29, "other-amount": 29, "rounded": 31,
        "cancel-before": 38, "cancel": 38, "cancel-next": 38, "cancel-twice": 38,
        "crash-before": 32, "crash-after": 33, "crash-late": 33, "pause": 39,
    }  # fmt: skip


def test_a_fault_has_a_moment_to_land_just_if_something_of_it_comes_later() -> None:
    for fault in FAULTS.values():
        later = fault.applied is Half.LATE or fault.meanwhile is not None
        assert (fault.lands is not None) is later, fault


def test_a_representative_is_a_fault_of_the_same_family_that_stands_for_itself() -> None:
    for fault in FAULTS.values():
        if fault.representative is not None:
            stands_for_it = FAULTS[fault.representative]
            assert stands_for_it.representative is None
            assert stands_for_it.family == fault.family


def operation(cls: int, *traits: str, keyed: bool = True) -> Operation:
    return Operation("shop", "buy", EffectClass(cls), keyed=keyed, traits=frozenset(traits))


CRASHES = {"crash-before", "crash-after", "crash-late"}
REFUSALS = {"write-fails", "disk-full", "read-only", "kept-but-error"}
HARM = {"lost-record", "torn-record", "corrupt", "version"}
LIES = {"other-ref", "other-amount"}
CANCELS = {"cancel-before", "cancel", "cancel-next", "cancel-twice"}
CLOCKS = {"clock-back", "clock-ahead"}
POOR = {"no-ref", "nulls", "renamed"}
ACCEPTED = {"accepted", "accepted-end", "accepted-lost"}
KEYS = {"in-flight", "stored-500", "key-expired"}
DRIFT = {"removed", "drifted"}
BATCH = {"partial", "partial-422", "some-refused"}
MAIL = {"dropped", "dropped-after"}
SINK = {"sink-raises", "sink-blocks"}
LATE = {"late", "late-undo", "late-end", "accepted", "accepted-end", "crash-late"}

ALWAYS = {"429", "429-date", "429-bare", "429-huge",
          "503", "500", "502", "504", "422", "403", "refused", "timeout", "garbage", "empty", "soft-error",
          "401", "auth-expired", "revoked", "slow", "outage", "outage-30s", "crash-before", "pause"
          } | LIES | CANCELS  # fmt: skip
READS = ALWAYS | {"409", "404", "stale"} | CLOCKS | DRIFT
WRITES = READS - {"stale"} | POOR | ACCEPTED | KEYS | {
    "lost", "500-applied", "torn", "late", "late-undo", "late-end", "duplicate", "duplicate-changed",
    "crash-after", "crash-late",
}  # fmt: skip
UNDOS = WRITES - {"409", "404", "duplicate", "duplicate-changed"} | {"again"}


STORE = {"crash-before", "crash-after", "pause"} | REFUSALS


@pytest.mark.parametrize(
    ("described", "phase", "faults"),
    [
        (operation(1), FORWARD, READS),
        (operation(1), QUERY, READS - DRIFT),
        (operation(1, "primary"), QUERY, READS - DRIFT - {"stale"}),
        (operation(2), ESCALATE, WRITES - POOR - ACCEPTED - KEYS - CLOCKS - DRIFT),
        *((operation(cls), FORWARD, WRITES) for cls in (2, 3, 4, 5)),
        *((operation(cls), UNDO, UNDOS) for cls in (3, 4)),
        (operation(5, "mail"), FORWARD, WRITES | MAIL),
        (operation(5, keyed=False), FORWARD, WRITES - KEYS),
        (operation(3, "immediate"), FORWARD, WRITES - LATE),
        (operation(3, "bulk"), FORWARD, WRITES | BATCH),
        (operation(3, "bulk"), UNDO, UNDOS | BATCH),
        (operation(4, "amount"), FORWARD, WRITES | {"rounded"}),
        (operation(4, "amount"), UNDO, UNDOS | {"rounded"}),
        *((operation(4, kind), FORWARD, WRITES | {kind}) for kind in ("meddled", "consumed", "bounced")),
        (operation(4, "meddled", "consumed", "bounced"), UNDO, UNDOS),
        (operation(1, "sink"), FORWARD, SINK),
        (durable_write("journal", "append"), Phase.JOURNAL, STORE),
        (durable_write("journal", "append", ["tear"]), Phase.JOURNAL, STORE | {"torn-record"}),
        (durable_write("journal", "append", STORE_HOOKS), Phase.JOURNAL, STORE | HARM),
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


def test_the_meaning_of_a_fault_says_what_becomes_of_it() -> None:
    for fault in FAULTS.values():
        if fault.meaning.startswith("not applied"):
            assert fault.applied is Half.NO
        if fault.meaning.startswith("applied to the first half"):
            assert fault.applied is Half.PARTLY
        elif fault.meaning.startswith("applied"):
            assert fault.applied in {Half.YES, Half.OFF}
        if fault.status is not None:
            assert str(fault.status) in fault.meaning
        if fault.learnt is Learnt.TIMEOUT:
            assert "timeout" in fault.meaning


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
    "fault",
    [f for f in FAULTS.values() if f.learnt is Learnt.TIMEOUT and not f.needs_key],
    ids=lambda f: f.name,
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


ANSWERS = {Learnt.ANSWER, Learnt.OTHER_REF, Learnt.OTHER_AMOUNT}
SPANNING = [f for f in FAULTS.values() if f.spans and f.trait in {None, "mail"} and not f.reads_only]


def test_what_looks_like_an_answer_lasts_once_for_nobody_tries_again() -> None:
    assert not [fault for fault in FAULTS.values() if fault.learnt in ANSWERS and fault.spans]


@pytest.mark.parametrize("fault", SPANNING, ids=lambda f: f.name)
@pytest.mark.parametrize(("duration", "hit"), [("", 1), ("/3", 3), ("/all", ATTEMPTS)])
def test_a_fault_hits_as_many_attempts_in_a_row_as_it_says(
    under: Under, fault: Fault, duration: str, hit: int
) -> None:
    world = under(f"shop.send.1={fault.name}{duration}")
    seen = [attempt(world, lambda: world.direct.shop.send(order="o_1")) for _ in range(ATTEMPTS)]
    assert faulted(world) == [*range(1, hit + 1)]
    assert list(world.gate.injected.values()) == [hit]
    if hit < ATTEMPTS:
        assert isinstance(seen[hit].saw, dict), "the attempt after the last fault succeeds"
    assert seen[hit - 1].effects == hit * (fault.applied is Half.YES)


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
    ("name", "expected"),
    [
        ("late", ["bank.hold", "shop.buy", "landed applied", "bank.release", "shop.send"]),
        ("late-undo", ["bank.hold", "shop.buy", "bank.release", "landed applied", "shop.send"]),
        ("late-end", ["bank.hold", "shop.buy", "bank.release", "shop.send", "landed applied"]),
    ],
)
def test_a_late_effect_lands_at_its_moment(under: Under, name: str, expected: list[str]) -> None:
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
