"""The operations that every system has without declaring them: a lookup and undos, both by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sagaproof._model.operation import EffectClass, Operation
from sagaproof._world.operation import Declared, undo_of

__all__ = ["LOOKUP", "built_in", "is_built_in_undo"]

LOOKUP: Final = "lookup"
"""The built-in operation that says what has become of a key."""

_UNDO: Final = "undo_"


def _no_function(_self: object, **_args: Any) -> None:
    """Built-in operations are done by the base itself."""


def _look_up_signature(self: object, *, operation: str, key: str) -> None:
    """The parameters of the built-in lookup."""


def built_in(system: str, operations: Mapping[str, Declared]) -> Iterator[Declared]:
    """Lookup by key, and an undo by key for each class 3 to 5 operation that names none of its own."""
    keyed = [
        d for d in operations.values() if d.operation.keyed and d.operation.cls >= EffectClass.REVERSIBLE
    ]
    for known in keyed:
        described = known.operation
        if described.undoes or undo_of(described.name, operations):
            continue
        name = _UNDO + described.name
        undo = Operation(
            system, name, described.cls, ref="key", undoes=(described.name,), keyed=False, params=("key",)
        )
        yield Declared(undo, _no_function, "", 200, {"key": (str,)}, frozenset({"key"}), takes_if_match=False)
    if keyed and LOOKUP not in operations:
        look = Operation(
            system, LOOKUP, EffectClass.READ, keyed=False, params=("operation", "key"),
            traits=frozenset({"primary"}),
        )  # fmt: skip
        types = {"operation": (str,), "key": (str,)}
        yield Declared(
            look,
            _look_up_signature,
            "GET /operations/{operation}/{key}",
            200,
            types,
            frozenset(types),
            takes_if_match=False,
        )


def is_built_in_undo(known: Declared) -> bool:
    """Whether it takes nothing but the key of what it takes back."""
    return known.fn is _no_function
