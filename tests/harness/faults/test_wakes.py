"""What comes of a fault after its own answer: for other calls, for clocks, for the key, for the undo."""

from __future__ import annotations

from collections.abc import Callable
from email.utils import parsedate_to_datetime

import httpx
import pytest

from sagaproof._model.event import Applied, Called, Landed, Meddled, Rejected
from sagaproof._model.fault import CALLS, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.httpx import HttpxTap

Under = Callable[[str], WorldHandle]
Call = Callable[..., object]

WAKES: dict[str, Callable[[Under, Call, str], None]] = {}
"""By kind of fault: what is to be seen after the call that met it."""


def wake(*names: str) -> Callable[[Callable[[Under, Call, str], None]], Callable[[Under, Call, str], None]]:
    """Enter a function as what follows these kinds."""

    def enter(fn: Callable[[Under, Call, str], None]) -> Callable[[Under, Call, str], None]:
        WAKES.update(dict.fromkeys(names, fn))
        return fn

    return enter


def names(world: WorldHandle) -> list[str]:
    """What the items are called, the first kept first."""
    return [row["name"] for row in world.depot.items.rows.values()]


def seen_of(world: WorldHandle, call: Call, operation: str, n: int, **args: object) -> list[object]:
    """What so many calls in a row look like."""
    return [call(world, operation, **args) for _ in range(n)]


# It lasts ---------------------------------------------------------------------------------------------------


