"""The CRM: contacts, orders and tickets at `crm.test`, in a small JSON API of its own.

| operation | route | class | taken back by |
|---|---|---|---|
| create_contact | POST /contacts | 3 | delete_contact |
| delete_contact | DELETE /contacts/{contact_id} | 3 | |
| get_contact | GET /contacts/{contact_id} | 1 | |
| list_contacts | GET /contacts | 1 | |
| get_order | GET /orders/{order_id} | 1 | |
| list_orders | GET /orders | 1 | |
| set_order_status | PUT /orders/{order_id}/status | 3 | the status it had |
| fulfil_order | POST /orders/{order_id}/fulfilment | 5 | nothing |
| get_ticket | GET /tickets/{ticket_id} | 1 | |
| list_tickets | GET /tickets | 1 | |
| set_ticket_priority | PUT /tickets/{ticket_id}/priority | 2 | |
| set_ticket_status | PUT /tickets/{ticket_id}/status | 3 | the status it had |
| assign_ticket | PUT /tickets/{ticket_id}/assignee | 3 | the assignee it had |
| add_note | POST /tickets/{ticket_id}/notes | 3 | delete_note |
| delete_note | DELETE /notes/{note_id} | 3 | |
| add_notes | POST /note-batches | 3 | delete_notes |
| delete_notes | DELETE /note-batches/{batch} | 3 | |
| list_notes | GET /tickets/{ticket_id}/notes | 1 | |
| add_public_reply | POST /tickets/{ticket_id}/replies | 5 | nothing |
| list_replies | GET /tickets/{ticket_id}/replies | 1 | |

Every write honours an idempotency key. An answer is the row as it now is; that of a write which sets one
field also says what the field was, under `previous`. Contacts, orders and tickets carry a `version` that
rises with each change: a write with If-Match for another version is refused (412 `version_mismatch`), and
without If-Match the last one wins. Amounts are in minor units of `currency`.

What goes wrong here as it does elsewhere: an address that is taken (409 `contact_exists`), a contact that
has orders by the time its creation is taken back (409 `contact_in_use`), a ticket that was closed meanwhile
(409 `ticket_closed`), an order that was fulfilled meanwhile (409 `illegal_transition`).
"""

from __future__ import annotations

from sagaproof_fakes.crm.system import Crm

__all__ = ["Crm"]
