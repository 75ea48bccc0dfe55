"""The httpx tap: calls of any httpx client to the hosts of the systems go through the gate.

It is a router of respx at the level of httpx, asked before all others; what is none of ours goes on to the
user's own routers, or to the transport that the client has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import ClassVar, Final, NamedTuple, NoReturn, Self

import httpx
import respx

from sagaproof._model.fault import Learnt
from sagaproof._taps.arguments import Misfit
from sagaproof._taps.cancelling import settle
from sagaproof._taps.gate import Gate
from sagaproof._taps.hosts import Hosts
from sagaproof._taps.httpx_answers import misfit_response, response
from sagaproof._taps.httpx_private import AllMockedAssertionError, HTTPXMocker, PassThrough, Route, check
from sagaproof._taps.httpx_shortcut import Shortcut
from sagaproof._taps.reply import Reply
from sagaproof._taps.routes import Match, delivery
from sagaproof._taps.site import caller_site
from sagaproof._taps.ssl_cache import SslCache
from sagaproof._world.delivery import Delivery
from sagaproof._world.system import System
from sagaproof.errors import UsageError

__all__ = ["HttpxTap"]

_NOTES_MAX: Final = 100


class HttpxTap:
    """While entered, requests of httpx clients to the hosts of `systems` are calls through `gate()`.

    `hosts` gives other hosts to systems, by their names: `{"billing": ["https://billing.acme.test/api"]}`.
    Clients may be older than the tap. One tap at a time: entering a second one raises `UsageError`.

    What it noticed, for reports: `would_hang`, where in the user's code a client without a read timeout met
    a call that is never answered; `unrouted`, requests to our hosts that no operation answers; `passed`,
    foreign hosts that requests were let through to, with the place of the latest.
    """

    _entered: ClassVar[HttpxTap | None] = None

    def __init__(
        self,
        systems: Mapping[str, System],
        gate: Callable[[], Gate],
        hosts: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        self.would_hang: list[str] = []
        self.unrouted: list[str] = []
        self.passed: dict[str, str] = {}
        self._gate = gate
        self._hosts = Hosts(systems, hosts)
        self._router = _TapRouter(self)
        self._ssl = SslCache()
        self._shortcut = Shortcut(self._router, self._hosts.whole())

    def __enter__(self) -> Self:
        if HttpxTap._entered is not None:
            raise UsageError(
                "a second httpx tap was entered while one is active",
                advice="There is one world per process: leave the first, or use a process for each.",
            )
        check()
        self._ssl.__enter__()
        self._router.start()
        self._shortcut.__enter__()
        HttpxTap._entered = self
        return self

    def __exit__(self, *exc: object) -> None:
        HttpxTap._entered = None
        self._shortcut.__exit__()
        self._router.stop(quiet=True)
        self._ssl.__exit__()

    # What the router asks -------------------------------------------------------------------------------

    def receive(self, request: httpx.Request) -> _Received | Misfit | None:
        """The call that a request is, or the answer to one that is none; None if its host is not ours."""
        url = request.url
        path, _, query = url.raw_path.decode("ascii").partition("?")
        found = self._hosts.find(
            url.host, url.port or (443 if url.scheme == "https" else 80), request.method, path
        )
        if found is None:
            return None
        call: Delivery | Match | Misfit = found.match
        if isinstance(call, Match):
            call = delivery(call, query, request.headers.raw, request.content)
        if isinstance(call, Misfit):
            self._gate().turn_away()
            _note(self.unrouted, f"{call.status} {request.method} {url} ({caller_site()})")
            return call
        timeout_s = request.extensions.get("timeout", _NO_TIMEOUTS).get("read")
        return _Received(self._gate(), found.system, call, timeout_s)

    def answer(self, received: _Received, reply: Reply, request: httpx.Request) -> httpx.Response:
        """The response to a reply, or its exception; notes a client that would wait for ever."""
        if reply.learnt is Learnt.TIMEOUT and received.timeout_s is None:
            _note(self.would_hang, caller_site())
        return response(reply, request)

    def let_through(self, request: httpx.Request) -> NoReturn:
        """Leave a request to the other routers, or, without any, to the client's own transport."""
        self.passed[request.url.host] = caller_site()
        if len(HTTPXMocker.routers) > 1:
            raise AllMockedAssertionError(f"{request!r} goes to no host of the world")
        raise PassThrough("no host of the world", request=request, origin=_NO_ROUTE)


class _Received(NamedTuple):
    """A request that is a call, and the gate it goes through."""

    gate: Gate
    system: System
    delivery: Delivery
    timeout_s: float | None


class _TapRouter(respx.MockRouter):
    """The router that stands for the tap. It keeps no calls: the history of the run has them."""

    def __init__(self, tap: HttpxTap) -> None:
        super().__init__(assert_all_called=False, using="httpx")
        self._tap = tap

    def start(self) -> None:
        """Register before every other router, also those that were there earlier."""
        super().start()
        routers = HTTPXMocker.routers
        routers.remove(self)
        routers.insert(0, self)

    def handler(self, request: httpx.Request) -> httpx.Response:
        tap = self._tap
        received = tap.receive(request)
        if received is None:
            tap.let_through(request)
        if isinstance(received, Misfit):
            return misfit_response(received)
        gate, system, delivery, timeout_s = received
        return tap.answer(received, gate.call(system, delivery, timeout_s, blocks=True), request)

    async def async_handler(self, request: httpx.Request) -> httpx.Response:
        tap = self._tap
        received = tap.receive(request)
        if received is None:
            tap.let_through(request)
        if isinstance(received, Misfit):
            return misfit_response(received)
        gate, system, delivery, timeout_s = received
        admission = gate.admit(system, delivery, timeout_s)
        reply = await settle(gate, admission, gate.resolve(admission))
        return tap.answer(received, reply, request)


_NO_TIMEOUTS: Final[dict[str, float | None]] = {}
_NO_ROUTE: Final = Route()


def _note(notes: list[str], text: str) -> None:
    if text not in notes and len(notes) < _NOTES_MAX:
        notes.append(text)
