"""Two services whose undo is not what it seems: one can be made twice, the other leaves something behind."""

from __future__ import annotations

from typing import Any, ClassVar

from sagaproof import Refusal, System, Table, operation

__all__ = ["HOTEL", "SALES", "Hotel", "Sales"]

HOTEL = "sagaproof_scenarios.planted.services:Hotel"
SALES = "sagaproof_scenarios.planted.services:Sales"


class Hotel(System):
    """Rooms. To book takes no key, but a taken room is refused. Each cancellation is a line of its own."""

    name: ClassVar[str] = "hotel"

    rooms = Table(gone={"status": ("cancelled",)})
    cancellations = Table(gone={"kind": ("cancellation",)})

    @operation(cls=3, ref="room", keyed=False)
    def book(self, *, room: str, guest: str) -> dict[str, Any]:
        """Book a room that is free."""
        row = self.rooms.get(room)
        if row is not None and row["status"] == "booked":
            raise Refusal(409, "room_taken", f"room {room} is booked")
        return dict(self.rooms.put(room, {"room": room, "guest": guest, "status": "booked"}))

    @operation(cls=3, ref="room", undoes="book")
    def cancel(self, *, room: str) -> dict[str, Any]:
        """Cancel a room that was booked; once more if it is asked for once more under another key."""
        if room not in self.rooms:
            raise Refusal(404, "not_found", f"room {room} was never booked")
        self.rooms.patch(room, status="cancelled")
        line = self.ids.next("cancellation")
        return dict(self.cancellations.put(line, {"kind": "cancellation", "room": room}))

    @operation(cls=1, ref="room")
    def get_room(self, *, room: str) -> dict[str, Any]:
        """Who has a room."""
        return dict(self.rooms.get(room) or {"room": room, "guest": None, "status": "free"})


class Sales(System):
    """Deals against a quota. To delete a deal gives its share of the quota not back."""

    name: ClassVar[str] = "sales"

    accounts = Table()
    deals = Table()

    def add_account(self, account: str) -> None:
        """Set up an account."""
        self.accounts.put(account, {"used": 0, "last_deal": None})

    @operation(cls=3, ref="id")
    def create_deal(self, *, account: str, title: str) -> dict[str, Any]:
        """Enter a deal; it takes a share of the quota."""
        key = self.ids.next("deal")
        self.accounts.patch(account, used=self.accounts[account]["used"] + 1, last_deal=title)
        return dict(self.deals.put(key, {"id": key, "account": account, "title": title}))

    @operation(cls=3, ref="deal", undoes="create_deal")
    def delete_deal(self, *, deal: str) -> dict[str, Any]:
        """Delete a deal, and that only."""
        if deal not in self.deals:
            raise Refusal(409, "already_deleted", f"there is no deal {deal}")
        self.deals.drop(deal)
        return {"id": deal}

    @operation(cls=3, ref="account")
    def release_quota(self, *, account: str) -> dict[str, Any]:
        """Give a share of the quota back."""
        used = self.accounts[account]["used"] - 1
        return dict(self.accounts.patch(account, used=used, last_deal=None))
