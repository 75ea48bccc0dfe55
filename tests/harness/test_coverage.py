"""What a campaign has never tried is said by name: an undo that no run made may be broken."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._model.script import Script, ToolCall
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError
from sagaproof._world.system import System
from sagaproof.saga import Runtime, Step, tool

FAILURE = (ToolError, OSError)
GAP = "undo-never-run: no run made tools.release, the undo of tools.reserve"


def tools(world: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A seat to be reserved, and released again."""
    reserve = world.tool(
        lambda seat: seat, name="reserve", cls=3, undo="release", ref="seat", idempotent=True
    )
    return reserve, world.tool(lambda seat: seat, name="release", cls=3, ref="seat")


def reserves_last(world: Any) -> str:
    """Planted: its last step has an undo, but nothing comes after it that could fail."""
    reserve, _ = tools(world)
    for _ in range(3):
        try:
            reserve("12a")
        except FAILURE:
            continue
        return "completed"
    return "refused"


def releases(world: Any) -> str:
    """Right: whatever it hears of its reservation, it can take that back."""
    reserve, release = tools(world)
    try:
        reserve("12a")
    except FAILURE:
        release("12a")
        return "compensated"
    return "completed"


@pytest.fixture
def explored(shop: System) -> Callable[..., Campaign]:
    def explored(body: Callable[[Any], str], **settings: Any) -> Campaign:
        chosen = Settings(**{"faults": 1, "families": ("outage", "lost answer"), **settings})
        return explore(Subject("toy", CallableDriver(body), {"shop": shop}, ()), chosen)

    return explored


def test_an_undo_that_no_run_made_is_named_and_makes_it_incomplete(explored: Callable[..., Campaign]) -> None:
    campaign = explored(reserves_last)

    assert campaign.incomplete == [GAP]
    assert campaign.status is Status.INCOMPLETE


def test_an_undo_that_was_made_once_is_no_gap(explored: Callable[..., Campaign]) -> None:
    campaign = explored(releases)

    assert campaign.incomplete == []
    assert campaign.status is Status.CLEAN


def test_without_faults_or_with_runs_skipped_nothing_is_said(explored: Callable[..., Campaign]) -> None:
    assert explored(reserves_last, faults=0).incomplete == []
    assert GAP not in explored(reserves_last, runs_max=3).incomplete


def test_an_undo_is_not_wanted_past_the_irreversible(explored: Callable[..., Campaign]) -> None:
    def mails_first(world: Any) -> str:
        world.tool(lambda text: text, name="mail", cls=5)("sold")
        return reserves_last(world)

    assert explored(mails_first, families=("outage",)).incomplete == []


def test_calls_of_systems_that_no_run_took_back_are_a_note(explored: Callable[..., Campaign]) -> None:
    def buys(world: Any) -> None:
        world.direct.shop.buy(item="tea", key="k")

    def buys_and_returns(world: Any) -> str:
        try:
            world.direct.shop.buy(item="tea", key="k")
        except FAILURE:
            world.direct.shop.undo_by_key("buy", "k")
            return "compensated"
        return "completed"

    (note,) = explored(buys, families=("outage",)).notes
    assert note.startswith("no run took any of these back: shop.buy (by ")
    assert explored(buys_and_returns).notes == []


# Of the runtime ---------------------------------------------------------------------------------------------


def runtime(undone: bool) -> Callable[[Any], Any]:
    """A saga on the runtime with two tools, of which a script calls one; giving it up may be forgotten."""

    def make(world: Any) -> Any:
        shop = world.direct.shop

        def give_back(step: Step) -> None:
            shop.undo_by_key("buy", step.key)

        @tool(cls=3, undo=give_back, undo_by_key=True)
        def buy(item: str, *, key: str) -> Any:
            return shop.buy(item=item, key=key)

        @tool(cls=1)
        def look(item: str) -> str:
            return item

        saga = Runtime([buy, look], journal=world.journal).start("s1")
        return (
            saga
            if undone
            else SimpleNamespace(call=saga.call, finish=saga.finish, give_up=saga.finish, tools=saga.tools)
        )

    return make


@pytest.mark.parametrize("undone", [True, False])
def test_the_undos_and_tools_of_a_runtime_are_known(shop: System, undone: bool) -> None:
    script = Script("buys", (ToolCall("buy", {"item": "tea"}, "c1"),))
    subject = Subject("toy", FedDriver(runtime(undone)), {"shop": shop}, (), scripts=(script,))

    campaign = explore(subject, Settings(faults=1, families=("rate limit",), durations=("once",)))

    assert campaign.errors == []
    gap = "undo-never-run: no run made give_back, the undo of buy"
    assert campaign.incomplete == ([] if undone else [gap])
    assert "no script calls look" in campaign.notes
