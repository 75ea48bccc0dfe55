"""How a benchmark is timed: in rounds that take turns with those of the others, judged by their median.

Seconds are seconds of a processor, of this process and of those that it started, so that what else runs on
the machine counts as little as can be: on an idle machine they are seconds of the clock, for nothing here
waits. What has to wait for a disk says so, and is timed by the clock.
"""

from __future__ import annotations

import gc
import resource
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from statistics import median

Once = Callable[[], object]
"""Does the thing once."""


@dataclass(frozen=True)
class Benchmark:
    """One thing to time. `ready` sets it up, untimed; what it gives is done `times` times in each round.

    `rounds_max` bounds the rounds of what takes long; `waits` has it timed by the clock.
    """

    name: str
    ready: Callable[[], AbstractContextManager[Once]]
    times: int
    rounds_max: int = 1000
    waits: bool = False


def measure(benchmarks: Iterable[Benchmark], rounds: int) -> dict[str, float]:
    """The median over all rounds of the seconds that each takes once, by name.

    The machine's mood changes within seconds: in a round all are timed, one after the other, so that what
    is compared with each other has had the same of it.
    """
    taken: dict[str, list[float]] = {}
    benchmarks = tuple(benchmarks)
    for number in range(rounds):
        for benchmark in benchmarks:
            if number < benchmark.rounds_max:
                taken.setdefault(benchmark.name, []).append(_seconds(benchmark))
    return {name: median(seconds) for name, seconds in taken.items()}


def _seconds(benchmark: Benchmark) -> float:
    with benchmark.ready() as once:
        if benchmark.times > 1:
            once()
        gc.collect()
        used = time.perf_counter if benchmark.waits else _used
        began = used()
        for _ in range(benchmark.times):
            once()
        return (used() - began) / benchmark.times


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
