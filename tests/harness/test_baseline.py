"""The run without a fault is looked at by itself: what it lacks is told, since it is no finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.catalogue import checks
from sagaproof._drivers.callable import CallableDriver
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
