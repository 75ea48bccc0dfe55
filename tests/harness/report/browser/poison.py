"""A report with the same poison in every text that may come from a saga or a world."""

from __future__ import annotations

import types
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel

__all__ = ["poisoned"]

Part = TypeVar("Part", bound=BaseModel)


def poisoned(part: Part, poison: str) -> Part:
    """The part with the poison in every text that may come from a saga or a world."""
    changes = {}
    for name, field in type(part).model_fields.items():
        if name != "schema_":
            changes[name] = _poisoned(getattr(part, name), field.annotation, poison)
    return part.model_copy(update=changes)


def _poisoned(value: Any, kind: Any, poison: str) -> Any:
    if isinstance(value, BaseModel):
        return poisoned(value, poison)
    if isinstance(value, tuple):
        return tuple(_poisoned(one, None, poison) for one in value)
    if isinstance(value, dict):
        return {key + poison: _poisoned(one, None, poison) for key, one in value.items()}
    return value + poison if isinstance(value, str) and not _is_closed(kind) else value


def _is_closed(kind: Any) -> bool:
    """Whether only some words are allowed, so that none can come from elsewhere."""
    inner = get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    return any(get_origin(one) is Literal for one in inner)
