"""What is right must be flagged by no check at all: a false alarm is worse than a missed one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from sagaproof._checks.catalogue import ALL, checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._search.campaign import Status
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError

Violations = Callable[..., dict[str, str]]
Systems = Callable[[], dict[str, Any]]
FAILURE = (ToolError, OSError)


KEY_LIFETIME_S = 24 * 3600.0


def attempt(call: Callable[..., Any], times: int = 3, *, since: float | None = None, **args: Any) -> Any:
    """Call up to so many times, as long as a key first used at `since` is known; no refusal twice."""
    since = time.monotonic() if since is None else since
    for left in range(times - 1, -1, -1):
        if time.monotonic() - since >= KEY_LIFETIME_S:
            break
        try:
            answer = call(**args)
        except FAILURE as error:
            if not left or _is_refusal(error):
                raise
        else:
            if "error" not in answer and answer.get("status") != "accepted":
                return answer
    raise OSError(f"{call.__name__} was not done for certain")


def _is_refusal(error: Exception) -> bool:
    return isinstance(error, ToolError) and 400 <= error.status < 500 and error.code != "key_in_use"


class Careful:
    """A right saga: keys, undos by key that fence, a pivot that is asked for, full escalation."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.direct = world.direct
        self.begun: list[tuple[str, float, Callable[[], Any]]] = []

    def run(self) -> str:
        self.world.crm.add_ticket("t1")
        try:
            self._step("bank", "issue", "k1", to="ann", amount=3)
            self._step("crm", "set_status", "k2", ticket="t1", status="solved")
            attempt(self.direct.crm.get_ticket, ticket="t1")
            attempt(self.direct.crm.set_priority, ticket="t1", priority="high")
        except FAILURE as error:
            return self._unwind(error)
        return self._pivot()

    def _step(self, system: str, operation: str, key: str, **args: Any) -> None:
        """The undo is known before the call is made: by key, so that it needs no answer."""
        tap = getattr(self.direct, system)
        undo = lambda: tap.undo_by_key(operation, key)  # noqa: E731
        self.begun.append((f"{system}.{operation} {key}", time.monotonic(), undo))
        attempt(getattr(tap, operation), key=key, **args)

    def _pivot(self) -> str:
        began = time.monotonic()
        try:
            attempt(self.direct.mail.send, key="k3", to="ann")
        except FAILURE as error:
            try:
                attempt(lambda: self.direct.mail.undo_by_key("send", "k3"), since=began)
            except FAILURE as second:
                return self._tell(f"mail.send k3 may be out: {error!r}, {second!r}")
            return self._unwind(error)
        return "completed"

    def _unwind(self, error: Exception) -> str:
        left = []
        for name, began, undo in reversed(self.begun):
            try:
                attempt(undo, since=began)
            except FAILURE as second:
                if not getattr(second, "code", "").startswith("already_"):
                    left.append(f"{name}: {second!r}")
        if left:
            return self._tell(f"began with {error!r}, failed: {'; '.join(left)}")
        return "compensated"

    def _tell(self, text: str) -> str:
        steps = ", ".join(name for name, _, _ in self.begun)
        attempt(self.direct.desk.open_case, times=8, text=f"{text}; steps: {steps}", key="case")
        return "escalated"


def careful(world: Any) -> str:
    return Careful(world).run()


@pytest.mark.slow
def test_the_careful_saga_is_clean_under_any_pair_of_faults_and_reaches_every_check(systems: Systems) -> None:
    campaign = explore(Subject("careful", CallableDriver(careful), systems(), ALL), Settings(faults=2))

    assert campaign.errors == []
    assert [(str(f.plan), f.check, f.says) for f in campaign.findings] == []
    assert campaign.status == Status.CLEAN
    assert {slug for slug, count in campaign.checks.items() if not count.held} == {
        "forward-after-pivot",  # its pivot comes last
        "one-irreversible-per-step",  # no agent feeds it
        "truthful-to-agent",  # so that nobody is told anything on the way
        "written-ahead",  # it has no recovery
        "recovery-idempotent",
        "nothing-forgotten",
        "corrupt-journal-is-loud",
        "one-runner",
        "cancellation-safe",  # it is not asynchronous
        "no-forward-in-unwind",  # it makes no call in its unwind but undos
        "user-invariant",
        "user-assertion",
    }


