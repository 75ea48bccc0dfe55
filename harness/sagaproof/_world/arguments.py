"""The arguments of a call against what its operation takes: names, types, and none missing."""

from __future__ import annotations

from sagaproof._model.effect import Record
from sagaproof._world.operation import Declared, Refusal

__all__ = ["check_args"]


def check_args(known: Declared, args: Record) -> None:
    """Raise the `Refusal` that a service answers with to arguments that it does not take."""
    types = known.types
    for name, value in args.items():
        wanted = types.get(name)
        if wanted is None:
            raise Refusal(400, "unknown_field", f"{known.operation.full} takes no {name!r}")
        if wanted and value.__class__ not in wanted and not _is_one_of(value, wanted):
            one = " or ".join(kind.__name__ for kind in wanted)
            raise Refusal(400, "wrong_type", f"{known.operation.full}: {name} is {value!r}, wanted {one}")
    if not known.required <= args.keys():
        missing = min(known.required - args.keys())
        raise Refusal(400, "missing_field", f"{known.operation.full} needs {missing!r}")


def _is_one_of(value: object, wanted: tuple[type, ...]) -> bool:
    """Whether a value is of a subclass of what is wanted; a bool is no integer."""
    return isinstance(value, wanted) and value.__class__ is not bool
