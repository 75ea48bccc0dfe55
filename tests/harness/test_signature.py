"""Which runs look alike to everybody but the fault."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._search.signature import signature
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle

FAILED = (ToolError, OSError)
Looks = Callable[[Callable[[Any], object], str], Hashable]


@pytest.fixture
def looks(world: WorldHandle) -> Looks:
    """`looks(body, plan)`: the signature of that run of `body(world.direct)`."""

    def looks(body: Callable[[Any], object], plan: str) -> Hashable:
        with Runner(world, CallableDriver(lambda world: body(world.direct))) as runner:
            return signature(runner.run(OPAQUE, Plan.parse(plan)))

    return looks


def gives_up(direct: Any) -> str:
    order = direct.shop.buy(item="tea")["id"]
    try:
        direct.shop.send(order=order)
    except FAILED as error:
        direct.shop.tell(text=f"no parcel: {error}")
        return "escalated"
    return "completed"


@pytest.mark.parametrize(
    "plan", ["shop.send.1=422", "shop.send.1=timeout", "shop.send.1=refused", "shop.send.1=503/all"]
)
def test_faults_that_the_saga_answers_alike_look_alike(looks: Looks, plan: str) -> None:
    """Though they took other times, raised other errors, and a person was told other words."""
    assert looks(gives_up, plan) == looks(gives_up, "shop.send.1=503")


@pytest.mark.parametrize(
    "plan", ["", "shop.send.1=lost", "shop.send.1=late-end", "shop.buy.1=503", "shop.send.1=outage"]
)
def test_where_the_effect_or_another_call_is_otherwise_they_do_not(looks: Looks, plan: str) -> None:
    assert looks(gives_up, plan) != looks(gives_up, "shop.send.1=503")


def by_error(what: Callable[[Any, BaseException], str]) -> Callable[[Any], str]:
    """A saga that does something that depends on how its one call fails."""

    def body(direct: Any) -> str:
        try:
            direct.shop.send(order="a")
        except FAILED as error:
            return what(direct, error)
        return "completed"

    return body


def claims(_: Any, error: BaseException) -> str:
    return "refused" if isinstance(error, TimeoutError) else "escalated"


def raises(_: Any, error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        raise error
    raise RuntimeError("gave up") from None


def asks(direct: Any, error: BaseException) -> str:
    return str(direct.bank.hold(amount=1 if isinstance(error, TimeoutError) else 2) and "refused")


@pytest.mark.parametrize("what", [claims, raises, asks])
def test_what_the_saga_says_raises_or_asks_tells_runs_apart(looks: Looks, what: Any) -> None:
    assert looks(by_error(what), "shop.send.1=503") == looks(by_error(what), "shop.send.1=422")
    assert looks(by_error(what), "shop.send.1=503") != looks(by_error(what), "shop.send.1=timeout")
