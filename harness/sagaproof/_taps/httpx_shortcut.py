"""A shortcut for hosts that are wholly ours: their requests need not ask every router of respx first."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, Protocol
from unittest import mock

import httpx

__all__ = ["Router", "Shortcut"]


class Router(Protocol):
    """What answers requests, as a router of respx does."""

    def handler(self, request: httpx.Request) -> httpx.Response:
        """Answer a request."""

    async def async_handler(self, request: httpx.Request) -> httpx.Response:
        """Answer a request of an asynchronous client."""


class Shortcut:
    """While entered, httpx clients hand requests to `hosts` straight to `router`.

    respx makes two transports for each request and looks up the kind of its client; for a host at which
    nobody else can answer that leads to the same router. Enter it after the router has been started, so that
    it comes before respx, and leave it before.
    """

    def __init__(self, router: Router, hosts: Container[str]) -> None:
        self._transport = _Straight(router)
        self._hosts = hosts
        self._patches: list[Any] = []

    def __enter__(self) -> None:
        for client in (httpx.Client, httpx.AsyncClient):
            past = self._past(client._transport_for_url)  # noqa: SLF001  # the method that respx patches, too
            patch = mock.patch.object(client, "_transport_for_url", past)
            patch.start()
            self._patches.append(patch)

    def __exit__(self, *exc: object) -> None:
        while self._patches:
            self._patches.pop().stop()

    def _past(self, original: Callable[..., Any]) -> Callable[..., Any]:
        hosts, transport = self._hosts, self._transport

        def transport_for_url(client: object, url: httpx.URL) -> Any:
            return transport if url.host in hosts else original(client, url)

        return transport_for_url


class _Straight(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A transport that is the router."""

    def __init__(self, router: Router) -> None:
        self._router = router

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        return self._router.handler(request)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        return await self._router.async_handler(request)
