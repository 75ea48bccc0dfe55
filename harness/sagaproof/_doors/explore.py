"""The decorator `@explore`: turns a test into the exploration of the saga that its body runs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ParamSpec, overload

from sagaproof._checks.campaign_check import Check
from sagaproof._doors.exploration import MARK, Exploration
from sagaproof._doors.options import Options, read
from sagaproof._doors.registry import SystemSpec
from sagaproof._drivers.fed import FedSaga
from sagaproof._model.event import Called
from sagaproof._model.script import Script
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import UsageError

__all__ = ["explore"]

P = ParamSpec("P")


@overload
def explore(body: Callable[P, object], /) -> Callable[P, None]: ...
@overload
def explore(
    *,
    faults: int | None = None,
    statuses: str | None = None,
    durations: Sequence[str] | None = None,
    families: Sequence[str] | None = None,
    exclude: Mapping[str, str] | None = None,
    runs: int | None = None,
    seconds: float | None = None,
    seed: int | None = None,
    require_sometimes: bool | Sequence[str] | None = None,
    crash: str | None = None,
    coverage: bool | None = None,
    claim: Callable[[Any], object] | None = None,
    invariants: Iterable[Callable[[WorldHandle], object]] = (),
    independent: Iterable[tuple[str, str]] = (),
    attempts: Mapping[str, int] | None = None,
    checks: Iterable[Check] = (),
    sometimes: Iterable[Sometimes] = (),
    skip_checks: Mapping[str, str] | None = None,
    systems: Sequence[SystemSpec] | None = None,
    hosts: Mapping[str, str | Sequence[str]] | None = None,
    allow_hosts: Sequence[str] = (),
    allow_fixtures: bool | Iterable[str] = False,
    when: Mapping[str, Callable[[Called], bool]] | None = None,
    agent: Callable[..., FedSaga] | None = None,
    recover: Callable[..., Any] | None = None,
    scripts: Iterable[Script] = (),
) -> Callable[[Callable[P, object]], Callable[P, None]]: ...
def explore(
    body: Callable[..., object] | None = None,
    /,
    *,
    claim: Callable[[Any], object] | None = None,
    invariants: Iterable[Callable[[WorldHandle], object]] = (),
    independent: Iterable[tuple[str, str]] = (),
    attempts: Mapping[str, int] | None = None,
    checks: Iterable[Check] = (),
    sometimes: Iterable[Sometimes] = (),
    skip_checks: Mapping[str, str] | None = None,
    systems: Sequence[SystemSpec] | None = None,
    hosts: Mapping[str, str | Sequence[str]] | None = None,
    allow_hosts: Sequence[str] = (),
    allow_fixtures: bool | Iterable[str] = False,
    when: Mapping[str, Callable[[Called], bool]] | None = None,
    agent: Callable[..., FedSaga] | None = None,
    recover: Callable[..., Any] | None = None,
    scripts: Iterable[Script] = (),
    **options: Any,
) -> Any:
    """Run the saga of a test under every plan of faults, and fail where the world is left wrong.

    The body gets the fixture `world`, sets it up, runs the saga and returns its claim: None or "completed",
    "compensated", "escalated", "refused", or an object whose `.status` is one. It may be `async def`; each
    run has a fresh world and a fresh event loop, and waits in virtual time.

    How far (pytest's command line wins over these, and these win over `[tool.sagaproof]`): `faults` is the
    most faults in one run (2). `statuses` is "representative" or "all"; `durations` are of "once", "twice",
    "all"; `families` limits the kinds of fault. `exclude={"mail.send=503": "reason"}` leaves cells out (globs
    are fine). `when={"billing.charge=503": lambda call: call.args["amount"] > 9}` puts a fault on some calls
    only: a call has `args`, `key`, `phase` and `point`. `runs` and `seconds` (real time) bound it; what is
    cut off makes the test incomplete. `seed` chooses what is audited.

    What is judged: `claim` translates what the body returns. `invariants` are functions of the world that
    return a bool or a sentence, or assert. `independent` are pairs of globs on operations whose undos may
    come in any order. `attempts={"billing.*": 4}` says how often a call is to be tried in all, by globs on
    operations, of which the first that fits counts. `checks` are your own, besides the built-in ones;
    `skip_checks={"slug": "reason"}` leaves some of these out. `sometimes` are states of your own that some
    run should reach, made of `sagaproof.sometimes.Sometimes`; `require_sometimes` makes the test incomplete
    if one was not: True for all that apply, or slugs, also of the built-in ones.

    The world: `systems` are registered names, `module:Class`, classes or instances (all registered ones).
    `hosts={"billing": "https://billing.acme.test/api"}` says where your clients expect them; `allow_hosts`
    may be reached for real. `allow_fixtures` lets other function-scoped fixtures be shared by all runs: True
    or their names.

    With `agent` and `scripts` the body is only the set-up of each run: `agent(world)`, or `agent()`, then
    makes a dispatcher that is fed the tool calls of each script, also cut short after each of them.

    The crash: `recover(world)`, or `recover()`, is what a new process does after a crash. It returns the
    claim, as the body does, or with `agent` the dispatcher that goes on; never the body again. With it the
    process is also killed before and after each call and each write into `world.journal` or through
    `world.durable`. The script says what the agent does after a restart. `crash` is "simulated", an
    exception, or "real": the process is one of its own, killed by SIGKILL.

    With `coverage` the report tells which lines of the undo code no fault has reached.

    Called outside of pytest, the decorated function explores and raises `AssertionError` on findings.
    """
    if body is not None:
        _check_body(body)
    _check_lists(
        systems=systems,
        allow_hosts=allow_hosts,
        allow_fixtures=allow_fixtures,
        require_sometimes=options.get("require_sometimes"),
    )
    given = {name: value for name, value in options.items() if value is not None}
    kept: dict[str, Any] = {
        "options": read(Options, given, "the arguments of @explore"),
        "claim": claim,
        "invariants": tuple(invariants),
        "independent": tuple(independent),
        "attempts": dict(attempts or {}),
        "checks": tuple(checks),
        "sometimes": tuple(sometimes),
        "skip_checks": dict(skip_checks or {}),
        "systems": systems,
        "hosts": dict(hosts or {}),
        "allow_hosts": tuple(allow_hosts),
        "allow_fixtures": allow_fixtures if isinstance(allow_fixtures, bool) else frozenset(allow_fixtures),
        "when": dict(when or {}),
        "agent": agent,
        "recover": recover,
        "scripts": tuple(scripts),
    }

    def decorate(body: Callable[..., object]) -> Callable[..., None]:
        _check_body(body)
        return _explored(Exploration(body=body, **kept))

    return decorate if body is None else decorate(body)


def _check_body(body: object) -> None:
    if not inspect.isfunction(body):
        raise UsageError(
            f"@explore was given {body!r}",
            advice="Put it on a test function, and name its options: @explore(faults=2).",
        )


def _check_lists(**lists: object) -> None:
    """A text is a sequence, too: of its letters."""
    for name, value in lists.items():
        if isinstance(value, str):
            raise UsageError(f"{name}= is the text {value!r}", advice=f"Write {name}=[{value!r}].")


def _explored(exploration: Exploration) -> Callable[..., None]:
    body = exploration.body

    @functools.wraps(body)
    def explored(*args: Any, **kwargs: Any) -> None:
        # Not async whatever the body is: no other plugin is to put a loop around all its runs.
        from sagaproof._doors.campaigns import explore_directly  # noqa: PLC0415  # only where pytest does not

        explore_directly(exploration, args, kwargs)

    setattr(explored, MARK, exploration)
    return explored
