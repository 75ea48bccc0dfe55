"""While a guard is active, nothing but loopback is connected to or resolved."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sagaproof._taps.audit_targets import is_loopback, normal
from sagaproof._taps.leaks import Leak, LeakGuard
from sagaproof.errors import LeakError, UsageError

OUTSIDE = "192.0.2.7"  # RFC 5737: documentation, never reachable


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


@pytest.fixture
def no_dns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let look-ups end before they reach a resolver, as if each name had one address."""

    def answer(host: object, port: object, *_args: object, **_kwargs: object) -> list[Any]:
        sys.audit("socket.getaddrinfo", host, port, 0, 0, 0)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (OUTSIDE, port))]

    monkeypatch.setattr(socket, "getaddrinfo", answer)


def connect(address: tuple[str, int]) -> None:
    """Announce a connection as a socket does, without making it."""
    with socket.socket() as sock:
        sys.audit("socket.connect", sock, address)


def test_a_connection_to_an_address_outside_raises_and_names_host_place_and_ways_out() -> None:
    with (
        LeakGuard(),
        socket.socket() as sock,
        pytest.raises(LeakError, match=rf"{OUTSIDE}:443 .*test_leaks\.py:\d+\).*hosts = .*allow_hosts="),
    ):
        sock.connect((OUTSIDE, 443))


@pytest.mark.parametrize(
    "look_up",
    [
        lambda: socket.getaddrinfo("api.acme.test", 443),
        lambda: socket.gethostbyname("api.acme.test"),
        lambda: socket.gethostbyname_ex("api.acme.test"),
        lambda: socket.gethostbyaddr(OUTSIDE),
        lambda: socket.getnameinfo((OUTSIDE, 443), 0),
        lambda: socket.create_connection(("api.acme.test", 443)),
    ],
)
def test_no_name_outside_is_resolved(look_up: Any) -> None:
    with LeakGuard() as guard, pytest.raises(LeakError):
        look_up()
    assert [leak.host for leak in guard.leaks] in (["api.acme.test"], [OUTSIDE])


def test_a_datagram_outside_is_a_leak() -> None:
    with LeakGuard(), socket.socket(type=socket.SOCK_DGRAM) as sock, pytest.raises(LeakError):
        sock.sendto(b"metric:1|c", (OUTSIDE, 8125))


def test_a_swallowed_leak_is_remembered_once() -> None:
    with LeakGuard() as guard:
        for _ in range(3):
            with contextlib.suppress(LeakError):
                socket.getaddrinfo(b"API.acme.test.", 443)
    assert [(leak.host, leak.port) for leak in guard.leaks] == [("api.acme.test", 443)]
    assert guard.leaks[0].site.startswith(__file__)


def test_loopback_unix_sockets_and_pairs_pass(listener: socket.socket, tmp_path: Any) -> None:
    with LeakGuard() as guard:
        with socket.create_connection(listener.getsockname()):
            pass
        with socket.create_connection(("localhost", listener.getsockname()[1])):
            pass
        left, right = socket.socketpair()
        with left, right, socket.socket(socket.AF_UNIX) as unix, pytest.raises(FileNotFoundError):
            unix.connect(str(tmp_path / "none.sock"))
        socket.getaddrinfo(None, 0, flags=socket.AI_PASSIVE)
    assert guard.leaks == []


def test_the_name_of_this_machine_may_be_looked_up() -> None:
    with LeakGuard():
        sys.audit("socket.gethostbyaddr", socket.gethostname())


def test_event_loops_threads_and_servers_work_under_a_guard(listener: socket.socket) -> None:
    async def talk() -> bytes:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            data = await reader.read()
            writer.close()
            await writer.wait_closed()
            return data

    with LeakGuard() as guard:
        assert asyncio.run(talk()) == b""
        thread = threading.Thread(target=lambda: socket.create_connection(listener.getsockname()).close())
        thread.start()
        thread.join()
    assert guard.leaks == []


@pytest.mark.usefixtures("no_dns")
def test_allowed_hosts_may_be_resolved_and_what_they_resolve_to_connected_to() -> None:
    with LeakGuard(allow_hosts=["api.acme.test", "*.Models.test"]) as guard:
        with pytest.raises(LeakError):
            connect((OUTSIDE, 443))
        for host in ("API.acme.test", "eu.models.test"):
            socket.getaddrinfo(host, 443)
        connect((OUTSIDE, 443))
        with pytest.raises(LeakError):
            socket.getaddrinfo("api.other.test", 443)
    assert [leak.host for leak in guard.leaks] == [OUTSIDE, "api.other.test"]


def test_the_resolver_is_put_back_as_it_was() -> None:
    before = socket.getaddrinfo
    with LeakGuard(allow_hosts=["api.acme.test"]):
        assert socket.getaddrinfo is not before
    assert socket.getaddrinfo is before


def test_an_allowed_host_as_bare_text_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Write \['api\.acme\.test'\]"):
        LeakGuard(allow_hosts="api.acme.test")


def test_without_an_active_guard_nothing_is_watched() -> None:
    guard = LeakGuard()
    connect((OUTSIDE, 443))
    with guard:
        pass
    connect((OUTSIDE, 443))
    assert guard.leaks == []


def test_a_second_guard_is_refused_and_the_first_stays() -> None:
    with LeakGuard():
        with pytest.raises(UsageError, match="one world per process"):
            LeakGuard().__enter__()
        with pytest.raises(LeakError):
            connect((OUTSIDE, 443))


def test_a_guard_can_be_entered_again() -> None:
    guard = LeakGuard()
    for _ in range(2):
        with guard, pytest.raises(LeakError):
            connect((OUTSIDE, 443))


def test_an_http_client_gets_the_leak_error_itself() -> None:
    with LeakGuard() as guard, httpx.Client(verify=False) as client, pytest.raises(LeakError):
        client.get("https://api.acme.test/")
    assert guard.leaks[0].site.startswith(__file__)


def test_where_a_thread_of_a_library_resolves_the_place_comes_from_the_tap() -> None:
    async def fetch() -> None:
        async with httpx.AsyncClient(verify=False) as client:
            await client.get("https://api.acme.test/")

    with (
        LeakGuard(sites={"api.acme.test": "agent.py:7"}) as guard,
        pytest.raises(LeakError, match=r"agent\.py:7"),
    ):
        asyncio.run(fetch())
    assert guard.leaks == [Leak("api.acme.test", 443, "agent.py:7")]


@pytest.mark.parametrize(
    "host",
    ["", "localhost", "LOCALHOST.", "app.localhost", "127.8.8.8", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"],
)
def test_these_are_loopback(host: str) -> None:
    assert is_loopback(normal(host))


@pytest.mark.parametrize(
    "host", [OUTSIDE, "::ffff:10.0.0.1", "fe80::1%eth0", "localhost.acme.test", "mylocalhost"]
)
def test_these_are_not_loopback(host: str) -> None:
    assert not is_loopback(normal(host))
