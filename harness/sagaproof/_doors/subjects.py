"""What is explored, made from an explored test or from a scenario."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from sagaproof._checks import catalogue
from sagaproof._checks.campaign_check import Check
from sagaproof._doors.exploration import Exploration
from sagaproof._doors.options import FileOptions, hosts_for
from sagaproof._doors.registry import systems
from sagaproof._doors.user_checks import of_user
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._drivers.protocol import Driver
from sagaproof._model.script import OPAQUE, Script
from sagaproof._search.scenario import Scenario
from sagaproof._search.subject import Subject
from sagaproof._sometimes import catalogue as states
from sagaproof._sometimes.sometimes import Sometimes
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
    *,
    body: Callable[..., Any] | None = None,
) -> Subject:
    """The subject of an explored test. `arguments` are the other fixtures; `body` is a bound one."""
    run = _body(exploration.body if body is None else body, arguments)
    known = world.state.systems
    _check_hosts(exploration, known)
    _check_patterns(exploration, world)
    return Subject(
        name,
        _driver(exploration, run),
        {system: known[system] for system in known if system != "tools"},
        _checks(exploration),
        scripts=exploration.scripts or (OPAQUE,),
        claim=exploration.claim,
        invariants=exploration.invariants,
        hosts=hosts_for(known, options.hosts, exploration.hosts) or None,
        allow_hosts=(*options.allow_hosts, *exploration.allow_hosts),
        sometimes=_sometimes(exploration.sometimes, exploration.scripts),
    )


def subject_of_scenario(scenario: Scenario) -> Subject:
    """The subject of a scenario."""
    if (scenario.body is None) == (scenario.agent is None):
        raise UsageError(
            f"scenario {scenario.name!r} needs a body or an agent", advice="Give one of the two."
        )
    if scenario.missing:
        raise UsageError(
            f"scenario {scenario.name!r} needs {scenario.needs}, which is not installed",
            advice=f'It is an extra: pip install "sagaproof[{scenario.needs}]".',
        )
    driver = _driver_of_scenario(scenario)
    return Subject(
        scenario.name,
        driver,
        systems(scenario.systems),
        (
            *catalogue.checks(
                invariants=len(scenario.invariants),
                independent=scenario.independent,
                attempts=scenario.attempts,
            ),
            *map(of_user, scenario.checks),
        ),
        scripts=scenario.scripts,
        claim=scenario.claim,
        invariants=scenario.invariants,
        sometimes=_sometimes(scenario.sometimes, scenario.scripts),
    )


def _driver_of_scenario(scenario: Scenario) -> Driver:
    if scenario.agent is not None:
        return FedDriver(scenario.agent, scenario.recover)
    assert scenario.body is not None
    return CallableDriver(scenario.body, scenario.recover)


def _check_hosts(exploration: Exploration, known: Mapping[str, System]) -> None:
    for name in exploration.hosts:
        if name not in known:
            raise UsageError(
                f"hosts= names {name!r}, which is no system of this test",
                where=exploration.name,
                advice=suggest(name, known),
            )


def _check_patterns(exploration: Exploration, world: WorldHandle) -> None:
    """A pattern that fits nothing is a slip: what it should leave out, or bound, would not be."""
    known = world.state.operations
    patterns_of = {
        "exclude": [cell.partition("=")[0] or "*" for cell in exploration.options.exclude],
        "when": [cell.partition("=")[0] or "*" for cell in exploration.when],
        "attempts": list(exploration.attempts),
    }
    for option, patterns in patterns_of.items():
        for pattern in patterns:
            if not pattern.startswith("tools.") and not any(fnmatchcase(name, pattern) for name in known):
                raise UsageError(
                    f"{option}= names {pattern!r}, which is no operation of this test",
                    where=exploration.name,
                    advice=suggest(pattern, known),
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
        return CallableDriver(body, _recovery(exploration))
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
    return FedDriver(make, _recovery(exploration))


def _recovery(exploration: Exploration) -> Callable[[WorldHandle], Any] | None:
    recover = exploration.recover
    if recover is None or inspect.signature(recover).parameters:
        return recover
    return lambda _: recover()


def _checks(exploration: Exploration) -> tuple[Check, ...]:
    usual = catalogue.checks(
        invariants=len(exploration.invariants),
        independent=exploration.independent,
        attempts=exploration.attempts,
    )
    built_in = {check.slug: check for check in usual}
    for slug, reason in exploration.skip_checks.items():
        if slug not in built_in:
            raise UsageError(f"skip_checks names {slug!r}, which is no check", advice=suggest(slug, built_in))
        if not reason.strip():
            raise UsageError(f"check {slug!r} is skipped without a reason", advice="Say why, as its value.")
    for check in exploration.checks:
        if check.slug in built_in:
            raise UsageError(f"there is a built-in check {check.slug!r}", advice="Give yours another slug.")
    return (
        *(c for s, c in built_in.items() if s not in exploration.skip_checks),
        *map(of_user, exploration.checks),
    )


def _sometimes(own: Sequence[Sometimes], scripts: Sequence[Script]) -> tuple[Sometimes, ...]:
    """The built-in sometimes properties, then those of the user."""
    known = {one.slug: one for one in states.sometimes(scripts)}
    for one in own:
        if one.slug in known:
            raise UsageError(
                f"there is a sometimes property {one.slug!r} already", advice="Give yours another slug."
            )
        known[one.slug] = one
    return tuple(known.values())
