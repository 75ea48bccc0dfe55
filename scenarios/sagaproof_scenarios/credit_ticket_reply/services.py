"""The clients of the support desk, as they would stand in production: plain httpx, real URLs."""

from __future__ import annotations

from typing import Any, Self

import httpx

__all__ = ["Services"]


class Services:
    """CRM, billing and mail over HTTP. Every method raises `httpx.HTTPError` if it does not succeed."""

    def __init__(self) -> None:
        self._http = httpx.Client(timeout=5.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._http.close()

    def ticket(self, ticket: str) -> dict[str, Any]:
        """Read a ticket."""
        return self._send("GET", f"https://crm.test/tickets/{ticket}")

    def order(self, order: str) -> dict[str, Any]:
        """Read an order."""
        return self._send("GET", f"https://crm.test/orders/{order}")

    def email(self, contact: str) -> str:
        """The address of a contact."""
        return str(self._send("GET", f"https://crm.test/contacts/{contact}")["email"])

    def set_status(self, ticket: str, status: str) -> dict[str, Any]:
        """Set the status of a ticket."""
        return self._send("PUT", f"https://crm.test/tickets/{ticket}/status", {"status": status})

    def issue_credit(self, customer: str, amount: int, order: str) -> dict[str, Any]:
        """Credit a customer with an amount in cents."""
        body = {"customer": customer, "amount": amount, "reference": order}
        return self._send("POST", "https://billing.test/credits", body)

    def credits(self, customer: str) -> list[dict[str, Any]]:
        """The credits of a customer, oldest first."""
        found: list[dict[str, Any]] = self._send("GET", f"https://billing.test/credits?customer={customer}")[
            "data"
        ]
        return found

    def reverse_credit(self, credit: str) -> dict[str, Any]:
        """Take a credit back."""
        return self._send("POST", f"https://billing.test/credits/{credit}/reverse")

    def mail(self, to: str, subject: str, text: str) -> dict[str, Any]:
        """Send a mail."""
        return self._send("POST", "https://mail.test/messages", {"to": to, "subject": subject, "body": text})

    def _send(self, method: str, url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        response = self._http.request(method, url, json=body)
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer
