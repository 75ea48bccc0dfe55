"""The tap around a write into a store of the saga's own: what is in it outlives a crash."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from sagaproof._model.operation import Operation
from sagaproof._taps.awaited import is_async
from sagaproof._taps.gate import Gate
from sagaproof._taps.store import NO_HOOKS, Store

__all__ = ["durable"]


def durable(
    write: Callable[..., Any], operation: Operation, gate: Callable[[], Gate], store: Store = NO_HOOKS
) -> Callable[..., Any]:
    """The function to call instead of `write`: the process may die before or after each call of it.

    It raises what `store.fails` makes where the store refuses the write.
    """
    if is_async(write):

        @functools.wraps(write)
        async def tapped_async(*args: Any, **kwargs: Any) -> Any:
            door = gate()
            begun = door.begin_write(operation, _record(args, kwargs), store)
            kept = False
            try:
                answer = await write(*args, **kwargs) if begun.kept else None
                kept = begun.kept
            finally:
                door.end_write(begun, kept=kept)
            return answer

        return tapped_async

    @functools.wraps(write)
    def tapped(*args: Any, **kwargs: Any) -> Any:
        door = gate()
        begun = door.begin_write(operation, _record(args, kwargs), store)
        kept = False
        try:
            answer = write(*args, **kwargs) if begun.kept else None
            kept = begun.kept
        finally:
            door.end_write(begun, kept=kept)
        return answer

    return tapped


def _record(args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
    """What is written, for the history: plain values that do not change any more."""
    given = [*map(_plain, args)] if not kwargs else [*map(_plain, args), _plain(kwargs)]
    return given[0] if len(given) == 1 else given


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in value]
    return _plain(value.model_dump()) if hasattr(value, "model_dump") else repr(value)
