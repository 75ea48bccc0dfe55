"""The three variants that run by themselves. Each is wrong in one way; the comments say where."""

from __future__ import annotations

import time

import httpx

from sagaproof_scenarios.credit_ticket_reply.services import Services

__all__ = ["mail_first", "rederive", "rerun"]

SUBJECT = "Your credit"
TEXT = "We have credited your order in full."


def rerun(ticket: str, attempts: int = 3) -> None:
    """Handle a ticket; on any failure wait and run everything again."""
    for attempt in range(attempts):
        try:
            return _handle(ticket)
        except httpx.HTTPError:  # the credit of the failed attempt is still there
            if attempt == attempts - 1:
                raise
            time.sleep(2.0**attempt)
    return None


def _handle(ticket: str) -> None:
    with Services() as services:
        row = services.ticket(ticket)
        order = services.order(row["order"])
        email = services.email(order["contact"])
        services.issue_credit(order["contact"], order["total"], order["id"])
        services.set_status(ticket, "solved")
        services.mail(email, SUBJECT, TEXT)


def rederive(ticket: str) -> str | None:
    """Handle a ticket; on failure find out what there is to undo, and undo it."""
    with Services() as services:
        row = services.ticket(ticket)
        order = services.order(row["order"])
        email = services.email(order["contact"])
        try:
            services.issue_credit(order["contact"], order["total"], order["id"])
            services.set_status(ticket, "solved")
            services.mail(email, SUBJECT, TEXT)
        except (httpx.HTTPError, ValueError):
            services.set_status(ticket, row["status"])
            latest = services.credits(order["contact"])[-1]  # it may be an older one, of another order
            services.reverse_credit(latest["id"])
            return "compensated"
    return None


def mail_first(ticket: str) -> str | None:
    """Handle a ticket; the customer is told before the ticket is set."""
    with Services() as services:
        row = services.ticket(ticket)
        order = services.order(row["order"])
        email = services.email(order["contact"])
        credit = services.issue_credit(order["contact"], order["total"], order["id"])
        try:
            services.mail(email, SUBJECT, TEXT)  # the pivot, in the middle
            services.set_status(ticket, "solved")
        except (httpx.HTTPError, ValueError):
            services.reverse_credit(credit["id"])
            return "compensated"
    return None
