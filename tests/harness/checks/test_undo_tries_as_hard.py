"""`undo-tries-as-hard` finds undos that are given up sooner than what they take back."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.undo_tries_as_hard import UndoTriesAsHard
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._drivers.protocol import Driver
from sagaproof._model.script import OPAQUE, Script, ToolCall
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.explore import explore, replay
from sagaproof._search.settings import Exclusion, Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError

Systems = Callable[[], dict[str, Any]]
SLUG = "undo-tries-as-hard"
FAILURE = (ToolError, OSError)


def attempt(call: Callable[..., Any], times: int, **args: Any) -> Any:
    for left in range(times - 1, -1, -1):
        try:
            return call(**args)
        except FAILURE as error:
            if not left or (isinstance(error, ToolError) and 400 <= error.status < 500):
                raise
            time.sleep(1.0)
    raise AssertionError


def saga(tries: int, undo_tries: int) -> Callable[[Any], str]:
    """A credit, then a room; both are tried so often, and so is the undo of the credit."""

    def run(world: Any) -> str:
        bank, hotel = world.direct.bank, world.direct.hotel
        try:
            credit = attempt(bank.issue, tries, to="ann", amount=3, key="k1")["id"]
        except FAILURE:
            return "refused"
        try:
            attempt(hotel.book, 1, guest="ann")
        except FAILURE:
            try:
                attempt(bank.reverse, undo_tries, credit=credit)
            except FAILURE:
                return "escalated"
            return "compensated"
        return "completed"

    return run


def explored(driver: Driver, systems: Systems, **more: Any) -> Campaign:
    scripts = more.pop("scripts", (OPAQUE,))
    settings = Settings(**{"families": ("outage", "silence"), **more})
    return explore(Subject("toy", driver, systems(), (UndoTriesAsHard(),), scripts=scripts), settings)


def test_an_undo_that_is_tried_once_where_its_call_is_tried_four_times_is_found(systems: Systems) -> None:
    campaign = explored(CallableDriver(saga(4, 1)), systems)

    (finding,) = campaign.findings
    assert finding.check == SLUG
    assert finding.says == (
        "gave the undo of bank.issue up after 1 attempt, but tries bank.issue itself 4 attempts"
    )
    assert str(finding.plan) == "bank.reverse.1=503/all,hotel.book.1=503"
    assert "503 until given up, as bank.issue does under plan 'bank.issue.1=503/all'" in finding.because
    assert [str(where) for where in finding.key.classes] == [
        "bank.reverse/undo/first/before-pivot",
        "hotel.book/forward/first/before-pivot",
    ]
    assert (str(finding.twin), finding.twin_script) == ("bank.issue.1=503/all", OPAQUE)
    assert finding.history is not None
    assert finding.history.calls[finding.calls[0]].operation.full == "bank.reverse"
    assert finding.twin_history is not None
    assert (campaign.checks[SLUG].violated, campaign.checks[SLUG].held) == (1, 0)


@pytest.mark.parametrize("undo_tries", [4, 6])
def test_an_undo_with_as_many_or_more_is_right(systems: Systems, undo_tries: int) -> None:
    campaign = explored(CallableDriver(saga(4, undo_tries)), systems)

    assert campaign.findings == []
    assert campaign.status is Status.CLEAN
    assert (campaign.checks[SLUG].violated, campaign.checks[SLUG].held) == (0, 1)


def test_kinds_of_failure_are_not_held_against_each_other(systems: Systems) -> None:
    exclude = (
        *(Exclusion("bank.issue", fault, "503 alone") for fault in ("refused", "timeout", "outage*")),
        Exclusion("bank.reverse", "503", "all but that"),
    )
    campaign = explored(CallableDriver(saga(4, 1)), systems, exclude=exclude)

    assert campaign.findings == []
    assert (campaign.checks[SLUG].violated, campaign.checks[SLUG].held) == (0, 0)


def test_the_undo_by_another_way_counts_in_its_favour(systems: Systems) -> None:
    def run(world: Any) -> str:
        bank = world.direct.bank
        try:
            credit = attempt(bank.issue, 4, to="ann", amount=3, key="k1")["id"]
        except FAILURE:
            return "refused"
        try:
            attempt(world.direct.hotel.book, 1, guest="ann")
        except FAILURE:
            try:
                attempt(bank.reverse, 1, credit=credit)
            except FAILURE:
                attempt(bank.reverse, 3, credit=credit, amount=3)
            return "compensated"
        return "completed"

    assert explored(CallableDriver(run), systems, families=("outage",), durations=("all",)).findings == []


def test_an_agent_that_asks_again_makes_no_call_more_stubborn(systems: Systems) -> None:
    """Right: each asking is tried three times, and so is each undo."""

    class Asked(Dispatcher):
        def give_up(self) -> str:
            for credit in reversed(self._credits):
                attempt(self._bank.reverse, 3, credit=credit)
            return "compensated"

    twice = tuple(ToolCall("issue", {"to": "ann", "amount": 3}, call_id) for call_id in ("c1", "c2"))
    campaign = explored(FedDriver(Asked), systems, scripts=(Script("twice", twice),), faults=1)

    assert campaign.findings == []
    assert campaign.checks[SLUG].held == 1


def test_to_ask_whether_something_irreversible_can_be_held_back_is_no_undo(systems: Systems) -> None:
    def run(world: Any) -> str:
        try:
            attempt(world.direct.mail.send, 4, to="ann", key="k1")
        except FAILURE:
            try:
                world.direct.mail.undo_by_key("send", "k1")
            except FAILURE:
                return "escalated"
            return "compensated"
        return "completed"

    campaign = explored(CallableDriver(run), systems)
    assert campaign.findings == []
    assert campaign.checks[SLUG].held == 0


class Dispatcher:
    """Fed by an agent: calls are tried three times, undos once."""

    def __init__(self, world: Any) -> None:
        self._bank = world.direct.bank
        self._credits: list[str] = []

    def call(self, _tool: str, args: dict[str, Any], call_id: str) -> Any:
        credit = attempt(self._bank.issue, 3, **args, key=call_id)
        self._credits.append(credit["id"])
        return credit

    def finish(self) -> str:
        return "completed"

    def give_up(self) -> str:
        for credit in reversed(self._credits):
            self._bank.reverse(credit=credit)
        return "compensated"


def test_a_script_that_is_given_up_lets_one_fault_meet_an_undo(systems: Systems) -> None:
    script = Script("one", (ToolCall("issue", {"to": "ann", "amount": 3}, "c1"),))
    campaign = explored(FedDriver(Dispatcher), systems, scripts=(script,), faults=1)

    (finding,) = campaign.findings
    assert (finding.script.name, str(finding.plan)) == ("one, given up after 1", "bank.reverse.1=503/all")
    assert finding.twin_script is not None
    assert (finding.twin_script.name, str(finding.twin)) == ("one", "bank.issue.1=503/all")
    assert finding.twin_history is not None
    assert finding.twin_history.script.name == "one"


def test_the_replay_of_its_plan_does_not_judge_it_and_says_so(systems: Systems) -> None:
    (finding,) = explored(CallableDriver(saga(4, 1)), systems).findings
    subject = Subject("toy", CallableDriver(saga(4, 1)), systems(), (UndoTriesAsHard(),))
    campaign = replay(subject, Settings(), finding.plan, finding.script)

    assert campaign.findings == []
    assert campaign.notes == ["runs are not compared in a replay: not judged by undo-tries-as-hard"]
