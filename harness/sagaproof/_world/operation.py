"""The decorators with which a system declares its operations and invariants."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from types import UnionType
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from sagaproof._model.operation import EffectClass, Operation
from sagaproof._world.soundness import Types, check_sound

__all__ = ["Declared", "Refusal", "declared", "invariant", "operation", "undo_of"]

P = ParamSpec("P")
R = TypeVar("R")
_MARK = "__sagaproof_operation__"
_INVARIANT = "__sagaproof_invariant__"


class Refusal(Exception):
    """Raised by an operation to refuse a call: status, a short code, a message. Nothing is applied."""

    def __init__(self, status: int, code: str, message: str) -> None:
        self.status = status
        self.code = code
        self.message = message
        super().__init__(status, code, message)

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.message}"


@dataclass(frozen=True, slots=True)
class _Mark:
    cls: EffectClass
    route: str
    status: int
    ref: str | None
    amount: str | None
    undoes: tuple[str, ...]
    restores: tuple[str, str] | None
    escalates: bool
    keyed: bool | None
    traits: frozenset[str]
    bulk: str | None
    meanwhile: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """An operation as a system runs it: its description, its function, its HTTP route, its parameters.

    `types` holds, for each parameter, the Python types that a JSON value may have (empty: any).
    """

    operation: Operation
    fn: Callable[..., Mapping[str, Any] | None]
    route: str
    status: int
    types: Types
    required: frozenset[str]
    takes_if_match: bool


def operation(
    *,
    cls: int,
    route: str = "",
    status: int = 200,
    ref: str | None = None,
    amount: str | None = None,
    undoes: str | tuple[str, ...] = (),
    restores: tuple[str, str] | None = None,
    escalates: bool = False,
    keyed: bool | None = None,
    traits: tuple[str, ...] = (),
    bulk: str | None = None,
    meanwhile: Mapping[str, str] | None = None,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare a method of a `System` as an operation that calls can reach.

    `cls` is the effect class, 1 to 5. `route` is METHOD /path/{parameter}; the other parameters come from
    the JSON body (or the query of a GET). `ref` names the parameter or answer field that identifies the
    object; `amount` the one that holds minor units. `undoes` names the operations taken back by this one
    (found by `ref`); `restores` is (table, field) where writing the previous value takes a write back.
    `keyed` says whether idempotency keys are honoured (default: for every write).

    `bulk` names the parameter that holds a list of items which are done one by one, so that some may fail.
    `meanwhile` says what somebody else may do to the object of a call after it, by kind (`meddled`: change
    it, `consumed`: use it up, so that the undo is refused, `bounced`: send it back): the name of a method of
    the system that takes the `Effect` of the call. A field that is restored can be meddled with anyhow.
    """
    mark = _Mark(
        EffectClass(cls),
        route,
        status,
        ref,
        amount,
        (undoes,) if isinstance(undoes, str) else tuple(undoes),
        restores,
        escalates,
        keyed,
        frozenset(traits),
        bulk,
        tuple((meanwhile or {}).items()),
    )

    def declare(fn: Callable[P, R]) -> Callable[P, R]:
        setattr(fn, _MARK, mark)
        return fn

    return declare


def invariant(fn: Callable[P, R]) -> Callable[P, R]:
    """Declare a method of a `System` as an invariant, run after each commit.

    It returns None (or "") where it holds and a sentence that names the broken record where it does not.
    """
    setattr(fn, _INVARIANT, True)
    return fn


def declared(owner: type, system: str) -> tuple[dict[str, Declared], tuple[str, ...]]:
    """The operations of a system class by name, and the names of its invariants."""
    operations: dict[str, Declared] = {}
    invariants = []
    for name, member in inspect.getmembers(owner, inspect.isfunction):
        mark = getattr(member, _MARK, None)
        if isinstance(mark, _Mark):
            operations[name] = _declare(owner, system, name, member, mark)
        if getattr(member, _INVARIANT, False):
            invariants.append(name)
    for known in operations.values():
        check_sound(known.operation, known.types, known.required, operations, owner)
    return operations, tuple(invariants)


def undo_of(name: str, operations: Mapping[str, Declared]) -> Declared | None:
    """The operation that takes back what `name` does, if one is declared."""
    return next((d for d in operations.values() if name in d.operation.undoes), None)


def _declare(owner: type, system: str, name: str, fn: Callable[..., Any], mark: _Mark) -> Declared:
    params = inspect.signature(fn).parameters
    names = [p for p in params if p not in {"self", "if_match"}]
    hints = get_type_hints(fn)
    required = frozenset(p for p in names if params[p].default is inspect.Parameter.empty)
    keyed = mark.cls > EffectClass.READ if mark.keyed is None else mark.keyed
    described = Operation(
        system, name, mark.cls, mark.ref, mark.amount, mark.undoes, mark.restores,
        mark.escalates, keyed, _traits(mark), tuple(names), mark.bulk, mark.meanwhile,
        getattr(owner, "key_lifetime_s", inf),
    )  # fmt: skip
    types = {p: _json_types(hints.get(p, Any)) for p in names}
    return Declared(described, fn, mark.route, mark.status, types, required, "if_match" in params)


def _traits(mark: _Mark) -> frozenset[str]:
    """What the fault table asks for, the declared traits among it."""
    more = {kind for kind, _ in mark.meanwhile}
    if mark.restores is not None:
        more.add("meddled")
    if mark.bulk is not None:
        more.add("bulk")
    if mark.amount is not None:
        more.add("amount")
    return mark.traits | more


def _json_types(hint: Any) -> tuple[type, ...]:
    """The classes that a JSON value for this annotation may have; empty where anything may come."""
    origin = get_origin(hint)
    if origin in {Union, UnionType}:
        parts = [_json_types(part) for part in get_args(hint)]
        return () if () in parts else tuple(t for part in parts for t in part)
    kind = origin or hint
    if kind is None or kind is type(None):
        return (type(None),)
    if kind in {Mapping, dict}:
        return (dict,)
    return (kind,) if kind in {str, int, bool, list} else ()
