"""The machine on which runners run: a clock that all of them share, and which of them are alive."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

__all__ = ["Machine", "ThisMachine"]


class Machine(Protocol):
    """What a lease needs to know."""

    def now(self) -> float:
        """Seconds, the same in all processes, that nobody sets forward or back."""

    def process(self) -> str:
        """The name of this process, which no other one has or will have."""

    def is_alive(self, process: str) -> bool:
        """Whether a process may still be running; True if that cannot be told."""


class ThisMachine:
    """Reads what the operating system knows.

    Time is that since the machine was started, sleep included where the system can count it. A process is
    named by boot, namespace, id and the moment of its start, so that one which has got its id later is not
    taken for it. Where the system tells less (all but Linux), a process counts as alive as long as there is
    one with its id, and only the time of the lease ends it.
    """

    def __init__(self) -> None:
        self._boot = _text("/proc/sys/kernel/random/boot_id")
        self._names: dict[int, str] = {}

    def now(self) -> float:
        """Seconds since the machine was started."""
        return _since_boot()

    def process(self) -> str:
        """Boot, namespace, id, start."""
        pid = os.getpid()
        name = self._names.get(pid)
        if name is None:
            name = f"{self._boot}/{_namespace()}/{pid}/{_start_of(pid) or ''}"
            self._names = {pid: name}  # a fork has a name of its own
        return name

    def is_alive(self, process: str) -> bool:
        """Whether there is such a process, and it is the one that was meant."""
        boot, namespace, pid, started = process.split("/")
        if boot != self._boot:
            return False
        if namespace != _namespace() or not pid.isdecimal():
            return True  # in another container, perhaps: its processes cannot be seen
        if not _exists(int(pid)):
            return False
        start = _start_of(int(pid))
        return start is None or start == started


def _since_boot() -> float:
    if sys.platform == "linux":
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def _exists(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # there, os.kill would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


_DEAD: Final = frozenset("ZX")


def _start_of(pid: int) -> str | None:
    """When a process was started, "dead" for one that is only waited for; None if that cannot be read."""
    # The name of the program stands in parentheses and may hold anything; the fields are those of proc(5).
    fields = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20:
        return None
    return "dead" if fields[0] in _DEAD else fields[19]


def _namespace() -> str:
    with suppress(OSError):
        return str(Path("/proc/self/ns/pid").readlink())
    return ""


def _text(path: str) -> str:
    with suppress(OSError):
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    return ""
