"""The second half of a fault: what the caller gets to see of a call."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Final

from sagaproof._model.fault import Fault, Learnt
from sagaproof._model.operation import Operation
from sagaproof._taps.reply import Admission, Reply, answer
from sagaproof._world.delivery import Handled
from sagaproof._world.system import System
from sagaproof._world.world import World

__all__ = ["ANSWERED", "error_of", "misanswer"]

_STATUS_OF: Final = {
    Learnt.TORN: 200,
    Learnt.GARBAGE: 200,
    Learnt.EMPTY: 200,
    Learnt.SOFT: 200,
    Learnt.ACCEPTED: 202,
}
_TAKEN_FOR_TRUE: Final = frozenset({Learnt.ANSWER, Learnt.STALE, Learnt.OTHER_REF, Learnt.OTHER_AMOUNT})
_CHANGED: Final = _TAKEN_FOR_TRUE | {Learnt.BARE, Learnt.RENAMED, Learnt.NULLS}

ANSWERED: Final = _CHANGED | {Learnt.SOFT, Learnt.ACCEPTED}
"""The kinds of answer that have a body which the caller can read."""


def misanswer(fault: Fault, admission: Admission, handled: Handled | None, world: World) -> Reply:
    """What the caller of a call sees under a fault; `handled` is what its service did, if it did anything."""
    learnt = fault.learnt
    if learnt in _CHANGED:
        assert handled is not None
        if not handled.ok or learnt is Learnt.ANSWER or learnt is Learnt.STALE:
            return answer(admission, handled)
        body = _body(learnt, handled.body, admission, world)
        told = answer(admission, handled)._replace(learnt=learnt, ok=learnt in _TAKEN_FOR_TRUE, body=body)
        return told if told.body != handled.body else answer(admission, handled)
    status = fault.status if learnt in {Learnt.STATUS, Learnt.ACCEPTED} else _STATUS_OF.get(learnt)
    body = handled.body if learnt is Learnt.TORN and handled is not None else error_of(fault)
    logical = admission.logical
    return Reply(
        logical.index, admission.point, logical.phase, learnt, ok=False, status=status, body=body,
        retry_after=_retry_after(fault, world),
    )  # fmt: skip


def error_of(fault: Fault) -> dict[str, object] | None:
    """What stands in the body of an answer where the service itself has said nothing."""
    if fault.learnt is Learnt.ACCEPTED:
        return {"status": "accepted"}
    if fault.learnt is Learnt.EMPTY or fault.learnt is Learnt.CANCELLED:
        return None
    code = fault.code or f"injected_{fault.name}".replace("-", "_")
    return {"error": {"code": code, "message": fault.meaning}}


def _retry_after(fault: Fault, world: World) -> str | None:
    """The header of a rate limit; a date is two seconds ahead of the world's clock (RFC 9110, 10.2.3)."""
    if fault.retry_after != "date":
        return fault.retry_after
    return format_datetime(datetime.fromtimestamp(world.clock.now() + 2.0, UTC), usegmt=True)


def _body(learnt: Learnt, body: Any, admission: Admission, world: World) -> Any:
    """The body of an answer as the fault has it; the same one if there is nothing in it to get wrong."""
    if not isinstance(body, Mapping):
        return body
    operation = world.operations[admission.point.operation]
    match learnt:
        case Learnt.BARE:
            return {name: value for name, value in body.items() if name != (operation.ref or "id")}
        case Learnt.NULLS:
            return dict.fromkeys(body)
        case Learnt.RENAMED:
            return {f"{name}_v2": value for name, value in body.items()}
        case Learnt.OTHER_REF:
            return _other_ref(body, operation, admission.system)
        case _:
            return _other_amount(body, operation)


def _other_ref(body: Mapping[str, Any], operation: Operation, system: System) -> Mapping[str, Any]:
    """The reference of another row of the table that holds the right one, where there is one."""
    name = operation.ref or "id"
    right = body.get(name)
    for table in system.tables:
        if right in table:
            wrong = next((key for key in table if key != right), None)
            return body if wrong is None else {**body, name: wrong}
    return body


def _other_amount(body: Mapping[str, Any], operation: Operation) -> Mapping[str, Any]:
    name = operation.amount or next((n for n, v in body.items() if v.__class__ is int and n != "version"), "")
    value = body.get(name)
    return {**body, name: value * 10} if isinstance(value, int) and value else body
