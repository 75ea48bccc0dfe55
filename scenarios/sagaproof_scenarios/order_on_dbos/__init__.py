"""Order confirmation on DBOS.

The story of `order_confirmation`, as a team tells it that has outgrown one process: the saga is a workflow
of DBOS, a durable-execution engine. What was done is in a database, SQLite here, PostgreSQL by its URL, and
after a crash another process goes on where the first one stopped.

The variants:

- `order-dbos` is made right: each call and each undo is a step with retries of its own, under a key that
  follows from the workflow and the step; the mail comes last; what cannot be settled is told to the desk.
- `order-dbos-keyless` sends no keys. DBOS runs a step again if the process dies after its call and before its
  result is written, as it says: at least once. What a second call does is up to who writes the step.
- `order-dbos-naive` registers the undo of a step when the step has succeeded, and tries no undo twice.

They need the extra: pip install "sagaproof[dbos]".
"""

from __future__ import annotations

from sagaproof_scenarios.order_on_dbos.scenarios import SCENARIOS

__all__ = ["SCENARIOS"]
