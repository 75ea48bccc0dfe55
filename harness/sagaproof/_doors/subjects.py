"""What is explored, made from an explored test or from a scenario."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from sagaproof._checks.compensated_is_clean import CompensatedIsClean
from sagaproof._checks.protocol import RunCheck
from sagaproof._doors.exploration import Exploration
from sagaproof._doors.options import FileOptions
from sagaproof._doors.registry import systems
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._drivers.protocol import Driver
from sagaproof._model.script import OPAQUE
from sagaproof._search.scenario import Scenario
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.system import System
from sagaproof.errors import UsageError, suggest

__all__ = ["subject_of_scenario", "subject_of_test", "systems_of_test"]


def systems_of_test(exploration: Exploration | None, options: FileOptions) -> dict[str, System]:
    """The systems of a test: its own, else those of the project, else all that are registered."""
    specs = None if exploration is None else exploration.systems
    return systems(options.systems if specs is None else specs)


def subject_of_test(
    exploration: Exploration,
    name: str,
    arguments: Mapping[str, Any],
    world: WorldHandle,
    options: FileOptions,
    body: Callable[..., Any] | None = None,
) -> Subject:
    """The subject of an explored test. `arguments` are the other fixtures; `body` is a bound one."""
    run = _body(exploration.body if body is None else body, arguments)
    hosts = {given: (of,) if isinstance(of, str) else tuple(of) for given, of in options.hosts.items()}
    hosts = {given: of for given, of in hosts.items() if given in world.state.systems}
    return Subject(
        name,
        _driver(exploration, run),
        {n: s for n, s in world.state.systems.items() if n != "tools"},
        _checks(exploration),
        scripts=exploration.scripts or (OPAQUE,),
        claim=exploration.claim,
        invariants=exploration.invariants,
        hosts={**hosts, **exploration.hosts} or None,
        allow_hosts=(*options.allow_hosts, *exploration.allow_hosts),
    )


def subject_of_scenario(scenario: Scenario) -> Subject:
    """The subject of a scenario."""
    if (scenario.body is None) == (scenario.agent is None):
        raise UsageError(
            f"scenario {scenario.name!r} needs a body or an agent", advice="Give one of the two."
        )
    driver: Driver = CallableDriver(scenario.body) if scenario.body is not None else FedDriver(scenario.agent)  # type: ignore[arg-type]
    return Subject(
        scenario.name,
        driver,
        systems(scenario.systems),
        _all_checks(),
        scripts=scenario.scripts,
        claim=scenario.claim,
        invariants=scenario.invariants,
    )


def _body(body: Callable[..., Any], arguments: Mapping[str, Any]) -> Callable[[WorldHandle], Any]:
    takes_world = "world" in inspect.signature(body).parameters

    @functools.wraps(body)
    def run(world: WorldHandle) -> Any:
        return body(**arguments, **({"world": world} if takes_world else {}))

    return run


def _driver(exploration: Exploration, body: Callable[[WorldHandle], Any]) -> Driver:
    agent = exploration.agent
    if agent is None:
        return CallableDriver(body)
    takes_world = bool(inspect.signature(agent).parameters)

    def make(world: WorldHandle) -> Any:
        if body(world) is not None:
            raise UsageError(
                "the body returned something, but with agent= it is only the set-up of each run",
                where=exploration.name,
                advice="Return nothing; agent= makes the dispatcher.",
            )
        return agent(world) if takes_world else agent()

    # What the agent is decides whether the runs need an event loop.
    made = agent if inspect.isclass(agent) else inspect.get_annotations(agent, eval_str=True).get("return")
    make.__annotations__ = {} if made is None else {"return": made}
    return FedDriver(make)


def _all_checks() -> tuple[RunCheck, ...]:
    return (CompensatedIsClean(),)


def _checks(exploration: Exploration) -> tuple[RunCheck, ...]:
    built_in = {check.slug: check for check in _all_checks()}
    for slug, reason in exploration.skip_checks.items():
        if slug not in built_in:
            raise UsageError(f"skip_checks names {slug!r}, which is no check", advice=suggest(slug, built_in))
        if not reason.strip():
            raise UsageError(f"check {slug!r} is skipped without a reason", advice="Say why, as its value.")
    for check in exploration.checks:
        if check.slug in built_in:
            raise UsageError(f"there is a built-in check {check.slug!r}", advice="Give yours another slug.")
    return (*(c for s, c in built_in.items() if s not in exploration.skip_checks), *exploration.checks)
