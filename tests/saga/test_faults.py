"""Every single fault and every pair, crashes included: nothing doubled, nothing orphaned, nobody lied to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from sagaproof.saga import Ending, Outcome, Retry, Runtime, Saga

if TYPE_CHECKING:
    from tests.saga.conftest import Crash, Effect, World

MESSAGE_FAULTS = (
    "refuse",
    "down",
    "down/all",
    "lost",
    "lost/all",
    "late",
    "late/all",
    "die-before",
    "die-after",
)
JOURNAL_FAULTS = ("die-before", "die-after")
CALLS = [("credit", "c"), ("ticket", "t"), ("mail", "m"), ("stamp", "s")]


def fenced_by_undo(world: World) -> Runtime:
    """Keys are honoured, undos work by key."""
    by_key: dict[str, Any] = {"undo": world.undo_by_key, "undo_by_key": True}
    tools = [
        world.tool("credit", 4, **by_key),
        world.tool("ticket", 3, **by_key),
        world.tool("mail", 5, fence=world.fence),
        world.tool("stamp", 2),
    ]
    return runtime(world, tools)


def looked_up(world: World) -> Runtime:
    """Keys are honoured, undos need the reference."""
    hooks: dict[str, Any] = {"undo": world.undo_by_ref, "lookup": world.look_up, "fence": world.fence}
    tools = [
        world.tool("credit", 4, **hooks),
        world.tool("ticket", 3, **hooks),
        world.tool("mail", 5, lookup=world.look_up, fence=world.fence),
        world.tool("stamp", 2, lookup=world.look_up),
    ]
    return runtime(world, tools)


def without_keys(world: World) -> Runtime:
    """Nothing is honoured and nothing can be repeated: only looking helps."""
    world.keyed = False
    hooks: dict[str, Any] = {
        "undo": world.undo_each_time,
        "lookup": world.look_up,
        "still_stands": world.stands,
        "keyed": False,
        "undo_repeatable": False,
    }
    tools = [
        world.tool("credit", 4, **hooks),
        world.tool("ticket", 3, **hooks),
        world.tool("mail", 5, keyed=False),
        world.tool("stamp", 2, keyed=False),
    ]
    return runtime(world, tools)


def runtime(world: World, tools: list[Any]) -> Runtime:
    return Runtime(tools, journal=world, desk=world, desk_retry=Retry(3, wait_s=0), clock=lambda: 0.0)


@dataclass
class Run:
    """One script under one plan, restarted as often as it dies."""

    world: World
    build: Callable[[World], Runtime]
    crash: type[Crash]
    length: int
    resumes: bool
    told: dict[str, Outcome] = field(default_factory=dict)
    ending: Ending | None = None
    restarts: int = 0

    def play(self) -> None:
        try:
            self.go_on(self.build(self.world).start("order"))
        except self.crash:
            self.restart()
        self.world.settle()

    def restart(self) -> None:
        self.restarts += 1
        assert self.restarts < 9, "dies for ever"
        try:
            again = self.build(self.world)
            running = again.recover()
            for saga in running:
                self.go_on(saga) if self.resumes else self.end(saga, give_up=True)
            if not running and self.world.rows:
                self.ending = again.saga("order").ending
        except self.crash:
            self.restart()

    def go_on(self, saga: Saga) -> None:
        for number, (tool, what) in enumerate(CALLS[: self.length]):
            call_id = f"c{number}"
            result = saga.call(tool, {"what": what}, call_id=call_id)
            self.told[f"order/{call_id}"] = result.outcome
            if not result.ok:
                return self.end(saga, give_up=True)
        return self.end(saga, give_up=self.length < len(CALLS))

    def end(self, saga: Saga, *, give_up: bool) -> None:
        self.ending = saga.give_up() if give_up else saga.finish()


def problems(run: Run) -> Iterator[str]:
    world, ending = run.world, run.ending
    keys = [effect.key for effect in world.effects]
    if len(keys) > len(set(keys)):
        yield f"doubled: {keys}"
    for effect in world.effects:
        if effect.undone > 1:
            yield f"undone twice: {effect}"
    for key, outcome in run.told.items():
        there = world.by_key(key) is not None
        if (outcome is Outcome.OK and not there) or (outcome is Outcome.FAILED and there):
            yield f"told {outcome} of {key}, applied: {there}"
    if ending is None:
        if world.rows:
            yield "no ending"
        return
    yield from wrong_ending(run, ending)
    order = [
        world.points.index(f"undo {name}") for name in ("ticket", "credit") if f"undo {name}" in world.points
    ]
    if order != sorted(order):
        yield "undone in the wrong order"
    mail = next((e for e in world.effects if e.name == "mail"), None)
    if mail and world.undos:
        yield "unwound past the pivot"


def wrong_ending(run: Run, ending: Ending) -> Iterator[str]:
    world = run.world
    standing = [e for e in world.effects if not e.undone and e.name != "stamp"]
    if ending.status == "completed" and (len(world.effects) != len(CALLS) or world.undos):
        yield "completed, but not all is there"
    if ending.status == "compensated" and standing:
        yield f"compensated, but there is {standing}"
    if (ending.status == "escalated") != bool(ending.case):
        yield "escalated without case"
    if ending.case is not None:
        yield from hidden(run, ending, standing)


def hidden(run: Run, ending: Ending, standing: list[Effect]) -> Iterator[str]:
    assert ending.case is not None
    steps = {step.key: step for step in ending.case.steps}
    for effect in run.world.effects:
        if effect.key not in steps:
            yield f"not in the case: {effect}"
    for effect in standing:
        step = steps.get(effect.key)
        if step and step.undo == "undone":
            yield f"said to be undone: {effect}"
        if step and step.outcome == "failed, not applied":
            yield f"said not to be applied: {effect}"
    if ending.case_sent and not run.world.cases:
        yield "said to be sent, and the desk has nothing"


def faults_at(point: str) -> tuple[str, ...]:
    return JOURNAL_FAULTS if point.startswith("journal") else MESSAGE_FAULTS


BUILDS = [fenced_by_undo, looked_up, without_keys]
Play = Callable[[dict[int, str]], Run]


@pytest.fixture
def play(
    make_world: Callable[..., World],
    crash: type[Crash],
    build: Callable[[World], Runtime],
    length: int,
    resumes: bool,
) -> Play:
    def run(plan: dict[int, str]) -> Run:
        one = Run(make_world(plan=plan), build, crash, length, resumes)
        one.play()
        found = list(problems(one))
        assert not found, (plan, found, one.world.points, one.ending)
        return one

    return run


def singles(play: Play) -> Iterator[tuple[int, str, Run]]:
    for number, point in enumerate(play({}).world.points, start=1):
        for fault in faults_at(point):
            yield number, fault, play({number: fault})


@pytest.mark.slow
@pytest.mark.parametrize("resumes", [False, True], ids=["gives-up-after-restart", "resumes"])
@pytest.mark.parametrize("length", [2, 4])
@pytest.mark.parametrize("build", BUILDS)
def test_no_pair_of_faults_leaves_the_world_other_than_told(play: Play, resumes: bool) -> None:
    for first, fault, single in singles(play):
        for second, point in enumerate(single.world.points[first:], start=first + 1):
            for other in faults_at(point):
                if resumes or "die" in fault + other:  # else nothing is resumed
                    play({first: fault, second: other})


@pytest.mark.parametrize("resumes", [False, True], ids=["gives-up-after-restart", "resumes"])
@pytest.mark.parametrize("length", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("build", [fenced_by_undo, looked_up])
def test_no_single_fault_that_passes_calls_for_a_person(play: Play) -> None:
    for number, fault, run in singles(play):
        if fault in {"down", "lost", "late", "die-before", "die-after"}:
            # Who gives up when the mail has gone does need a person.
            has_passed = any(effect.name == "mail" for effect in run.world.effects)
            assert has_passed or run.ending is None or run.ending.case is None, (number, fault)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
@pytest.mark.parametrize("build", [fenced_by_undo, looked_up])
@pytest.mark.parametrize("resumes", [True])
def test_a_resumed_agent_gets_to_the_end_that_it_would_have_had(play: Play) -> None:
    usual = play({}).ending
    assert usual is not None
    for number, fault, run in singles(play):
        if fault in {"die-before", "die-after"} and run.ending is not None:
            assert run.ending.status == usual.status, (number, fault, run.world.points)
