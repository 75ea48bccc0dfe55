"""Credit, ticket, reply.

A customer was charged for an order that arrived broken. An agent reads the order, issues a credit over its
total of 2,500.00, sets the ticket to solved and mails the customer. Three services, no shared transaction;
and one morning the mail service is down.

The variants are four ways in which this is usually written:

- `credit-rerun` runs the whole thing again when anything fails.
- `credit-rederive` undoes, but looks up what to undo instead of remembering it.
- `credit-mail-first` mails before the last step that can fail.
- `credit-late-push` keeps a stack of undos, and pushes each one when the answer has come.

And two in which it is right, also when the process dies:

- `credit-runtime` is the same agent on the runtime of `sagaproof.saga`, the mail last of all.
- `reply-runtime` is only the end of it, with a note on the ticket after the mail.
"""

from __future__ import annotations

from sagaproof_scenarios.credit_ticket_reply.scenarios import SCENARIOS

__all__ = ["SCENARIOS"]
