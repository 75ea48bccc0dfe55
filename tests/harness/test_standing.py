"""What an undo is bound to before it is applied."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._model.effect import Binding, Change, Effect
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._world.standing import Standing

BUY = Operation("shop", "buy", EffectClass.COMPENSABLE, ref="id")
RENT = Operation("shop", "rent", EffectClass.COMPENSABLE, ref="id")
CANCEL = Operation("shop", "cancel", EffectClass.COMPENSABLE, ref="order", undoes=("buy", "rent"))
PLACE = Operation("shop", "place", EffectClass.REVERSIBLE, ref="order", restores=("orders", "place"))
NOTE = Operation("shop", "note", EffectClass.CONVERGENT, ref="order")


@pytest.fixture
def standing() -> Standing:
    return Standing()


@pytest.fixture
def apply(standing: Standing) -> Callable[..., Effect]:
    """`apply(operation, ref, ...)`: an effect with the next id, by a call with the id tenfold."""
    ids = itertools.count()

    def apply(
        operation: Operation, ref: str | None, *changes: Change, undoes: int | None = None, args: Any = None
    ) -> Effect:
        id_ = next(ids)
        effect = Effect(
            id_, 10 * id_, operation.system, operation.name, operation.cls, ref, None, None,
            args or {}, changes, undoes,
        )  # fmt: skip
        standing.add(effect, operation)
        return effect

    return apply


def placed(before: str | None, after: str, key: str = "o_1") -> Change:
    return Change("orders", key, None if before is None else {"place": before}, {"place": after})


def test_an_undo_is_bound_to_the_effect_of_its_reference(standing: Standing, apply: Any) -> None:
    apply(BUY, "o_1")
    apply(BUY, "o_2")
    assert standing.bind(CANCEL, {"order": "o_1"}) == Binding(0, 0, certain=True)
    assert standing.bind(CANCEL, {"order": "o_2"}) == Binding(10, 1, certain=True)
    assert standing.bind(CANCEL, {"order": "o_3"}) is None
    assert standing.bind(CANCEL, {}) is None


def test_a_reference_may_be_a_number(standing: Standing, apply: Any) -> None:
    apply(BUY, "7")
    assert standing.bind(CANCEL, {"order": 7}) == Binding(0, 0)


def test_of_two_effects_on_one_object_the_later_is_undone_first(standing: Standing, apply: Any) -> None:
    apply(RENT, "o_1")
    apply(BUY, "o_1")
    assert standing.bind(CANCEL, {"order": "o_1"}) == Binding(10, 1)
    apply(CANCEL, "o_1", undoes=1)
    assert standing.bind(CANCEL, {"order": "o_1"}) == Binding(0, 0)


def test_a_second_undo_is_bound_to_what_was_undone_already(standing: Standing, apply: Any) -> None:
    apply(BUY, "o_1")
    apply(RENT, "o_1")
    apply(CANCEL, "o_1", undoes=1)
    apply(CANCEL, "o_1", undoes=0)
    assert standing.bind(CANCEL, {"order": "o_1"}) == Binding(10, 1), "the latest of those undone"


def test_a_write_of_the_value_before_is_an_undo_and_marked_as_inferred(
    standing: Standing, apply: Any
) -> None:
    apply(PLACE, "o_1", placed("here", "there"))
    assert standing.bind(PLACE, {"order": "o_1", "place": "here"}) == Binding(0, 0, certain=False)
    assert standing.bind(PLACE, {"order": "o_1", "place": "elsewhere"}) is None
    assert standing.bind(PLACE, {"order": "o_2", "place": "here"}) is None


def test_a_write_back_is_bound_to_the_latest_write_with_that_value_before_it(
    standing: Standing, apply: Any
) -> None:
    apply(PLACE, "o_1", placed("here", "there"))
    apply(PLACE, "o_1", placed("there", "here"))  # it means a move, as far as this test goes
    apply(PLACE, "o_1", placed("here", "attic"))
    assert standing.bind(PLACE, {"order": "o_1", "place": "here"}) == Binding(20, 2, certain=False)
    apply(PLACE, "o_1", placed("attic", "here"), undoes=2)
    assert standing.bind(PLACE, {"order": "o_1", "place": "attic"}) == Binding(30, 3, certain=False)
    assert standing.bind(PLACE, {"order": "o_1", "place": "there"}) == Binding(10, 1, certain=False)
    assert standing.bind(PLACE, {"order": "o_1", "place": "here"}) == Binding(0, 0, certain=False)


def test_what_was_put_back_is_not_put_back_again(standing: Standing, apply: Any) -> None:
    apply(PLACE, "o_1", placed("here", "there"))
    apply(PLACE, "o_1", placed("there", "here"), undoes=0)
    assert standing.bind(PLACE, {"order": "o_1", "place": "here"}) is None


def test_a_value_in_another_table_or_field_is_no_write_of_this_one(standing: Standing, apply: Any) -> None:
    apply(PLACE, "o_1", Change("other", "o_1", {"place": "here"}, {"place": "there"}))
    apply(NOTE, "o_1", placed("here", "there"))
    assert standing.bind(PLACE, {"order": "o_1", "place": "here"}) is None


def test_an_explicit_reference_wins_over_a_value_written_back(standing: Standing, apply: Any) -> None:
    both = Operation(
        "shop", "reset", EffectClass.REVERSIBLE, ref="order", undoes=("buy",), restores=("orders", "place")
    )
    apply(BUY, "o_1")
    apply(both, "o_1", placed("here", "there"))
    assert standing.bind(both, {"order": "o_1", "place": "here"}) == Binding(0, 0, certain=True)


def test_an_operation_that_undoes_nothing_is_bound_to_nothing(standing: Standing, apply: Any) -> None:
    apply(BUY, "o_1")
    assert standing.bind(BUY, {"id": "o_1"}) is None
    assert standing.bind(NOTE, {"order": "o_1"}) is None


def test_the_effect_of_a_call_is_its_latest(standing: Standing, apply: Any) -> None:
    apply(BUY, "o_1")
    assert standing.of_call(0) is standing.effects[0]
    assert standing.of_call(3) is None
    again = standing.effects[0]._replace(id=1)
    standing.add(again, BUY)
    assert standing.of_call(0) is again
