"""Trying one planted bug by all means: explored, by single errors, and by plans drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module

from sagaproof._checks.protocol import RunCheck
from sagaproof._machine.comparison import First, Row
from sagaproof._machine.outcomes import Outcome, Outcomes
from sagaproof._machine.single_errors import by_single_errors
from sagaproof._search.planted import Planted
from sagaproof._search.running import runner_of
from sagaproof._search.selfcheck import Fate, Trial
from sagaproof._search.subject import Subject
from sagaproof.errors import InternalError, UsageError

__all__ = ["compared", "machine", "shows_in_a_run"]

_SEES = {Fate.KILLED, Fate.FALSE_ALARM}


def shows_in_a_run(planted: Planted, subject: Subject) -> bool:
    """Whether a check that judges single runs is meant to see it, so that drawn runs can show it at all."""
    of_runs = {check.slug for check in subject.checks if isinstance(check, RunCheck)}
    return planted.is_control or not of_runs.isdisjoint(planted.expect)


def compared(trial: Trial, subject: Subject, examples: Sequence[int], seeds: Sequence[int]) -> Row:
    """What the other means find of what was tried. Raises `InternalError` if a check broke."""
    errors = by_single_errors(trial.planted, subject)
    drawn = machine(trial.planted, subject, examples, seeds)
    return Row(trial.planted, _first(trial), _first(errors), drawn)


def machine(
    planted: Planted, subject: Subject, examples: Sequence[int], seeds: Sequence[int]
) -> dict[int, tuple[First, ...]]:
    """The first finding of the plain machine, for each number of examples and by seed.

    Raises `UsageError` if Hypothesis is not installed.
    """
    assert planted.scenario is not None
    first_finding = _plain()
    settings = planted.scenario.settings
    if planted.families:
        settings = replace(settings, families=planted.families)
    with runner_of(subject, settings) as runner:
        outcomes = Outcomes(subject, settings, runner)
        return {
            most: tuple(
                first_finding(outcomes, _meant(planted), examples=most, seeded=seeded) for seeded in seeds
            )
            for most in examples
        }


def _first(trial: Trial) -> First:
    if trial.fate is Fate.BROKEN:
        raise InternalError(f"{trial.planted.id} could not be tried by single errors: {trial.problem}")
    return trial.runs if trial.fate in _SEES else None


def _meant(planted: Planted) -> Callable[[Outcome], bool]:
    if planted.is_control:
        return lambda outcome: bool(outcome.violated)
    return lambda outcome: not outcome.violated.isdisjoint(planted.expect)


def _plain() -> Callable[..., First]:
    """The plain machine; what it imports is slow to load, and not everybody has it."""
    try:
        found: Callable[..., First] = import_module("sagaproof._machine.plain").first_finding
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "hypothesis":
            raise
        raise UsageError(
            "the baseline draws its faults by Hypothesis, which is not installed",
            advice="pip install hypothesis",
        ) from error
    return found
