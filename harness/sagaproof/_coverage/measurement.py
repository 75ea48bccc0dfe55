"""A measurement for the time of a campaign: that of the user where there is one, else one of our own."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from coverage import Coverage
from coverage.exceptions import ConfigError

from sagaproof._coverage.foreign import Collector, Sink, collector_of

__all__ = ["Measurement"]

_OURS: Final = [str(Path(__file__).parents[1] / "*"), "*/sagaproof_fakes/*"]


class Measurement:
    """Entered once; `take` gives what ran since it was last asked.

    A measurement of the user's gets all of it in the end, under the context that it had before.
    """

    def __init__(self) -> None:
        self._sink = Sink()
        self._own: Coverage | None = None
        self._collector: Collector | None = None
        self._theirs: Any = None
        self._whole: dict[str, set[tuple[int, int]]] = {}

    def __enter__(self) -> Self:
        theirs = Coverage.current()
        if theirs is None:
            self._own = theirs = _own()
            theirs.start()
        try:
            self._collector = collector_of(theirs)
        except BaseException:
            self._stop()
            raise
        self._collector.flush_data()
        self._theirs, self._collector.covdata = self._collector.covdata, self._sink
        return self

    def __exit__(self, *_: object) -> None:
        collector = self._collector
        assert collector is not None
        self.take()
        collector.covdata = self._theirs
        if self._own is None:
            self._hand_over(collector)
        self._stop()

    def _stop(self) -> None:
        if self._own is not None:
            self._own.stop()
            if self._theirs is not None:
                self._theirs.close(force=True)

    def _hand_over(self, collector: Collector) -> None:
        if collector.branch:
            self._theirs.add_arcs(self._whole)
        else:
            self._theirs.add_lines({f: [line for _, line in pairs] for f, pairs in self._whole.items()})
        self._theirs.add_file_tracers(self._sink.tracers)

    @property
    def branch(self) -> bool:
        """Whether it is measured which line came after which."""
        return self._collector is not None and self._collector.branch

    def take(self) -> dict[str, set[tuple[int, int]]]:
        """What ran since the last time, by file."""
        assert self._collector is not None
        self._collector.flush_data()
        fresh = self._sink.take()
        for file, pairs in fresh.items():
            self._whole.setdefault(file, set()).update(pairs)
        return fresh

    # From one process to another ------------------------------------------------------------------------

    def begin_in_fork(self) -> None:
        """Measure on in a new process, from nothing: also where coverage.py has begun anew in it."""
        current = Coverage.current()
        if current is not None:
            self._collector = collector_of(current)
            self._collector.covdata = self._sink
        self.take()

    def state(self) -> object:
        """What ran in this process."""
        return self.take()

    def adopt(self, state: Any) -> None:
        """Count what ran in another process as run here."""
        self._sink.put(state)


def _own() -> Coverage:
    """A measurement that leaves no file, and leaves out what is ours."""
    own = Coverage(data_file=None, branch=True, config_file=False, omit=_OURS, check_preimported=False)
    with suppress(ConfigError):  # older versions have no such option, nor another core unless they are told
        own.set_option("run:core", "ctrace")
    return own