def unwinds_with(undo: Callable[[Any, str], object]) -> Callable[[Any], str]:
    """A saga of a credit and a letter, whose unwind is `undo(world, credit)`."""

    def saga(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            undo(world, credit)
            return "compensated"
        return "completed"

    return saga


def test_a_retry_with_the_same_key(violations: Violations) -> None:
    def saga(world: Any) -> None:
        attempt(world.direct.bank.issue, to="ann", amount=3, key="k1")

    for fault in ("503", "lost", "late", "late-end", "torn", "garbage", "soft-error", "duplicate"):
        assert violations(saga, f"bank.issue.1={fault}") == {}


def test_an_undo_answered_404_of_what_was_not_applied(violations: Violations) -> None:
    def saga(world: Any) -> str:
        try:
            world.direct.bank.issue(to="ann", amount=3, key="k1")
        except FAILURE:
            with suppress(ToolError):
                world.direct.bank.reverse(credit="cr_1")
            return "compensated"
        return "completed"

    assert violations(saga, "bank.issue.1=503") == {}


def test_stopping_at_the_first_failed_undo_with_full_escalation(violations: Violations) -> None:
    def saga(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        room = world.direct.hotel.book(guest="ann")["id"]
        try:
            world.direct.mail.send(to="ann")
        except FAILURE as error:
            try:
                world.direct.hotel.cancel(room=room)
                world.direct.bank.reverse(credit=credit)
            except FAILURE as second:
                world.direct.desk.open_case(text=f"{error}; {second}; left: {room}, {credit}")
                return "escalated"
            return "compensated"
        return "completed"

    for fault in ("503", "lost", "timeout", "422"):
        assert violations(saga, f"mail.send.1=503,hotel.cancel.1={fault}") == {}


def test_undos_of_effects_declared_independent_in_any_order(violations: Violations) -> None:
    def saga(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        room = world.direct.hotel.book(guest="ann")["id"]
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            world.direct.bank.reverse(credit=credit)
            world.direct.hotel.cancel(room=room)
            return "compensated"
        return "completed"

    assert violations(saga, "mail.send.1=503", independent=[("bank.*", "hotel.*")]) == {}
    assert set(violations(saga, "mail.send.1=503")) == {"reverse-order"}


def test_a_reversal_that_stands_beside_the_original(violations: Violations) -> None:
    def saga(world: Any) -> str:
        room = world.direct.hotel.book(guest="ann")["id"]
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            world.direct.hotel.cancel(room=room)  # a line of its own; the booking stays, cancelled
            return "compensated"
        return "completed"

    assert violations(saga, "mail.send.1=503") == {}


def test_reads_anywhere(violations: Violations) -> None:
    def look_and_reverse(world: Any, credit: str) -> None:
        for _ in range(3):
            world.direct.crm.get_ticket(ticket="t1")
        world.direct.bank.lookup(operation="issue", key="k1")
        world.direct.bank.reverse(credit=credit)
        world.direct.crm.get_ticket(ticket="t1")

    saga = unwinds_with(look_and_reverse)

    assert violations(saga, "mail.send.1=503") == {}
    assert violations(saga) == {}


def test_a_cancellation_raised_again_after_a_complete_unwind(violations: Violations) -> None:
    def cancel() -> None:
        raise asyncio.CancelledError

    def saga(world: Any) -> None:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            cancel()
        except asyncio.CancelledError:
            world.direct.bank.reverse(credit=credit)
            raise

    assert violations(saga) == {}


def test_the_undo_of_a_step_that_was_refused_is_not_wanted(violations: Violations) -> None:
    def saga(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        try:
            world.direct.hotel.book(guest="ann")
        except FAILURE:
            world.direct.bank.reverse(credit=credit)
            return "compensated"
        return "completed"

    for fault in ("503", "422", "refused", "timeout"):
        assert violations(saga, f"hotel.book.1={fault}") == {}


def test_a_duplicate_that_no_client_can_prevent(violations: Violations) -> None:
    def saga(world: Any) -> str:
        room = world.direct.hotel.book(guest="ann")["id"]
        try:
            world.direct.mail.send(to="ann", key="k1")
        except FAILURE:
            world.direct.hotel.cancel(room=room)
            return "compensated"
        return "completed"

    assert violations(saga, "hotel.book.1=duplicate") == {}
    assert violations(saga, "hotel.book.1=duplicate,mail.send.1=503") == {}


def test_a_hold_that_is_released_in_the_ordinary_way(violations: Violations) -> None:
    def saga(world: Any) -> str:
        room = world.direct.hotel.book(guest="ann")["id"]
        credit = world.direct.bank.issue(to="ann", amount=3, key="k1")["id"]
        world.direct.mail.send(to="ann", key="k2")
        world.direct.hotel.cancel(room=room)
        return str(credit and "completed")

    assert violations(saga) == {}
    assert violations(saga, "bank.issue.1=duplicate") == {}


def test_one_undo_that_clears_away_what_two_calls_made(violations: Violations) -> None:
    def saga(world: Any) -> str:
        world.crm.add_ticket("t1")
        world.direct.crm.set_status(ticket="t1", status="pending")
        world.direct.crm.set_status(ticket="t1", status="solved")
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            world.direct.crm.set_status(ticket="t1", status="open")
            return "compensated"
        return "completed"

    assert violations(saga, "mail.send.1=503") == {}


def test_a_write_that_was_repeated_with_the_same_value(violations: Violations) -> None:
    def saga(world: Any) -> str:
        world.crm.add_ticket("t1")
        attempt(world.direct.crm.set_status, ticket="t1", status="solved")
        try:
            world.direct.mail.send(to="ann")
        except FAILURE:
            attempt(world.direct.crm.set_status, ticket="t1", status="open")
            return "compensated"
        return "completed"

    for undo in ("", ",crm.set_status.2=lost", ",crm.set_status.2=again"):
        assert violations(saga, f"crm.set_status.1=lost,mail.send.1=503{undo}") == {}


def test_a_timeout_that_was_taken_for_done_and_came_late(violations: Violations) -> None:
    def saga(world: Any) -> None:
        with suppress(TimeoutError):
            world.direct.mail.send(to="ann", key="k1")

    assert violations(saga, "mail.send.1=late-end") == {}
    assert set(violations(saga, "mail.send.1=timeout")) == {"completed-is-complete"}


def test_asking_whether_a_letter_went_out_and_going_on(violations: Violations) -> None:
    def saga(world: Any) -> None:
        try:
            world.direct.mail.send(to="ann", key="k1")
        except TimeoutError:
            try:
                world.direct.mail.undo_by_key("send", "k1")
            except ToolError as refusal:
                if refusal.code != "irreversible":
                    raise

    assert violations(saga, "mail.send.1=lost") == {}


def test_slugs_are_unique() -> None:
    slugs = [check.slug for check in checks()]
    assert len(set(slugs)) == len(slugs)
