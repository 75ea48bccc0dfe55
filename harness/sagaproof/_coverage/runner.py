"""A runner whose runs are measured, also in the processes that it forks."""

from __future__ import annotations

from functools import partial
from typing import Any, Self

from sagaproof._coverage.analysis import analysed
from sagaproof._coverage.found import CodeFound
from sagaproof._coverage.hits import Hits
from sagaproof._coverage.measurement import Measurement
from sagaproof._coverage.sites import Sites
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._taps.gate import Gate
from sagaproof._taps.tools import Tools

__all__ = ["MeasuredRunner"]


class MeasuredRunner(Runner):
    """Knows, at the end of a campaign, which lines of the undo code ran under which plans."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._measurement = Measurement()
        self._hits = Hits()
        self._places = Sites()
        self._under: Plan | None = None

    def __enter__(self) -> Self:
        self._measurement.__enter__()
        try:
            super().__enter__()
        except BaseException:
            self._measurement.__exit__()
            raise
        self._around.companion = _Companion(self._measurement, self._places)
        return self

    def __exit__(self, *exc_info: object) -> None:
        try:
            super().__exit__(*exc_info)
        finally:
            self._measurement.__exit__()

    def run(self, script: Script, plan: Plan, twin: History | None = None) -> History:
        """One run, as of any runner; what it ran is counted under its plan."""
        outer, self._under = self._under, plan
        self._count(outer)
        try:
            history = super().run(script, plan, twin)
        finally:
            self._count(plan)
            self._under = outer
        if not plan:
            self._register()
        return history

    def _gate(self, plan: Plan) -> Gate:
        gate = super()._gate(plan)
        gate.on_call = partial(self._places.see, calm=not plan)
        return gate

    def _count(self, plan: Plan | None) -> None:
        """Count what ran up to now under this plan; without one it was no run."""
        ran = self._measurement.take()
        if plan is not None:
            self._hits.add(ran, plan)

    def _register(self) -> None:
        """Note the undos that are declared: with tools of the world, or of the saga."""
        for system in self.world.state.systems.values():
            if isinstance(system, Tools):
                for undo in system.undo_functions():
                    self._places.register(undo)
        for tool in getattr(self.driver, "tools", ()):
            self._places.register(getattr(tool, "undo", None))

    def found(self) -> CodeFound:
        """What is known so far; to be asked before it is left."""
        return analysed(self._places, self._hits, branch=self._measurement.branch)


class _Companion:
    """What is seen in the processes of a run, on its way to the one that counts."""

    def __init__(self, measurement: Measurement, places: Sites) -> None:
        self._measurement = measurement
        self._places = places

    def begin_in_fork(self) -> None:
        """Measure on in a new process."""
        self._measurement.begin_in_fork()

    def state(self) -> object:
        """What was seen in this process."""
        return self._measurement.state(), self._places.state()

    def adopt(self, state: Any) -> None:
        """Count it as seen here."""
        ran, places = state
        self._measurement.adopt(ran)
        self._places.adopt(places)
