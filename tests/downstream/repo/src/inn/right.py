"""The same refund: a key on each write, undone by key, and a person is told of what is left."""

import time

import httpx

from inn.settings import BILLING, CRM, DESK

DAY_S = 24 * 3600


def refund(guest: str, ticket: str, cents: int) -> str:
    steps = [
        (BILLING, "issue_credit", "/credits", {"customer": guest, "amount": cents}),
        (CRM, "add_note", f"/tickets/{ticket}/notes", {"text": "credited"}),
    ]
    begun, began = [], time.monotonic()
    with httpx.Client(timeout=5) as http:
        for service, operation, path, body in steps:
            key = f"{ticket}-{operation}"
            begun.append(f"{service}/operations/{operation}/{key}")
            if not _ask(http, service + path, body, key=key):
                return _unwind(http, begun, began, f"{operation} failed")
    return "completed"


def _unwind(http: httpx.Client, begun: list[str], began: float, cause: str) -> str:
    left = []
    for step in reversed(begun):
        known = time.monotonic() - began < DAY_S
        if not known or not _ask(http, f"{step}/undo", tries=5):
            left.append(step)
    if not left:
        return "compensated"
    package = {"cause": cause, "begun": begun, "left": left}
    case = {"title": "A refund could not be undone", "package": package}
    if not _ask(http, f"{DESK}/cases", case, key=left[0], tries=10):
        raise RuntimeError(f"nobody at the desk: {case}")
    return "escalated"


def _ask(http, url, body=None, *, key=None, tries=1) -> bool:
    """Whether the service has certainly done it."""
    headers = {"Idempotency-Key": key} if key else {}
    for attempt in range(tries):
        wait = 2**attempt
        try:
            answer = http.post(url, json=body, headers=headers)
            if answer.is_success and answer.status_code != 202 and "error" not in answer.json():
                return True
            if answer.status_code in {400, 401, 403, 404, 405, 422}:
                return False
            wait = int(answer.headers.get("Retry-After", wait))
        except (httpx.HTTPError, ValueError):
            pass
        if attempt + 1 < tries:
            time.sleep(wait)
    return False
