"""What a tool takes: a pydantic model, made from the signature of its function unless one is given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model
from pydantic_core import PydanticSerializationError

from sagaproof.saga.errors import ToolMistake

__all__ = ["KEY", "BadArguments", "Schema", "takes_key"]

KEY: Final = "key"
"""The keyword-only parameter that receives the idempotency key; no argument of the agent."""

_PREFIX: Final = "arg_"  # no parameter can clash with an attribute of BaseModel


class BadArguments(ValueError):
    """The arguments do not fit the schema of the tool; the text is for the agent."""


class Schema:
    """Checks arguments, and gives them in two forms: for the function, and as JSON for the journal."""

    def __init__(self, model: type[BaseModel], fields: Mapping[str, str]) -> None:
        self.model = model
        self._fields = tuple(fields.items())  # (parameter, field)
        self._validate = model.__pydantic_validator__.validate_python
        self._dump = model.__pydantic_serializer__.to_python

    @classmethod
    def of(cls, function: Callable[..., Any], name: str, model: type[BaseModel] | None) -> Schema:
        """The schema of a function; raises `ToolMistake` if its signature does not say what it takes."""
        if model is not None:
            return cls(model, {field: field for field in model.model_fields})
        parameters = _parameters(function, name)
        hints = _hints(function, name)
        fields: dict[str, Any] = {
            _PREFIX + p.name: (
                hints.get(p.name, Any),
                Field(default=... if p.default is p.empty else p.default, alias=p.name),
            )
            for p in parameters
        }
        config = ConfigDict(extra="forbid", title=name, arbitrary_types_allowed=True)
        made = create_model(name, __config__=config, **fields)
        return cls(made, {p.name: _PREFIX + p.name for p in parameters})

    def check(self, args: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments for the function, and the same as JSON. Raises `BadArguments`."""
        try:
            model = self._validate(args)
            values = model.__dict__
            return (
                {parameter: values[field] for parameter, field in self._fields},
                self._dump(model, mode="json", by_alias=True, warnings=False),
            )
        except ValidationError as error:
            raise BadArguments(_in_words(error)) from None
        except PydanticSerializationError as error:
            raise BadArguments(f"an argument is not JSON: {error}") from None

    def json(self) -> dict[str, Any]:
        """The JSON schema, as models are given it."""
        return self.model.model_json_schema()


def takes_key(function: Callable[..., Any]) -> bool:
    """Whether a function has a keyword-only parameter `key`."""
    try:
        found = inspect.signature(function).parameters.get(KEY)
    except (TypeError, ValueError):
        return False
    return found is not None and found.kind is found.KEYWORD_ONLY


def _parameters(function: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as error:
        raise ToolMistake(f"tool {name!r}: its signature cannot be read. Pass schema=Model") from error
    found = [p for p in signature.parameters.values() if p.name != KEY or p.kind is not p.KEYWORD_ONLY]
    for p in found:
        if p.name == KEY:
            raise ToolMistake(
                f"tool {name!r}: the agent would have to make up the parameter {KEY!r}. Make it keyword-only "
                f"(`*, {KEY}: str`) to be given the idempotency key, or call it by another name"
            )
        if p.kind not in {p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY}:
            raise ToolMistake(
                f"tool {name!r}: parameter {p} cannot be given by name. "
                "Name each parameter, or pass schema=Model"
            )
    return found


def _hints(function: Callable[..., Any], name: str) -> dict[str, Any]:
    target = function if inspect.isroutine(function) else getattr(function, "func", type(function).__call__)
    try:
        return get_type_hints(target, include_extras=True)
    except (NameError, TypeError) as error:
        raise ToolMistake(
            f"tool {name!r}: its annotations cannot be resolved ({error}). "
            "Define the types at module level, or pass schema=Model"
        ) from error


def _in_words(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in item['loc']) or 'arguments'}: {item['msg']}"
        for item in error.errors(include_url=False, include_context=False, include_input=False)
    )
