"""A line for somebody who waits: late, rarely, and with what is left."""

from __future__ import annotations

from sagaproof._doors.progress import Ticker
from sagaproof._search.sweep import Progress


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def test_a_quick_campaign_shows_nothing() -> None:
    watch, lines = Watch(), list[str]()
    ticker = Ticker(lines.append, after_s=5, now=watch)
    for runs in range(0, 500, 50):
        watch.at += 0.4
        ticker(Progress(2, runs, 1000, 0))

    assert not lines
    assert not ticker.shown


def test_a_slow_one_shows_at_most_two_lines_a_second_with_the_time_left() -> None:
    watch, lines = Watch(), list[str]()
    ticker = Ticker(lines.append, after_s=5, now=watch)
    for step in range(61):
        watch.at = 100.0 + step / 5
        ticker(Progress(2, 100 + 10 * step, 1000 - 10 * step, 1))

    assert ticker.shown
    assert 12 <= len(lines) <= 15
    assert lines[0] == "350 runs, 1 finding; 750 more with 2 faults, about 15 s (5 s so far)"


def test_the_pace_of_smaller_plans_says_nothing_of_larger_ones() -> None:
    watch, lines = Watch(), list[str]()
    ticker = Ticker(lines.append, after_s=0, now=watch)
    ticker(Progress(1, 1, 10, 0))
    watch.at += 10
    ticker(Progress(2, 50, 400, 0))

    assert lines[-1] == "50 runs, 0 findings; 400 more with 2 faults (10 s so far)"
