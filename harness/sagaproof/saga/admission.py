"""Before a call is sent: is it fit, is it new, is it allowed, and then its intent is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sagaproof.saga import approval, pivot
from sagaproof.saga.core import Core, copied, described
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.flight import Flight, refused
from sagaproof.saga.key import UNDO, key_of
from sagaproof.saga.record import NotJson
from sagaproof.saga.repeat import repeated, taken_up
from sagaproof.saga.result import Result
from sagaproof.saga.schema import BadArguments
from sagaproof.saga.tool import Tool
from sagaproof.saga.trial import Trial

__all__ = ["Call", "admit", "intend", "read_before"]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the agent asks for. Without a `call_id` the calls of the saga are counted."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    call_id: str | None = None


async def admit(core: Core, call: Call, *, alone: bool) -> Flight | Result:
    """A flight whose intent is in the journal, or what to tell the agent instead.

    `alone`: no other write was asked for in the same turn.
    """
    call_id = core.count() if call.call_id is None else call.call_id
    tool = core.setup.tools.get(call.tool)
    if tool is None:
        known = ", ".join(sorted(core.setup.tools))
        return refused(f"there is no tool {call.tool!r}. There are: {known}")
    try:
        kwargs, args = tool.schema.check(call.args)
    except BadArguments as error:
        return refused(f"{tool.name} was not called: {error}")
    before = repeated(core, call_id, tool, args, kwargs)
    if before is not None:
        return before
    if tool.cls is EffectClass.READ:
        return _over(core) or Flight(tool, kwargs)
    reason = _over(core) or taken_up(core, call_id, tool, args, kwargs) or _refusal(core, tool, args, call_id)
    permit = call_id
    if reason is None and tool.cls is EffectClass.IRREVERSIBLE:
        allowed = await _permit(core, tool, args, call_id, alone=alone)
        permit, reason = (call_id, allowed) if isinstance(allowed, Result) else (allowed, None)
    return reason or await _begin(core, Flight(tool, kwargs), args, permit)


async def _permit(core: Core, tool: Tool, args: dict[str, Any], call_id: str, *, alone: bool) -> str | Result:
    """The id under which an irreversible call may be made now; or its refusal."""
    objection = await pivot.refusal(core, tool, args, alone=alone)
    if objection is not None:
        return _noted(core, tool, args, call_id, objection)
    return await approval.permit(core, tool, args, call_id)


def _over(core: Core) -> Result | None:
    if not core.is_over:
        return None
    how = f"has ended ({core.state.status})" if core.state.status else "is ending"
    return refused(f"the saga {core.state.id!r} {how}: it takes no more calls")


def _refusal(core: Core, tool: Tool, args: dict[str, Any], call_id: str) -> Result | None:
    if over := _over(core):
        return over
    if call_id.endswith(UNDO):
        return refused(f"{tool.name} was not called: {call_id!r} ends in {UNDO}, as the key of an undo does")
    passed = core.state.pivot
    if passed is None or tool.forward_only or not tool.cls.is_undone:
        return None
    text = (
        f"{tool.name} could not be undone any more: {passed.tool} ({passed.call_id}) is irreversible and "
        "has happened, or may have"
    )
    return _noted(core, tool, args, call_id, text)


def _noted(core: Core, tool: Tool, args: dict[str, Any], call_id: str, reason: str) -> Result:
    passed = core.state.pivot
    body: dict[str, Any] = {"call_id": call_id, "tool": tool.name, "args": args, "text": reason}
    body["pivot"] = None if passed is None else passed.call_id
    if all(note.body != body for note in core.state.notes):  # a resumed agent asks again
        core.write("note", body)
    return refused(reason)


async def _begin(core: Core, flight: Flight, args: dict[str, Any], call_id: str) -> Flight | Result:
    """Read what the undo will need, then write the intent: from here on a crash leaves a trace."""
    tool = flight.tool
    before, unread = await read_before(core, tool, args)
    if unread is not None:
        return unread
    with core.lock:
        # Another thread may have written since the rules were looked at.
        again = repeated(core, call_id, tool, args, flight.kwargs) or _refusal(core, tool, args, call_id)
        if again is None and tool.cls is EffectClass.IRREVERSIBLE and (reason := pivot.unsettled(core)):
            again = _noted(core, tool, args, call_id, reason)
        return again or intend(core, flight, args, call_id, before=before, more=approval.used(core, call_id))


async def read_before(core: Core, tool: Tool, args: dict[str, Any]) -> tuple[Any, Result | None]:
    """What the undo of a call will need; or the refusal of the call, since that cannot be read."""
    if tool.before is None:
        return None, None
    attempt = partial(core.setup.port.call, tool.before, copied(args))
    read = await Trial(attempt, tool.retry, core.judge(tool), core.setup.clock).run(core.setup.port)
    if read.error is not None:
        return None, refused(
            f"{tool.name} was not called: what it will change cannot be read: {described(read.error)}"
        )
    try:
        return copied(read.answer), None
    except Exception as error:  # noqa: BLE001 - a caller's object
        return None, refused(
            f"{tool.name} was not called: what its before gave is not JSON: {described(error)}"
        )


def intend(
    core: Core, flight: Flight, args: dict[str, Any], call_id: str, *, before: Any, more: dict[str, Any]
) -> Flight | Result:
    """Write the intent of a call, with what `more` there is to say, and take it for in flight."""
    tool = flight.tool
    key = key_of(core.state.id, call_id)
    body = {
        "call_id": call_id,
        "tool": tool.name,
        "cls": int(tool.cls),
        "args": args,
        "key": key,
        "before": before,
        "undo": {"name": tool.named("undo"), "key": f"{key}{UNDO}"},
        "at": core.setup.clock(),
        **more,
    }
    if core.unheard:
        body["unheard"] = sorted(core.unheard)
    try:
        core.write("intent", body)
    except NotJson as error:
        return refused(f"{tool.name} was not called: {error}")
    core.flying.add(call_id)
    flight.step = core.state.steps[call_id]
    return flight
