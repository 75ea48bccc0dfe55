"""What is used of coverage.py that it does not promise, in one place.

A second measurement would stop the first, so the one that is there is shared: for the time of a campaign,
what it collects goes into a `Sink`, and is handed over afterwards. Its own data, its contexts and its reports
are as they would have been.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from sagaproof.errors import InternalError, UsageError

try:
    from coverage import Coverage, CoverageData
except ImportError as error:
    raise UsageError(
        "coverage.py, which --saga-coverage joins in, is not installed",
        advice='It is an extra: pip install "sagaproof[coverage]".',
    ) from error

__all__ = ["Collector", "Sink", "collector_of"]

Pairs = dict[str, set[tuple[int, int]]]


class Collector(Protocol):
    """The part of a `Coverage` that gathers what its tracers saw, and writes it into `covdata`."""

    covdata: CoverageData
    branch: bool

    def flush_data(self) -> object:
        """Write out what was seen since the last time."""

    def tracer_name(self) -> str:
        """The class of its tracers."""


def collector_of(measuring: Coverage) -> Collector:
    """The collector of a measurement that has been started.

    Raises `UsageError` where it works in a way that sees each line only once, whatever runs it.
    """
    collector: Collector | None = getattr(measuring, "_collector", None)
    if not all(hasattr(collector, name) for name in ("covdata", "branch", "flush_data", "tracer_name")):
        raise InternalError(
            "coverage.py has changed inside",
            advice="Install coverage>=7.6,<8, and please report the version that you have.",
        )
    assert collector is not None
    if collector.tracer_name() == "SysMonitor":
        raise UsageError(
            "coverage.py measures with sys.monitoring, which sees a line once and not under which plan",
            advice="Set COVERAGE_CORE=ctrace, or core = 'ctrace' under [tool.coverage.run].",
        )
    return collector


class Sink(CoverageData):
    """Stands in for the data of a measurement: what it is given is kept as pairs of lines, until taken."""

    def __init__(self) -> None:
        super().__init__(no_disk=True)
        self.tracers: dict[str, str] = {}
        self._fresh: Pairs = {}

    def take(self) -> Pairs:
        """What came since the last time."""
        fresh, self._fresh = self._fresh, {}
        return fresh

    def put(self, pairs: Mapping[str, Collection[tuple[int, int]]]) -> None:
        """Take in what was measured in another process, or here."""
        for file, found in pairs.items():
            if found:
                self._fresh.setdefault(file, set()).update(found)

    def add_arcs(self, arc_data: Mapping[str, Collection[tuple[int, int]]]) -> None:
        """Keep them."""
        self.put(arc_data)

    def add_lines(self, line_data: Mapping[str, Collection[int]]) -> None:
        """Keep them, each as one that came after none."""
        self.put({file: [(0, line) for line in lines] for file, lines in line_data.items()})

    def add_file_tracers(self, file_tracers: Mapping[str, str]) -> None:
        """Keep them."""
        self.tracers.update(file_tracers)
