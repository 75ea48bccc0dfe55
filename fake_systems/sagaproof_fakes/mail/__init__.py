"""The mail service at `mail.test`: drafts, scheduled mails, mails that are out, and those that came back.

| operation | route | class | taken back by |
|---|---|---|---|
| create_draft | POST /drafts | 3 | delete_draft |
| delete_draft | DELETE /drafts/{draft_id} | 3 | |
| get_draft | GET /drafts/{draft_id} | 1 | |
| list_drafts | GET /drafts | 1 | |
| send_draft | POST /drafts/{draft_id}/send | 5 | nothing |
| schedule_send | POST /scheduled | 3 | cancel_scheduled, until it is due |
| cancel_scheduled | POST /scheduled/{scheduled_id}/cancel | 3 | |
| get_scheduled | GET /scheduled/{scheduled_id} | 1 | |
| list_scheduled | GET /scheduled | 1 | |
| send | POST /messages | 5 | nothing |
| send_many | POST /mailings | 5 | nothing |
| get_message | GET /messages/{message_id} | 1 | |
| list_messages | GET /messages | 1 | |
| list_bounces | GET /bounces | 1 | |

Every write honours an idempotency key; without one, a mail that is sent again is a second mail. A mail that
is out can only be corrected, by a mail that names it in `corrects`. A scheduled mail counts as sent from its
moment on, by the clock of the world: to cancel it then is refused (409 `already_sent`). An accepted mail may
still bounce later, which nobody is told: read `GET /bounces`.
"""

from __future__ import annotations

from sagaproof_fakes.mail.system import Mail

__all__ = ["Mail"]
