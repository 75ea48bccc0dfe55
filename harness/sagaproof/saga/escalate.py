"""Over to a person: the case is written down, then sent until the desk has it. And the end of a saga."""

from __future__ import annotations

import logging
from functools import partial
from typing import Final

from sagaproof.saga.case import Case
from sagaproof.saga.classify import Verdict, classify
from sagaproof.saga.core import Core, described
from sagaproof.saga.errors import NotApplied
from sagaproof.saga.picture import case_of
from sagaproof.saga.trial import Trial

__all__ = ["close", "escalate", "send_case"]

_LOG: Final = logging.getLogger("sagaproof.saga")


async def escalate(core: Core, cause: str | None = None) -> None:
    """End as escalated. The case is in the journal before anybody is told, and is sent again if need be."""
    if core.state.case is None:
        cause = cause or core.state.cause
        core.write("case", {"package": case_of(core, cause).to_json(), "cause": cause})
    if core.state.status is None:
        core.write("ended", {"status": "escalated"})
    await send_case(core)


async def send_case(core: Core) -> bool:
    """Give the desk the case, under one key however often; False if the desk cannot be reached for now."""
    state = core.state
    assert state.case is not None
    if not state.case_sent:
        setup = core.setup
        attempt = partial(setup.port.call, setup.desk.open, Case.from_json(state.case), f"{state.id}/case")
        trial = await Trial(attempt, setup.desk_retry, _judge, setup.clock).run(setup.port)
        if trial.error is not None:
            _LOG.error("the case of saga %r could not be sent: %s", state.id, described(trial.error))
            return False
        core.write("case-sent", {"ref": None if trial.answer is None else str(trial.answer)})
    if not state.is_closed:
        core.write("closed", {})
    return True


def _judge(error: Exception) -> Verdict:
    """Judge an error of the desk: unless it refuses the case itself, it may take it the next time."""
    return Verdict.TRANSIENT if isinstance(error, NotApplied) else classify(error)


def close(core: Core, status: str) -> None:
    """End without a case."""
    core.write("ended", {"status": status})
    core.write("closed", {})
