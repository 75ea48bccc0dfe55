"""Processes of their own for the saga under test, and their ends: SIGKILL while an answer is withheld.

The parent stays as it was before any code of the saga ran. Each process is forked from it; where a fault
kills it, it hands over the world through a socket pair and waits for an answer that never comes.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Generic, NamedTuple, NoReturn, TypeVar

from sagaproof._run import real_time
from sagaproof._run.alarms import ThreadAlarm
from sagaproof._run.error_values import as_error, as_value
from sagaproof.errors import UsageError

__all__ = ["Child", "Ended", "in_child", "require_forks"]

_HEAD: Final = struct.Struct("!cQ")
_LEAVES: Final = (b"k", b"e")
"""A process that is to be killed, or at its end: it leaves a state. What raises (r) leaves an error."""

_GRACE_S: Final = 5.0
"""What a process gets beyond its own watchdog, which cannot end what blocks outside of Python."""

_BLOCKED: Final = "Something in it blocks outside of Python, or another program has ended it."


T = TypeVar("T")


class Ended(NamedTuple, Generic[T]):
    """What was read of what a process handed over, and whether it was killed for it (and not at its end)."""

    left: T
    killed: bool


def require_forks() -> None:
    """Raise `UsageError` where a process cannot be forked, or not without leaving threads behind."""
    if not hasattr(os, "fork"):
        raise UsageError(
            "crash='real' forks processes, which this system cannot",
            advice="Leave it out: simulated crashes take the same plans.",
        )
    here = threading.current_thread()
    others = [t.name for t in threading.enumerate() if t is not here and t.name != ThreadAlarm.NAME]
    if others:
        raise UsageError(
            f"crash='real' forks processes, and a fork would leave these threads behind: {', '.join(others)}",
            advice="End them before the test (pytest-xdist has some: pass -n0), or leave out crash='real'.",
        )


class Child:
    """The side of the process: how it hands over what outlives it."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def hand_over(self, state: bytes) -> NoReturn:
        """Send what outlives this process and wait for the answer, until the process is no more."""
        _flush()
        self._send(b"k", state)
        self._end.recv(1)  # whoever could answer kills instead, or is gone
        os._exit(1)

    def _send(self, kind: bytes, state: bytes) -> None:
        self._end.sendall(_HEAD.pack(kind, len(state)) + state)

    def run(self, work: Callable[[Child], bytes]) -> None:
        """Do the work and send what comes of it, or its error; for the whole life of the process."""
        try:
            state = work(self)
            _flush()
            self._send(b"e", state)
        except BaseException as error:  # noqa: BLE001  # it is raised again in the parent
            self._send(b"r", as_value(error))


def in_child(work: Callable[[Child], bytes], seconds_max: float, read: Callable[[bytes], T]) -> Ended[T]:
    """Do `work` in a process of its own; `read` what that handed over, or raise what it raised.

    It does not live on: at its end it is gone as well, without any code that runs at an exit. Raises
    `UsageError` if it ended by itself, or did nothing for `seconds_max` and somewhat more.
    """
    require_forks()
    _flush()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = _fork()
        if process == 0:
            _live(ours, theirs, work)
        try:
            theirs.close()
            kind, state = _receive(ours, real_time.monotonic() + seconds_max + _GRACE_S)
            _kill(process)
            left = [read(state)] if kind in _LEAVES else []  # meanwhile the system takes the process apart
        finally:
            status = _bury(process)
    if kind == b"r":
        raise as_error(state)
    if not left:
        raise _ended_by_itself(status, seconds_max)
    return Ended(left[0], killed=kind == b"k")


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the watchdog's thread is left behind
        return os.fork()


def _live(ours: socket.socket, theirs: socket.socket, work: Callable[[Child], bytes]) -> NoReturn:
    try:
        ours.close()
        Child(theirs).run(work)
    finally:
        os._exit(0)


def _receive(end: socket.socket, until: float) -> tuple[bytes, bytes]:
    """Kind and state; nothing at all if the other side is gone, or too late."""
    head = _read(end, _HEAD.size, until)
    if len(head) < _HEAD.size:
        return b"", b""
    kind, size = _HEAD.unpack(head)
    state = _read(end, size, until)
    return (kind, state) if len(state) == size else (b"", b"")


def _read(end: socket.socket, size: int, until: float) -> bytes:
    found = bytearray()
    while len(found) < size:
        left = until - real_time.monotonic()
        if left <= 0 or not select.select([end], [], [], left)[0]:
            break
        part = end.recv(size - len(found))
        if not part:
            break
        found += part
    return bytes(found)


def _kill(process: int) -> None:
    """End the process, if it has not ended by itself; it is not gone before it is buried."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _bury(process: int) -> int:
    """Have the process gone, with all its files and locks, and return its status."""
    _kill(process)
    return os.waitpid(process, 0)[1]


def _ended_by_itself(status: int, seconds_max: float) -> UsageError:
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGKILL:
        return UsageError(
            f"the process of the saga was silent for {seconds_max + _GRACE_S:g} s, or was killed by others",
            advice=_BLOCKED,
        )
    how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    return UsageError(
        f"the process of the saga ended by itself, with {how}, where no fault was",
        advice="A saga under test must not end its own process: what it knew of the world is gone with it.",
    )


def _flush() -> None:
    """Write out what was printed: a fork would print it twice, a kill not at all."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
