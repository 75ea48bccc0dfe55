"""The functions of `time` as they were before anything was put in their place."""

from __future__ import annotations

from time import monotonic, monotonic_ns, perf_counter, perf_counter_ns, sleep, time, time_ns
from typing import Final

__all__ = [
    "NAMES",
    "monotonic",
    "monotonic_ns",
    "perf_counter",
    "perf_counter_ns",
    "sleep",
    "time",
    "time_ns",
]

NAMES: Final = ("sleep", "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")
"""What `VirtualTime` replaces."""
