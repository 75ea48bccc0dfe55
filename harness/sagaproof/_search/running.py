"""The runner of a subject, with its world around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from sagaproof._coverage.found import CodeFound
from sagaproof._run.runner import Runner
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle

__all__ = ["code_of", "runner_of"]


@contextmanager
def runner_of(
    subject: Subject,
    settings: Settings,
    world: WorldHandle | None = None,
    *,
    turn_invariants: Iterable[Callable[[WorldHandle], object]] = (),
    sites: bool = True,
) -> Iterator[Runner]:
    """Set up what runs a subject; `world` is made from its systems unless given, and closed at the end."""
    world = WorldHandle(subject.systems) if world is None else world
    try:
        with _kind(settings)(
            world,
            subject.driver,
            claim=subject.claim,
            invariants=subject.invariants,
            turn_invariants=turn_invariants,
            limits=settings.limits,
            hosts=subject.hosts,
            allow_hosts=subject.allow_hosts,
            sites=sites,
            real=settings.crash == "real",
        ) as runner:
            yield runner
    finally:
        world.close()


def code_of(runner: Runner) -> CodeFound | None:
    """What a runner has measured of the undo code; None if it does not measure."""
    found: Callable[[], CodeFound] | None = getattr(runner, "found", None)
    return None if found is None else found()


def _kind(settings: Settings) -> type[Runner]:
    """The plain runner unless the code is to be measured: nothing of coverage.py is loaded for it."""
    if not settings.coverage:
        return Runner
    from sagaproof._coverage.runner import MeasuredRunner  # noqa: PLC0415  # as it says

    return MeasuredRunner
