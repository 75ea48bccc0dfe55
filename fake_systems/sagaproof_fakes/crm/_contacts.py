"""The part of the CRM that knows the customers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sagaproof import Refusal, Table, invariant, operation
from sagaproof_fakes._people import Person, person
from sagaproof_fakes._records import STAMPS, Records, Row
from sagaproof_fakes.crm._state import check_version

if TYPE_CHECKING:
    from sagaproof.effects import Effect

__all__ = ["Contacts"]


class Contacts(Records):
    """Contacts: one e-mail address, one contact."""

    contacts = Table(volatile=STAMPS)

    def add_contact(
        self, contact_id: str | None = None, *, name: str | None = None, email: str | None = None
    ) -> Row:
        """Set up a contact and return its row; what is left out is made up, the same in every run."""
        key = self._new_id(self.contacts, "con", contact_id)
        if name is None or email is None:
            made_up = self._somebody_new()
            name, email = name or made_up.name, email or made_up.email
        return self._insert(self.contacts, {"id": key, "name": name, "email": email})

    @operation(
        cls=3,
        route="POST /contacts",
        status=201,
        ref="id",
        meanwhile={"meddled": "_name_corrected", "consumed": "_contact_orders"},
    )
    def create_contact(self, email: str, name: str) -> Row:
        """Add a customer. An address that is taken is refused (409); capitals make no other address."""
        if "@" not in email:
            raise Refusal(422, "invalid_email", f"{email!r} is no e-mail address")
        for row in self._with_email(email):
            raise Refusal(409, "contact_exists", f"contact exists, with id {row['id']}")
        key = self._new_id(self.contacts, "con", None)
        return self._insert(self.contacts, {"id": key, "name": name, "email": email})

    @operation(cls=3, route="DELETE /contacts/{contact_id}", ref="contact_id", undoes="create_contact")
    def delete_contact(self, contact_id: str, if_match: str | None = None) -> Row:
        """Remove a customer to whom nothing refers yet (else 409)."""
        row = self._find(self.contacts, contact_id)
        check_version(row, if_match)
        users = [table.name for table in self.tables if table.where(contact=contact_id)]
        if users:
            raise Refusal(409, "contact_in_use", f"contact {contact_id} has {' and '.join(users)}")
        self.contacts.drop(contact_id)
        return row

    @operation(cls=1, route="GET /contacts/{contact_id}")
    def get_contact(self, contact_id: str) -> Row:
        """Read one contact."""
        return self._find(self.contacts, contact_id)

    @operation(cls=1, route="GET /contacts")
    def list_contacts(self, email: str | None = None) -> Row:
        """Read all contacts, or the one with an e-mail address."""
        return {"data": list(self.contacts.rows.values()) if email is None else self._with_email(email)}

    @invariant
    def one_contact_per_address(self) -> str:
        """No two contacts share an e-mail address."""
        seen: dict[str, str] = {}
        for row in self.contacts.rows.values():
            other = seen.setdefault(row["email"].lower(), row["id"])
            if other != row["id"]:
                return f"contacts {other} and {row['id']} have one address, {row['email']}"
        return ""

    def _name_corrected(self, effect: Effect) -> None:
        """A colleague corrects the name of a contact."""
        row = self._find(self.contacts, str(effect.ref))
        self._write(self.contacts, row, name=f"Dr. {row['name']}")

    def _contact_orders(self, effect: Effect) -> None:
        """A contact orders something: it cannot be removed any more. How, is with the orders."""
        raise NotImplementedError

    def _with_email(self, email: str) -> list[Row]:
        return [row for row in self.contacts.rows.values() if row["email"].lower() == email.lower()]

    def _somebody_new(self) -> Person:
        n = len(self.contacts) + 1
        while self._with_email(person(n).email):
            n += 1
        return person(n)

    def _write(self, table: Table, row: Row, **fields: Any) -> Row:
        """Set fields of a row; its version rises only if one of them is different."""
        if all(row[field] == value for field, value in fields.items()):
            return row
        return self._update(table, row, fields)
