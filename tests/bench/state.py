"""The whole state of a system, kept and put back: the CRM, with rows in three of its tables."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.bench.rounds import Once

from sagaproof_fakes.crm import Crm


@contextmanager
def snapshot() -> Iterator[Once]:
    """Keeping it."""
    yield _crm().snapshot


@contextmanager
def restore() -> Iterator[Once]:
    """Putting it back."""
    crm = _crm()
    kept = crm.snapshot()
    yield lambda: crm.restore(kept)


def _crm() -> Crm:
    crm = Crm()
    for number in range(10):
        crm.add_contact(f"cus_{number}", name="Ada", email=f"ada{number}@acme.test")
        crm.add_order(f"{number}", total="2500.00", contact=f"cus_{number}")
        crm.add_ticket(f"ticket_{number}", order=f"{number}")
    return crm
