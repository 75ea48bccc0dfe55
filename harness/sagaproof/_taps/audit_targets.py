"""Where an audit event of CPython's socket module leads, and whether that is this machine."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from ipaddress import IPv6Address, ip_address
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = ["WATCHED", "Target", "is_loopback", "normal"]

Args: TypeAlias = tuple[Any, ...]


class Target(NamedTuple):
    """A host in lower case, and a port or service where the event names one."""

    host: str
    port: int | str | None


def normal(host: object) -> str:
    """A host as it is compared: text in lower case, without a final dot and without a scope (`%eth0`)."""
    text = host.decode("latin-1") if isinstance(host, bytes | bytearray) else str(host or "")
    return text.lower().rstrip(".").partition("%")[0]


def is_loopback(host: str) -> bool:
    """Whether a host is this machine: 127/8, ::1, localhost, or none (the wildcard of a listener)."""
    if host in {"", "localhost"} or host.endswith(".localhost"):  # RFC 6761, 6.3
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address.is_loopback or address.is_unspecified


def _of_address(args: Args) -> Target | None:
    """The target of an event about a socket and an address; None unless it is an internet one."""
    sock, address = args[0], args[1]
    if sock.family not in {socket.AF_INET, socket.AF_INET6} or not isinstance(address, tuple) or not address:
        return None
    return Target(normal(address[0]), address[1] if len(address) > 1 else None)


def _of_lookup(args: Args) -> Target:
    return Target(normal(args[0]), args[1] if len(args) > 1 else None)


def _of_reverse_lookup(args: Args) -> Target:
    return Target(normal(args[0][0]), None)


WATCHED: Final[Mapping[str, Callable[[Args], Target | None]]] = {
    "socket.connect": _of_address,
    "socket.sendto": _of_address,
    "socket.sendmsg": _of_address,
    "socket.getaddrinfo": _of_lookup,
    "socket.gethostbyname": _of_lookup,
    "socket.gethostbyaddr": _of_lookup,
    "socket.getnameinfo": _of_reverse_lookup,
}
"""How the arguments of each event are read (https://docs.python.org/3/library/audit_events.html)."""
