"""Every kind of fault: what the world then holds, and what the caller sees, directly and over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from sagaproof._model.event import Called, Told
from sagaproof._model.fault import CALLS, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.point import Phase
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import ProcessDied
from sagaproof.stores import Store

Under = Callable[[str], WorldHandle]
Call = Callable[..., object]
Args = Mapping[str, Any]


class Seen(NamedTuple):
    """What the caller sees: a body, (status, code), or the name of an exception, here and there."""

    directly: object
    over_http: object

    @classmethod
    def same(cls, seen: object) -> Seen:
        """The same on both ways."""
        return cls(seen, seen)


class Kind(NamedTuple):
    """One kind of fault on one call: how many rows that leaves at once and at the end, and what is seen."""

    operation: str
    args: Args
    at_once: int
    in_the_end: int
    seen: Seen
    key: str | None = None
    first: tuple[tuple[str, Args], ...] = ()


KEEP: Args = {"name": "green tea", "amount": 100}
KEPT = {"id": "item_1", "name": "green tea", "amount": 100, "status": "kept"}
MANY: Args = {"names": ["a", "b", "c"]}
SENT = {"id": "parcel_1", "name": "tea", "status": "sent"}

REFUSED = Seen("ConnectionRefusedError", "ConnectError")
TIMEOUT = Seen("TimeoutError", "ReadTimeout")
RESET = Seen("ConnectionResetError", "ReadError")
TORN = Seen("ConnectionResetError", "RemoteProtocolError")
PAGE = Seen((200, "unreadable"), (200, "<!DOCTYPE"))
EMPTY = Seen((200, "unreadable"), (200, ""))
ACCEPTED = Seen({"status": "accepted"}, (202, {"status": "accepted"}))
CANCELLED = Seen.same("CancelledError")
DEAD = Seen.same("ProcessDied")


def keep(at_once: int, in_the_end: int, seen: Seen | object, key: str | None = None) -> Kind:
    """The fault is put on a call that keeps an item."""
    found = seen if isinstance(seen, Seen) else Seen.same(seen)
    return Kind("keep", KEEP, at_once, in_the_end, found, key)


def undone(status: int, name: str) -> Kind:
    """It is refused, or fails, with a status, and nothing is applied."""
    return keep(0, 0, (status, f"injected_{name}".replace("-", "_")))


def send(at_once: int, seen: Seen | object) -> Kind:
    """The fault is put on a call that hands a parcel over."""
    found = seen if isinstance(seen, Seen) else Seen.same(seen)
    return Kind("send", {"name": "tea"}, at_once, at_once, found)


def many(seen: object) -> Kind:
    """The fault is put on a call with three items, of which two are kept."""
    return Kind("keep_all", MANY, 2, 2, Seen.same(seen))


KINDS: dict[str, Kind] = {
    **{name: undone(int(name), name) for name in ("503", "500", "502", "504", "422", "403", "409", "404")},
    **{name: undone(429, name) for name in ("429", "429-date", "429-bare", "429-huge")},
    "401": undone(401, "401"),
    "auth-expired": undone(401, "auth-expired"),
    "revoked": undone(403, "revoked"),
    "removed": undone(405, "removed"),
    "drifted": undone(400, "drifted"),
    "refused": keep(0, 0, REFUSED),
    "timeout": keep(0, 0, TIMEOUT),
    "lost": keep(1, 1, TIMEOUT),
    "500-applied": keep(1, 1, (500, "injected_500_applied")),
    "torn": keep(1, 1, TORN),
    "garbage": keep(1, 1, PAGE),
    "empty": keep(1, 1, EMPTY),
    "soft-error": keep(0, 0, (200, "injected_soft_error")),
    "no-ref": keep(1, 1, {"name": "green tea", "amount": 100, "status": "kept"}),
    "nulls": keep(1, 1, dict.fromkeys(KEPT)),
    "renamed": keep(1, 1, {f"{name}_v2": value for name, value in KEPT.items()}),
    "stale": Kind(
        "get", {"item": "item_1"}, 1, 1, Seen.same(KEPT),
        first=(("keep", KEEP), ("rename", {"item": "item_1", "name": "black tea"})),
    ),
    "accepted": keep(0, 1, ACCEPTED),
    "accepted-end": keep(0, 1, ACCEPTED),
    "accepted-lost": keep(0, 0, ACCEPTED),
    "late": keep(0, 1, TIMEOUT),
    "late-undo": keep(0, 1, TIMEOUT),
    "late-end": keep(0, 1, TIMEOUT),
    "slow": keep(1, 1, KEPT),
    "duplicate": keep(2, 2, KEPT),
    "duplicate-changed": keep(2, 2, KEPT),
    "again": Kind("give_back", {"item": "item_1"}, 0, 0, Seen.same(KEPT), first=(("keep", KEEP),)),
    "in-flight": keep(1, 1, (409, "key_in_use"), key="k"),
    "stored-500": keep(0, 0, (500, "injected_stored_500"), key="k"),
    "key-expired": keep(1, 1, TIMEOUT, key="k"),
    "partial": many((500, "injected_partial")),
    "partial-422": many((422, "injected_partial_422")),
    "some-refused": many({"batch": "batch_1", "kept": ["item_1", "item_2"], "refused": ["c"]}),
    "meddled": keep(1, 1, KEPT),
    "consumed": keep(1, 1, KEPT),
    "bounced": send(1, SENT),
    "outage": keep(0, 0, REFUSED),
    "outage-30s": keep(0, 0, REFUSED),
    "clock-back": keep(1, 1, KEPT),
    "clock-ahead": keep(1, 1, KEPT),
    "dropped": send(0, RESET),
    "dropped-after": send(1, RESET),
    "other-ref": Kind(
        "keep", KEEP, 2, 2, Seen.same({**KEPT, "id": "item_1"}), first=(("keep_all", {"names": ["a"]}),)
    ),
    "other-amount": keep(1, 1, {**KEPT, "amount": 1000}),
    "rounded": keep(1, 1, {**KEPT, "amount": 99}),
    "cancel-before": keep(0, 0, CANCELLED),
    "cancel": keep(1, 1, CANCELLED),
    "cancel-next": keep(1, 1, KEPT),
    "cancel-twice": keep(1, 1, CANCELLED),
    "crash-before": keep(0, 0, DEAD),
    "crash-after": keep(1, 1, DEAD),
    "crash-late": keep(0, 1, DEAD),
    "pause": keep(1, 1, KEPT),
}  # fmt: skip

SINKS: dict[str, tuple[int, object]] = {"sink-raises": (0, "OSError"), "sink-blocks": (1, "noted")}
"""At a function that takes logs: how often the line arrives that meets the fault, and what is seen."""


def test_every_kind_that_is_put_on_a_call_has_a_row_here() -> None:
    on_calls = {name for name, fault in FAULTS.items() if fault.phases & CALLS}
    assert KINDS.keys() | SINKS.keys() == on_calls


def row(name: str, *, on_the_wire: bool) -> Kind:
    """The row of a kind. The client on the wire blocks: no cancellation reaches it in its call."""
    if on_the_wire and FAULTS[name].learnt is Learnt.CANCELLED:
        return keep(1, 1, KEPT)
    return KINDS[name]


def rows(world: WorldHandle) -> int:
    """How many items and parcels there are."""
    return len(world.depot.items) + len(world.depot.parcels)


@pytest.mark.parametrize("name", KINDS)
def test_both_halves_of_a_fault_are_as_its_row_says(
    under: Under, call: Call, name: str, *, on_the_wire: bool
) -> None:
    kind = row(name, on_the_wire=on_the_wire)
    world = under(f"depot.{kind.operation}.1={name}")
    for operation, args in kind.first:
        call(world, operation, **args)
    seen = call(world, kind.operation, kind.key, **kind.args)
    assert seen == (kind.seen.over_http if on_the_wire else kind.seen.directly)
    assert rows(world) == kind.at_once
    world.gate.land_everything()
    assert rows(world) == kind.in_the_end
    assert list(world.gate.injected.values()) == [1]


@pytest.mark.parametrize("name", KINDS)
def test_the_log_says_which_fault_was_put_and_what_was_told(
    under: Under, call: Call, name: str, *, on_the_wire: bool
) -> None:
    kind = row(name, on_the_wire=on_the_wire)
    world = under(f"depot.{kind.operation}.1={name}")
    for operation, args in kind.first:
        call(world, operation, **args)
    call(world, kind.operation, kind.key, **kind.args)
    called = [event for event in world.state.log if isinstance(event, Called)][-1]
    told = [e for e in world.state.log if isinstance(e, Told) and e.call == called.call]
    assert called.fault == name
    fault = FAULTS[name]
    if fault.learnt is Learnt.DEATH:
        assert told == [], "the dead are told nothing"
        return
    (event,) = told
    answered = {Learnt.ANSWER, Learnt.OTHER_REF, Learnt.OTHER_AMOUNT}
    answers = fault.learnt is Learnt.STALE or (on_the_wire and fault.learnt is Learnt.CANCELLED)
    told_as = Learnt.ANSWER if answers else fault.learnt
    assert event.learnt == told_as.value
    assert event.ok is (told_as in answered), "a caller that sees an answer takes it for one"


@pytest.mark.parametrize("name", SINKS)
def test_a_sink_raises_or_blocks_and_its_line_is_lost_or_late(under: Under, name: str) -> None:
    arrived, sees = SINKS[name]
    world = under(f"tools.log.1={name}")
    lines: list[str] = []

    def write(line: str) -> str:
        lines.append(line)
        return "noted"

    log = world.sink(write, name="log")
    try:
        seen: object = log("one")
    except OSError as error:
        seen = type(error).__name__
    assert seen == sees
    assert lines == ["one"][:arrived]
    assert world.clock.elapsed == pytest.approx(60.0 if name == "sink-blocks" else 0.0, abs=0.05)
    assert log("two") == "noted"
    assert lines == ["one", "two"][-1 - arrived :]


class Failing(NamedTuple):
    """What a store holds after the write that meets a fault and one more, and what the writer of it sees."""

    seen: tuple[object, ...]
    holds: tuple[object, ...]


STORES: dict[str, Failing] = {
    "write-fails": Failing(("OSError 5", "kept"), ("second",)),
    "disk-full": Failing(("OSError 28", "OSError 28"), ()),
    "read-only": Failing(("OSError 30", "OSError 30"), ()),
    "kept-but-error": Failing(("OSError 5", "kept"), ("first", "second")),
    "lost-record": Failing(("kept", "ProcessDied"), ()),
    "torn-record": Failing(("ProcessDied", "ProcessDied"), ("fi",)),
    "corrupt": Failing(("kept", "ProcessDied"), ("?????", "second")),
    "version": Failing(("ProcessDied", "ProcessDied"), ("1st",)),
}
"""At a write into a store that knows every harm: two writes, of which the first meets the fault."""


def test_every_kind_that_is_put_on_a_write_alone_has_a_row_here() -> None:
    assert STORES.keys() == {name for name, fault in FAULTS.items() if fault.phases == {Phase.JOURNAL}}


@pytest.mark.parametrize("name", STORES)
def test_a_store_fails_as_its_row_says(under: Under, name: str) -> None:
    world = under(f"notes.add.1={name}")
    lines: list[str] = []

    def becomes(*what: str) -> Callable[[int], None]:
        def harm(before: int) -> None:
            lines[before:] = what

        return harm

    store = Store(
        lambda: len(lines),
        lose=becomes(),
        tear=becomes("fi"),
        garble=becomes("?????"),
        outdate=becomes("1st"),
    )

    def write(line: str) -> str:
        lines.append(line)
        return "kept"

    add = world.durable(write, name="notes.add", store=store)
    assert (written(add, "first"), written(add, "second")) == STORES[name].seen
    assert tuple(lines) == STORES[name].holds


def written(add: Callable[[str], object], line: str) -> object:
    """What a writer sees."""
    try:
        return add(line)
    except OSError as error:
        return f"OSError {error.errno}"
    except ProcessDied:
        return "ProcessDied"
