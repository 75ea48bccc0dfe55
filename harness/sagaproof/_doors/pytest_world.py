"""The fixture `world` in a test that explores nothing: the systems within reach, no fault, no way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from sagaproof._model.plan import EMPTY
from sagaproof._taps.gate import Gate
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.httpx import HttpxTap
from sagaproof._taps.leaks import LeakGuard
from sagaproof._world.system import System

__all__ = ["PlainWorld"]

_CALLS_MAX = 1_000_000


class PlainWorld:
    """A world outside of an exploration."""

    def __init__(
        self,
        systems: Mapping[str, System],
        hosts: Mapping[str, tuple[str, ...]],
        allow_hosts: tuple[str, ...],
    ) -> None:
        self.handle = WorldHandle(systems)
        self._tap = HttpxTap(self.handle.state.systems, lambda: self.handle.gate, hosts)
        self._guard = LeakGuard(allow_hosts=allow_hosts, sites=self._tap.passed)

    @contextmanager
    def active(self) -> Iterator[WorldHandle]:
        """The taps and the leak guard are in place inside."""
        with self._tap, self._guard:
            self.handle.begin(Gate(self.handle.state, EMPTY, calls_max=_CALLS_MAX))
            try:
                yield self.handle
            finally:
                self.handle.close()

    def fail_on_leaks(self) -> None:
        """Fail the test if its code swallowed the error of a connection that would have left the world."""
        __tracebackhide__ = True
        for leak in self._guard.leaks:
            pytest.fail(
                f"leak: the test tried to reach {leak.host} ({leak.site or 'in a library'}) and caught the "
                "error. Add a system that answers for it, or allow it in pyproject.toml: "
                f"[tool.sagaproof] allow_hosts = [{leak.host!r}].",
                pytrace=False,
            )
