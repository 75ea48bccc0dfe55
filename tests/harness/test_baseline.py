"""The run without a fault is looked at by itself: what it lacks is told, since it is no finding."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx

from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._model.script import Answer, Script, ToolCall
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError
from sagaproof_fakes.crm import Crm


def notes_of(body: Callable[[Any], Any]) -> list[str]:
    subject = Subject("it", CallableDriver(body), {"crm": Crm()}, checks())
    return explore(subject, Settings(faults=1)).notes


def test_a_saga_that_fails_without_a_fault_is_told_which_call_was_refused() -> None:
    def body(world: Any) -> str:
        try:
            world.direct.crm.set_ticket_status(ticket_id="9104", status="solved")
        except (ToolError, OSError):
            return "refused"
        return "completed"

    (note,) = [note for note in notes_of(body) if "without any fault" in note]
    assert note.startswith(
        "without any fault the saga ended as refused: crm.set_ticket_status.1 was told 404"
    )
    assert note.endswith("Is the world set up for it?")


def test_a_saga_that_completes_gets_no_such_note() -> None:
    def body(world: Any) -> None:
        world.crm.add_ticket("9104")
        world.direct.crm.set_ticket_status(ticket_id="9104", status="solved")

    assert not [note for note in notes_of(body) if "without any fault" in note]


def test_steps_that_overlap_have_no_order_that_a_campaign_could_miss() -> None:
    async def overlapping(world: Any) -> str | None:
        world.crm.add_ticket("9104")

        async def send(method: str, url: str, body: dict[str, str] | None = None, key: str = "") -> None:
            async with httpx.AsyncClient(timeout=3) as http:
                answer = await http.request(method, url, json=body, headers={"Idempotency-Key": key})
                answer.raise_for_status()

        ticket = "https://crm.test/tickets/9104"
        steps = (
            send("PUT", f"{ticket}/status", {"status": "solved"}, "k1"),
            send("PUT", f"{ticket}/assignee", {"assignee": "ann"}, "k2"),
        )
        failed = [r for r in await asyncio.gather(*steps, return_exceptions=True) if r is not None]
        if not failed:
            return None
        for name, key in (("set_ticket_status", "k1"), ("assign_ticket", "k2")):
            await send("POST", f"https://crm.test/operations/{name}/{key}/undo")
        return "compensated"

    settings = Settings(faults=1, families=("rejection", "silence", "late effect", "duplicate"))
    subject = Subject("it", CallableDriver(overlapping), {"crm": Crm()}, checks())
    campaign = explore(subject, settings)

    assert campaign.facts is not None
    assert len(campaign.facts.undone) == 2
    assert [text for text in campaign.incomplete if "reverse-order" in text] == []


def incomplete_of(body: Callable[[Any], Any]) -> list[str]:
    subject = Subject("it", CallableDriver(body), {"crm": Crm()}, checks())
    return explore(subject, Settings(faults=1)).incomplete


def test_a_body_that_raises_without_any_fault_is_incomplete_and_says_what_and_where() -> None:
    def after_a_call(world: Any) -> None:
        world.crm.add_ticket("9104")
        world.direct.crm.get_ticket(ticket_id="9104")["nokey"]

    def before_any(world: Any) -> None:
        world.crm.add_tikcet("9104")

    (first,) = [text for text in incomplete_of(after_a_call) if "without any fault" in text]
    assert first.startswith("without any fault the test raised KeyError: 'nokey' (")
    assert "test_baseline.py:" in first
    (second,) = incomplete_of(before_any)
    assert "add_tikcet" in second


def test_an_answer_that_lacks_what_the_script_needs_makes_the_agent_give_up_under_a_fault() -> None:
    class Agent:
        def __init__(self, world: Any) -> None:
            self.crm = world.direct.crm

        def call(self, tool: str, args: dict[str, Any], _call_id: str) -> Any:
            return getattr(self.crm, tool)(**args)

        def give_up(self) -> str:
            return "refused"

        def finish(self) -> str:
            return "completed"

    def make(world: Any) -> Agent:
        world.crm.add_ticket("9104")
        return Agent(world)

    script = Script(
        "read, note",
        (
            ToolCall("get_ticket", {"ticket_id": "9104"}),
            ToolCall("add_note", {"ticket_id": Answer(1, "id"), "text": "seen"}),
        ),
    )
    subject = Subject("it", FedDriver(make), {"crm": Crm()}, checks(), scripts=(script,))
    campaign = explore(subject, Settings(faults=1))

    assert campaign.errors == []
    assert campaign.levels[1].complete
