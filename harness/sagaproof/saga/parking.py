"""Sagas that are left alone: the desk is told of each once, with all of it that can be read."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import Final

from sagaproof.saga.case import Case, build_case
from sagaproof.saga.core import Core, Setup, described
from sagaproof.saga.escalate import judge_desk
from sagaproof.saga.picture import case_of
from sagaproof.saga.state import SagaState
from sagaproof.saga.trial import Trial

__all__ = ["tell", "tell_of_file"]

_LOG: Final = logging.getLogger("sagaproof.saga")


async def tell(setup: Setup, state: SagaState, reason: str, key: str) -> bool:
    """Give the desk the case of a saga that is parked; False if it cannot be reached for now."""
    case = case_of(Core(setup, state), f"parked, nothing more is done by itself: {reason}")
    first = f"see to what is wrong, then take the saga up again with retry({state.id!r}): {reason}"
    return await _send(setup, replace(case, kind="parked", todo=(first, *case.todo)), key)


async def tell_of_file(setup: Setup, error: Exception) -> bool:
    """Tell the desk that no saga at all can be recovered; the journal cannot keep that it was told."""
    case = build_case(
        saga="(all)",
        goal="recover the sagas that are open",
        cause=f"the journal cannot be read: {described(error)}",
        gave_up=False,
        steps=(),
        pivot=None,
        notes=["Which sagas are open is not known. Nothing goes on until the journal can be read."],
    )
    return await _send(setup, case, "journal/unreadable")


async def _send(setup: Setup, case: Case, key: str) -> bool:
    attempt = partial(setup.port.call, setup.desk.open, case, key)
    trial = Trial(attempt, setup.desk_retry, judge_desk, setup.clock)
    await trial.run(setup.port)
    if trial.error is not None:
        _LOG.error("the case %s could not be sent: %s", key, described(trial.error))
    return trial.error is None
