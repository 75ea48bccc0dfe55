"""What the runtime adds to a call of a tool: with the journal in memory, on file, and the journal alone."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.bench.rounds import Once

from sagaproof.saga import Record, Runtime, SqliteJournal, Step, tool

ARGS: Final = {"customer": "cus_7", "amount": 250000, "reference": "4921"}
INTENT: Final = Record(
    "intent",
    {
        "call_id": "call_1",
        "tool": "issue_credit",
        "cls": 4,
        "args": ARGS,
        "key": "order-4921/call_1",
        "before": None,
        "undo": {"name": "reverse_credit", "key": "order-4921/call_1/undo"},
    },
)


def reverse_credit(step: Step, *, key: str) -> None:
    """Never called: nothing that is timed is undone."""


@tool(cls=4, undo=reverse_credit, ref="id")
def issue_credit(customer: str, amount: int, reference: str, *, key: str) -> dict[str, Any]:
    """Answer at once, so that all the time is the runtime's."""
    return {"id": "cr_1", "customer": customer, "amount": amount, "reference": reference, "key": key}


@contextmanager
def bare_tool() -> Iterator[Once]:
    """The function itself: what is left without a runtime."""
    yield partial(issue_credit, **ARGS, key="order-4921/call_1")


@contextmanager
def in_memory() -> Iterator[Once]:
    """A call in a saga: admitted, written down, made, written down again."""
    with SqliteJournal(":memory:") as journal:
        yield _call(journal)


@contextmanager
def on_file() -> Iterator[Once]:
    """The same, durable before the tool is called and before the agent is told. Waits for the disk."""
    with tempfile.TemporaryDirectory() as folder, SqliteJournal(Path(folder) / "sagas.db") as journal:
        yield _call(journal)


@contextmanager
def append() -> Iterator[Once]:
    """One record, in memory."""
    with SqliteJournal(":memory:") as journal:
        numbers = itertools.count(1)
        yield lambda: journal.append("order-4921", next(numbers), INTENT)


def _call(journal: SqliteJournal) -> Once:
    saga = Runtime([issue_credit], journal=journal).start("order-4921")
    return partial(saga.call, "issue_credit", ARGS)
