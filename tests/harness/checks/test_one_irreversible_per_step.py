"""`one-irreversible-per-step` finds a step that can stop between two things that cannot be taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.one_irreversible_per_step import OneIrreversiblePerStep
from sagaproof._checks.protocol import State
from sagaproof._drivers.fed import FedDriver
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import Script, ToolCall
from sagaproof._run.runner import Runner
from sagaproof._search.facts import FactBook
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle

Run = Callable[..., History]
Systems = Callable[[], dict[str, Any]]
CHECK = OneIrreversiblePerStep()


class Dispatcher:
    """Tools of an agent: one mails once, one mails two people, one mails again if it got no answer."""

    def __init__(self, world: Any) -> None:
        self._world = world

    def call(self, tool: str, args: dict[str, Any], _call_id: str) -> object:
        """Run the tool of that name."""
        run: Callable[..., object] = getattr(self, f"_{tool}")
        return run(**args)

    def give_up(self) -> str:
        """Tell a person."""
        self._world.direct.desk.open_case(text="given up")
        return "escalated"

    def finish(self) -> str:
        """Done."""
        return "completed"

    def _mail(self, to: str) -> object:
        return self._world.direct.mail.send(to=to, key=f"mail-{to}")

    def _mail_both(self, one: str, other: str) -> object:
        self._mail(one)
        return self._mail(other)

    def _mail_surely(self, to: str) -> object:
        try:
            return self._mail(to)
        except (ToolError, OSError):
            return self._mail(to)

    def _credit(self, to: str) -> object:
        return self._world.direct.bank.issue(to=to, amount=3, key=f"credit-{to}")


@pytest.fixture
def fed(systems: Systems) -> Callable[..., History]:
    """`fed(*turns, plan)`: the history of a dispatcher that is fed these calls."""

    def fed(*turns: ToolCall | tuple[ToolCall, ...], plan: str = "") -> History:
        with Runner(WorldHandle(systems()), FedDriver(Dispatcher)) as runner:
            script = Script("mails", turns)
            twin = runner.run(script, EMPTY)
            return runner.run(script, Plan.parse(plan), twin) if plan else twin

    return fed


ANN = ToolCall("mail", {"to": "ann"})
BOB = ToolCall("mail", {"to": "bob"})
BOTH = ToolCall("mail_both", {"one": "ann", "other": "bob"})


def test_a_step_that_mails_twice_is_found(fed: Callable[..., History]) -> None:
    verdict = CHECK.judge(fed(ToolCall("credit", {"to": "ann"}), BOTH))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "step 2 (mail_both) did two things that cannot be taken back: "
        "mail.send letter_1 and mail.send letter_2"
    )
    assert verdict.calls == (1, 2)


def test_a_step_that_stopped_between_the_two_holds(fed: Callable[..., History]) -> None:
    assert CHECK.judge(fed(BOTH, plan="mail.send.2=503")).state is State.HELD
    assert CHECK.judge(fed(BOTH, plan="mail.send.2=lost")).state is State.VIOLATED


def test_two_steps_with_one_each_hold(fed: Callable[..., History]) -> None:
    assert CHECK.judge(fed(ANN, BOB)).state is State.HELD


def test_two_attempts_at_one_mail_are_one(fed: Callable[..., History]) -> None:
    surely = ToolCall("mail_surely", {"to": "ann"})
    for fault in ("lost", "503", "late", "duplicate"):
        assert CHECK.judge(fed(surely, plan=f"mail.send.1={fault}")).state is State.HELD


def test_what_happens_while_two_steps_are_under_way_belongs_to_neither(fed: Callable[..., History]) -> None:
    assert CHECK.judge(fed((ANN, BOB))).state is not State.VIOLATED
    assert CHECK.judge(fed((BOTH, ANN))).state is not State.VIOLATED


def test_without_an_irreversible_effect_it_is_not_reached(fed: Callable[..., History]) -> None:
    assert CHECK.judge(fed(ToolCall("credit", {"to": "ann"}))).state is State.NOT_REACHED


def test_it_applies_to_fed_sagas_with_a_pivot_only(fed: Callable[..., History], run: Run) -> None:
    def applies(history: History) -> bool:
        book = FactBook()
        book.add(history)
        return CHECK.applies(book.facts())

    assert applies(fed(ANN))
    assert not applies(fed(ToolCall("credit", {"to": "ann"})))
    assert not applies(run(lambda world: Dispatcher(world).call("mail", {"to": "ann"}, "") and None))


def test_an_opaque_body_has_no_steps(run: Run) -> None:
    def mails_twice(world: Any) -> None:
        world.direct.mail.send(to="ann", key="k1")
        world.direct.mail.send(to="bob", key="k2")

    assert CHECK.judge(run(mails_twice)).state is State.NOT_REACHED


# Callables under world.tool ---------------------------------------------------------------------------------


def test_a_tool_that_mails_twice_is_found_whatever_its_class(run: Run) -> None:
    def saga(world: Any, cls: int) -> None:
        def reply() -> dict[str, str]:
            world.direct.mail.send(to="ann", key="k1")
            return dict(world.direct.mail.send(to="bob", key="k2"))

        world.tool(reply, cls=cls, ref="id")()

    for cls in (2, 5):
        verdict = CHECK.judge(run(lambda world, cls=cls: saga(world, cls)))
        assert verdict.state is State.VIOLATED
        assert verdict.claim.startswith("tool reply did two things that cannot be taken back: mail.send ")


def test_a_tool_that_is_irreversible_as_the_mail_in_it_is_holds(run: Run) -> None:
    def saga(world: Any) -> None:
        def reply() -> dict[str, str]:
            return dict(world.direct.mail.send(to="ann", key="k1"))

        world.tool(reply, cls=5, ref="id")()

    assert CHECK.judge(run(saga)).state is State.HELD


def test_an_irreversible_tool_that_calls_another_is_found(run: Run) -> None:
    def saga(world: Any) -> None:
        notify = world.tool(lambda: "n1", cls=5, name="notify", ref="id")

        def pay_out() -> str:
            notify()
            return "p1"

        world.tool(pay_out, cls=5, ref="id")()

    verdict = CHECK.judge(run(saga))

    assert verdict.state is State.VIOLATED
    assert verdict.claim == (
        "tool pay_out did two things that cannot be taken back: tools.pay_out p1 and tools.notify n1"
    )


def test_tools_one_after_the_other_hold(run: Run) -> None:
    def saga(world: Any) -> None:
        notify = world.tool(lambda: "n1", cls=5, name="notify", ref="id")
        pay_out = world.tool(lambda: "p1", cls=5, name="pay_out", ref="id")
        pay_out()
        notify()

    assert CHECK.judge(run(saga)).state is State.HELD
