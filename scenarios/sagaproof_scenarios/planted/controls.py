"""Right sagas: whatever fault they meet, no check may complain of them."""

from __future__ import annotations

from typing import Any

from sagaproof import Scenario
from sagaproof.planted import Planted
from sagaproof_scenarios.planted.cancelling import BOOKS, PassesItOn, Patient, dispatcher, under_deadline
from sagaproof_scenarios.planted.listening import PAID_BOOKED, Listens
from sagaproof_scenarios.planted.lodging import ROOM_FIRST, Lodging, UndoesAll
from sagaproof_scenarios.planted.lodging import SYSTEMS as WITH_HOTEL
from sagaproof_scenarios.planted.plant import control
from sagaproof_scenarios.planted.reference import Entry, Reference
from sagaproof_scenarios.planted.selling import DEAL_FIRST, WholeInverse
from sagaproof_scenarios.planted.selling import SYSTEMS as WITH_SALES
from sagaproof_scenarios.planted.sending import Answer, send
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER, FULL, MAIL_EARLY, SYSTEMS
from sagaproof_scenarios.planted.undoing import OldestFirst

__all__ = ["CONTROLS"]


class StopsAtFirst(Reference):
    """Stops at the first undo that fails, and tells a person of all that is left."""

    def undo(self, entry: Entry) -> None:
        """Leave the rest as it is once something is left."""
        if not any(other.state == "left" for other in self.entries.values()):
            super().undo(entry)


class Looks(Reference):
    """Reads more than it needs, before and after each call."""

    def call(self, entry: Entry) -> Answer:
        """Look, call, look."""
        self.look()
        answer = super().call(entry)
        self.look()
        return answer

    def look(self) -> None:
        """What it sees does not matter."""
        send(lambda _: self.world.direct.billing.list_customers(), 1)


def _control(name: str, story: str, **parts: Any) -> Planted:
    return Planted(name, "control", story, Scenario(name, story, SYSTEMS, **parts), faults=2)


_PAIR = (CUSTOMER, BOOKING)
_ANY_ORDER = [("billing.*", "ledger.*")]

CONTROLS = (
    control("REF", "Customer, invoice, mail: the same key on each retry, undo by key, a person told.",
            Reference, FULL),
    control("REF-after-mail", "A step after the mail: past it only forward.", Reference, MAIL_EARLY),
    control("REF-entries", "Customer and booking, which a reversal entry takes back.", Reference, _PAIR),
    control("REF-room", "A service without keys: what is unclear is looked up.", Lodging, ROOM_FIRST,
            systems=WITH_HOTEL),
    control("REF-404", "Undoes what never was, and takes 404 for done.", UndoesAll, ROOM_FIRST,
            systems=WITH_HOTEL),
    control("REF-quota", "An undo of two calls.", WholeInverse, DEAL_FIRST, systems=WITH_SALES),
    control("REF-stops", "Stops at the first undo that fails, and names what is left.", StopsAtFirst, _PAIR),
    control("REF-any-order", "Undoes what is declared independent in any order.", OldestFirst, _PAIR,
            independent=_ANY_ORDER),
    control("REF-looks", "Reads more than it needs.", Looks, _PAIR, recovers=False),
    control("REF-listens", "Is told by an event, and looks how it stands before it does what that asks for.",
            Listens, PAID_BOOKED),
    _control("REF-deadline", "A deadline on the steps, none on the unwind.", body=under_deadline(Patient)),
    _control("REF-reraises", "Unwinds to the end, and then raises.", body=under_deadline(PassesItOn)),
    _control("REF-agent", "Tells its agent that nothing is known of a call that was cancelled.",
             agent=dispatcher, scripts=(BOOKS,)),
)  # fmt: skip
