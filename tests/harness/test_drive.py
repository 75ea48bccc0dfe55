"""A saga is driven through its script to what it claims, sync or async, opaque or fed."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._drivers.fed import FedDriver
from sagaproof._drivers.protocol import Driver
from sagaproof._model.claim import Claim, Ending
from sagaproof._model.plan import EMPTY
from sagaproof._model.script import OPAQUE, Answer, Script, ToolCall
from sagaproof._run.runner import Runner
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import SagaStopped
from sagaproof.errors import InternalError, UsageError

EndingOf = Callable[..., Ending]


@pytest.fixture
def ending(world: WorldHandle) -> EndingOf:
    """`ending(driver or body, script)`: how one run without faults ended."""

    def ending(what: Any, script: Script = OPAQUE, claim: Any = None) -> Ending:
        driver: Driver = what if isinstance(what, CallableDriver | FedDriver) else CallableDriver(what)
        with Runner(world, driver, claim=claim) as runner:
            return runner.run(script, EMPTY).ending

    return ending


# What a body says -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", list(Claim))
def test_what_is_returned_is_the_claim(ending: EndingOf, claim: Claim) -> None:
    async def later(_: object) -> str:
        await asyncio.sleep(3.0)
        return claim.value

    assert ending(lambda _: claim) == Ending("returned", claim)
    assert ending(later) == Ending("returned", claim)


def test_a_returned_value_may_be_translated(ending: EndingOf) -> None:
    assert ending(lambda _: 200, claim=lambda code: "completed" if code == 200 else "refused") == Ending(
        "returned", Claim.COMPLETED
    )


def test_a_value_that_is_no_claim_is_an_error_of_the_caller(ending: EndingOf) -> None:
    with pytest.raises(UsageError, match="the saga returned 200, which is no claim"):
        ending(lambda _: 200)


def fail() -> None:
    first = ValueError("first")
    raise RuntimeError("second") from first


def test_what_is_raised_is_kept_with_its_causes_and_its_place(ending: EndingOf) -> None:
    def body(_: object) -> None:
        fail()

    found = ending(body)
    assert (found.how, found.claim) == ("raised", Claim.RAISED)
    assert [(link.type, link.text) for link in found.errors] == [
        ("RuntimeError", "second"),
        ("ValueError", "first"),
    ]
    assert found.where == f"{__file__}:{fail.__code__.co_firstlineno + 2}"


def test_an_error_of_a_call_is_tied_to_it(ending: EndingOf) -> None:
    def body(world: Any) -> None:
        world.direct.shop.buy(item="tea")
        try:
            world.direct.shop.buy(item="sold out")
        except ToolError as error:
            raise RuntimeError("gave up") from error

    assert [link.call for link in ending(body).errors] == [None, 1]


def test_an_assertion_of_the_body_itself_is_told_from_one_inside_the_saga(ending: EndingOf) -> None:
    def saga() -> None:
        raise AssertionError("inside the saga")

    def asserts(_: object) -> None:
        assert saga is None, "of the test"

    async def asserts_later(_: object) -> None:
        await asyncio.sleep(1.0)
        assert saga is None, "of the test"

    assert [ending(body).how for body in (asserts, asserts_later)] == ["failed-assertion"] * 2
    assert ending(lambda _: saga()).how == "raised"


def test_a_failure_told_to_pytest_is_an_assertion_of_the_body(ending: EndingOf) -> None:
    assert ending(lambda _: pytest.fail("no good")).how == "failed-assertion"


@pytest.mark.parametrize("outcome", [pytest.skip, pytest.xfail, pytest.exit])
def test_other_outcomes_of_pytest_pass_through(ending: EndingOf, outcome: Any) -> None:
    with pytest.raises(outcome.Exception, match="because"):
        ending(lambda _: outcome("because"))


def test_ctrl_c_passes_through(ending: EndingOf) -> None:
    def body(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ending(body)


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), BaseException("odd")])
def test_whatever_else_ends_a_saga_is_an_ending(ending: EndingOf, error: BaseException) -> None:
    def body(_: object) -> None:
        raise error

    found = ending(body)
    assert (found.how, found.errors[0].type) == ("raised", type(error).__name__)


def test_a_saga_that_was_stopped_has_hung(ending: EndingOf) -> None:
    def body(_: object) -> None:
        raise SagaStopped("made more than 500 calls")

    assert ending(body) == Ending("hung", None, where="made more than 500 calls")


def test_a_body_that_swallows_its_stop_makes_no_more_calls(world: WorldHandle) -> None:
    def body(world: Any) -> str:
        for _ in range(600):
            try:
                world.direct.shop.get_order(order="o")
            except BaseException:  # noqa: BLE001  # that is what is tested
                continue
        return "completed"

    with Runner(world, CallableDriver(body)) as runner:
        history = runner.run(OPAQUE, EMPTY)
    assert len(history.calls[0].arrivals) == runner.limits.calls_max


@pytest.mark.parametrize("waits", [0.0, 1.0])
def test_a_body_that_only_returns_a_coroutine_is_told_to_be_async(ending: EndingOf, waits: float) -> None:
    async def saga() -> None:
        await asyncio.sleep(waits)

    def body(_: object) -> Any:
        return saga()

    with pytest.raises(UsageError, match="taken for synchronous returned something to await") as caught:
        ending(body)
    assert "async def" in caught.value.advice


# What is fed ------------------------------------------------------------------------------------------------


class Fed:
    """A dispatcher that writes down what it is fed."""

    def __init__(self, _world: object) -> None:
        self.seen: list[object] = []

    def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
        self.seen.append((tool, args, call_id))
        if tool == "fail":
            raise RuntimeError("no")
        return {"id": f"{tool}-{len(self.seen)}"}

    def give_up(self) -> str:
        self.seen.append("gave up")
        return "compensated"

    def finish(self) -> str:
        self.seen.append("finished")
        return "completed"


class AsyncFed(Fed):
    """The same, waiting at each step."""

    async def call(self, tool: str, args: dict[str, Any], call_id: str) -> Any:
        await asyncio.sleep(1.0)
        return super().call(tool, args, call_id)

    async def give_up(self) -> str:  # type: ignore[override]
        await asyncio.sleep(1.0)
        return super().give_up()

    async def finish(self) -> str:  # type: ignore[override]
        await asyncio.sleep(1.0)
        return super().finish()


@pytest.fixture(params=[Fed, AsyncFed])
def fed(ending: EndingOf, request: pytest.FixtureRequest) -> Callable[[Script], tuple[Ending, list[object]]]:
    """`fed(script)`: the ending, and what the dispatcher saw; once sync and once async."""

    def fed(script: Script) -> tuple[Ending, list[object]]:
        made: list[Fed] = []

        def make(world: WorldHandle) -> Any:
            made.append(request.param(world))
            return made[-1]

        make.__annotations__["return"] = request.param
        return ending(FedDriver(make), script), made[-1].seen

    return fed


BUY, SEND, FAIL = (
    ToolCall("buy", {"item": "tea"}, "c1"),
    ToolCall("send", {"order": Answer(1, "id")}, "c2"),
    ToolCall("fail", {}),
)


def test_a_script_is_fed_call_by_call_with_the_answers_of_earlier_ones(fed: Any) -> None:
    found, seen = fed(Script("s", (BUY, SEND)))
    assert found == Ending("returned", Claim.COMPLETED)
    assert seen == [("buy", {"item": "tea"}, "c1"), ("send", {"order": "buy-1"}, "c2"), "finished"]


def test_a_script_that_is_given_up_stops_after_that_call(fed: Any) -> None:
    found, seen = fed(Script("s", (BUY, SEND), give_up_after=1))
    assert found == Ending("returned", Claim.COMPENSATED)
    assert seen == [("buy", {"item": "tea"}, "c1"), "gave up"]


def test_a_call_that_raises_makes_the_agent_give_up(fed: Any) -> None:
    found, seen = fed(Script("s", (BUY, FAIL, SEND)))
    assert found == Ending("returned", Claim.COMPENSATED)
    assert seen[1:] == [("fail", {}, ""), "gave up"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(2, "id"), "the script asks for the answer of step 2 before it was made"),
        (Answer(0, "id"), "the steps of a script are counted from 1, not 0"),
        (Answer(1, "no"), "step 1 answered {'id': 'buy-1'}, which has no 'no'"),
    ],
)
def test_an_answer_that_is_not_there_is_an_error_of_the_script(fed: Any, answer: Answer, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        fed(Script("s", (BUY, ToolCall("send", {"order": answer}))))
    assert says in str(caught.value)


def test_the_endings_of_a_script_are_itself_and_giving_up_after_each_call() -> None:
    script = Script("s", (BUY, SEND))
    assert [(s.name, s.give_up_after) for s in script.endings()] == [
        ("s", None), ("s, given up after 1", 1), ("s, given up after 2", 2),
    ]  # fmt: skip
    assert Script("s", (BUY,), give_up_after=1).endings() == (Script("s", (BUY,), give_up_after=1),)
    assert OPAQUE.endings() == (OPAQUE,)


def test_an_async_dispatcher_that_does_not_look_like_one_gets_advice(ending: EndingOf) -> None:
    with pytest.raises(UsageError, match="taken for synchronous") as caught:
        ending(FedDriver(functools.partial(AsyncFed)), Script("s", (BUY,)))
    assert "async def" in caught.value.advice


def test_a_dispatcher_is_made_anew_for_each_run(world: WorldHandle) -> None:
    made: list[Fed] = []

    def make(world: WorldHandle) -> Fed:
        made.append(Fed(world))
        return made[-1]

    with Runner(world, FedDriver(make)) as runner:
        for _ in range(2):
            runner.run(Script("s", (BUY,)), EMPTY)
    assert [len(saga.seen) for saga in made] == [2, 2]


def test_an_opaque_saga_cannot_be_fed(ending: EndingOf) -> None:
    with pytest.raises(InternalError, match="an opaque script was fed the call 'buy'"):
        ending(lambda _: None, Script("s", (BUY,)))
