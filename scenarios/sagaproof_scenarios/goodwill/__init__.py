"""Goodwill in one turn.

A customer is to be made good. The agent asks for two things at once, as models do: a credit of 20.00 in the
billing system, and the same amount moved in the ledger from goodwill to receivables. When both have been
answered it writes to the customer.

Nothing says in which order the two arrive. What is taken back is taken back all the same, and the mail waits
until each of them is settled.

- `goodwill-parallel` is that story on the runtime, asynchronous.
- `goodwill-decided` does one after the other, and a ticket is settled after the mail. Where it cannot go on
  by itself a person is asked, who answers, twice and not the same; what was said first is carried out.
"""

from __future__ import annotations

from sagaproof_scenarios.goodwill.scenarios import SCENARIOS

__all__ = ["SCENARIOS"]
