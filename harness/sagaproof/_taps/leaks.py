"""The leak guard: while a world is active, no connection leaves it unnoticed.

It watches connections and name resolution of this process by an audit hook. What it does not see: code
that opens sockets without CPython's socket module (native clients, uvloop), and child processes.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self
from unittest import mock

from sagaproof._taps.audit_targets import WATCHED, is_loopback, normal
from sagaproof._taps.site import caller_site
from sagaproof.errors import LeakError, UsageError

__all__ = ["Leak", "LeakGuard"]


class Leak(NamedTuple):
    """An attempt to leave: host, port (None for a look-up of the name alone), the user's file:line."""

    host: str
    port: int | str | None
    site: str


_NOWHERE: Final[Mapping[str, str]] = MappingProxyType({})


class LeakGuard:
    """While entered, connecting to or resolving a host that is not loopback raises `LeakError`.

    `allow_hosts` are names, patterns (`*.acme.test`) or addresses that may be reached all the same; an
    allowed name must be resolved through `socket.getaddrinfo`, as clients written in Python do. `sites`
    tells, by host, the place of a connection that a thread of a library makes, where none of the user's
    code is at work (`HttpxTap.passed` is such a mapping).

    `leaks` keeps each attempt, so that one whose error was swallowed is not lost. One guard at a time:
    entering a second one raises `UsageError`.
    """

    def __init__(self, *, allow_hosts: Iterable[str] = (), sites: Mapping[str, str] = _NOWHERE) -> None:
        if isinstance(allow_hosts, str):
            raise UsageError(f"allow_hosts is the text {allow_hosts!r}", advice=f"Write [{allow_hosts!r}].")
        self.leaks: list[Leak] = []
        self._allowed = tuple(normal(host) for host in allow_hosts)
        self._reached: set[str] = set()
        self._sites = sites
        self._own_names: frozenset[str] = frozenset()
        self._resolve = socket.getaddrinfo
        self._patch = mock.patch.object(socket, "getaddrinfo", self._resolve_and_remember)

    def __enter__(self) -> Self:
        if _active:
            raise UsageError(
                "a second leak guard was entered while one is active",
                advice="There is one world per process: leave the first, or use a process for each.",
            )
        own = normal(socket.gethostname())
        self._own_names = frozenset({own, own.partition(".")[0]})
        if self._allowed:
            self._resolve = socket.getaddrinfo
            self._patch.start()
        _install()
        _active.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _active.clear()
        if self._allowed:
            self._patch.stop()

    def watch(self, event: str, args: tuple[Any, ...]) -> None:
        """Judge one of the `WATCHED` audit events; raises `LeakError` if it leaves the world."""
        target = WATCHED[event](args)
        if target is None or self._stays(target.host):
            return
        leak = Leak(*target, caller_site() or self._sites.get(target.host, ""))
        if leak not in self.leaks:
            self.leaks.append(leak)
        raise _error(leak)

    def _stays(self, host: str) -> bool:
        return is_loopback(host) or host in self._own_names or host in self._reached or self._allows(host)

    def _allows(self, host: str) -> bool:
        return any(fnmatchcase(host, pattern) for pattern in self._allowed)

    def _resolve_and_remember(self, host: Any, *args: Any, **kwargs: Any) -> Any:
        """`socket.getaddrinfo`, whose answers for an allowed host may be connected to."""
        found = self._resolve(host, *args, **kwargs)
        if self._allows(normal(host)):
            self._reached |= {normal(address[0]) for *_, address in found}
        return found


_active: Final[list[LeakGuard]] = []


def _error(leak: Leak) -> LeakError:
    shown = leak.host if leak.port is None else f"{leak.host}:{leak.port}"
    return LeakError(
        f"a connection to {shown} was about to leave the world",
        where=leak.site or "from a thread that runs none of your code",
        advice=(
            f"Fake it: add a system with hosts = ({leak.host!r},). "
            f"Or let it through: allow_hosts=[{leak.host!r}]."
        ),
    )


@cache
def _install() -> None:
    """Put the hook in place, once: CPython has no way to take one out, so without a guard it sleeps."""
    sys.addaudithook(_hook)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if _active and event in WATCHED:
        _active[0].watch(event, args)
