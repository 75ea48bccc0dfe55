"""One attempt at a call: an answer, or an exception that says whether another attempt makes sense."""

from __future__ import annotations

import time
from typing import Any, Final

import httpx

__all__ = ["KEY_LIFETIME_S", "Refused", "Unsettled", "attempt", "may_help"]

KEY_LIFETIME_S: Final = 24 * 3600.0
"""How long the services remember a key: after that, nothing can be done or found out by it."""

_PATIENCE_S: Final = 60.0
"""How long a rate limit is waited for."""


# What a step raises is kept in the database: each of these is rebuilt from its text.
class Unsettled(Exception):
    """It may have been done or not; another attempt may help."""


class Refused(Exception):
    """The service said no to this attempt, or it was not made: another one will not help."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text, code)
        self.code = code


def may_help(error: BaseException) -> bool:
    """Whether DBOS is to try a step again."""
    return not isinstance(error, Refused)


def attempt(
    method: str,
    url: str,
    body: dict[str, Any] | None = None,
    key: str = "",
    since: float | None = None,
) -> dict[str, Any]:
    """Send it once. `since` is when, by the clock of this machine, its key may have been used first."""
    if since is not None and time.time() - since >= KEY_LIFETIME_S:
        raise Refused("its key may be forgotten")
    headers = {"Idempotency-Key": key} if key else {}
    try:
        with httpx.Client(timeout=5.0) as http:
            response = http.request(method, url, json=body, headers=headers)
        answer = response.json()
    except (httpx.HTTPError, ValueError) as error:
        raise Unsettled(f"{type(error).__name__}: {error}") from error
    if response.is_success and isinstance(answer, dict) and "error" not in answer:
        if response.status_code == httpx.codes.ACCEPTED:
            raise Unsettled("202: accepted, and perhaps done later")
        return answer
    raise _failure(response, answer)


def _failure(response: httpx.Response, answer: Any) -> Exception:
    error = answer.get("error") if isinstance(answer, dict) else answer
    code = str(error.get("code")) if isinstance(error, dict) else ""
    text = f"{response.status_code} {error}"
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        wait_s = float(response.headers.get("Retry-After", 0))
        if wait_s > _PATIENCE_S:
            return Refused(text)
        time.sleep(wait_s)
        return Unsettled(text)
    refused = response.is_client_error and code != "key_in_use"
    return Refused(text, code) if refused else Unsettled(text)
