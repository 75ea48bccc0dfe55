"""A refund as it is often written: a note that fails takes the credit back, once."""

import httpx

from inn.settings import BILLING, CRM


def refund(guest: str, ticket: str, cents: int) -> str:
    with httpx.Client(timeout=5) as http:
        credit = _post(http, f"{BILLING}/credits", {"customer": guest, "amount": cents})
        try:
            _post(http, f"{CRM}/tickets/{ticket}/notes", {"text": "credited"})
        except httpx.HTTPError:
            _post(http, f"{BILLING}/credits/{credit['id']}/reverse")
            return "compensated"
    return "completed"


def _post(http: httpx.Client, url: str, body: dict | None = None) -> dict:
    answer = http.post(url, json=body)
    answer.raise_for_status()
    return answer.json()
