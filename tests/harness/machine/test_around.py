"""Around a recorded run: each script deviates in one thing and no more; what goes wrong there is found."""

from __future__ import annotations

from typing import Any

import pytest
from tests.harness.machine.till import Till

from sagaproof import Script, ToolCall, World, explore
from sagaproof._doors.failure import CampaignFailed
from sagaproof.machine import around, recorded

RUN = recorded(
    [
        {"tool": "sell", "args": {"amount": 5}, "call_id": "c1"},
        {"tool": "sell", "args": {"amount": 7}, "call_id": "c2"},
    ]
)


NO_UNDO = {"till.void=*": "the seller has no second try"}


class Seller:
    """Remembers its sales by their amounts, so that of two alike it knows one."""

    def __init__(self, world: World) -> None:
        self._till = world.direct.till
        self._sold: dict[object, str] = {}

    def call(self, _tool: str, args: dict[str, Any], call_id: str) -> Any:
        sale = self._till.sell(**args)
        self._sold[self._name(args, call_id)] = sale["id"]
        return sale

    def _name(self, args: dict[str, Any], _call_id: str) -> object:
        return args["amount"]

    def give_up(self) -> str:
        for sale in reversed(self._sold.values()):
            self._till.void(id=sale)
        return "compensated"

    def finish(self) -> str:
        return "completed"


class Careful(Seller):
    """Remembers each sale."""

    def _name(self, _args: dict[str, Any], _call_id: str) -> object:
        return len(self._sold)


def explored(agent: type[Seller], scripts: list[Script]) -> None:
    @explore(agent=agent, scripts=scripts, systems=[Till], faults=1, families=["rejection"], exclude=NO_UNDO)
    def test_around(world: World) -> None:
        """Nothing is there before."""

    test_around()  # type: ignore[call-arg]  # it makes its own world


def test_each_script_is_explored_as_it_is() -> None:
    scripts = list(around(RUN))
    assert [ending for script in scripts for ending in script.endings()] == scripts
    assert len(scripts) == len({(repr(one.calls), one.give_up_after) for one in scripts})


def test_a_repeated_call_shows_what_the_run_itself_does_not() -> None:
    explored(Seller, [RUN])
    with pytest.raises(CampaignFailed, match="compensated-is-clean") as caught:
        explored(Seller, list(around(RUN)))
    assert caught.value.campaign is not None
    found = {one.script.name for one in caught.value.campaign.findings}
    assert found <= {
        script.name for script in around(RUN) if "again" in script.name or "repeated" in script.name
    }


def test_the_right_saga_is_silent_all_around() -> None:
    explored(Careful, list(around(RUN)))


def test_the_calls_are_those_of_the_run() -> None:
    assert RUN.calls == (ToolCall("sell", {"amount": 5}, "c1"), ToolCall("sell", {"amount": 7}, "c2"))
