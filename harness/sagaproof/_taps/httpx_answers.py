"""What an httpx client sees of a reply: a real response, or the exception that httpx itself would raise.

A line that drops looks the same to the client whether or not the effect was applied before: both are
`ReadError`, as both are a reset connection in earnest, and nothing in them tells the one from the other.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import lru_cache
from typing import Final

import httpx

from sagaproof._model.fault import Learnt
from sagaproof._taps.arguments import Misfit
from sagaproof._taps.httpx_private import WholeResponse
from sagaproof._taps.misanswer import ANSWERED
from sagaproof._taps.reply import Reply
from sagaproof.errors import UsageError

__all__ = ["misfit_response", "response"]

_JSON: Final = (b"content-type", b"application/json")
_PAGE: Final = (
    b"<!DOCTYPE html>\n<html><head><title>One moment, please</title></head>"
    b"<body><h1>One moment, please</h1></body></html>\n"
)


def response(reply: Reply, request: httpx.Request) -> httpx.Response:
    """The response to a reply; raises where the client gets none.

    Refused: `ConnectError`. Timeout: `ReadTimeout`. Reset: `ReadError`. Torn: a response whose body raises
    `RemoteProtocolError` half way through. Each exception, and the extensions of each response, carry
    `sagaproof_call`, the number of the call.
    """
    learnt = reply.learnt
    if learnt is Learnt.ANSWER or learnt is Learnt.STATUS or learnt in ANSWERED:
        return _json_response(reply)
    if learnt is Learnt.TORN:
        return _torn_response(reply)
    if learnt is Learnt.EMPTY:
        return WholeResponse(reply.status or 200, _length(0), b"", reply.call)
    if learnt is Learnt.CANCELLED:
        raise asyncio.CancelledError
    if learnt is Learnt.GARBAGE:
        html = [(b"content-type", b"text/html; charset=utf-8"), *_length(len(_PAGE)).raw]
        return WholeResponse(reply.status or 200, httpx.Headers(html), _PAGE, reply.call)
    raise _failure(reply, request)


def misfit_response(misfit: Misfit) -> httpx.Response:
    """The answer of the service itself to a request that means no operation."""
    headers = [_JSON, (b"allow", misfit.allow.encode())] if misfit.allow else [_JSON]
    return httpx.Response(misfit.status, headers=headers, content=_encode(misfit.body).encode())


def _json_response(reply: Reply) -> httpx.Response:
    status = reply.status or 200
    if status in {204, 304}:
        return WholeResponse(status, _length(0), b"", reply.call)
    content = _encode(reply.body).encode()
    headers = _json_headers(len(content))
    if reply.retry_after is not None:
        headers = httpx.Headers([*headers.raw, (b"retry-after", reply.retry_after.encode())])
    return WholeResponse(status, headers, content, reply.call)


@lru_cache(maxsize=1024)
def _json_headers(length: int) -> httpx.Headers:
    """Shared: a response copies the headers that it is given."""
    return httpx.Headers([_JSON, (b"content-length", b"%d" % length)])


def _length(length: int) -> httpx.Headers:
    return httpx.Headers([(b"content-length", b"%d" % length)])


def _torn_response(reply: Reply) -> httpx.Response:
    content = _encode(reply.body).encode()
    headers = [_JSON, (b"content-length", str(len(content)).encode())]
    stream = _TornStream(content, reply.call)
    return httpx.Response(
        reply.status or 200, headers=headers, stream=stream, extensions={"sagaproof_call": reply.call}
    )


class _TornStream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The first half of a body, then the end of the connection."""

    def __init__(self, content: bytes, call: int) -> None:
        self._half = content[: len(content) // 2]
        text = (
            "peer closed connection without sending complete message body "
            f"(received {len(self._half)} bytes, expected {len(content)})"
        )
        self._error = _tied(httpx.RemoteProtocolError(text), call)

    def __iter__(self) -> Iterator[bytes]:
        yield self._half
        raise self._error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._half
        raise self._error


def _failure(reply: Reply, request: httpx.Request) -> httpx.TransportError:
    error: httpx.TransportError
    if reply.learnt is Learnt.REFUSED:
        error = httpx.ConnectError("[Errno 111] Connection refused", request=request)
    elif reply.learnt is Learnt.TIMEOUT:
        error = httpx.ReadTimeout("The read operation timed out", request=request)
    else:
        error = httpx.ReadError("[Errno 104] Connection reset by peer", request=request)
    return _tied(error, reply.call)


def _tied(error: httpx.TransportError, call: int) -> httpx.TransportError:
    error.sagaproof_call = call  # type: ignore[attr-defined]  # ties the exception to its call
    return error


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise UsageError(
        f"{value!r} in the answer of an operation is no JSON",
        advice="Answer with dicts, lists, strings, integers, booleans and None.",
    )


_encode: Final = json.JSONEncoder(separators=(",", ":"), default=_plain).encode
