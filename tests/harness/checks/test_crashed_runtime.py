"""The runtime for production under crashes: silent as it is, found out with a journal that lags behind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sagaproof._checks.catalogue import checks
from sagaproof._drivers.fed import FedDriver
from sagaproof._model.script import AfterRestart, Script, ToolCall
from sagaproof._search.campaign import Campaign
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof.saga import (
    ABSENT,
    IN_FLIGHT,
    CallableDesk,
    Case,
    Found,
    NothingToUndo,
    Record,
    Runtime,
    Saga,
    Step,
    Tool,
    tool,
)

CRASHES = frozenset({"written-ahead", "recovery-idempotent", "nothing-forgotten", "truthful-to-agent"})
SCRIPT = Script(
    "credit, letter",
    (ToolCall("credit", {"to": "ann", "amount": 3}, "c1"), ToolCall("letter", {"to": "ann"}, "c2")),
)
SCRIPTS = (
    SCRIPT,
    replace(SCRIPT, name="gives up after a restart", after_restart=AfterRestart.GIVE_UP),
    replace(
        SCRIPT,
        name="another amount after a restart",
        after_restart=(ToolCall("credit", {"to": "ann", "amount": 2}, "c9"),),
    ),
)


class Lagging:
    """A journal that keeps each intent back until the next record is written."""

    def __init__(self, journal: Any) -> None:
        self.journal = journal
        self.held: list[tuple[str, int, Record]] = []

    def append(self, saga: str, number: int, record: Record) -> None:
        """Write what was kept back, and this."""
        self.held.append((saga, number, record))
        if record.kind != "intent":
            held, self.held = self.held, []
            for late in held:
                self.journal.append(*late)

    def read(self, saga: str) -> list[Record]:
        """The records of a saga."""
        found: list[Record] = self.journal.read(saga)
        return found

    def open_sagas(self) -> list[str]:
        """The sagas that are not closed."""
        found: list[str] = self.journal.open_sagas()
        return found


def sight(tap: Any, operation: str) -> Callable[[Step], Any]:
    """What a service says of the call that a step made."""

    def look(step: Step) -> Any:
        seen = tap.lookup(operation=operation, key=step.key)
        if seen["state"] == "applied":
            return Found(seen["answer"])
        return IN_FLIGHT if seen["state"] == "in-flight" else ABSENT

    return look


def give_credit(bank: Any) -> Tool:
    """A credit, taken back by its key."""

    def take_back(step: Step) -> None:
        try:
            bank.undo_by_key("issue", step.key)
        except ToolError as error:
            if error.code.startswith("already_"):
                raise NothingToUndo(str(error)) from error
            raise

    @tool(cls=4, ref="id", undo=take_back, undo_by_key=True, lookup=sight(bank, "issue"))
    def credit(to: str, amount: int, *, key: str) -> Any:
        return bank.issue(to=to, amount=amount, key=key)

    return credit


def send_letter(mail: Any) -> Tool:
    """A letter, which nothing takes back once it is out."""
    look = sight(mail, "send")

    def shut_out(step: Step) -> Any:
        try:
            mail.undo_by_key("send", step.key)
        except ToolError:
            return look(step)
        return None

    @tool(cls=5, lookup=look, fence=shut_out)
    def letter(to: str, *, key: str) -> Any:
        return mail.send(to=to, key=key)

    return letter


def explored(systems: Any, journal_of: Callable[[Any], Any], faults: int) -> Campaign:
    """The crashes of a saga on the runtime with such a journal."""
    journals: list[Any] = []

    def runtime(world: WorldHandle) -> Runtime:
        def open_case(case: Case, key: str) -> str:
            return str(world.direct.desk.open_case(text=case.text(), key=key)["id"])

        tools = [give_credit(world.direct.bank), send_letter(world.direct.mail)]
        return Runtime(tools, journal=journals[-1], desk=CallableDesk(open_case))

    def start(world: WorldHandle) -> Saga:
        journals.append(journal_of(world.journal))
        return runtime(world).start("saga-1")

    def recover(world: WorldHandle) -> Saga:
        if isinstance(journals[-1], Lagging):
            journals[-1].held.clear()  # what was only in memory
        return runtime(world).resume("saga-1")

    subject = Subject("runtime", FedDriver(start, recover), systems, checks(), SCRIPTS)
    return explore(subject, Settings(faults=faults, families=("crash",)))


def found(campaign: Campaign, check: str) -> set[str]:
    """The plans with which a check has found something."""
    return {f"{finding.plan}" for finding in campaign.findings if finding.check == check}


@pytest.mark.slow
def test_the_runtime_is_right_through_any_pair_of_crashes(systems: Any) -> None:
    campaign = explored(systems(), lambda journal: journal, 2)

    assert campaign.errors == []
    assert [(str(f.plan), f.script.name, f.check, f.says) for f in campaign.findings] == []
    assert {slug for slug in CRASHES if campaign.checks[slug].held} == CRASHES


def test_intents_that_are_written_too_late_are_found(systems: Any) -> None:
    campaign = explored(systems(), Lagging, 1)

    assert {"bank.issue.1=crash-before", "mail.send.1=crash-before"} <= found(campaign, "written-ahead")
    assert "bank.issue.1=crash-after" in found(campaign, "nothing-forgotten")
    completed = [f for f in campaign.findings if f.check == "nothing-forgotten" and "'completed'" in f.says]
    assert {finding.script.name for finding in completed} == {"another amount after a restart"}
