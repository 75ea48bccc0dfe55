"""`AgentMachine`: Hypothesis plays the model that calls the tools of a saga."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar
from unittest import SkipTest

from hypothesis import settings

from sagaproof._checks.campaign_check import Check
from sagaproof._doors.exploration import Exploration
from sagaproof._doors.machine_play import played
from sagaproof._doors.machine_profiles import PROFILES, promoted_at_most, register, usual
from sagaproof._doors.machine_report import report_of
from sagaproof._doors.machine_results import RESULTS, MachineResult
from sagaproof._doors.options import FileOptions, Options, file_options, settings_of
from sagaproof._doors.registry import SystemSpec
from sagaproof._doors.subjects import subject_of_scenario, subject_of_test, systems_of_test
from sagaproof._drivers.fed import FedSaga
from sagaproof._machine.choices import Choices
from sagaproof._machine.decisions import Decisions
from sagaproof._machine.found import kind_of
from sagaproof._machine.player import Player
from sagaproof._machine.session import Session
from sagaproof._machine.trials import Trial, Trials
from sagaproof._machine.vocabulary import found_out
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import Script
from sagaproof._search.running import runner_of
from sagaproof._search.scenario import Scenario
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import NotInjected, UsageError

__all__ = ["PROFILES", "AgentMachine"]

register()


class _CaseOf:
    """`TestCase` of a machine, as Hypothesis has it: assign it to a name that pytest collects."""

    def __get__(self, _machine: object, owner: type[AgentMachine]) -> type[unittest.TestCase]:
        if "_case" not in owner.__dict__:
            owner._case = _case(owner)  # noqa: SLF001  # a cache for this descriptor
        case: type[unittest.TestCase] = owner.__dict__["_case"]
        return case


class AgentMachine(Player):
    """Plays a model over the tools of a saga: it draws what is called and which faults strike, and judges.

    Subclass it, say how the saga is made, and give its `TestCase` to pytest. `agent` makes the dispatcher
    that is fed the calls, as in `@explore(agent=...)`, and `recover` what goes on after a crash; `set_up` is
    the world before the first call. `tools` names values for arguments, `{tool: {argument: [values]}}`; what
    it leaves out is taken from the schemas of the tools, from `scripts`, and from the rows of the world.
    `world_invariants` are functions of the world that hold after each turn of the agent and at rest;
    `irreversible` names the tools of class 5 where the dispatcher does not say so itself. `options` are those
    of `@explore` on faults: `exclude`, `families`, `statuses`, `durations`; and `promote`, how many scripts
    that reached something new are explored with all single faults after the play (40 under `nightly`, else
    none).
    """

    agent: ClassVar[Callable[..., FedSaga] | None] = None
    recover: ClassVar[Callable[..., Any] | None] = None
    tools: ClassVar[Mapping[str, Mapping[str, Sequence[Any]]]] = {}
    irreversible: ClassVar[Sequence[str]] = ()
    scripts: ClassVar[Sequence[Script]] = ()
    systems: ClassVar[Sequence[SystemSpec] | None] = None
    claim: ClassVar[Callable[[Any], object] | None] = None
    world_invariants: ClassVar[Sequence[Callable[[WorldHandle], object]]] = ()
    checks: ClassVar[Sequence[Check]] = ()
    skip_checks: ClassVar[Mapping[str, str]] = {}
    options: ClassVar[Mapping[str, Any]] = {}
    scenario: ClassVar[Scenario | None] = None
    TestCase = _CaseOf()  # type: ignore[assignment]  # a descriptor, as the one that it takes the place of
    _case: ClassVar[type[unittest.TestCase]]

    @staticmethod
    def set_up(_world: WorldHandle) -> None:
        """Fill the world before a run. Nothing, unless overridden."""

    @classmethod
    def of(cls, scenario: Scenario) -> type[AgentMachine]:
        """A machine over the agent of a scenario, with its scripts to begin with."""
        if scenario.agent is None:
            raise UsageError(
                f"the saga of scenario {scenario.name!r} is not fed calls", advice="Take one with agent=."
            )
        name = f"Machine_{scenario.name.replace('-', '_')}"
        return type(name, (cls,), {"scenario": scenario, "__module__": cls.__module__})

    @classmethod
    def replay(cls, script: Script, plan: str = "") -> None:
        """Run one script under one plan and raise `AssertionError` with the report if a check is violated.

        A plan that no longer meets its points shows nothing: then the test is skipped, and says so.
        """
        with cls._trials() as trials:
            try:
                trial = trials.of(script, Plan.parse(plan))
            except NotInjected as error:
                trial = trials.of(script, EMPTY)
                if trial.violated or not _is_known(Plan.parse(plan), trial):
                    raise
                raise SkipTest(f"the plan does not fit any more: {error}") from error
            kind = kind_of(trial)
            if kind is not None:
                raise kind.error(report_of(cls, trial, kind))

    @classmethod
    def run(cls, how: settings | None = None) -> MachineResult:
        """Play, and return what came of it. Raises what Hypothesis raises for findings."""
        with cls._trials() as trials:
            subject = trials.subject
            scripts = cls.scenario.scripts if cls.scenario is not None else tuple(cls.scripts)
            vocabulary = found_out(trials, cls.tools, cls.irreversible, scripts)
            session = Session(
                trials,
                vocabulary,
                Decisions(Choices.of(vocabulary, trials)),
                tell=lambda trial, kind: report_of(cls, trial, kind),
            )
            result = MachineResult(subject.name, cls, session)
            machine = type(cls.__name__, (cls,), {"session": session, "__module__": cls.__module__})
            RESULTS.append(result)
            try:
                played(machine, session, how or usual(), cls._promoted_max())
            finally:
                trials.conclude()
            result.require_substance()
            return result

    @classmethod
    def _promoted_max(cls) -> int:
        return int(cls.options.get("promote", promoted_at_most()))

    @classmethod
    def _filled(cls, world: WorldHandle) -> None:
        cls.set_up(world)

    @classmethod
    @contextmanager
    def _trials(cls) -> Iterator[Trials]:
        subject, how, world = cls._subject()
        simulated = replace(how, crash="simulated")
        with runner_of(subject, simulated, world, turn_invariants=cls.world_invariants) as runner:
            yield Trials(subject, how, runner)

    @classmethod
    def _subject(cls) -> tuple[Subject, Settings, WorldHandle]:
        """What is played with, the settings of its faults, and its world."""
        if cls.scenario is not None:
            subject = subject_of_scenario(cls.scenario)
            return subject, cls.scenario.settings, WorldHandle(subject.systems)
        if cls.agent is None:
            raise UsageError(
                f"{cls.__name__} says nothing of what is fed the calls",
                advice="Set agent = to what makes the dispatcher, as in @explore(agent=...).",
            )
        exploration = Exploration(
            body=cls._filled,
            options=Options(**{name: one for name, one in cls.options.items() if name != "promote"}),
            claim=cls.claim,
            invariants=tuple(cls.world_invariants),
            checks=tuple(cls.checks),
            skip_checks=cls.skip_checks,
            systems=cls.systems,
            agent=cls.agent,
            recover=cls.recover,
            scripts=tuple(cls.scripts) or (Script("nothing"),),
        )
        file: FileOptions = file_options(Path.cwd())
        world = WorldHandle(systems_of_test(exploration, file))
        subject = subject_of_test(exploration, cls.__qualname__, {}, world, file)
        return subject, settings_of([file, exploration.options]), world


def _is_known(plan: Plan, trial: Trial) -> bool:
    return all(one.point.operation in trial.history.operations for one in plan)


def _case(machine: type[AgentMachine]) -> type[unittest.TestCase]:
    """A test case that plays a machine; its `settings` may be set, as those of Hypothesis."""

    def runTest(self: Any) -> None:  # noqa: N802  # the name that unittest looks for
        """Play."""
        machine.run(self.settings)

    runTest.is_hypothesis_test = True  # type: ignore[attr-defined]  # what the plugin of Hypothesis looks for
    body = {"runTest": runTest, "settings": None, "__module__": machine.__module__}
    return type(f"{machine.__name__}TestCase", (unittest.TestCase,), body)
