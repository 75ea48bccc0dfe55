"""Callables as tools: what counts as an effect, what a repeated one is, and which errors its caller sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import UsageError


def run(body: Callable[[WorldHandle], Any], plan: str = "") -> History:
    with Runner(WorldHandle({}), CallableDriver(body)) as runner:
        return runner.run(OPAQUE, Plan.parse(plan))


def reserve(sku: str) -> dict[str, str]:
    return {"reservation": f"r-{sku}"}


def release(reservation: str) -> None:
    assert reservation


def undoing_twice(cls: int, *, idempotent: bool | None = None) -> Callable[[WorldHandle], str]:
    def body(world: WorldHandle) -> str:
        back = world.tool(release, cls=cls, idempotent=idempotent)
        take = world.tool(reserve, cls=cls, undo=release, ref="reservation")
        made = take("bolt")
        back(made["reservation"])
        back(made["reservation"])
        return "compensated"

    return body


def test_a_second_undo_of_class_three_changes_nothing_unless_it_is_said_to() -> None:
    assert len(run(undoing_twice(3)).effects) == 2
    assert len(run(undoing_twice(3, idempotent=False)).effects) == 3


def test_a_second_undo_of_class_four_is_a_second_effect_unless_it_is_idempotent() -> None:
    assert len(run(undoing_twice(4)).effects) == 3
    assert len(run(undoing_twice(4, idempotent=True)).effects) == 2


def test_an_undo_whose_answer_was_lost_can_be_tried_again() -> None:
    def body(world: WorldHandle) -> str:
        back = world.tool(release, cls=3)
        take = world.tool(reserve, cls=3, undo=release, ref="reservation")
        made = take("bolt")
        try:
            back(made["reservation"])
        except TimeoutError:
            back(made["reservation"])
        return "compensated"

    history = run(body, "tools.release.1=lost")

    assert (history.residue, history.differences) == ([], [])


def test_a_forward_tool_counts_each_success_unless_it_is_idempotent() -> None:
    def body(world: WorldHandle) -> None:
        often = world.tool(reserve, cls=3, name="often")
        once = world.tool(reserve, cls=3, name="once", idempotent=True)
        for _ in range(2):
            often("bolt")
            once("bolt")

    assert [effect.operation for effect in run(body).effects] == ["often", "once", "often"]


def test_a_status_arrives_as_the_clients_own_error_where_one_is_given() -> None:
    class SdkError(Exception):
        pass

    seen: list[Exception] = []

    def body(world: WorldHandle) -> str:
        def made(status: int) -> Exception:
            return SdkError(f"status {status}")

        for take in (
            world.tool(reserve, cls=3, name="with_errors", errors=made),
            world.tool(reserve, cls=3, name="without"),
        ):
            try:
                take("bolt")
            except (SdkError, ToolError) as error:
                seen.append(error)
        return "refused"

    history = run(body, "tools.with_errors.1=503,tools.without.1=422")

    assert str(seen[0]) == "status 503"
    assert isinstance(seen[1], ToolError)
    assert [call.index for call in history.calls] == [0, 1]
    assert getattr(seen[0], "sagaproof_call", None) == 0


def test_a_rate_limit_says_when_to_come_back() -> None:
    seen: list[str | None] = []

    def body(world: WorldHandle) -> str:
        take = world.tool(reserve, cls=3)
        for sku in ("bolt", "nut", "screw", "nail"):
            with pytest.raises(ToolError) as caught:
                take(sku)
            seen.append(caught.value.retry_after)
        return "refused"

    run(
        body, "tools.reserve.1=429,tools.reserve.2=429-date,tools.reserve.3=429-bare,tools.reserve.4=429-huge"
    )

    assert seen == ["2", "Mon, 05 Jan 2026 09:00:02 GMT", None, "86400"]


def test_a_tool_that_returns_its_reference_as_a_text_is_bound_by_it() -> None:
    def book(guest: str) -> str:
        return f"pnr-{guest}"

    def cancel(pnr: str) -> None:
        assert pnr

    def body(world: WorldHandle) -> str:
        back = world.tool(cancel, cls=3)
        take = world.tool(book, cls=3, undo=cancel, ref="pnr")
        back(take("ann"))
        return "compensated"

    history = run(body)
    assert (history.effects[0].ref, history.residue) == ("pnr-ann", [])


def test_an_undo_that_is_no_tool_is_told_with_the_nearest_name() -> None:
    def body(world: WorldHandle) -> None:
        world.tool(release, cls=3)
        world.tool(reserve, cls=3, undo="relaese", ref="reservation")("bolt")

    with pytest.raises(UsageError, match=r"undo='relaese', which is no tool. Did you mean 'release'"):
        run(body)


def test_a_class_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="cls=9"):
        run(lambda world: world.tool(reserve, cls=9))


def test_a_tool_may_call_another_tool() -> None:
    def body(world: WorldHandle) -> str:
        take = world.tool(reserve, cls=3, ref="reservation")

        def order(sku: str) -> dict[str, str]:
            take(sku)
            return {"order": f"o-{sku}"}

        world.tool(order, cls=4, ref="order")("bolt")
        return "completed"

    history = run(body)

    assert [(e.full, e.ref) for e in history.effects] == [
        ("tools.reserve", "r-bolt"),
        ("tools.order", "o-bolt"),
    ]
    assert history.claim == "completed"


def test_a_tool_that_fails_leaves_what_another_did_in_it() -> None:
    def body(world: WorldHandle) -> str:
        take = world.tool(reserve, cls=3, ref="reservation")

        def order(sku: str) -> None:
            take(sku)
            msg = f"{sku} is out of print"
            raise ValueError(msg)

        with pytest.raises(ValueError, match="out of print"):
            world.tool(order, cls=4, ref="order")("bolt")
        return "escalated"

    assert [effect.full for effect in run(body).residue] == ["tools.reserve"]


@pytest.mark.parametrize(
    ("fault", "times"),
    [("503", 0), ("lost", 1), ("rounded", 1), ("duplicate", 2), ("duplicate-changed", 2), ("clock-back", 1)],
)
def test_an_async_callable_is_run_as_often_as_its_fault_applies_it(fault: str, times: int) -> None:
    ran: list[int] = []

    async def body(world: WorldHandle) -> str:
        async def pay(cents: int) -> dict[str, str]:
            ran.append(cents)
            return {"id": "p1"}

        try:
            await world.tool(pay, cls=4, ref="id", amount="cents")(500)
        except (ToolError, OSError):
            return "refused"
        return "completed"

    history = run(body, f"tools.pay.1={fault}")

    assert len(ran) == len(history.effects) == times
    assert {effect.ref for effect in history.effects} <= {"p1"}
