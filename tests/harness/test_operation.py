"""How operations are declared, and which declarations are refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any, Optional

import pytest

from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import MEANWHILE, EffectClass
from sagaproof._world.operation import Refusal, invariant, operation
from sagaproof._world.system import System
from sagaproof._world.table import Table
from sagaproof.errors import UsageError


def test_what_is_declared_is_what_the_system_says_of_itself() -> None:
    class Shop(System):
        name = "shop"

        @operation(
            cls=4, route="POST /orders", status=201, ref="id", amount="sum", traits=("mail",), escalates=True
        )
        def buy(self, item: str, *, n: int = 1, if_match: str | None = None) -> None: ...

    known = Shop().declarations()["buy"]
    described = known.operation
    assert (described.full, described.cls, described.ref, described.amount, described.escalates) == (
        "shop.buy", EffectClass.COMPENSABLE, "id", "sum", True,
    )  # fmt: skip
    assert (described.traits, described.params, described.keyed) == (
        frozenset({"mail", "amount"}), ("item", "n"), True,
    )  # fmt: skip
    assert (known.route, known.status, known.required, known.takes_if_match) == (
        "POST /orders", 201, frozenset({"item"}), True,
    )  # fmt: skip


@pytest.mark.parametrize(("cls", "writes"), [(1, False), (2, True), (3, True), (4, True), (5, True)])
def test_keys_are_honoured_by_every_write_unless_said_otherwise(cls: int, *, writes: bool) -> None:
    class Shop(System):
        name = "shop"

        @operation(cls=cls)
        def usual(self) -> None: ...

        @operation(cls=cls, keyed=not writes)
        def unusual(self) -> None: ...

    operations = Shop().operations()
    assert operations["usual"].writes is writes
    assert operations["usual"].keyed is writes
    assert operations["unusual"].keyed is not writes


@pytest.mark.parametrize("cls", [0, 6])
def test_there_are_five_effect_classes(cls: int) -> None:
    with pytest.raises(ValueError, match="EffectClass"):
        operation(cls=cls)


def types_of(hint: Any) -> tuple[type, ...]:
    def buy(self: object, item: Any) -> None: ...

    buy.__annotations__["item"] = hint
    shop = type("Shop", (System,), {"name": "shop", "buy": operation(cls=2)(buy)})
    return tuple(shop().declarations()["buy"].types["item"])


@pytest.mark.parametrize(
    ("hint", "types"),
    [
        (str, (str,)),
        (int, (int,)),
        (bool, (bool,)),
        (list[str], (list,)),
        (dict[str, int], (dict,)),
        (Mapping[str, int], (dict,)),
        (str | None, (str, type(None))),
        (Optional[int], (int, type(None))),  # noqa: UP045  # this spelling is what is tested
        (int | str, (int, str)),
        (Any, ()),
        (float, ()),
        (str | Any, ()),
    ],
)
def test_a_parameter_takes_the_json_types_of_its_annotation(hint: Any, types: tuple[type, ...]) -> None:
    assert types_of(hint) == types


def build(name: str, **members: Callable[..., Any]) -> type[System]:
    return type(name, (System,), {"name": "shop", **members})


def buy(self: object, *, item: str) -> None: ...


def cancel(self: object, *, order: str) -> None: ...


def refund(self: object, *, order: str, amount: int) -> None: ...


def test_an_undo_of_what_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match=r"shop.cancel undoes 'bye', which is no operation"):
        build("Shop", buy=operation(cls=3)(buy), cancel=operation(cls=3, undoes="bye", ref="order")(cancel))


def test_an_undo_has_to_say_by_what_it_finds_the_effect() -> None:
    with pytest.raises(UsageError, match=r"shop.cancel undoes buy but has no ref"):
        build("Shop", buy=operation(cls=3)(buy), cancel=operation(cls=3, undoes="buy")(cancel))


def test_an_undo_must_run_with_nothing_but_its_reference() -> None:
    with pytest.raises(UsageError, match=r"shop.refund is an undo but cannot run without 'amount'"):
        build("Shop", buy=operation(cls=4)(buy), refund=operation(cls=4, undoes="buy", ref="order")(refund))


def buy_many(self: object, *, items: list[str], when: str = "") -> None: ...


def sell(self: object, effect: object) -> None: ...


@pytest.mark.parametrize(
    ("bulk", "says"),
    [
        ("itmes", r"shop.buy has bulk='itmes', which is none of its parameters. .*items"),
        ("when", r"shop.buy has bulk='when', which is no list"),
    ],
)
def test_a_bulk_parameter_has_to_be_there_and_a_list(bulk: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        build("Shop", buy=operation(cls=3, bulk=bulk)(buy_many))


@pytest.mark.parametrize(
    ("meanwhile", "says"),
    [
        ({"consmued": "sell"}, r"shop.buy has meanwhile=\{'consmued': ...\}: nobody does that. .*consumed"),
        (
            {"consumed": "slel"},
            r"shop.buy has meanwhile=\{'consumed': 'slel'\}, no method of Shop. .*sell",
        ),
        ({"consumed": "buy"}, r"Shop.buy, which shop.buy has for 'consumed', does not take one argument"),
    ],
)
def test_what_somebody_else_does_is_of_a_known_kind_and_a_method(
    meanwhile: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        build("Shop", buy=operation(cls=3, meanwhile=meanwhile)(buy), sell=sell)


@pytest.mark.parametrize("more", [{"bulk": "items"}, {"meanwhile": {"consumed": "sell"}}])
def test_nothing_of_a_read_is_done_in_part_or_used_up(more: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"shop.look has .*, and is a read"):
        build("Shop", look=operation(cls=1, **more)(buy_many), sell=sell)


def test_what_is_declared_says_which_faults_fit() -> None:
    declare = operation(cls=4, bulk="items", amount="sum", meanwhile={"consumed": "sell", "bounced": "sell"})
    shop = build("Shop", buy=declare(buy_many), sell=sell)()
    assert shop.operations()["buy"].traits == {"bulk", "amount", "consumed", "bounced"}


def test_others_do_what_there_is_a_fault_for() -> None:
    kinds = {fault.meanwhile for fault in FAULTS.values()} - {None}
    assert kinds == set(MEANWHILE)


def test_an_undo_may_take_back_several_operations() -> None:
    shop = build(
        "Shop",
        buy=operation(cls=3, ref="order")(buy),
        rent=operation(cls=3, ref="order")(buy),
        cancel=operation(cls=3, undoes=("buy", "rent"), ref="order")(cancel),
    )()
    assert shop.operations()["cancel"].undoes == ("buy", "rent")
    assert shop.undo_operation("buy") == shop.undo_operation("rent") == "cancel"


def test_each_keyed_write_of_class_3_to_5_can_be_looked_up_and_undone_by_key() -> None:
    class Shop(System):
        name = "shop"
        orders = Table()

        @operation(cls=1)
        def read(self) -> None: ...

        @operation(cls=2)
        def note(self) -> None: ...

        @operation(cls=3)
        def draft(self) -> None: ...

        @operation(cls=4, ref="order")
        def buy(self) -> None: ...

        @operation(cls=4, undoes="buy", ref="order")
        def cancel(self, *, order: str) -> None: ...

        @operation(cls=5)
        def send(self) -> None: ...

        @operation(cls=5, keyed=False)
        def shout(self) -> None: ...

    built_in = Shop().operations().keys() - {"read", "note", "draft", "buy", "cancel", "send", "shout"}
    assert built_in == {"lookup", "undo_draft", "undo_send"}


def test_a_system_without_keys_gets_neither_lookup_nor_undo_by_key() -> None:
    assert build("Shop", buy=operation(cls=4, keyed=False)(buy))().operations().keys() == {"buy"}


def test_a_lookup_of_its_own_is_left_alone() -> None:
    def lookup(self: object) -> None: ...

    shop = build("Shop", buy=operation(cls=4, keyed=True)(buy), lookup=operation(cls=1)(lookup))()
    assert shop.operations()["lookup"].params == ()


def test_what_has_nothing_to_undo_says_so() -> None:
    shop = build("Shop", buy=operation(cls=2)(buy))()
    with pytest.raises(UsageError, match=r"shop.buy has nothing to undo"):
        shop.undo_operation("buy")
    with pytest.raises(UsageError, match="shop has no operation 'bye'") as caught:
        shop.undo_operation("bye")
    assert caught.value.advice == "Did you mean 'buy'?"


def test_a_subclass_declares_its_own_and_keeps_those_of_its_base() -> None:
    class Shop(System):
        name = "shop"

        @operation(cls=2)
        def buy(self) -> None: ...

    class Market(Shop):
        name = "market"

        @operation(cls=2)
        def haggle(self) -> None: ...

    assert {op.full for op in Market().operations().values()} == {"market.buy", "market.haggle"}
    assert {op.full for op in Shop().operations().values()} == {"shop.buy"}


def test_a_refusal_reads_as_status_code_and_message() -> None:
    refusal = pickle.loads(pickle.dumps(Refusal(409, "sold_out", "none left")))
    assert str(refusal) == "409 sold_out: none left"
    assert (refusal.status, refusal.code, refusal.message) == (409, "sold_out", "none left")


def test_an_invariant_is_run_by_name_and_says_what_is_broken() -> None:
    class Shop(System):
        name = "shop"

        @invariant
        def holds(self) -> None: ...

        @invariant
        def empty_text_holds(self) -> str:
            return ""

        @invariant
        def broken_one(self) -> str:
            return "order o_1 is too large"

    assert list(Shop().broken()) == [("broken_one", "order o_1 is too large")]
