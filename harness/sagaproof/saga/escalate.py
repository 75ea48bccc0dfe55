"""Over to a person: the case is written down, then sent until the desk has it. And the end of a saga."""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

from sagaproof.saga.case import Case
from sagaproof.saga.classify import Verdict, classify
from sagaproof.saga.core import Core, described
from sagaproof.saga.errors import NotApplied
from sagaproof.saga.key import key_of
from sagaproof.saga.picture import case_of
from sagaproof.saga.trial import Trial

__all__ = ["close", "escalate", "judge_desk", "send_case"]

_LOG: Final = logging.getLogger("sagaproof.saga")


async def escalate(core: Core, cause: str | None = None) -> None:
    """End as escalated. The case is in the journal before anybody is told, and is sent again if need be.

    What a person decided and could not be carried out makes a new case.
    """
    if core.state.case is None or core.state.decision is not None:
        cause = cause or core.state.cause
        core.write("case", {"package": case_of(core, cause).to_json(), "cause": cause})
    if core.state.status is None:
        core.write("ended", {"status": "escalated"})
    await send_case(core)


async def send_case(core: Core) -> bool:
    """Give the desk the case, under one key however often; False if the desk cannot be reached for now."""
    state = core.state
    assert state.case is not None
    if not state.case_sent and not state.settled:
        setup = core.setup
        number, case = state.case_number, Case.from_json(state.case)
        attempt = partial(core.send, setup.desk.open, case, key_of(state.id, _key(number)))
        trial = await Trial(attempt, setup.desk_retry, core.unless_stopped(judge_desk), setup.clock).run(
            setup.port
        )
        if trial.error is not None:
            _LOG.error("the case of saga %r could not be sent: %s", state.id, described(trial.error))
            return False
        with core.lock:
            if number == state.case_number:
                core.write("case-sent", {"ref": None if trial.answer is None else str(trial.answer)})
    with core.lock:
        # A person may have answered while the case was sent.
        if not state.is_closed and state.decision is None:
            core.write("closed", {})
    return True


def _key(number: int) -> str:
    return "case" if number == 1 else f"case-{number}"


def judge_desk(error: Exception) -> Verdict:
    """Judge an error of the desk: unless it refuses the case itself, it may take it the next time."""
    return Verdict.TRANSIENT if isinstance(error, NotApplied) else classify(error)


def close(core: Core, status: str, settled: str = "") -> None:
    """End without a case, or with the one that a person has settled: `settled` says how."""
    ended = {"status": status}
    core.write("ended", ended if core.state.decision is None else {**ended, "settled": settled or status})
    core.write("closed", {})
