"""Order confirmation.

An order is confirmed in the CRM, an invoice over its total is drafted, the customer gets a mail. The saga
is a list of (execute, compensate) pairs, as it stands in many code bases.

The variants:

- `order-pairs` logs an undo that failed and raises the first error again.
- `order-undo-once` tries undos again, but an undo that was done already counts as one that failed.
- `order-by-hand` is the same saga made right without any framework: keys, fences, a pivot, a desk.
- `order-runtime` is the same saga on the runtime of `sagaproof.saga`; it goes on after a crash as well.
"""

from __future__ import annotations

from sagaproof_scenarios.order_confirmation.scenarios import SCENARIOS

__all__ = ["SCENARIOS"]
