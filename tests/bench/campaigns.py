"""What a campaign of ten thousand runs costs besides its runs: the memory that it keeps, and its report."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache

from tests.bench.exploration import explored
from tests.bench.rounds import Once

from sagaproof._report.build import build
from sagaproof._report.html import as_html
from sagaproof._report.json_file import as_json
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Outcome
from sagaproof._search.sweep import Progress

_STEP = 50
"""Progress is told each time that so many runs have been made."""


def report(runs: int) -> Callable[[], AbstractContextManager[Once]]:
    """The JSON and the page of a campaign of so many runs, with its findings."""

    @contextmanager
    def ready() -> Iterator[Once]:
        outcome = Outcome(_of(runs))

        def once() -> None:
            built = build([outcome])
            assert as_json(built)
            assert as_html(built)

        yield once

    return ready


def kept_mb(runs: int) -> float:
    """Megabytes of Python's memory that a campaign of so many runs keeps for each ten thousand of them.

    It is how much more it has at its end than half way: what it has however short it is does not count.
    """
    ends = {runs // 2 // _STEP * _STEP, (runs - 1) // _STEP * _STEP}
    kept: dict[int, int] = {}

    def look(progress: Progress) -> None:
        if progress.runs in ends:
            gc.collect()
            kept[progress.runs] = tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        _campaign(runs, look)
    finally:
        tracemalloc.stop()
    (half, at_half), (whole, at_end) = sorted(kept.items())
    return (at_end - at_half) / (whole - half) * 10_000 / 1e6


@cache
def _of(runs: int) -> Campaign:
    campaign = _campaign(runs)
    assert campaign.findings
    return campaign


def _campaign(runs: int, on_progress: Callable[[Progress], None] | None = None) -> Campaign:
    """Every pair of faults, none left out, as far as so many runs go."""
    campaign = explored(on_progress, reduce=False, runs_max=runs)
    assert campaign.runs == runs
    return campaign
