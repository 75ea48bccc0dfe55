"""What the commands of `sagaproof saga` do with a journal."""

from __future__ import annotations

import asyncio
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from sagaproof.errors import SagaproofError, UsageError
from sagaproof.saga import (
    AsyncRuntime,
    Case,
    Decision,
    DecisionRefused,
    Ending,
    JournalError,
    Retry,
    Runtime,
    SagaError,
    SqliteJournal,
    Status,
)
from sagaproof.saga.journal_reader import JournalReader
from sagaproof.saga.survey import Standing, standing_of, standings

__all__ = ["MISTAKES", "REFUSED", "listed", "resolved", "retried", "retrying", "settling", "shown"]

REFUSED: Final = DecisionRefused
MISTAKES: Final = (SagaproofError, JournalError, SagaError)


class _NoDesk:
    """A new case is left for the runtime, which has a desk: `send_cases()` or `recover()` send it."""

    def open(self, case: Case, key: str) -> None:
        """Refuse it, so that it is not taken for sent."""
        raise ConnectionRefusedError(f"no desk here for {key} of {case.saga}: it is sent by the runtime")


def listed(path: Path) -> list[Standing]:
    """The sagas that are not settled."""
    with JournalReader(path) as journal:
        return list(standings(journal, time.time()))


def shown(path: Path, saga: str) -> Standing:
    """One saga. Raises `UsageError` if there is none."""
    with JournalReader(path) as journal:
        found = standing_of(journal, saga, time.time(), journal.reasons())
    if found is None:
        raise UsageError(f"there is no saga {saga!r} in {path}", advice=f"See sagaproof saga list {path}.")
    return found


def settling(choice: str, reason: str, steps: list[str], call_id: str | None = None) -> Decision:
    """The decision that needs no tools. Raises `UsageError` or `SagaMisuse` if it says nothing."""
    if choice == "accept":
        return Decision.accept(reason)
    if choice == "handled":
        return Decision.handled(reason, steps=dict(map(_step, steps)))
    if choice == "approve":
        return Decision.approve(call_id, why=reason)
    if choice == "reject":
        return Decision.reject(reason, call_id=call_id)
    raise UsageError(f"--as {choice} is unknown", advice="Say accept, handled, approve or reject.")


def resolved(path: Path, saga: str, decision: Decision, by: str, name: str | None) -> tuple[str, bool]:
    """Decide without tools; how the saga stands afterwards, and whether it is settled."""
    shown(path, saga)
    with SqliteJournal(path) as journal:
        runtime = Runtime([], journal=journal, desk=_NoDesk(), desk_retry=Retry(1, wait_s=0))
        ending = runtime.decide(saga, decision, by=by, id=name).ending
    if decision.is_answer and ending is None:
        return f"{saga}: it is written down ({decision.choice}): whoever repeats the call finds it", True
    return _told(saga, ending)


def retrying(reason: str, *, forward: bool, anyway: bool) -> Decision:
    """The decision that needs the tools."""
    return Decision.go_on(reason) if forward else Decision.retry(reason, anyway=anyway)


def retried(
    path: Path, saga: str, decision: Decision, by: str, name: str | None, *, factory: str
) -> tuple[str, bool]:
    """Decide with the tools of the user's runtime, or take up a saga that is parked."""
    is_parked = shown(path, saga).state == "parked"
    with SqliteJournal(path) as journal:
        runtime = _made(factory, journal)
        if isinstance(runtime, AsyncRuntime):
            return _told(saga, asyncio.run(_ended(runtime, saga, None if is_parked else decision, by, name)))
        done = runtime.retry(saga) if is_parked else runtime.decide(saga, decision, by=by, id=name)
        return _told(saga, done.ending)


async def _ended(
    runtime: AsyncRuntime, saga: str, decision: Decision | None, by: str, name: str | None
) -> Ending | None:
    if decision is None:
        return (await runtime.retry(saga)).ending
    return (await runtime.decide(saga, decision, by=by, id=name)).ending


def _told(saga: str, ending: Ending | None) -> tuple[str, bool]:
    if ending is None:
        return f"{saga}: it was taken up and is running: go on with it, finish or give it up", True
    if ending.settled and ending.status is Status.ESCALATED:
        return f"{saga}: {ending.status}, {ending.settled}", True
    if ending.status is not Status.ESCALATED:
        return f"{saga}: {ending.status}", True
    case = "" if ending.case is None else f"\n\n{ending.case.text()}"
    return f"{saga}: {ending.status}, a case is open{case}", False


def _step(text: str) -> tuple[str, str]:
    call_id, equals, done = text.partition("=")
    if not equals:
        raise UsageError(f"--step {text!r} says nothing", advice="Write --step CALL=TEXT.")
    return call_id, done


def _made(factory: str, journal: SqliteJournal) -> Runtime | AsyncRuntime:
    """The user's runtime over this journal. Raises `UsageError` if it cannot be had."""
    module, colon, name = factory.partition(":")
    if not colon:
        raise UsageError(f"--runtime {factory} names no factory", advice="Write --runtime MODULE:FACTORY.")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        made: Any = getattr(import_module(module), name)(journal)
    except (ImportError, AttributeError, TypeError) as error:
        raise UsageError(
            f"--runtime {factory} cannot be used: {error}",
            advice="It is a function of the journal that returns a Runtime or an AsyncRuntime.",
        ) from error
    if not isinstance(made, Runtime | AsyncRuntime):
        raise UsageError(f"--runtime {factory} gave {made!r}", advice="Return a Runtime or an AsyncRuntime.")
    return made
