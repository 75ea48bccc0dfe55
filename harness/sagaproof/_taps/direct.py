"""The direct tap: Python callables in place of the wire.

`world.direct.billing.issue_credit(...)` reaches an operation of a system; `world.tool(fn, ...)` puts the
tap around a callable of the user's, whose successes then count as effects of the system `tools`.
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from sagaproof._model.fault import Applied, Learnt
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._taps.gate import Admission, Gate, Reply
from sagaproof._world.operation import Declared
from sagaproof._world.system import Delivery, System
from sagaproof._world.table import Table
from sagaproof.errors import UsageError

__all__ = ["Direct", "ToolError", "Tools"]


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
            delivery = Delivery(name, _apart(args), key, if_match)
            return _apart(see(gate().call(system, delivery, timeout_s)))

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


def see(reply: Reply) -> Any:
    """What a direct caller sees of a reply: the answer, or the exception that stands for it."""
    if reply.learnt is Learnt.ANSWER or reply.learnt is Learnt.SOFT:
        return reply.body
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
    if reply.learnt is Learnt.GARBAGE:
        return ToolError(
            reply.status or 0, "unreadable", f"{reply.point.operation}: the answer cannot be read"
        )
    return ConnectionResetError(f"{reply.point.operation}: connection reset")


class Tools(System):
    """The system behind `world.tool`: a row for each success of a wrapped callable that is not undone."""

    name = "tools"

    effects = Table()

    def __init__(self) -> None:
        super().__init__()
        self._declared = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        self._undos: dict[str, str | Callable[..., Any] | None] = {}
        self.outcomes: deque[_Outcome] = deque()

    def reset(self) -> None:
        """Forget effects and callables: the body of each run wraps its own."""
        super().reset()
        self._declared = {}
        self._functions.clear()
        self._undos.clear()
        self.outcomes.clear()

    def wrap(
        self,
        fn: Callable[..., Any],
        gate: Callable[[], Gate],
        *,
        name: str,
        cls: int,
        undo: str | Callable[..., Any] | None,
        ref: str | None,
        amount: str | None,
        escalates: bool,
    ) -> Callable[..., Any]:
        """The callable with the tap around it; it is an operation of this system from now on."""
        if name in self._declared:
            raise UsageError(f"two tools are called {name!r}", advice="Pass name= for one of them.")
        immediate = inspect.iscoroutinefunction(fn)
        described = Operation(
            self.name, name, EffectClass(cls), ref, amount, escalates=escalates, keyed=False,
            traits=frozenset({"immediate"} if immediate else ()),
        )  # fmt: skip
        self._undos[name] = undo
        self._declare(described, fn)
        self._link_undoes()
        signature = inspect.signature(fn)
        if immediate:
            return functools.wraps(fn)(_async_tap(self, name, fn, signature, gate))
        return functools.wraps(fn)(_sync_tap(self, name, signature, gate))

    def _declare(self, described: Operation, fn: Callable[..., Any]) -> None:
        run = functools.partial(_run_tool, described, fn, inspect.signature(fn))
        self._functions[described.name] = fn
        self._declared[described.name] = Declared(
            described, run, "", 200, {}, frozenset(), takes_if_match=False
        )

    def _link_undoes(self) -> None:
        """Tell each undo what it takes back, in whatever order the two were wrapped."""
        for forward, undo in self._undos.items():
            known = self._declared.get(self._name_of(undo))
            if known is None or forward in known.operation.undoes:
                continue
            ref = known.operation.ref or self._declared[forward].operation.ref
            linked = replace(known.operation, ref=ref, undoes=(*known.operation.undoes, forward))
            self._declare(linked, self._functions[linked.name])

    def _name_of(self, undo: str | Callable[..., Any] | None) -> str:
        """What an undo is called as a tool: it may be named, or be the tap or the callable within."""
        if undo is None or isinstance(undo, str):
            return undo or ""
        same = (undo, getattr(undo, "__wrapped__", undo))
        named = (name for name, fn in self._functions.items() if fn in same)
        return next(named, str(getattr(undo, "__name__", "")))

    def _answer(self, known: Declared, delivery: Delivery) -> Any:
        return known.fn(self, delivery.args)


class _Outcome(NamedTuple):
    """What an async callable came to; it is run before its call is applied."""

    value: Any
    error: Exception | None = None

    def get(self) -> Any:
        """The value, or the error raised."""
        if self.error is not None:
            raise self.error
        return self.value


def _run_tool(
    described: Operation,
    fn: Callable[..., Any],
    signature: inspect.Signature,
    tools: Tools,
    args: Mapping[str, Any],
) -> Any:
    """Run the callable (an async one has been run already) and keep or drop its row."""
    if tools.outcomes:
        result = tools.outcomes.popleft().get()
    else:
        bound = inspect.BoundArguments(signature, OrderedDict(args))
        result = fn(*bound.args, **bound.kwargs)
    if not described.writes:
        return result
    ref = args.get(described.ref or "", result.get(described.ref) if isinstance(result, Mapping) else None)
    if described.undoes:
        for key, row in list(tools.effects.rows.items()):
            if row["tool"] in described.undoes and row["ref"] == ref:
                tools.effects.drop(key)
                return result
    tools.effects.put(tools.ids.next("effect"), {"tool": described.name, "ref": ref, "args": dict(args)})
    return result


def _bind_args(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    return dict(signature.bind(*args, **kwargs).arguments)


def _sync_tap(
    tools: Tools, name: str, signature: inspect.Signature, gate: Callable[[], Gate]
) -> Callable[..., Any]:
    def tap(*args: Any, **kwargs: Any) -> Any:
        door = gate()
        admission = door.admit(tools, Delivery(name, _bind_args(signature, args, kwargs)))
        try:
            reply = door.resolve(admission)
        except Exception as error:
            door.raised(admission, error)
            raise
        door.tell(reply)
        return see(reply)

    return tap


def _async_tap(
    tools: Tools,
    name: str,
    fn: Callable[..., Awaitable[Any]],
    signature: inspect.Signature,
    gate: Callable[[], Gate],
) -> Callable[..., Awaitable[Any]]:
    async def tap(*args: Any, **kwargs: Any) -> Any:
        door = gate()
        admission = door.admit(tools, Delivery(name, _bind_args(signature, args, kwargs)))
        outcomes = [await _outcome(fn, args, kwargs) for _ in range(_deliveries(admission))]
        tools.outcomes.extend(outcomes)  # from here on nothing else can run in between
        try:
            reply = door.resolve(admission)
        except Exception as error:
            door.raised(admission, error)
            raise
        finally:
            tools.outcomes.clear()
        door.tell(reply)
        return see(reply)

    return tap


async def _outcome(
    fn: Callable[..., Awaitable[Any]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> _Outcome:
    try:
        return _Outcome(await fn(*args, **kwargs))
    except Exception as error:  # noqa: BLE001  # it is raised where the call is applied
        return _Outcome(None, error)


def _deliveries(admission: Admission) -> int:
    applied = Applied.YES if admission.fault is None else admission.fault.applied
    return {Applied.YES: 1, Applied.TWICE: 2}.get(applied, 0)
