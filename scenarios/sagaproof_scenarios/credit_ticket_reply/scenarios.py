"""The story as scenarios: the world before the run, the variants, the script of the agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sagaproof import AfterRestart, Answer, Scenario, Script, ToolCall, World
from sagaproof.saga import Saga
from sagaproof.settings import Settings
from sagaproof_scenarios.credit_ticket_reply import after_reply, on_runtime, sagas
from sagaproof_scenarios.credit_ticket_reply.dispatcher import LatePush

__all__ = ["SCENARIOS", "set_up"]

_HERE = Path(__file__).parent
_SYSTEMS = ("crm", "billing", "mail", "desk")
TICKET = "9104"
ORDER = "4921"


def set_up(world: World) -> None:
    """An order over 2,500.00 with an open ticket, and a credit of last month for another order."""
    contact = world.crm.add_contact("cus_7")
    world.billing.add_customer("cus_7", name=contact["name"], email=contact["email"])
    world.crm.add_order(ORDER, total="2500.00", contact="cus_7", status="confirmed")
    world.crm.add_ticket(TICKET, order=ORDER)
    world.billing.add_credit("cr_old", customer="cus_7", amount="40.00")


def _body(saga: Callable[[str], Any]) -> Callable[[World], Any]:
    def body(world: World) -> Any:
        set_up(world)
        return saga(TICKET)

    return body


def _late_push(world: World) -> LatePush:
    set_up(world)
    return LatePush()


def _on_runtime(world: World) -> Saga:
    set_up(world)
    return on_runtime.start(world)


_AGENT = Script(
    "credit, ticket, reply",
    (
        ToolCall("read_order", {"order": ORDER}, "call_1"),
        ToolCall(
            "issue_credit",
            {"customer": Answer(1, "contact"), "amount": Answer(1, "total"), "order": ORDER},
            "call_2",
        ),
        ToolCall("set_status", {"ticket": TICKET, "status": "solved"}, "call_3"),
        ToolCall("reply", {"to": Answer(1, "email"), "subject": sagas.SUBJECT, "text": sagas.TEXT}, "call_4"),
    ),
)


def _reply_and_note(world: World) -> Any:
    world.crm.add_ticket(TICKET)
    return _note_after_reply(world)


def _note_after_reply(world: World) -> Any:
    return after_reply.reply_and_note(world, TICKET, "kim@example.test")


_GIVES_UP_AFTER_A_RESTART = replace(
    _AGENT, name="credit, ticket, reply; gives up after a restart", after_restart=AfterRestart.GIVE_UP
)

_DECIDES_OTHERWISE_AFTER_A_RESTART = replace(
    _AGENT,
    name="credit, ticket, reply; after a restart another amount",
    after_restart=(
        ToolCall("issue_credit", {"customer": "cus_7", "amount": 100_000, "order": ORDER}, "call_9"),
        ToolCall("set_status", {"ticket": TICKET, "status": "pending"}, "call_10"),
    ),
)

SCENARIOS = (
    Scenario(
        "credit-rerun",
        "Credit, ticket, reply: on any failure the whole run is made again.",
        _SYSTEMS,
        body=_body(sagas.rerun),
        expected=_HERE / "credit-rerun.expected.json",
    ),
    Scenario(
        "credit-rederive",
        "Credit, ticket, reply: what to undo is looked up when it is needed.",
        _SYSTEMS,
        body=_body(sagas.rederive),
        expected=_HERE / "credit-rederive.expected.json",
    ),
    Scenario(
        "credit-mail-first",
        "Credit, reply, ticket: the customer is mailed before the last step that can fail.",
        _SYSTEMS,
        body=_body(sagas.mail_first),
        expected=_HERE / "credit-mail-first.expected.json",
    ),
    Scenario(
        "credit-late-push",
        "Credit, ticket, reply, called by an agent: each undo is pushed when the answer has come.",
        _SYSTEMS,
        agent=_late_push,
        scripts=(_AGENT,),
        expected=_HERE / "credit-late-push.expected.json",
    ),
    Scenario(
        "credit-runtime",
        "Credit, ticket, reply, called by an agent on the runtime: the right saga, also through crashes.",
        _SYSTEMS,
        agent=_on_runtime,
        recover=on_runtime.recover,
        scripts=(_AGENT, _GIVES_UP_AFTER_A_RESTART, _DECIDES_OTHERWISE_AFTER_A_RESTART),
        expected=_HERE / "credit-runtime.expected.json",
        settings=Settings(faults=1),  # its pairs take the better part of an hour: `--faults 2 --runs 1000000`
    ),
    Scenario(
        "reply-runtime",
        "Reply, then a note on the ticket: what comes after the pivot is only tried forward, on the runtime.",
        ("crm", "mail", "desk"),
        body=_reply_and_note,
        recover=_note_after_reply,
        expected=_HERE / "reply-runtime.expected.json",
    ),
)
