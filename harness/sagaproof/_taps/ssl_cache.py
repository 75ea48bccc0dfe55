"""While active, httpx makes its default SSL context once: a client then costs microseconds, not 15 ms."""

from __future__ import annotations

import os
import ssl
from collections.abc import Callable
from typing import Any, TypeAlias
from unittest import mock

import httpx

from sagaproof._taps.httpx_private import transports

__all__ = ["SslCache"]

_Key: TypeAlias = tuple[object, ...]


class SslCache:
    """A context manager around httpx's own function, put back as it was at the end.

    Only contexts without a certificate of the caller's are shared; whoever passes one gets a fresh context.
    Entering twice without leaving in between is not supported.
    """

    _contexts: dict[_Key, ssl.SSLContext] = {}  # noqa: RUF012  # of the whole process: a campaign is short

    def __init__(self) -> None:
        self._create: Callable[..., ssl.SSLContext] = httpx.create_ssl_context
        self._patch = mock.patch.object(transports, "create_ssl_context", self._cached)

    def __enter__(self) -> None:
        self._create = vars(transports)["create_ssl_context"]
        self._patch.start()

    def __exit__(self, *exc: object) -> None:
        self._patch.stop()

    def _cached(self, *args: Any, **kwargs: Any) -> ssl.SSLContext:
        if args or kwargs.get("cert") is not None or not isinstance(kwargs.get("verify", True), bool):
            return self._create(*args, **kwargs)
        where = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
        key = (*where, *sorted(kwargs.items()))
        context = self._contexts.get(key)
        if context is None:
            context = self._contexts[key] = self._create(**kwargs)
        return context
