"""Billing: customers, invoices, payments and credits at `billing.test`, in a small JSON API of its own.

| operation | route | class | taken back by |
|---|---|---|---|
| create_customer | POST /customers | 3 | delete_customer |
| delete_customer | DELETE /customers/{customer_id} | 3 | |
| set_customer_email | PUT /customers/{customer_id}/email | 3 | the address it had |
| get_customer | GET /customers/{customer_id} | 1 | |
| list_customers | GET /customers | 1 | |
| create_invoice | POST /invoices | 3 | delete_invoice |
| delete_invoice | DELETE /invoices/{invoice_id} | 3 | |
| finalize_invoice | POST /invoices/{invoice_id}/finalize | 3 | void_invoice |
| void_invoice | POST /invoices/{invoice_id}/void | 3 | |
| mark_uncollectible | POST /invoices/{invoice_id}/uncollectible | 3 | reopen_invoice |
| reopen_invoice | POST /invoices/{invoice_id}/reopen | 3 | |
| pay_invoice | POST /invoices/{invoice_id}/pay | 4 | refund_payment |
| get_invoice | GET /invoices/{invoice_id} | 1 | |
| list_invoices | GET /invoices | 1 | |
| authorize_payment | POST /authorizations | 3 | void_payment |
| void_payment | POST /payments/{payment_id}/void | 3 | |
| capture_payment | POST /payments/{payment_id}/capture | 4 | refund_payment |
| charge | POST /payments | 4 | refund_payment |
| refund_payment | POST /payments/{payment_id}/refund | 4 | |
| get_payment | GET /payments/{payment_id} | 1 | |
| list_payments | GET /payments | 1 | |
| list_refunds | GET /refunds | 1 | |
| issue_credit | POST /credits | 4 | reverse_credit |
| reverse_credit | POST /credits/{credit_id}/reverse | 4 | |
| issue_credits | POST /credit-batches | 4 | reverse_credits |
| reverse_credits | POST /credit-batches/{batch}/reverse | 4 | |
| get_credit | GET /credits/{credit_id} | 1 | |
| list_credits | GET /credits | 1 | |

Every write honours an idempotency key. Amounts are whole minor units of the customer's currency, in lower
case (`usd`). What names a customer, invoice, payment or credit that does not exist is refused with 404
(`not_found`), what its state does not allow with 409, what is no sensible amount with 422; nothing is applied
then. A 409 whose code starts with `already_` says that what was asked for is so (`already_reversed`).

What goes wrong here as it does elsewhere: a draft that was finalized cannot be a draft again, only void; a
paid invoice cannot be voided (409 `invoice_paid`), it is credited, or its payments are refunded, which opens
it again; a captured payment cannot be voided (409 `captured`), only refunded; a credit that the customer has
spent meanwhile cannot be reversed (409 `credit_spent`). A reversal is no erasure: credit and reversal line
both stay. Of an authorization that is not reusable nothing is left once its capture has been refunded.
"""

from __future__ import annotations

from sagaproof_fakes.billing.system import Billing

__all__ = ["Billing"]
