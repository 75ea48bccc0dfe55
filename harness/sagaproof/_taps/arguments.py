"""What a request carries besides its path: headers that count, and arguments from query and body."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias
from urllib.parse import parse_qsl

__all__ = ["Headers", "Misfit", "Types", "arguments", "headers_that_count", "typed"]

Types: TypeAlias = Mapping[str, tuple[type, ...]]
"""The Python types that each parameter of an operation may have; none: any."""


class Headers(NamedTuple):
    """The headers that the neutral dialect heeds, unquoted; None where there is none."""

    content_type: str
    key: str | None
    if_match: str | None


class Misfit(NamedTuple):
    """The answer to a request that means no operation: given by the service itself, nothing has arrived."""

    status: int
    body: dict[str, dict[str, str]]
    allow: str = ""

    @classmethod
    def of(cls, status: int, code: str, message: str, allow: str = "") -> Misfit:
        """A misfit in the form of all errors of the neutral dialect. `allow`: the methods there are."""
        return cls(status, {"error": {"code": code, "message": message}}, allow)


_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_THAT_COUNT: Final = frozenset({b"content-type", b"idempotency-key", b"if-match"})
_FORM: Final = "application/x-www-form-urlencoded"


def headers_that_count(headers: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Content type, idempotency key and version condition.

    A key may stand in quotes, as draft-ietf-httpapi-idempotency-key-header has it, or bare, as most
    services take it: both name the same key. An empty one is none.
    """
    content_type, key, if_match = "", None, None
    for written, value in headers:
        name = written.lower()
        if name not in _THAT_COUNT:
            continue
        if name == b"content-type":
            content_type = value.decode("latin-1").strip().lower()
        elif name == b"idempotency-key":
            key = _unquoted(value)
        else:
            if_match = _unquoted(value.removeprefix(b"W/"))
    return Headers(content_type, key, if_match)


def _unquoted(value: bytes) -> str | None:
    text = value.decode("latin-1").strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    return text or None


def arguments(query: str, body: bytes, content_type: str, types: Types) -> dict[str, Any] | Misfit:
    """The arguments in query and body; where both name one, the body counts."""
    found = typed(parse_qsl(query, keep_blank_values=True), types) if query else {}
    if not body:
        return found
    more = _read_body(body, content_type, types)
    if isinstance(more, Misfit) or not found:
        return more
    return {**found, **more}


def _read_body(body: bytes, content_type: str, types: Types) -> dict[str, Any] | Misfit:
    if content_type.startswith(_FORM):
        return typed(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True), types)
    if content_type and "json" not in content_type:
        message = f"content type {content_type!r} is not understood. Send JSON or a form."
        return Misfit.of(415, "unsupported_media_type", message)
    try:
        value = _JSON.decode(body.decode())
    except (ValueError, RecursionError) as error:
        return Misfit.of(400, "malformed_json", f"the body is no JSON: {error}")
    if not isinstance(value, dict):
        return Misfit.of(400, "no_object", f"the body is a JSON {type(value).__name__}, wanted an object")
    return value


def typed(pairs: Iterable[tuple[str, str]], types: Types) -> dict[str, Any]:
    """Texts as what they are declared to be; one that does not fit stays text, for the system to refuse.

    Of a name that comes twice, a declared list keeps all and anything else the last.
    """
    found: dict[str, Any] = {}
    for name, text in pairs:
        kinds = types.get(name, ())
        if list in kinds:
            found.setdefault(name, []).append(text)
        else:
            found[name] = text if not kinds or str in kinds else _as_declared(text, kinds)
    return found


def _as_declared(text: str, kinds: tuple[type, ...]) -> object:
    if int in kinds and _INTEGER.fullmatch(text):
        return int(text)
    if bool in kinds and text in {"true", "false"}:
        return text == "true"
    return text


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON number")


_JSON: Final = json.JSONDecoder(parse_constant=_refuse_constant)
