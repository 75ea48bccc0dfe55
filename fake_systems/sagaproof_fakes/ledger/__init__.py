"""The ledger: double entry, append-only, hash-chained, at `ledger.test`, in a small JSON API of its own.

| operation | route | class | taken back by |
|---|---|---|---|
| create_account | POST /accounts | 3 | close_account |
| close_account | POST /accounts/{account_id}/close | 3 | |
| get_account | GET /accounts/{account_id} | 1 | |
| list_accounts | GET /accounts | 1 | |
| post_transfer | POST /transfers | 4 | reverse_transfer |
| reverse_transfer | POST /transfers/{transfer_id}/reverse | 4 | |
| post_transfers | POST /transfer-batches | 4 | reverse_transfers |
| reverse_transfers | POST /transfer-batches/{batch}/reverse | 4 | |
| create_pending | POST /pending | 4 | void_pending |
| post_pending | POST /pending/{pending_id}/post | 4 | reverse_transfer |
| void_pending | POST /pending/{pending_id}/void | 4 | |
| get_transfer | GET /transfers/{transfer_id} | 1 | |
| list_transfers | GET /transfers | 1 | |
| list_entries | GET /entries | 1 | |
| get_trial_balance | GET /trial-balance | 1 | |

Nothing is edited or deleted, and no route would do it: each write appends an entry to the journal, sealed by
SHA-256 over the hash before it and its own content. Balances and the states of transfers follow from the
entries. A reversed transfer counts as gone, yet the journal has grown by its counter-entry.

Every write honours an idempotency key. A transfer is `debit`, `credit` and `amount` in whole minor units, or
`postings` that balance in each currency; each account has one currency. What is pending is posted or voided,
once: posting makes a transfer with an id of its own, of all or of a part, and releases the rest.

What goes wrong here as it does elsewhere: money that has moved on by the time a transfer is reversed (409
`insufficient_funds`, on an account without overdraft), an account that an audit has frozen by then (409
`account_frozen`), something pending that was resolved already (409
`already_posted`, `already_void`, `pending_settled`, `pending_void`), a second reversal (409
`already_reversed`), a reversal of a reversal (409 `is_reversal`). Unknown ids are refused with 404
(`not_found`), what is no double entry with 422. A code that starts with `already_` says that what was asked
for is so.
"""

from __future__ import annotations

from sagaproof_fakes.ledger.system import Ledger

__all__ = ["Ledger"]
