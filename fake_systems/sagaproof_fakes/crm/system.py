"""The CRM put together from its parts."""

from __future__ import annotations

from typing import ClassVar

from sagaproof_fakes.crm._notes import Notes

__all__ = ["Crm"]


class Crm(Notes):
    """A CRM with contacts, orders and tickets; set it up with `add_contact`, `add_order`, `add_ticket`."""

    name: ClassVar[str] = "crm"
    hosts: ClassVar[tuple[str, ...]] = ("crm.test",)