@wake("auth-expired", "revoked")
def _no_call_to_the_system_gets_through(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.send.1={name}")
    item = dict(call(world, "keep", name="tea"))["id"]  # type: ignore[call-overload]
    refused = (FAULTS[name].status, f"injected_{name}".replace("-", "_"))
    assert call(world, "send", name="tea") == refused
    assert call(world, "get", item=item) == refused
    assert call(world, "give_back", item=item) == refused, "the undo needs the same right"
    assert world.direct.office.note(note="x") == {"note": "x"}
    world.clock.advance(7 * 86400.0)
    assert call(world, "get", item=item) == refused


@wake("removed", "drifted")
def _no_call_of_the_operation_gets_through(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep.2={name}")
    call(world, "keep", name="tea")
    refused = (FAULTS[name].status, f"injected_{name}")
    assert seen_of(world, call, "keep", 2, name="more tea") == [refused, refused]
    assert call(world, "keep", name="other tea") == refused
    assert isinstance(call(world, "get", item="item_1"), dict)
    assert isinstance(call(world, "give_back", item="item_1"), dict)


@wake("outage")
def _the_system_stays_away(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.send.1={name}")
    call(world, "send", name="tea")
    world.clock.advance(7 * 86400.0)
    assert call(world, "keep", name="tea") in {"ConnectionRefusedError", "ConnectError"}
    assert world.direct.office.note(note="x") == {"note": "x"}


@wake("outage-30s")
def _the_system_comes_back_after_half_a_minute(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.send.1={name}")
    call(world, "send", name="tea")
    world.clock.advance(29.0)
    assert call(world, "keep", name="tea") in {"ConnectionRefusedError", "ConnectError"}
    world.clock.advance(1.0)
    assert isinstance(call(world, "keep", name="tea"), dict)
    assert isinstance(call(world, "send", name="tea"), dict)


# It lands ---------------------------------------------------------------------------------------------------


@wake("accepted", "late")
def _it_is_done_before_the_next_call(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep.1={name}")
    call(world, "keep", name="tea")
    assert names(world) == []
    assert isinstance(call(world, "get", item="item_1"), dict)


@wake("late-undo")
def _it_is_done_after_the_first_undo(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep.2={name}")
    call(world, "keep", name="coffee")
    call(world, "keep", name="tea")
    call(world, "get", item="item_1")
    assert names(world) == ["coffee"]
    call(world, "give_back", item="item_1")
    assert names(world) == ["tea"]


@wake("accepted-end", "late-end", "crash-late")
def _it_is_done_after_the_end(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep.1={name}")
    call(world, "keep", name="tea")
    if FAULTS[name].learnt is Learnt.DEATH:
        world.gate.process.restart(())
    assert call(world, "get", item="item_1") == (404, "not_found")
    world.gate.land_everything()
    assert names(world) == ["tea"]
    assert [event.outcome for event in world.state.log if isinstance(event, Landed)] == ["applied"]


def test_what_is_never_done_leaves_nothing_on_its_way(under: Under, call: Call) -> None:
    world = under("depot.keep.1=accepted-lost")
    call(world, "keep", name="tea")
    world.gate.land_everything()
    assert names(world) == []
    assert not [event for event in world.state.log if isinstance(event, Landed)]


def test_a_call_that_was_accepted_and_undone_by_key_meanwhile_is_fenced(under: Under, call: Call) -> None:
    world = under("depot.keep.1=accepted-end")
    call(world, "keep", name="tea", key="k")
    world.direct.depot.undo_by_key("keep", "k")
    world.gate.land_everything()
    assert names(world) == []
    assert [event.outcome for event in world.state.log if isinstance(event, Landed)] == ["fenced"]


# Keys -------------------------------------------------------------------------------------------------------


@wake("stored-500")
def _the_key_is_dead(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep.1={name}")
    first, *again = seen_of(world, call, "keep", 3, name="tea", key="k")
    assert again == [first, first], "the very same answer is kept"
    assert names(world) == []
    assert call(world, "give_back", item="item_1") == (404, "not_found")
    assert world.direct.depot.lookup(operation="keep", key="k")["state"] == "failed"
    assert world.direct.depot.undo_by_key("keep", "k")["state"] == "fenced", "there is nothing to undo"
    assert isinstance(call(world, "keep", name="tea", key="another"), dict)


def test_an_error_is_not_kept_over_what_was_done_before_under_the_key(under: Under, call: Call) -> None:
    world = under("depot.keep.1:2=stored-500")
    answer = call(world, "keep", name="tea", key="k")
    assert call(world, "keep", name="tea", key="k") == (500, "injected_stored_500")
    assert call(world, "keep", name="tea", key="k") == answer
    assert names(world) == ["tea"]


@wake("key-expired")
def _the_key_is_forgotten(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep.1={name}")
    call(world, "keep", name="tea", key="k")
    assert world.clock.elapsed > world.depot.key_lifetime_s
    assert world.direct.depot.lookup(operation="keep", key="k")["state"] == "absent"
    assert isinstance(call(world, "keep", name="tea", key="k"), dict)
    assert names(world) == ["tea", "tea"], "to the service, the retry is a new call"


def test_what_is_on_its_way_arrives_before_its_key_is_forgotten(under: Under, call: Call) -> None:
    world = under("depot.keep.1=late-end,depot.keep.2=key-expired")
    call(world, "keep", name="tea", key="k")
    call(world, "keep", name="coffee", key="other")
    assert sorted(names(world)) == ["coffee", "tea"]
    call(world, "keep", name="tea", key="k")
    assert sorted(names(world)) == ["coffee", "tea", "tea"]


def test_a_call_that_is_in_flight_has_its_answer_later(under: Under, call: Call) -> None:
    world = under("depot.keep.1=in-flight")
    first, second = seen_of(world, call, "keep", 2, name="tea", key="k")
    assert first == (409, "key_in_use")
    assert second == {"id": "item_1", "name": "tea", "amount": 100, "status": "kept"}
    assert names(world) == ["tea"]


@pytest.mark.parametrize("name", ["partial", "partial-422", "some-refused"])
def test_what_was_done_of_a_batch_is_kept_under_its_key_and_taken_back_by_it(
    under: Under, call: Call, name: str
) -> None:
    world = under(f"depot.keep_all.1={name}")
    call(world, "keep_all", names=["a", "b", "c"], key="k")
    part = {"batch": "batch_1", "kept": ["item_1", "item_2"], "refused": ["c"]}
    assert call(world, "keep_all", names=["a", "b", "c"], key="k") == part
    assert call(world, "keep_all", names=["a"], key="k") == (400, "key_reused")
    assert names(world) == ["a", "b"]
    assert world.direct.depot.undo_by_key("keep_all", "k")["undone"]
    assert names(world) == []


@pytest.mark.parametrize("name", ["partial", "partial-422", "some-refused"])
def test_of_a_batch_of_one_nothing_is_done(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep_all.1={name}")
    seen = call(world, "keep_all", names=["a"], key="k")
    assert isinstance(seen, tuple), "it is refused"
    assert names(world) == []
    assert isinstance(call(world, "keep_all", names=["a"], key="k"), dict), "and its key is free"


def test_a_duplicate_with_other_parameters_is_refused_under_a_key(under: Under, call: Call) -> None:
    world = under("depot.keep.1=duplicate-changed,depot.keep.2=duplicate-changed")
    call(world, "keep", name="black tea", key="k")
    assert [event.code for event in world.state.log if isinstance(event, Rejected)] == ["key_reused"]
    call(world, "keep", name="green tea", amount=100)
    assert [(row["name"], row["amount"]) for row in world.depot.items.rows.values()][1:] == [
        ("green tea", 100), ("green tea", 101),
    ]  # fmt: skip


def test_a_duplicate_is_absorbed_under_a_key(under: Under, call: Call) -> None:
    world = under("depot.keep.1=duplicate")
    call(world, "keep", name="tea", key="k")
    assert names(world) == ["tea"]


# Other writers ----------------------------------------------------------------------------------------------


def meddled(world: WorldHandle) -> list[tuple[int, str]]:
    """Whose objects somebody else wrote to, by call, and how."""
    return [(event.call, event.kind) for event in world.state.log if isinstance(event, Meddled)]


@wake("meddled")
def _somebody_changes_it_before_the_next_call(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep.1={name}")
    call(world, "keep", name="tea", key="k")
    assert world.depot.items["item_1"]["amount"] == 100
    assert meddled(world) == []
    read = call(world, "get", item="item_1")
    assert isinstance(read, dict)
    assert read["amount"] == 107
    assert meddled(world) == [(0, "meddled")]
    assert len([e for e in world.state.log if isinstance(e, Applied)]) == 1, "it is no effect of the saga's"


@wake("consumed")
def _somebody_uses_it_up_and_the_undo_is_refused(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.keep.1={name}")
    call(world, "keep", name="tea")
    assert call(world, "give_back", item="item_1") == (409, "sold")
    assert meddled(world) == [(0, "consumed")]


@wake("bounced")
def _it_comes_back_after_the_end(under: Under, call: Call, name: str) -> None:
    world = under(f"depot.send.1={name}")
    call(world, "send", name="tea")
    call(world, "send", name="coffee")
    assert [row["status"] for row in world.depot.parcels.rows.values()] == ["sent", "sent"]
    world.gate.land_everything()
    assert [row["status"] for row in world.depot.parcels.rows.values()] == ["bounced", "sent"]
    assert meddled(world) == [(0, "bounced")]


def test_a_field_that_is_set_is_meddled_with_without_a_method_for_it(under: Under, call: Call) -> None:
    world = under("depot.rename.1=meddled")
    call(world, "keep", name="tea")
    call(world, "rename", item="item_1", name="black tea", key="k")
    call(world, "get", item="item_1")
    assert names(world) == ["black tea (by somebody else)"]
    with pytest.raises(ToolError, match="409 changed_since"):
        world.direct.depot.undo_by_key("rename", "k")


def test_nobody_meddles_with_what_was_refused_or_undone(under: Under, call: Call) -> None:
    world = under("depot.give_back.1=503,depot.rename.1=meddled")
    call(world, "rename", item="item_1", name="x")
    world.gate.land_everything()
    assert meddled(world) == []


# Clocks -----------------------------------------------------------------------------------------------------


@wake("clock-back", "clock-ahead")
def _the_clock_of_the_saga_is_wrong_and_that_of_the_services_is_not(
    under: Under, call: Call, name: str
) -> None:
    world = under(f"depot.keep.1={name}")
    begun = world.clock.now()
    assert world.clock.wall() == begun
    call(world, "keep", name="tea", key="k")
    assert world.clock.wall() - world.clock.now() == (-3600.0 if name == "clock-back" else 86400.0)
    assert world.clock.now() - begun < 1.0
    assert world.clock.elapsed < 1.0, "it is set, and nothing was waited for"
    call(world, "keep", name="tea", key="k")
    assert names(world) == ["tea"], "the service has forgotten no key"


@pytest.mark.parametrize(("timeout_s", "takes"), [(7.0, 6.99), (None, 59.99)])
def test_a_slow_answer_comes_just_before_its_caller_gives_up(
    under: Under, timeout_s: float | None, takes: float
) -> None:
    world = under("depot.keep.1=slow")
    world.direct.depot.keep(name="tea", timeout_s=timeout_s)
    assert world.clock.elapsed == pytest.approx(takes, abs=0.011)
    assert world.clock.elapsed < (timeout_s or 60.0)


# What the answer says ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["429", "429-date", "429-bare", "429-huge"])
def test_a_rate_limit_says_in_its_header_for_how_long(under: Under, name: str) -> None:
    world = under(f"depot.keep.1={name}")
    with HttpxTap(world.state.systems, lambda: world.gate), httpx.Client() as client:
        answer = client.post("https://depot.test/items", json={"name": "tea"})
    header = answer.headers.get("retry-after")
    assert answer.status_code == 429
    if name == "429-date":
        assert parsedate_to_datetime(header).timestamp() == pytest.approx(world.clock.now() + 2.0, abs=1.0)
    else:
        assert header == {"429": "2", "429-bare": None, "429-huge": "86400"}[name]
    world = under(f"depot.keep.1={name}")
    with pytest.raises(ToolError) as caught:
        world.direct.depot.keep(name="tea")
    assert caught.value.retry_after == header


def test_a_stale_read_is_behind_by_the_latest_change_only(under: Under, call: Call) -> None:
    world = under("depot.get.1=stale")
    call(world, "keep", name="tea")
    call(world, "rename", item="item_1", name="green tea")
    call(world, "rename", item="item_1", name="black tea")
    world.direct.office.note(note="a change in another system")
    stale = call(world, "get", item="item_1")
    assert isinstance(stale, dict)
    assert stale["name"] == "green tea"
    assert names(world) == ["black tea"]


def test_a_stale_read_does_not_know_of_what_is_new(under: Under, call: Call) -> None:
    world = under("depot.get.1=stale")
    call(world, "keep", name="tea")
    assert call(world, "get", item="item_1") == (404, "not_found")
    assert isinstance(call(world, "get", item="item_1"), dict)


# Complete ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WAKES)
def test_what_comes_of_a_fault_later(under: Under, call: Call, name: str) -> None:
    WAKES[name](under, call, name)


def test_every_kind_that_goes_on_after_its_answer_is_here() -> None:
    none = FAULTS["503"].wake
    go_on = {name for name, fault in FAULTS.items() if fault.wake != none and fault.phases & CALLS}
    cancelling = {name for name in go_on if FAULTS[name].cancels_next}
    pausing = {name for name in go_on if FAULTS[name].pauses}
    elsewhere = cancelling | pausing
    assert WAKES.keys() == go_on - elsewhere, "they are in test_cancelling.py and checks/test_one_runner.py"


def test_a_fault_at_the_second_attempt_leaves_the_others_alone(under: Under, call: Call) -> None:
    world = under("depot.keep.1:2=503")
    seen = seen_of(world, call, "keep", 3, name="tea", key="k")
    assert seen[1] == (503, "injected_503")
    put = [event.fault for event in world.state.log if isinstance(event, Called)]
    assert put == [None, "503", None]
