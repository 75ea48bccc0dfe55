"""The story as scenarios: the world before the run, and the variants."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sagaproof import Scenario, World
from sagaproof_scenarios.order_confirmation import on_runtime
from sagaproof_scenarios.order_confirmation.by_hand import confirm_by_hand
from sagaproof_scenarios.order_confirmation.pairs import confirm_logging, confirm_undoing_once

__all__ = ["SCENARIOS", "set_up"]

_HERE = Path(__file__).parent
_SYSTEMS = ("crm", "billing", "mail", "desk")
ORDER = "4921"


def set_up(world: World) -> None:
    """A pending order over 2,500.00."""
    contact = world.crm.add_contact("cus_7")
    world.billing.add_customer("cus_7", name=contact["name"], email=contact["email"])
    world.crm.add_order(ORDER, total="2500.00", contact="cus_7", status="pending")


def _body(saga: Callable[[str], Any]) -> Callable[[World], Any]:
    def body(world: World) -> Any:
        set_up(world)
        return saga(ORDER)

    return body


def _on_runtime(world: World) -> Any:
    set_up(world)
    return on_runtime.confirm(world, ORDER)


SCENARIOS = (
    Scenario(
        "order-pairs",
        "Status, invoice, mail as (execute, compensate) pairs: a failed undo is logged, no more.",
        _SYSTEMS,
        body=_body(confirm_logging),
        expected=_HERE / "order-pairs.expected.json",
    ),
    Scenario(
        "order-undo-once",
        "Status, invoice, mail: undos are tried again, but one that was done already counts as failed.",
        _SYSTEMS,
        body=_body(confirm_undoing_once),
        expected=_HERE / "order-undo-once.expected.json",
    ),
    Scenario(
        "order-by-hand",
        "Status, invoice, mail made right by hand: keys, undo by key, the mail last, a person told.",
        _SYSTEMS,
        body=_body(confirm_by_hand),
        expected=_HERE / "order-by-hand.expected.json",
    ),
    Scenario(
        "order-runtime",
        "Status, invoice, mail on the runtime: journal, undo by key, a pivot, a desk, recovery.",
        _SYSTEMS,
        body=_on_runtime,
        recover=lambda world: on_runtime.confirm(world, ORDER),
        expected=_HERE / "order-runtime.expected.json",
    ),
)
