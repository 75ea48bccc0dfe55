"""A tool says what it takes, and refuses to be declared in a way that cannot work."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel

from sagaproof.saga import (
    EffectClass,
    Outcome,
    Retry,
    Runtime,
    SagaMisuse,
    SqliteJournal,
    Step,
    Tool,
    ToolMistake,
    tool,
)
from sagaproof.saga.schema import BadArguments


def undo(step: object) -> None: ...


def credit(customer: str, amount: int = 5, *, key: str) -> None:
    """Give money."""


def test_schema_is_that_of_the_signature_without_the_key() -> None:
    schema = Tool(credit, cls=4, undo=undo).json_schema()
    assert schema["required"] == ["customer"]
    assert set(schema["properties"]) == {"customer", "amount"}
    assert schema["additionalProperties"] is False


def test_arguments_come_as_the_function_takes_them_and_as_json_with_defaults() -> None:
    def pay(amount: Decimal, copy: str = "c") -> None: ...

    kwargs, args = Tool(pay, cls=2).schema.check({"amount": "2.50"})
    assert kwargs == {"amount": Decimal("2.50"), "copy": "c"}
    assert args == {"amount": "2.50", "copy": "c"}


@pytest.mark.parametrize(
    "args", [{}, {"customer": 1}, {"customer": "c", "key": "k"}, {"customer": "c", "amont": 1}]
)
def test_arguments_that_do_not_fit_are_refused(args: dict[str, Any]) -> None:
    with pytest.raises(BadArguments):
        Tool(credit, cls=4, undo=undo).schema.check(args)


def test_a_schema_of_ones_own_takes_the_place_of_the_signature() -> None:
    class Args(BaseModel):
        to: str

    made = Tool(lambda **args: args, cls=5, name="send", schema=Args)
    assert made.schema.check({"to": "a"}) == ({"to": "a"}, {"to": "a"})


@pytest.mark.parametrize("name", ["json", "copy", "model_dump", "schema", "_x"])
def test_no_parameter_name_is_in_the_way_of_the_model(name: str) -> None:
    scope: dict[str, Callable[..., Any]] = {}
    exec(f"def call({name}): ...", scope)
    assert Tool(scope["call"], cls=2).schema.check({name: 1})[0] == {name: 1}


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Tool(credit, cls=6),
        lambda: Tool(credit, cls=4),
        lambda: Tool(credit, cls=5, undo=undo),
        lambda: Tool(credit, cls=4, undo=undo, retry=Retry(8), undo_retry=Retry(7)),
        lambda: Tool(credit, cls=4, undo=undo, retry=Retry(4, wait_max_s=40_000)),
        lambda: Tool(lambda *_args: None, cls=2),
        lambda: Tool(lambda _a, /: None, cls=2),
        lambda: Retry(0),
        lambda: Retry(wait_s=-1),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_declared(declare: Callable[[], object]) -> None:
    with pytest.raises(ToolMistake):
        declare()


def test_undo_gets_at_least_the_attempts_of_the_call() -> None:
    assert Tool(credit, cls=4, undo=undo).undo_retry.attempts == 6
    assert Tool(credit, cls=4, undo=undo, retry=Retry(9)).undo_retry.attempts == 9


def test_whether_keys_are_honoured_and_undos_repeatable_follows_from_the_functions() -> None:
    def keyless(customer: str) -> None: ...

    def keyed_undo(step: object, *, key: str) -> None: ...

    assert Tool(credit, cls=4, undo=undo).keyed
    assert not Tool(keyless, cls=4, undo=undo).keyed
    assert not Tool(credit, cls=4, undo=undo).undo_repeatable
    assert Tool(credit, cls=4, undo=keyed_undo).undo_repeatable
    assert Tool(credit, cls=4, undo=undo, undo_by_key=True).undo_repeatable
    assert Tool(credit, cls=3, undo=undo).undo_repeatable


def test_a_decorated_function_can_still_be_called() -> None:
    @tool(cls=1)
    def double(number: int) -> int:
        """Twice as much."""
        return 2 * number

    assert double(2) == 4
    assert (double.name, double.cls, double.description) == ("double", EffectClass.READ, "Twice as much.")


def test_two_tools_of_one_name_and_async_tools_in_a_sync_runtime_are_refused() -> None:
    async def later() -> None: ...

    made = Tool(credit, cls=4, undo=undo)
    with pytest.raises(ToolMistake, match="two tools"):
        Runtime([made, made], journal=SqliteJournal(":memory:"))
    with pytest.raises(SagaMisuse, match="AsyncRuntime"):
        Runtime([Tool(later, cls=2)], journal=SqliteJournal(":memory:"))


def test_bad_arguments_leave_no_trace_in_the_journal() -> None:
    journal = SqliteJournal(":memory:")
    saga = Runtime([Tool(credit, cls=4, undo=undo)], journal=journal).start("s")
    result = saga.call("credit", {"amount": 1})
    assert result.outcome is Outcome.FAILED
    assert "customer" in result.text
    assert len(journal.read("s")) == 1


@pytest.mark.parametrize("hook", ["undo", "lookup", "fence", "still_stands", "before"])
def test_a_hook_that_cannot_be_called_is_refused_when_the_tool_is_made(hook: str) -> None:
    options: dict[str, Any] = {"undo": lambda _step: None, hook: lambda: None}
    with pytest.raises(ToolMistake, match=f"{hook} is called with"):
        Tool(lambda what: what, name="give", cls=4, **options)


def test_an_undo_may_take_the_step_and_a_key() -> None:
    def undo(_step: Step, *, key: str) -> str:
        return key

    assert Tool(lambda what: what, name="give", cls=4, undo=undo).undo_takes_key


def test_a_key_that_the_agent_would_have_to_make_up_is_refused() -> None:
    def give(what: str, key: str) -> str:
        return what + key

    with pytest.raises(ToolMistake, match="keyword-only"):
        Tool(give, cls=5)


def test_what_is_no_journal_is_refused() -> None:
    with pytest.raises(SagaMisuse, match="SqliteJournal"):
        Runtime([], journal="sagas.db")  # type: ignore[arg-type]
