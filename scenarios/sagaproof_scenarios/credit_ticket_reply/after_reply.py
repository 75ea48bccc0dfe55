"""A step after the pivot: once the reply is out, the ticket gets a note of it, only ever tried forward."""

from __future__ import annotations

from typing import Any, Final

from sagaproof import World
from sagaproof.saga import CallableDesk, Ending, Runtime, tool
from sagaproof_scenarios.keyed_api import KeyedApi

__all__ = ["reply_and_note"]

_API: Final = KeyedApi()


def reply_and_note(world: World, ticket: str, to: str) -> Ending:
    """Reply and note it, or go on where a dead process stopped."""
    runtime = Runtime([reply, note], journal=world.journal, desk=CallableDesk(_API.open_case))
    saga = runtime.resume(f"reply-{ticket}")
    sent = saga.call("reply", {"to": to, "text": "We are on it."}, "reply")
    if not sent.ok:
        return saga.give_up(f"reply: {sent.error}")
    saga.call("note", {"ticket": ticket, "text": "replied"}, "note")
    return saga.finish()  # a note that failed is for a person: the reply cannot be taken back


@tool(cls=5, **_API.for_good("mail", "send"))
def reply(to: str, text: str, *, key: str) -> dict[str, Any]:
    """Mail the customer."""
    return _API.send("POST", "mail", "/messages", {"to": to, "subject": "Your ticket", "body": text}, key)


@tool(cls=3, ref="id", forward_only=True, **_API.by_key("crm", "add_note"))
def note(ticket: str, text: str, *, key: str) -> dict[str, Any]:
    """Write a note on a ticket."""
    return _API.send("POST", "crm", f"/tickets/{ticket}/notes", {"text": text}, key)
