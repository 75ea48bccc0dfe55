"""Going on forward: the calls that are still to be done are made now, since a person said so."""

from __future__ import annotations

from typing import Any

from sagaproof.saga.admission import intend, read_before
from sagaproof.saga.call import carry_out
from sagaproof.saga.core import Core
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.escalate import close, escalate
from sagaproof.saga.flight import Flight
from sagaproof.saga.picture import missed, owed, problems
from sagaproof.saga.pivot import left_open, made_good
from sagaproof.saga.result import Outcome
from sagaproof.saga.schema import BadArguments
from sagaproof.saga.state import StepState

__all__ = ["go_on"]


async def go_on(core: Core) -> None:
    """Make each call that is owed, once, and end; what fails again goes to a person again.

    What is unknown goes first, under its own key. What is known not to be there is made anew under a key of
    its own: the first one may be fenced off, or remembered with its refusal. May crash anywhere.
    """
    state = core.state
    assert state.decision is not None
    number = state.decision.number
    made: list[tuple[str, dict[str, Any]]] = []
    for step in sorted(owed(state), key=lambda one: not one.is_unsettled):
        if (step.tool, step.args) not in made:
            await _make(core, step, number)
        made.append((step.tool, step.args))
    for note in missed(state):
        body = note.body
        if (body["tool"], body["args"]) not in made:
            await _make_anew(core, body["tool"], body["args"], body["call_id"], number)
        made.append((body["tool"], body["args"]))
    if found := problems(state):
        return await escalate(core, "; ".join(found))
    if state.handled:
        return close(core, "escalated", "done, in part by hand")
    return close(core, "completed")


async def _make(core: Core, step: StepState, number: int) -> None:
    tool = core.tool(step)
    if tool is None or (step.partial and step.cls > EffectClass.CONVERGENT):
        return
    if step.is_unsettled:
        try:
            kwargs, _ = tool.schema.check(step.args)
        except BadArguments:
            return
        core.flying.add(step.call_id)
        await carry_out(core, Flight(tool, kwargs, step, is_resumed=True))
    if step.outcome is Outcome.FAILED and step.decision != number and not made_good(core.state, step):
        await _make_anew(core, step.tool, step.args, step.call_id, number)


async def _make_anew(core: Core, name: str, args: dict[str, Any], call_id: str, number: int) -> None:
    tool, new_id = core.setup.tools.get(name), f"{call_id}/again-{number}"
    if (
        tool is None
        or new_id in core.state.steps
        or (tool.cls is EffectClass.IRREVERSIBLE and left_open(core.state))
    ):
        return
    try:
        kwargs, _ = tool.schema.check(args)
    except BadArguments:
        return
    before, unread = await read_before(core, tool, args)
    if unread is not None:
        return
    more = {"again": call_id, "decision": number}
    flight = intend(core, Flight(tool, kwargs), args, new_id, before=before, more=more)
    if isinstance(flight, Flight):
        await carry_out(core, flight)
