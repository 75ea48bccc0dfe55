"""One HTTP call as the saga made by hand needs it: done, refused for good, or unknown; never a guess."""

from __future__ import annotations

import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple

import httpx

__all__ = ["Call", "Result", "send"]

PATIENCE_S: Final = 60.0
"""How long a rate limit is waited for; beyond that the call counts as one that failed."""


KEY_LIFETIME_S: Final = 24 * 3600.0
"""How long the services remember a key: after that, nothing can be done or found out by it."""


@dataclass(frozen=True)
class Call:
    """What to send. `key` makes every attempt of it one and the same for the service."""

    method: str
    url: str
    body: dict[str, Any] | None = None
    key: str | None = None


@dataclass(frozen=True)
class Result:
    """`outcome` is done, unknown, or refused: the service said no, and no attempt can have got through."""

    outcome: str
    status: int | None
    body: dict[str, Any]
    error: str = ""


class Attempt(NamedTuple):
    """What came of one attempt; `problem` is None if it succeeded, `wait_s` what a rate limit asks for."""

    status: int | None
    body: dict[str, Any]
    problem: str | None
    wait_s: float = 0.0


def send(http: httpx.Client, call: Call, attempts: int = 4, *, since: float | None = None) -> Result:
    """Send with retries while the outcome is unknown, no sooner than a rate limit says.

    A refusal counts as one only if no attempt before it may have been applied. `since` is when, by
    `time.monotonic`, the key that this is about was first used.
    """
    error, wait_s = "", 0.0
    since = time.monotonic() if since is None else since
    for attempt in range(attempts):
        if wait_s > PATIENCE_S:
            break
        if attempt:
            time.sleep(max(wait_s, 0.5 * 2.0**attempt))
        if time.monotonic() - since >= KEY_LIFETIME_S:
            error = error or "its key may be forgotten"
            break
        status, body, problem, wait_s = _once(http, call)
        if problem is None:
            return Result("done", status, body)
        if status is not None and status < 500 and status != httpx.codes.TOO_MANY_REQUESTS:
            return Result("refused" if not error else "unknown", status, body, problem)
        if status != httpx.codes.TOO_MANY_REQUESTS:
            error = error or problem
    return Result("unknown", None, {}, error) if error else Result("refused", 429, {}, "rate limited")


def _once(http: httpx.Client, call: Call) -> Attempt:
    headers = {} if call.key is None else {"Idempotency-Key": call.key}
    try:
        response = http.request(call.method, call.url, json=call.body, headers=headers)
        body = response.json()
    except (httpx.HTTPError, ValueError) as error:
        return Attempt(None, {}, f"{type(error).__name__}: {error}")
    if not isinstance(body, dict):
        return Attempt(None, {}, f"an answer that is no object: {body!r}")
    if response.status_code == httpx.codes.ACCEPTED:
        return Attempt(None, {}, "202: accepted, and perhaps done later")
    if response.is_success and "error" not in body:
        return Attempt(response.status_code, body, None)
    in_flight = "key_in_use" in str(body.get("error"))
    status = response.status_code if response.is_error and not in_flight else None
    problem = f"{response.status_code} {body.get('error')}"
    return Attempt(status, body, problem, _wait_s(response.headers.get("Retry-After", "0")))


def _wait_s(retry_after: str) -> float:
    """Retry-After has seconds or a date (RFC 9110, 10.2.3)."""
    if retry_after.isdigit():
        return float(retry_after)
    return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
