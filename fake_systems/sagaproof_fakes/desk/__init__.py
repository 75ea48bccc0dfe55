"""The desk at `desk.test`: where a saga tells a person, and where that person answers.

| operation | route | class | taken back by |
|---|---|---|---|
| open_case | POST /cases | 2 | |
| acknowledge | POST /cases/{case_id}/acknowledge | 2 | |
| resolve | POST /cases/{case_id}/resolve | 2 | |
| get_case | GET /cases/{case_id} | 1 | |
| list_cases | GET /cases | 1 | |

`open_case` escalates: it is what *told* means. It converges, so that a saga which did not learn the answer
may simply try again, with a key or without. `resolve` holds to its first decision: a person who answers
twice and differently is refused the second time (409 `already_resolved`).
"""

from __future__ import annotations

from sagaproof_fakes.desk.system import Desk

__all__ = ["Desk"]
