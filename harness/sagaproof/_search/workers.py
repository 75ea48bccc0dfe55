"""Who works on a campaign, by its settings. What more than one process needs is loaded only then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sagaproof._model.history import History
from sagaproof._run.runner import Runner
from sagaproof._search.hands import Hands, Here, Worker
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._search.watch import Watch

if TYPE_CHECKING:
    from sagaproof._search.crew import Pool

__all__ = ["hands_for"]


def hands_for(  # noqa: PLR0917  # what a campaign has, once
    subject: Subject,
    settings: Settings,
    runner: Runner,
    watch: Watch,
    baselines: dict[str, History],
    notes: list[str],
) -> Hands:
    """This process alone, forks of it, or the workers of a cluster. The death of one is told in `notes`."""
    here = Here(runner, watch, baselines)
    if settings.workers == 1 and not settings.executor:
        return here
    from sagaproof._search.crew import Crew  # noqa: PLC0415  # see above
    from sagaproof._search.fork_pool import ForkPool  # noqa: PLC0415  # as above

    # Where a crash is real, no run may be made beside the threads of an executor.
    worker = Worker(subject, settings, runner, baselines)
    return Crew(
        (lambda: _cluster(subject, settings))
        if settings.executor
        else lambda: ForkPool(settings.workers, worker),
        None if settings.crash == "real" else here,
        notes.append,
    )


def _cluster(subject: Subject, settings: Settings) -> Pool:
    from sagaproof._search.dask_pool import DaskPool  # noqa: PLC0415  # an extra

    return DaskPool(settings.executor, subject, replace(settings, workers=1, executor=""))
