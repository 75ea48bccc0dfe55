"""The story as scenarios. DBOS and the workflows are loaded when one of them is run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from sagaproof import Scenario, World
from sagaproof.engines import Dbos
from sagaproof.settings import Settings
from sagaproof_scenarios.order_confirmation.scenarios import ORDER, set_up

__all__ = ["SCENARIOS", "on"]

_HERE = Path(__file__).parent


def on(dbos: Dbos) -> tuple[Scenario, ...]:
    """The scenarios on a DBOS, whichever database it has."""
    return (
        _scenario(
            dbos,
            "order-dbos",
            "Status, invoice, mail as a workflow of DBOS: keys, retries of each step, mail last, a desk.",
            "right:confirm_on_dbos",
        ),
        _scenario(
            dbos,
            "order-dbos-keyless",
            "Invoice and status without keys: after a crash DBOS makes a call again, and it is done twice.",
            "keyless:confirm_without_keys",
            ("outage", "crash"),
        ),
        _scenario(
            dbos,
            "order-dbos-naive",
            "Undos registered after their steps and tried once, in a workflow of DBOS.",
            "naive:confirm_naively",
            ("outage", "lost answer", "crash"),
        ),
    )


def _scenario(dbos: Dbos, name: str, story: str, where: str, families: tuple[str, ...] = ()) -> Scenario:
    return Scenario(
        name,
        story,
        ("crm", "billing", "mail", "desk"),
        body=_body(dbos, where),
        recover=dbos.recover,
        settings=Settings(faults=1, families=families),
        needs="dbos",
        expected=_HERE / f"{name}.expected.json",
    )


def _body(dbos: Dbos, where: str) -> Callable[[World], Any]:
    """Runs a workflow, by module and name."""
    module, _, name = where.partition(":")

    def body(world: World) -> Any:
        set_up(world)
        found = import_module(f"sagaproof_scenarios.order_on_dbos.{module}")
        return dbos.run(world, getattr(found, name), ORDER)

    return body


SCENARIOS = on(Dbos())
