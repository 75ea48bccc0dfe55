"""The direct tap: `world.direct.billing.issue_credit(...)` reaches an operation without a wire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from sagaproof._model.fault import Learnt
from sagaproof._taps.gate import Gate
from sagaproof._taps.misanswer import ANSWERED
from sagaproof._taps.reply import Reply
from sagaproof._world.delivery import Delivery
from sagaproof._world.system import System

__all__ = ["Direct", "ErrorFor", "ToolError", "see"]

ErrorFor = Callable[[int], Exception]
"""Makes, for an HTTP status, the exception that the user's own client would raise."""


class ToolError(Exception):
    """What a direct call raises where HTTP would have answered with an error: status, code, message.

    `retry_after` is what a rate limit said in its header of that name, or None.
    """

    def __init__(self, status: int, code: str, message: str, retry_after: str | None = None) -> None:
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after
        super().__init__(f"{status} {code}: {message}")

    def __reduce__(self) -> tuple[object, ...]:
        return ToolError, (self.status, self.code, self.message, self.retry_after)


class Direct:
    """Direct calls to the systems of a world: `direct.<system>.<operation>(**args)`."""

    def __init__(self, systems: Mapping[str, System], gate: Callable[[], Gate]) -> None:
        self._systems = systems
        self._gate = gate

    def __getattr__(self, name: str) -> DirectSystem:
        system = self._systems.get(name)
        if system is None:
            msg = f"there is no system {name!r}; the world has {', '.join(self._systems)}"
            raise AttributeError(msg)
        found = DirectSystem(system, self._gate)
        setattr(self, name, found)
        return found


class DirectSystem:
    """Direct calls to one system; each operation is a method with keyword arguments.

    Besides the arguments of the operation: `key` (idempotency key), `if_match` (version) and `timeout_s`.
    """

    def __init__(self, system: System, gate: Callable[[], Gate]) -> None:
        self._system = system
        self._gate = gate

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._system.operations():
            known = ", ".join(self._system.operations())
            msg = f"{self._system.name} has no operation {name!r}; it has {known}"
            raise AttributeError(msg)
        found = self._undo(name) if self._system.undoes_by_key_alone(name) else self._call(name)
        found.__name__ = name
        setattr(self, name, found)
        return found

    def _call(self, name: str) -> Callable[..., Any]:
        system, gate = self._system, self._gate
        takes_key = "key" in system.operations()[name].params  # the built-in lookup asks for one by it

        def call(
            *,
            key: str | None = None,
            if_match: str | None = None,
            timeout_s: float | None = None,
            **args: Any,
        ) -> Any:
            if key is not None and takes_key:
                args, key = {**args, "key": key}, None
            for value in args.values():
                if value.__class__ not in _SCALARS:
                    args = _apart(args)
                    break
            reply = gate().call(system, Delivery(name, args, key, if_match), timeout_s)
            return _apart(reply.body if reply.learnt is Learnt.ANSWER else see(reply))

        return call

    def _undo(self, name: str) -> Callable[..., Any]:
        forward = self._system.operations()[name].undoes[0]

        def undo(*, key: str, timeout_s: float | None = None) -> Any:
            return self.undo_by_key(forward, key, timeout_s=timeout_s)

        return undo

    def undo_by_key(self, operation: str, key: str, *, timeout_s: float | None = None) -> Any:
        """Undo what came under `key`, or fence the key so that it never comes."""
        delivery = Delivery(self._system.undo_operation(operation), {}, target_key=key)
        return _apart(see(self._gate().call(self._system, delivery, timeout_s)))


def _apart(value: Any) -> Any:
    """A copy of a JSON value: caller and service share no more than they would over a wire."""
    if value.__class__ in _SCALARS:
        return value
    if isinstance(value, Mapping):
        copy = dict(value)
        for name, inner in copy.items():
            if inner.__class__ not in _SCALARS:
                copy[name] = _apart(inner)
        return copy
    if isinstance(value, list):
        return [_apart(inner) for inner in value]
    return value


_SCALARS: Final = frozenset({str, int, bool, type(None)})


def see(reply: Reply, error_for: ErrorFor | None = None) -> Any:
    """What a direct caller sees of a reply: the answer, or the exception that stands for it."""
    if reply.learnt is Learnt.ANSWER or reply.learnt in ANSWERED:
        return reply.body
    if reply.learnt is Learnt.CANCELLED:
        raise asyncio.CancelledError
    if reply.learnt is Learnt.STATUS and error_for is not None:
        error = error_for(reply.status or 0)
    else:
        error = _exception(reply)
    error.sagaproof_call = reply.call  # type: ignore[attr-defined]  # ties the exception to its call
    raise error


def _exception(reply: Reply) -> Exception:
    if reply.learnt is Learnt.STATUS:
        details = reply.body.get("error", {}) if isinstance(reply.body, Mapping) else {}
        code, message = details.get("code", "error"), details.get("message", "")
        return ToolError(reply.status or 0, code, message, reply.retry_after)
    if reply.learnt is Learnt.REFUSED:
        return ConnectionRefusedError(f"{reply.point.operation}: connection refused")
    if reply.learnt is Learnt.TIMEOUT:
        return TimeoutError(f"{reply.point.operation}: timed out")
    if reply.learnt is Learnt.RAISED:
        return OSError(f"{reply.point.operation}: cannot be written to")
    if reply.learnt in {Learnt.GARBAGE, Learnt.EMPTY}:
        return ToolError(
            reply.status or 0, "unreadable", f"{reply.point.operation}: the answer cannot be read"
        )
    return ConnectionResetError(f"{reply.point.operation}: connection reset")
