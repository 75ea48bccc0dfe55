"""What is written into a repository in which nothing looks like a saga: one that is wrong, and its test."""

from __future__ import annotations

from typing import Final

__all__ = ["EXAMPLE", "EXAMPLE_FILE"]

EXAMPLE_FILE: Final = "test_saga_example.py"
EXAMPLE: Final = '''"""An example, written by `sagaproof init`: a saga with a common mistake, and its test.

The services are fakes that come with sagaproof. Put a saga of yours in the place of `refund`.
"""

import httpx
from sagaproof import explore


def refund(customer, ticket):
    """A credit, then a note on the ticket; if the note fails, the credit is taken back."""
    with httpx.Client(timeout=5) as http:
        credit = send(http, "https://billing.test/credits", {"customer": customer, "amount": 250000})
        try:
            send(http, f"https://crm.test/tickets/{ticket}/notes", {"text": "credited"})
        except httpx.HTTPError:
            send(http, f"https://billing.test/credits/{credit['id']}/reverse")
            return "compensated"
    return "completed"


def send(http, url, body=None):
    response = http.post(url, json=body)
    response.raise_for_status()
    return response.json()


@explore
def test_refund(world):
    world.billing.add_customer("cus_7")
    world.crm.add_ticket("9104")
    return refund("cus_7", "9104")
'''
