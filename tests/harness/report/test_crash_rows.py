"""A timeline tells what a saga wrote down, where its process died, and what its agent was told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sagaproof import AfterRestart, History, Script, ToolCall, ToolError, World
from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._drivers.protocol import Driver
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE
from sagaproof._report.card import calls, card
from sagaproof._report.fault_words import fault_parts
from sagaproof._report.html import as_html
from sagaproof._report.schema import FindingPart, ReplayPart, Report, Step
from sagaproof._report.sites import Sites
from sagaproof._report.timeline import timeline
from sagaproof._run.runner import Runner
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.system import System

Killed = Callable[..., History]


@pytest.fixture
def killed(shop: System) -> Killed:
    """`killed(plan, driver, script)`: the history of a run; without a driver, of a saga with a journal."""

    def run(plan: str, driver: Driver | None = None, script: Script = OPAQUE) -> History:
        with Runner(WorldHandle({"shop": shop}), driver or CallableDriver(journalled, go_on)) as runner:
            twin = runner.run(script, EMPTY)
            return runner.run(script, Plan.parse(plan), twin)

    return run


NOTES: list[Any] = []


def journalled(world: World) -> None:
    NOTES.clear()
    note = world.durable(lambda text, number: NOTES.append((text, number)))
    note("tea", 1)
    note("tea sent", 2)
    world.direct.shop.buy(item="tea", key="k")
    note("tea done", 3)


def go_on(world: World) -> None:
    note = world.durable(NOTES.append)
    note({"again": "tea"})
    world.direct.shop.buy(item="tea", key="k")


def steps(history: History) -> tuple[Step, ...]:
    return timeline(history, Sites(stable=True))


def kinds(found: Sequence[Step]) -> list[str]:
    return [step.kind for step in found]


def lines(history: History) -> list[str]:
    return calls(ReplayPart(faults=fault_parts(history.plan, history), timeline=steps(history)), width=110)


# The process ------------------------------------------------------------------------------------------------


def test_a_crash_is_told_from_the_writes_before_it_to_the_restart_at_rest(killed: Killed) -> None:
    assert lines(killed("shop.buy.1=crash-after")) == [
        "   * journal.append.1 to 2 written: tea; tea sent",
        "   1 shop.buy tea  nothing  o_1   <- fault 1: the process dies after it, before it learns of it",
        "   x the process died at shop.buy.1",
        "   @ restart 1: a new process recovers",
        "   * journal.append.3 written: tea",
        "   1 shop.buy tea  ok       attempt 2",
        "   = said 'completed'",
        "   @ restart 2: a new process looks, at rest, for what is left to do",
        "   * journal.append.4 written: tea",
        "   1 shop.buy tea  ok       attempt 3",
    ]


def test_a_write_at_which_the_process_dies_stands_alone_and_says_whether_it_was_kept(killed: Killed) -> None:
    before, after = (steps(killed(f"journal.append.2=crash-{when}")) for when in ("before", "after"))
    assert [(s.n, s.attempts, s.happened, s.faults) for s in before[:2]] == [
        (1, 1, "written", ()),
        (2, 1, "lost", (1,)),
    ]
    assert (after[1].happened, after[1].ok, before[1].ok) == ("written", True, False)
    assert kinds(before)[2:4] == ["died", "restarted"]


def test_a_write_that_fails_by_itself_is_neither_written_nor_lost(killed: Killed) -> None:
    def full(_: str) -> None:
        raise OSError("no space left")

    def body(world: World) -> str:
        world.durable(lambda _: None)("a")
        with pytest.raises(OSError, match="no space"):
            world.durable(full)("b")
        return "refused"

    found = steps(killed("", CallableDriver(body)))
    assert [step.happened for step in found if step.kind == "noted"] == ["written", "failed"]


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ("shop.buy.1=crash-before", "the process dies before it is sent"),
        ("shop.buy.1=crash-after", "the process dies after it, before it learns of it"),
        ("shop.buy.1=crash-late", "the process dies; it lands after the end"),
        ("journal.append.1=crash-before", "the process dies before it is written"),
        ("journal.append.1=crash-after", "the process dies right after it is written"),
    ],
)
def test_a_crash_is_said_in_words_that_fit_its_place(killed: Killed, plan: str, says: str) -> None:
    history = killed(plan)
    assert [part.text for part in fault_parts(history.plan, history)] == [says]


def test_a_crash_after_a_restart_says_so_and_is_numbered_as_met(killed: Killed) -> None:
    history = killed("journal.append.3@1=crash-before,shop.buy.1=crash-before")
    assert [(part.point, part.text) for part in fault_parts(history.plan, history)] == [
        ("shop.buy.1", "the process dies before it is sent"),
        ("journal.append.3@1", "the process dies before it is written, after restart 1"),
    ]
    assert [step.faults for step in steps(history) if step.faults] == [(1,), (2,)]


def test_attempts_of_two_processes_are_two_rows(killed: Killed) -> None:
    found = [step for step in steps(killed("shop.buy.1=crash-before")) if step.kind == "call"]
    assert [(step.number, step.attempt, step.told) for step in found[:2]] == [(1, 1, "nothing"), (1, 2, "ok")]


def test_long_texts_of_a_record_are_left_out(killed: Killed) -> None:
    def body(world: World) -> None:
        world.durable(lambda *_: None)("x" * 500, {"id": "cr_1", "note": "y" * 500, "more": ["a", "b", "c"]})

    (row, _) = steps(killed("", CallableDriver(body)))
    assert row.remark == "cr_1 a b"


# The agent --------------------------------------------------------------------------------------------------


class Agent:
    """A dispatcher without a memory, which says what it is told."""

    def __init__(self, world: Any) -> None:
        self._world = world

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
        """Ask the shop."""
        return getattr(self._world.direct.shop, tool)(**args, key=call_id)

    def give_up(self) -> str:
        """Leave it."""
        return "raised"

    def finish(self) -> str:
        """Done."""
        return "completed"


CALLS = (
    ToolCall("buy", {"item": "tea"}, "c1"),
    ToolCall("buy", {"item": "milk"}, "c2"),
)
SCRIPT = Script("shopping", CALLS, after_restart=AfterRestart.GIVE_UP)


def test_each_call_of_an_agent_has_what_it_was_told(killed: Killed) -> None:
    found = lines(killed("shop.buy.2=503", FedDriver(Agent), SCRIPT))
    assert found[0] == "   > agent, step 1: buy tea -> ok"
    assert found[2].startswith("   > agent, step 2: buy milk -> unknown: ")


def test_an_agent_whose_process_died_was_told_nothing(killed: Killed) -> None:
    history = killed("shop.buy.2=crash-before", FedDriver(Agent, Agent), SCRIPT)
    asked = [(step.n, step.told, step.ok) for step in steps(history) if step.kind == "asked"]
    assert asked == [(1, "ok", True), (2, "nothing", False)]


def test_an_answer_belongs_to_the_process_that_was_asked(killed: Killed) -> None:
    script = Script("shopping", CALLS)
    history = killed("shop.buy.1=crash-before", FedDriver(Agent, Agent), script)
    asked = [(step.n, step.told) for step in steps(history) if step.kind == "asked"]
    assert asked == [(1, "nothing"), (1, "ok"), (2, "ok")]


# Cards and pages --------------------------------------------------------------------------------------------


def finding(report: Report, timeline: tuple[Step, ...]) -> FindingPart:
    return report.scenarios[0].findings[0].model_copy(update={"timeline": timeline, "claim": "completed"})


def test_a_card_leaves_out_the_writes_of_a_process_that_did_not_die(report: Report, killed: Killed) -> None:
    quiet = card(finding(report, steps(killed("shop.buy.1=duplicate"))))
    dead = card(finding(report, steps(killed("shop.buy.1=crash-before"))))
    assert not [line for line in quiet if line.startswith("   *")]
    assert [line for line in dead if line.startswith("   *")]


def test_deaths_and_restarts_stand_in_the_card_of_a_long_timeline(report: Report, killed: Killed) -> None:
    many = [step for step in steps(killed("shop.buy.1=crash-before")) if step.kind != "call"]
    padding = tuple(Step(kind="slept", at=0.0, what="waited 1 s") for _ in range(40))
    text = "\n".join(card(finding(report, (*padding, *many, *padding))))
    assert "x the process died at shop.buy.1" in text
    assert "@ restart 1: a new process recovers" in text
    assert "@ restart 2: " in text


def test_the_page_shows_the_rows_with_their_faults(report: Report, killed: Killed) -> None:
    shown = finding(report, steps(killed("journal.append.2=crash-before")))
    page = as_html(Report(scenarios=(report.scenarios[0].model_copy(update={"findings": (shown,)}),)))
    assert "the process died at journal.append.2" in page
    assert '<tr class="noted' in page
    assert '<tr class="between restarted"' in page
    assert page.count('<b class="fault">fault 1</b>') >= 1


def test_a_refusal_of_the_tool_is_what_the_agent_is_told(killed: Killed) -> None:
    class Refusing(Agent):
        def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
            """Refuse one of them."""
            if args["item"] == "milk":
                raise ToolError(409, "no_milk", "today")
            return super().call(tool, args, call_id)

    history = killed("", FedDriver(Refusing), SCRIPT)
    assert "   > agent, step 2: buy milk -> unknown: 409 no_milk: today" in lines(history)
