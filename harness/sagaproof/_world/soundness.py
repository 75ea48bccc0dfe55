"""What is refused of a declaration at once, when its class is made: it could only go wrong in a run."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping

from sagaproof._model.operation import MEANWHILE, Operation
from sagaproof.errors import UsageError, suggest

__all__ = ["Types", "check_sound"]

Types = Mapping[str, tuple[type, ...]]
"""For each parameter, the Python types that a JSON value may have; empty where anything may come."""


def check_sound(
    operation: Operation, types: Types, required: frozenset[str], known: Collection[str], owner: type
) -> None:
    """Raise `UsageError` for an operation of `owner` that names what is not there, or cannot be undone."""
    _check_undoes(operation, required, known)
    _check_bulk(operation, types)
    for kind, method in operation.meanwhile:
        _check_meanwhile(operation, kind, method, owner)


def _check_undoes(operation: Operation, required: frozenset[str], known: Collection[str]) -> None:
    for target in operation.undoes:
        if target not in known:
            raise UsageError(
                f"{operation.full} undoes {target!r}, which is no operation of {operation.system}",
                advice="Name an operation of the same system.",
            )
    if operation.undoes and not operation.ref:
        raise UsageError(
            f"{operation.full} undoes {', '.join(operation.undoes)} but has no ref",
            advice="Give ref=, the parameter that says what to undo.",
        )
    if operation.undoes and required - {operation.ref}:
        more = min(required - {operation.ref})
        raise UsageError(
            f"{operation.full} is an undo but cannot run without {more!r}",
            advice=f"An undo needs its ref only: give {more!r} a default that means 'all of it'.",
        )


def _check_bulk(operation: Operation, types: Types) -> None:
    name = operation.bulk
    if name is None:
        return
    if name not in types:
        raise UsageError(
            f"{operation.full} has bulk={name!r}, which is none of its parameters",
            advice=suggest(name, types) or "Name the parameter that holds the list of items.",
        )
    if types[name] and list not in types[name]:
        raise UsageError(
            f"{operation.full} has bulk={name!r}, which is no list",
            advice="Name a parameter that holds a list: its items are done one by one.",
        )
    if not operation.writes:
        raise UsageError(
            f"{operation.full} has bulk={name!r}, and is a read",
            advice="Leave bulk= out: nothing can be done in part where nothing is written.",
        )


def _check_meanwhile(operation: Operation, kind: str, method: str, owner: type) -> None:
    if kind not in MEANWHILE:
        raise UsageError(
            f"{operation.full} has meanwhile={{{kind!r}: ...}}: nobody does that",
            advice=suggest(kind, MEANWHILE),
        )
    if not operation.writes:
        raise UsageError(
            f"{operation.full} has meanwhile={{{kind!r}: ...}}, and is a read",
            advice="Leave it out: somebody else writes to what a call has written.",
        )
    fn = getattr(owner, method, None)
    if not callable(fn):
        raise UsageError(
            f"{operation.full} has meanwhile={{{kind!r}: {method!r}}}, no method of {owner.__name__}",
            advice=suggest(method, _methods(owner)) or "Name a method that takes the Effect of the call.",
        )
    if not _takes_one(fn):
        raise UsageError(
            f"{owner.__name__}.{method}, which {operation.full} has for {kind!r}, does not take one argument",
            advice="It is called with the Effect of the call, and with nothing else.",
        )


def _methods(owner: type) -> list[str]:
    return [name for name, _ in inspect.getmembers(owner, inspect.isfunction) if not name.startswith("__")]


def _takes_one(fn: object) -> bool:
    """Whether a method can be called with its system and one thing more."""
    assert callable(fn)
    try:
        inspect.signature(fn).bind(None, None)
    except TypeError:
        return False
    return True
