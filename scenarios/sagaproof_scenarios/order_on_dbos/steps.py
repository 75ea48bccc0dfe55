"""The steps of the right saga: each call one of DBOS' steps, with as many attempts as it is worth."""

from __future__ import annotations

import time
from typing import Any, Final, NamedTuple

from dbos import DBOS, error

from sagaproof_scenarios.order_on_dbos.attempt import Refused, Unsettled, attempt, may_help

__all__ = ["FAILED", "Step", "do", "now", "read", "tell_desk", "undo", "withdraw"]

FAILED: Final = (Refused, Unsettled, error.DBOSMaxStepRetriesExceeded)
"""What a step raises that has failed. Anything else, an error of DBOS say, is no reason to unwind."""


class Step(NamedTuple):
    """A write, and all that is needed to take it back: `operation` is what its service calls it."""

    system: str
    operation: str
    method: str
    path: str
    body: dict[str, Any]
    key: str
    since: float

    @property
    def undo_url(self) -> str:
        """Where a call is taken back by its key, or shut out if it has not arrived."""
        return f"https://{self.system}.test/operations/{self.operation}/{self.key}/undo"


@DBOS.step()
def now() -> float:
    """The clock, read once: a workflow that is run again must see what it saw before."""
    return time.time()


@DBOS.step(retries_allowed=True, max_attempts=4, should_retry=may_help)
def read(system: str, path: str) -> dict[str, Any]:
    """Read."""
    return attempt("GET", f"https://{system}.test{path}")


@DBOS.step(retries_allowed=True, max_attempts=4, should_retry=may_help)
def do(step: Step) -> dict[str, Any]:
    """Make the call of a step."""
    return attempt(step.method, f"https://{step.system}.test{step.path}", step.body, step.key, step.since)


@DBOS.step(retries_allowed=True, max_attempts=6, should_retry=may_help)
def undo(step: Step) -> None:
    """Take a step back, or see to it that it never comes. Once more is as good as once."""
    try:
        attempt("POST", step.undo_url, since=step.since)
    except Refused as refused:
        if not refused.code.startswith("already_"):
            raise


@DBOS.step(retries_allowed=True, max_attempts=4, should_retry=may_help)
def withdraw(step: Step) -> bool:
    """Shut an irreversible call out that has not arrived; False if it has, and stands for good."""
    try:
        attempt("POST", step.undo_url, since=step.since)
    except Refused as refused:
        if refused.code != "irreversible":
            raise
        return False
    return True


@DBOS.step(retries_allowed=True, max_attempts=8, should_retry=may_help)
def tell_desk(title: str, package: dict[str, Any], key: str) -> str:
    """Open a case; the same key is the same case."""
    return str(attempt("POST", "https://desk.test/cases", {"title": title, "package": package}, key)["id"])
