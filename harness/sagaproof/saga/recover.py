"""After a restart: each saga goes on where its journal ends."""

from __future__ import annotations

from sagaproof.saga.approval import send_questions
from sagaproof.saga.core import Core
from sagaproof.saga.decision_work import carry_on
from sagaproof.saga.ending import go_on_ending
from sagaproof.saga.escalate import send_case
from sagaproof.saga.resolve import resolve

__all__ = ["pursue"]


async def pursue(core: Core) -> None:
    """Do what the journal says is left: unwind on, send the case, or look what became of open calls.

    A running saga is only looked up: what is not there may still arrive, and whether to go on or to give up
    is for the caller to say. May be repeated, and may crash anywhere.
    """
    state = core.state
    if state.decision is not None:
        await carry_on(core)
    elif state.status is not None:
        if state.case is not None:
            await send_case(core)
        elif not state.is_closed:
            core.write("closed", {})
    elif state.case is not None or state.is_unwinding:
        await go_on_ending(core)
    else:
        for step in list(state.unsettled.values()):
            await resolve(core, step, fence=False)
        await send_questions(core)
