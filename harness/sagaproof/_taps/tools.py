"""Callables of the user's as tools: a tap around each, and their successes as effects of `tools`."""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sagaproof._model.fault import Applied, Learnt
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.steady import Shown, steady
from sagaproof._taps.awaited import is_async, require_at_hand
from sagaproof._taps.cancelling import settle
from sagaproof._taps.direct import ErrorFor, see
from sagaproof._taps.gate import Gate
from sagaproof._taps.reply import Admission, Reply
from sagaproof._world.delivery import Delivery
from sagaproof._world.operation import Declared
from sagaproof._world.system import System
from sagaproof._world.table import Table
from sagaproof.errors import UsageError, suggest

__all__ = ["ToolSpec", "Tools"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """What `world.tool` is told of a callable; see there for the fields."""

    name: str
    cls: int
    undo: str | Callable[..., Any] | None = None
    ref: str | None = None
    amount: str | None = None
    escalates: bool = False
    idempotent: bool | None = None
    errors: ErrorFor | None = None
    sink: bool = False


class Tools(System):
    """The system behind `world.tool`: a row for each success of a wrapped callable that is not undone."""

    name = "tools"

    effects = Table()

    def __init__(self) -> None:
        super().__init__()
        self._declared = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        self._undos: dict[str, str | Callable[..., Any] | None] = {}
        self._wrapped_in: dict[str, int] = {}
        self.outcomes: deque[_Outcome] = deque()

    def reset(self) -> None:
        """Forget effects and callables: the body of each run wraps its own."""
        super().reset()
        self._declared = {}
        self._functions.clear()
        self._undos.clear()
        self._wrapped_in.clear()
        self.outcomes.clear()

    def wrap(self, fn: Callable[..., Any], gate: Callable[[], Gate], spec: ToolSpec) -> Callable[..., Any]:
        """The callable with the tap around it; it is an operation of this system from now on.

        A process that was started again may wrap its callables anew.
        """
        process = gate().process.restarts
        if self._wrapped_in.get(spec.name) == process:
            raise UsageError(f"two tools are called {spec.name!r}", advice="Pass name= for one of them.")
        if spec.cls not in set(EffectClass):
            raise UsageError(
                f"{spec.name!r} has cls={spec.cls!r}", advice="An effect class is 1, 2, 3, 4 or 5."
            )
        immediate = is_async(fn)
        traits = {name for name, given in _traits(spec, immediate).items() if given}
        described = Operation(
            self.name,
            spec.name,
            EffectClass(spec.cls),
            spec.ref,
            spec.amount,
            escalates=spec.escalates,
            keyed=False,
            traits=frozenset(traits),
        )
        self._undos[spec.name] = spec.undo
        self._wrapped_in[spec.name] = process
        self._declare(described, fn)
        self._link_undoes()
        tap = _Tap(self, spec, inspect.signature(fn), gate)
        return functools.wraps(fn)(tap.around_async(fn) if immediate else tap.around_sync())

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

    def require_undos(self) -> None:
        """Raise `UsageError` for a tool whose `undo=` is none of the tools: it would pass for one without."""
        for forward, undo in self._undos.items():
            if undo is not None and self._name_of(undo) not in self._declared:
                name = self._name_of(undo) or repr(undo)
                raise UsageError(
                    f"tool {forward!r} has undo={name!r}, which is no tool",
                    advice=suggest(name, self._declared) or "Wrap it with world.tool too.",
                )

    def undo_functions(self) -> list[Callable[..., Any]]:
        """The functions that were wrapped to take another one back."""
        return [self._functions[name] for name, known in self._declared.items() if known.operation.undoes]

    def _name_of(self, undo: str | Callable[..., Any] | None) -> str:
        """What an undo is called as a tool: it may be named, or be the tap or the callable within."""
        if undo is None or isinstance(undo, str):
            return undo or ""
        same = (undo, getattr(undo, "__wrapped__", undo))
        named = (name for name, fn in self._functions.items() if fn in same)
        return next(named, str(getattr(undo, "__name__", "")))

    def _answer(self, known: Declared, delivery: Delivery) -> Any:
        return known.fn(self, delivery.args)


def _traits(spec: ToolSpec, immediate: bool) -> dict[str, bool]:  # noqa: FBT001  # one caller, beside it
    """What the fault model and the rows have to know of a callable."""
    converges = spec.cls <= EffectClass.REVERSIBLE if spec.idempotent is None else spec.idempotent
    return {
        "immediate": immediate,
        "idempotent": bool(spec.idempotent),
        "repeatable-undo": converges,
        "sink": spec.sink,
    }


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
        given = OrderedDict((n, v.given if isinstance(v, Shown) else v) for n, v in args.items())
        bound = inspect.BoundArguments(signature, given)
        result = fn(*bound.args, **bound.kwargs)
    if not described.writes:
        return result
    ref = args.get(described.ref or "", _ref_in(result, described.ref))
    row = {"tool": described.name, "ref": ref, "args": dict(args)}
    for key, known in list(tools.effects.rows.items()):
        if known["tool"] in described.undoes and known["ref"] == ref:
            tools.effects.drop(key)
            return result
        if "idempotent" in described.traits and known == row:
            return result
    if not (described.undoes and "repeatable-undo" in described.traits):
        tools.effects.put(tools.ids.next("effect"), row)
    return result


def _ref_in(result: Any, ref: str | None) -> Any:
    """What names the object in a result: a field of a mapping, or the text that it is."""
    if isinstance(result, Mapping):
        return result.get(ref)
    return result if ref is not None and isinstance(result, str) else None


class _Tap:
    """The tap around one callable."""

    def __init__(
        self, tools: Tools, spec: ToolSpec, signature: inspect.Signature, gate: Callable[[], Gate]
    ) -> None:
        self._tools = tools
        self._spec = spec
        self._signature = signature
        self._gate = gate

    def _delivery(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Delivery:
        given = self._signature.bind(*args, **kwargs).arguments
        return Delivery(self._spec.name, {name: steady(value) for name, value in given.items()})

    def _resolved(self, door: Gate, admission: Admission) -> Reply:
        try:
            return door.resolve(admission)
        except Exception as error:
            door.raised(admission, error)
            raise

    def around_sync(self) -> Callable[..., Any]:
        def tap(*args: Any, **kwargs: Any) -> Any:
            door = self._gate()
            admission = door.admit(self._tools, self._delivery(args, kwargs))
            reply = door.settle(admission, self._resolved(door, admission))
            door.pause_after(admission)
            require_at_hand(self._spec.name, reply.body)
            return see(reply, self._spec.errors)

        return tap

    def around_async(self, fn: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def tap(*args: Any, **kwargs: Any) -> Any:
            door = self._gate()
            admission = door.admit(self._tools, self._delivery(args, kwargs))
            outcomes = [await _outcome(fn, args, kwargs) for _ in range(_deliveries(admission))]
            self._tools.outcomes.extend(outcomes)  # from here on nothing else can run in between
            try:
                reply = self._resolved(door, admission)
            finally:
                self._tools.outcomes.clear()
            waits = reply.learnt is Learnt.CANCELLED
            if waits:
                return see(await settle(door, admission, reply), self._spec.errors)
            reply = door.settle(admission, reply)
            door.pause_after(admission)
            return see(reply, self._spec.errors)

        return tap


async def _outcome(
    fn: Callable[..., Awaitable[Any]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> _Outcome:
    try:
        return _Outcome(await fn(*args, **kwargs))
    except Exception as error:  # noqa: BLE001  # it is raised where the call is applied
        return _Outcome(None, error)


def _deliveries(admission: Admission) -> int:
    """How often an async callable is to be run beforehand; a second time, too, with the parameters it has."""
    applied = Applied.YES if admission.fault is None else admission.fault.applied
    counts = {Applied.NO: 0, Applied.LATE: 0, Applied.TWICE: 2, Applied.TWICE_CHANGED: 2}
    return counts.get(applied, 1)
