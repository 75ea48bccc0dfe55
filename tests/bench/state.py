"""The whole state of a system, kept and put back (the CRM, rows in three of its tables), and compared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.bench.rounds import Once
from tests.bench.saga import in_world, systems

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.diff import differences
from sagaproof._model.plan import EMPTY
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.handle import WorldHandle
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


@contextmanager
def compare() -> Iterator[Once]:
    """Telling where the rows at the end of a run are not as at its beginning."""
    with Runner(WorldHandle(systems()), CallableDriver(in_world)) as runner:
        history = runner.run(OPAQUE, EMPTY)
    escalating = {name for name, operation in history.operations.items() if operation.escalates}
    assert differences(history.events, history.tables, escalating)
    yield lambda: differences(history.events, history.tables, escalating)


def _crm() -> Crm:
    crm = Crm()
    for number in range(10):
        crm.add_contact(f"cus_{number}", name="Ada", email=f"ada{number}@acme.test")
        crm.add_order(f"{number}", total="2500.00", contact=f"cus_{number}")
        crm.add_ticket(f"ticket_{number}", order=f"{number}")
    return crm
