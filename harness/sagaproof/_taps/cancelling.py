"""Cancelling a saga at one of its calls: at the await of the call itself, or where it waits next."""

from __future__ import annotations

import asyncio

from sagaproof._model.fault import Applied, Learnt
from sagaproof._taps.gate import Gate
from sagaproof._taps.reply import Admission, Reply, silent

__all__ = ["settle"]

_TURNS = 4
"""Through how many turns of the loop a cancellation may pass on its way from the saga to one of its tasks."""


async def settle(gate: Gate, admission: Admission, reply: Reply) -> Reply:
    """Tell the caller its reply, after the other calls of this turn have arrived.

    Raises `CancelledError` where the saga is cancelled at this call; one that is shielded gets its answer.
    """
    if reply.learnt is Learnt.CANCELLED:
        reply = await _cancelled(gate, admission, reply)
    else:
        await asyncio.sleep(0)
    gate.tell(reply)
    if admission.fault is not None and admission.fault.cancels_next:
        gate.cancel()
    gate.pause_after(admission)
    return reply


async def _cancelled(gate: Gate, admission: Admission, reply: Reply) -> Reply:
    gate.cancel()
    try:
        for _ in range(_TURNS):
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        gate.tell(silent(reply))
        if admission.fault is not None and admission.fault.cancels_next:
            gate.cancel()
        raise
    not_run = admission.fault is not None and admission.fault.applied is Applied.NO
    if not_run and "immediate" in gate.world.operations[admission.point.operation].traits:
        raise asyncio.CancelledError  # it is its caller who would have to run it
    return gate.unharmed(admission, reply)
