"""One HTTP call as the saga made by hand needs it: done, refused for good, or unknown; never a guess."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import httpx

__all__ = ["Call", "Result", "send"]


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


def send(http: httpx.Client, call: Call, attempts: int = 4) -> Result:
    """Send with retries while the outcome is unknown.

    A refusal counts as one only if no attempt before it may have been applied.
    """
    error = ""
    for attempt in range(attempts):
        if attempt:
            time.sleep(0.5 * 2.0**attempt)
        status, body, problem = _once(http, call)
        if problem is None:
            return Result("done", status, body)
        if status is not None and 400 <= status < 500 and status != httpx.codes.TOO_MANY_REQUESTS:
            return Result("refused" if not error else "unknown", status, body, problem)
        if status != httpx.codes.TOO_MANY_REQUESTS:
            error = error or problem
    return Result("unknown", None, {}, error) if error else Result("refused", 429, {}, "rate limited")


def _once(http: httpx.Client, call: Call) -> tuple[int | None, dict[str, Any], str | None]:
    """One attempt: status, body and, unless it succeeded, what went wrong."""
    headers = {} if call.key is None else {"Idempotency-Key": call.key}
    try:
        response = http.request(call.method, call.url, json=call.body, headers=headers)
        body = response.json()
    except (httpx.HTTPError, ValueError) as error:
        return None, {}, f"{type(error).__name__}: {error}"
    if not isinstance(body, dict):
        return None, {}, f"an answer that is no object: {body!r}"
    if response.is_success and "error" not in body:
        return response.status_code, body, None
    status = response.status_code if response.status_code >= 400 else None
    return status, body, f"{response.status_code} {body.get('error')}"
