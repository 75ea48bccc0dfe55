"""The gate before an irreversible call: a person lets exactly this call pass, once."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any, Final

from sagaproof.saga.approval_case import question_of
from sagaproof.saga.case import Case
from sagaproof.saga.classify import Verdict, classify
from sagaproof.saga.core import Core, copied, described
from sagaproof.saga.decision_state import Question
from sagaproof.saga.errors import NotApplied
from sagaproof.saga.flight import refused
from sagaproof.saga.key import key_of
from sagaproof.saga.pivot import view_of
from sagaproof.saga.result import Outcome, Result
from sagaproof.saga.tool import Tool
from sagaproof.saga.trial import Trial

__all__ = ["permit", "send_questions", "used"]

_LOG: Final = logging.getLogger("sagaproof.saga")


async def permit(core: Core, tool: Tool, args: dict[str, Any], call_id: str) -> str | Result:
    """The id under which the call may be made; or what to tell the agent, while nobody has approved it.

    A call that is repeated under another id keeps the first one, and with it the key that was approved.
    """
    if not await _is_needed(core, tool, args):
        return call_id
    with core.lock:
        found = _asked(core, tool, args, call_id)
        if isinstance(found, Result):
            return found
        if found.is_granted(core.setup.clock()):
            if found.call_id != call_id:
                core.write("note", {"call_id": call_id, "same_as": found.call_id})
            return found.call_id
        if found.answer is not None:
            return refused(f"{tool.name} was not sent: {found.answer.line}")
    await send_questions(core)
    told = "a person was asked" if found.is_sent else "a person is asked as soon as the desk can be reached"
    text = (
        f"{tool.name} ({found.call_id}) waits for approval and was not sent: {told}. Repeat it later as it is"
    )
    return Result(Outcome.FAILED, error=text, waits=True)


def used(core: Core, call_id: str) -> dict[str, Any]:
    """What the intent of a call has to say of its approval, which is used up by it; under the lock."""
    now = core.setup.clock()
    for index, question in enumerate(core.state.questions):
        if question.call_id == call_id and question.is_granted(now):
            return {"approval": index}
    return {}


async def send_questions(core: Core) -> bool:
    """Give the desk what is not answered and not sent; False if it cannot be reached for now."""
    is_sent = True
    for index, question in enumerate(core.state.questions):
        if question.is_open and not question.is_sent and not core.is_over:
            is_sent = await _send(core, index, question) and is_sent
    return is_sent


async def _send(core: Core, index: int, question: Question) -> bool:
    setup = core.setup
    key = key_of(core.state.id, question.desk_key)
    attempt = partial(core.send, setup.desk.open, Case.from_json(question.package), key)
    trial = Trial(attempt, setup.desk_retry, core.unless_stopped(_judge), setup.clock)
    await trial.run(setup.port)
    if trial.error is not None:
        _LOG.error("the question %s could not be sent: %s", key, described(trial.error))
        return False
    with core.lock:
        if not question.is_sent:
            ref = None if trial.answer is None else str(trial.answer)
            core.write("question-sent", {"question": index, "ref": ref})
    return True


def _judge(error: Exception) -> Verdict:
    return Verdict.TRANSIENT if isinstance(error, NotApplied) else classify(error)


async def _is_needed(core: Core, tool: Tool, args: dict[str, Any]) -> bool:
    if tool.approval is not None:
        return tool.approval
    asks = core.setup.approval
    if not callable(asks):
        return asks
    try:
        return bool(await core.setup.port.call(asks, view_of(core, tool, args)))
    except Exception:  # noqa: BLE001 - a caller's function; one that fails has not said that nobody is needed
        _LOG.exception("approval= failed on %s; a person is asked", tool.name)
        return True


def _asked(core: Core, tool: Tool, args: dict[str, Any], call_id: str) -> Question | Result:
    """The question about just this call, asked now if need be."""
    _catch_up(core)
    now = core.setup.clock()
    unused = [q for q in core.state.questions if not q.is_used and not q.is_over(now)]
    for question in unused:
        if question.tool == tool.name and question.args == args:
            return question
    if other := next((q for q in unused if q.call_id == call_id), None):
        what = f"for {other.tool} with {other.args}, which was not sent"
        return refused(f"call id {call_id!r} was used before, {what}. Give every call an id of its own")
    number = 1 + sum(question.call_id == call_id for question in core.state.questions)
    package = question_of(core, tool, args, call_id)
    body = {"call_id": call_id, "tool": tool.name, "args": copied(args), "number": number, "at": now}
    core.write("question", {**body, "package": package, "lifetime_s": core.setup.approval_lifetime_s})
    return core.state.questions[-1]


def _catch_up(core: Core) -> None:
    """Take in what a person has answered through another process, if nothing else is new in the journal."""
    state = core.state
    if not any(question.is_open for question in state.questions):
        return
    news = core.setup.journal.read(state.id)[state.number :]
    if all(record.kind == "decision" for record in news):
        for record in news:
            state.apply(record)
