"""`check_system` passes a system that keeps the contract, and names the rule that a bad one breaks."""

from __future__ import annotations

import itertools
import math
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from sagaproof import Refusal, System, Table, invariant, operation
from sagaproof._world.delivery import Delivery, Handled
from sagaproof._world.keys import KeyMemory
from sagaproof.effects import Effect
from sagaproof.errors import UsageError
from sagaproof.testing import ContractBroken, SystemReport, check_system

Row = Mapping[str, Any]


class Shelf(System):
    """A system that keeps every rule; the bad ones below differ from it in one thing each."""

    name: ClassVar[str] = "shelf"
    hosts: ClassVar[tuple[str, ...]] = ("shelf.test",)

    items = Table(gone={"status": ("removed",)}, volatile=("version",))
    log = Table()

    @operation(
        cls=3, route="POST /items", status=201, ref="id", meanwhile={"consumed": "sold_by_a_colleague"}
    )
    def add_item(self, title: str) -> Row:
        """Put an item on the shelf."""
        key = self.ids.next("item")
        return self.items.put(key, new_item(key, title))

    @operation(cls=3, route="POST /batches", ref="batch", bulk="titles")
    def add_items(self, titles: list[Any]) -> Row:
        """Put many items on the shelf."""
        return {"batch": self.ids.next("batch"), "items": [Shelf.add_item(self, t)["id"] for t in titles]}

    @operation(cls=3, route="DELETE /items/{item_id}", ref="item_id", undoes="add_item")
    def delete_item(self, item_id: str) -> Row:
        """Take an item off the shelf, unless it is sold."""
        row = self.found(item_id)
        if row["price"] is not None:
            raise Refusal(409, "sold", f"{item_id} is sold")
        self.items.drop(item_id)
        return row

    @operation(cls=3, route="PUT /items/{item_id}/title", ref="item_id", restores=("items", "title"))
    def rename_item(self, item_id: str, title: str) -> Row:
        """Give an item another title."""
        return self.items.patch(item_id, title=title, version=self.next_version(self.found(item_id)))

    @operation(cls=2, route="PUT /items/{item_id}/place", ref="item_id")
    def set_place(self, item_id: str, place: str) -> Row:
        """Say where an item stands."""
        self.found(item_id)
        return self.items.patch(item_id, place=place)

    @operation(cls=5, route="POST /items/{item_id}/sale", ref="item_id", amount="price")
    def sell_item(self, item_id: str, price: int) -> Row:
        """Sell an item for good."""
        if self.found(item_id)["price"] is not None:
            raise Refusal(409, "sold", f"{item_id} is sold already")
        return self.items.patch(item_id, price=price)

    @operation(cls=1, route="GET /items/{item_id}")
    def get_item(self, item_id: str) -> Row:
        """Read an item."""
        return self.found(item_id)

    @invariant
    def titled(self) -> str:
        """Every item has a title."""
        return next((f"item {row['id']} has no title" for row in self.items.where(title="")), "")

    def sold_by_a_colleague(self, effect: Effect) -> None:
        """Sell an item behind the back of whoever put it there."""
        self.items.patch(str(effect.ref), price=1)

    def found(self, item_id: str) -> Row:
        """The item, or a refusal."""
        row = self.items.get(item_id)
        if row is None:
            raise Refusal(404, "not_found", f"there is no item {item_id!r}")
        return row


def new_item(key: str, title: str) -> dict[str, Any]:
    return {"id": key, "title": title, "place": "", "price": None, "status": "there", "version": 1}


def fill(shelf: System) -> None:
    assert isinstance(shelf, Shelf)
    shelf.items.put("i1", new_item("i1", "Moby-Dick"))


EXAMPLES: dict[str, dict[str, Any]] = {
    "add_item": {"title": "Emma"},
    "add_items": {"titles": ["Emma", "Persuasion", "Lady Susan"]},
    "rename_item": {"item_id": "i1", "title": "The Whale"},
    "set_place": {"item_id": "i1", "place": "top"},
    "sell_item": {"item_id": "i1", "price": 1250},
    "get_item": {"item_id": "i1"},
}


def check(make: Callable[[], System], **changed: Any) -> SystemReport:
    return check_system(make, **{"examples": EXAMPLES, "setup": fill, **changed})


# Systems that break one rule each -------------------------------------------------------------------------


class NamedLikeTheClock(Shelf):
    name = "clock"


class NamedLikeOneOfOurs(Shelf):
    name = "crm"


class HostWithScheme(Shelf):
    hosts = ("https://shelf.test",)


class NoDocstring(Shelf):
    @operation(cls=1, route="GET /items/{item_id}")
    def get_item(self, item_id: str) -> Row:
        return self.found(item_id)


class UnreadableRoute(Shelf):
    @operation(cls=1, route="/items/{item_id}")
    def get_item(self, item_id: str) -> Row:
        """Read an item."""
        return self.found(item_id)


class RouteOfAnother(Shelf):
    @operation(cls=1, route="POST /items")
    def get_item(self, item_id: str) -> Row:
        """Read an item."""
        return self.found(item_id)


class RouteWithUnknownParameter(Shelf):
    @operation(cls=1, route="GET /items/{number}")
    def get_item(self, item_id: str) -> Row:
        """Read an item."""
        return self.found(item_id)


class WriteByGet(Shelf):
    @operation(cls=2, route="GET /items/{item_id}/place/{place}", ref="item_id")
    def set_place(self, item_id: str, place: str) -> Row:
        """Say where an item stands."""
        self.found(item_id)
        return self.items.patch(item_id, place=place)


class UndoWithAnotherReference(Shelf):
    @operation(cls=3, route="DELETE /items/{item_id}", ref="id", undoes="add_item")
    def delete_item(self, item_id: str = "") -> Row:
        """Take an item off the shelf."""
        return super().delete_item(item_id)


class UndoOfTheIrreversible(Shelf):
    @operation(cls=4, route="POST /items/{item_id}/return", ref="item_id", undoes="sell_item")
    def take_back(self, item_id: str) -> Row:
        """Take a sold item back."""
        return self.items.patch(self.found(item_id)["id"], price=None)


class NothingTakesItBack(Shelf):
    @operation(cls=4, route="POST /items/{item_id}/sale", ref="item_id", amount="price", keyed=False)
    def sell_item(self, item_id: str, price: int) -> Row:
        """Sell an item."""
        return super().sell_item(item_id, price)


class RestoresNoTable(Shelf):
    @operation(cls=3, route="PUT /items/{item_id}/title", ref="item_id", restores=("item", "title"))
    def rename_item(self, item_id: str, title: str) -> Row:
        """Give an item another title."""
        return super().rename_item(item_id, title)


class RestoresNoParameter(Shelf):
    @operation(cls=3, route="PUT /items/{item_id}/title", ref="item_id", restores=("items", "title"))
    def rename_item(self, item_id: str, new_title: str) -> Row:
        """Give an item another title."""
        return super().rename_item(item_id, new_title)


class RaisesKeyError(Shelf):
    def found(self, item_id: str) -> Row:
        """The item, or an error of Python's."""
        return self.items[item_id]


class RefusesWithServerError(Shelf):
    def found(self, item_id: str) -> Row:
        """The item, or a failure that no plan asked for."""
        if item_id not in self.items:
            raise Refusal(503, "not_found", "try again")
        return self.items[item_id]


class CountsRefusals(Shelf):
    refusals = 0

    def found(self, item_id: str) -> Row:
        """The item, or a refusal that leaves a trace."""
        if item_id not in self.items:
            self.refusals = self.refusals + 1
        return super().found(item_id)


class LogsReads(Shelf):
    @operation(cls=1, route="GET /items/{item_id}")
    def get_item(self, item_id: str) -> Row:
        """Read an item, and write that down."""
        row = self.found(item_id)
        self.log.put(self.ids.next("read"), {"item": item_id})
        return row


class ChangesRowsInPlace(Shelf):
    @operation(cls=2, route="PUT /items/{item_id}/place", ref="item_id")
    def set_place(self, item_id: str, place: str) -> Row:
        """Say where an item stands."""
        row = self.found(item_id)
        assert isinstance(row, dict)
        row["place"] = place
        return row


class WritesPastTheTable(Shelf):
    @operation(cls=2, route="PUT /items/{item_id}/place", ref="item_id")
    def set_place(self, item_id: str, place: str) -> Row:
        """Say where an item stands."""
        self.items.rows[item_id] = {**self.found(item_id), "place": place}
        return self.items[item_id]


class AnswersWithTuple(Shelf):
    @operation(cls=1, route="GET /items/{item_id}")
    def get_item(self, item_id: str) -> Row:
        """Read an item."""
        return {"fields": tuple(self.found(item_id))}


class KeepsBytes(Shelf):
    @operation(cls=2, route="PUT /items/{item_id}/place", ref="item_id")
    def set_place(self, item_id: str, place: str) -> Row:
        """Say where an item stands."""
        return {"item": self.items.patch(self.found(item_id)["id"], place=place.encode())["id"]}


class MoneyInFloats(Shelf):
    @operation(cls=5, route="POST /items/{item_id}/sale", ref="item_id", amount="price")
    def sell_item(self, item_id: str, price: int) -> Row:
        """Sell an item for good."""
        return self.items.patch(self.found(item_id)["id"], price=price / 100)


class BreaksItsInvariant(Shelf):
    @operation(cls=3, route="POST /items", status=201, ref="id")
    def add_item(self, title: str) -> Row:
        """Put an item on the shelf."""
        return super().add_item(title.replace("Emma", ""))


class AnswersWithoutReference(Shelf):
    @operation(cls=3, route="POST /items", status=201, ref="id")
    def add_item(self, title: str) -> Row:
        """Put an item on the shelf."""
        return {"title": super().add_item(title)["title"]}


class CountsOverAllInstances(Shelf):
    numbers = itertools.count()

    @operation(cls=3, route="POST /items", status=201, ref="id")
    def add_item(self, title: str) -> Row:
        """Put an item on the shelf."""
        key = f"item_{next(self.numbers)}"
        return self.items.put(key, new_item(key, title))


class KeepsStateBesideTables(Shelf):
    def __init__(self) -> None:
        super().__init__()
        self.titles: list[str] = []

    @operation(cls=3, route="POST /items", status=201, ref="id")
    def add_item(self, title: str) -> Row:
        """Put an item on the shelf."""
        self.titles.append(title)
        return super().add_item(title)


class ForgetsKeysOnRestore(Shelf):
    def restore(self, snapshot: Any) -> None:
        """Be as at the snapshot, but for the keys."""
        super().restore(snapshot._replace(keys=dict(self.keys.entries)))


class NotEmptyWhenNew(Shelf):
    def __init__(self) -> None:
        super().__init__()
        self.items.put("i0", new_item("i0", "Walden"))


class KeepsKeysOnReset(Shelf):
    def reset(self) -> None:
        """Be empty, but for the keys."""
        entries = self.keys.entries
        super().reset()
        self.keys.entries = entries


class MovesOnEachCall(Shelf):
    @operation(cls=2, route="PUT /items/{item_id}/place", ref="item_id")
    def set_place(self, item_id: str, place: str) -> Row:
        """Say where an item stands, relative to where it stood."""
        return self.items.patch(item_id, place=self.found(item_id)["place"] + place)


class IgnoresKeys(Shelf):
    def handle(self, delivery: Delivery) -> Handled:
        """Take each delivery for a new one."""
        return super().handle(delivery._replace(key=None))


class ReplaysAnyArguments(Shelf):
    def handle(self, delivery: Delivery) -> Handled:
        """Take the key for the call."""
        entry = self.keys.entries.get(delivery.key or "")
        return super().handle(delivery._replace(args=entry.args) if entry and entry.args else delivery)


class NeverForgets(Shelf):
    def __init__(self) -> None:
        super().__init__()
        self.keys = KeyMemory(math.inf)


class NoFence(Shelf):
    def handle(self, delivery: Delivery) -> Handled:
        """Refuse to undo what has not come."""
        if delivery.target_key is not None and delivery.target_key not in self.keys.entries:
            return Handled(404, {"error": {"code": "not_found", "message": "no such key"}}, code="not_found")
        return super().handle(delivery)


class LeakyFence(Shelf):
    def handle(self, delivery: Delivery) -> Handled:
        """Say that a key is fenced, and forget it at the next call that comes under it."""
        entry = self.keys.entries.get(delivery.key or "")
        if entry is not None and entry.state == "fenced":
            del self.keys.entries[str(delivery.key)]
        return super().handle(delivery)


class BlindLookup(Shelf):
    def handle(self, delivery: Delivery) -> Handled:
        """Know nothing of any key."""
        if delivery.operation == "lookup":
            return Handled(200, {"state": "absent", "answer": None})
        return super().handle(delivery)


class UndoesTheIrreversible(Shelf):
    def handle(self, delivery: Delivery) -> Handled:
        """Call a sale off as if it had not happened."""
        if delivery.target_key is not None and delivery.operation == "undo_sell_item":
            super().handle(delivery)
            return Handled(200, {"state": "undone", "undone": True})
        return super().handle(delivery)


class NoReferenceAtAll(Shelf):
    @operation(cls=3, route="POST /items", status=201)
    def add_item(self, title: str) -> Row:
        """Put an item on the shelf."""
        return super().add_item(title)


class RestoresAnotherRow(Shelf):
    @operation(cls=3, route="PUT /items/{item_id}/title", ref="item_id", restores=("items", "title"))
    def rename_item(self, item_id: str, title: str) -> Row:
        """Give an item another title, by way of a copy."""
        return self.items.put(item_id + "-copy", {**self.found(item_id), "title": title})


class UndoLeavesTrace(Shelf):
    @operation(cls=3, route="DELETE /items/{item_id}", ref="item_id", undoes="add_item")
    def delete_item(self, item_id: str) -> Row:
        """Take an item off the shelf, and write that down."""
        self.log.put(item_id, {"id": item_id})
        return super().delete_item(item_id)


class UndoRefuses(Shelf):
    @operation(cls=3, route="DELETE /items/{item_id}", ref="item_id", undoes="add_item")
    def delete_item(self, item_id: str) -> Row:
        """Take an item off the shelf, if it is an old one."""
        if item_id.startswith("item"):
            raise Refusal(409, "too_new", f"{item_id} is new")
        return super().delete_item(item_id)


class UndoCounts(Shelf):
    @operation(cls=3, route="DELETE /items/{item_id}", ref="item_id", undoes="add_item")
    def delete_item(self, item_id: str) -> Row:
        """Mark an item as removed, as often as you like."""
        return self.items.patch(item_id, status="removed", version=self.next_version(self.found(item_id)))


class NobodySells(Shelf):
    def sold_by_a_colleague(self, effect: Effect) -> None:
        """Do nothing at all."""


class DeletesWhatIsSold(Shelf):
    @operation(cls=3, route="DELETE /items/{item_id}", ref="item_id", undoes="add_item")
    def delete_item(self, item_id: str) -> Row:
        """Take an item off the shelf, whoever has it now."""
        row = self.found(item_id)
        self.items.drop(item_id)
        return row


class HasNoPlaceForOthers(Shelf):
    @invariant
    def titled(self) -> str:
        """No title was given by somebody else."""
        return "somebody else's title" if any("else" in r["title"] for r in self.items.rows.values()) else ""


class AllOrNothing(Shelf):
    @operation(cls=3, route="POST /batches", ref="batch", bulk="titles")
    def add_items(self, titles: list[Any]) -> Row:
        """Put three items on the shelf."""
        if len(titles) != 3:
            raise Refusal(422, "not_three", "three at a time")
        return super().add_items(titles)


BAD: list[tuple[str, type[Shelf]]] = [
    ("name", NamedLikeTheClock),
    ("name", NamedLikeOneOfOurs),
    ("name", HostWithScheme),
    ("documented", NoDocstring),
    ("route", UnreadableRoute),
    ("route", RouteOfAnother),
    ("route", RouteWithUnknownParameter),
    ("route", WriteByGet),
    ("undo-declared", UndoWithAnotherReference),
    ("undo-declared", UndoOfTheIrreversible),
    ("undo-declared", NothingTakesItBack),
    ("undo-declared", RestoresNoTable),
    ("undo-declared", RestoresNoParameter),
    ("refuses-properly", RaisesKeyError),
    ("refuses-properly", RefusesWithServerError),
    ("refused-changes-nothing", CountsRefusals),
    ("reads-change-nothing", LogsReads),
    ("rows-replaced", ChangesRowsInPlace),
    ("writes-through-tables", WritesPastTheTable),
    ("json", AnswersWithTuple),
    ("json", KeepsBytes),
    ("whole-money", MoneyInFloats),
    ("invariants-hold", BreaksItsInvariant),
    ("ref-answered", AnswersWithoutReference),
    ("deterministic", CountsOverAllInstances),
    ("snapshot", KeepsStateBesideTables),
    ("snapshot", ForgetsKeysOnRestore),
    ("reset", NotEmptyWhenNew),
    ("reset", KeepsKeysOnReset),
    ("convergent", MovesOnEachCall),
    ("key-replays", IgnoresKeys),
    ("key-bound-to-arguments", ReplaysAnyArguments),
    ("key-forgotten", NeverForgets),
    ("fence", NoFence),
    ("fence", LeakyFence),
    ("lookup", BlindLookup),
    ("irreversible", UndoesTheIrreversible),
    ("undo-declared", NoReferenceAtAll),
    ("undo-bound", RestoresAnotherRow),
    ("undone", UndoLeavesTrace),
    ("undone", UndoRefuses),
    ("undone-once", UndoCounts),
    ("meanwhile", NobodySells),
    ("consumed-bars-undo", DeletesWhatIsSold),
    ("invariants-hold", HasNoPlaceForOthers),
    ("bulk", AllOrNothing),
]


@pytest.mark.parametrize(("rule", "bad"), BAD, ids=[bad.__name__ for _, bad in BAD])
def test_a_system_that_breaks_a_rule_is_told_which(rule: str, bad: type[Shelf]) -> None:
    with pytest.raises(ContractBroken) as caught:
        check(bad, skip=["take_back"] if bad is UndoOfTheIrreversible else ())
    assert caught.value.rule == rule
    assert caught.value.what
    assert caught.value.advice


@pytest.mark.parametrize(
    ("undoes", "says"), [("ad_item", "is no operation of shelf"), ("add_item", "cannot run without 'reason'")]
)
def test_an_undo_that_cannot_be_one_is_refused_by_its_class_already(undoes: str, says: str) -> None:
    def take_off(self: Shelf, item_id: str, reason: str) -> Row:
        """Take an item off the shelf, for a reason."""
        return {**self.found(item_id), "reason": reason}

    declared = operation(cls=3, ref="item_id", undoes=undoes)(take_off)
    with pytest.raises(UsageError, match=says):
        type("Bad", (Shelf,), {"take_off": declared})


def test_a_system_that_keeps_the_contract_passes() -> None:
    report = check(Shelf, refused={"sell_item": [{"item_id": "i2", "price": 1}]})
    assert report.system == "shelf"
    assert report.exercised == tuple(sorted(Shelf().operations()))
    assert report.skipped == ()


def test_each_rule_is_put_to_the_test_on_the_good_system_and_has_a_bad_one() -> None:
    tested = {rule for rule, times in check(Shelf).rules if times}
    assert tested == {rule for rule, _ in BAD} | {"exercised", "example-accepted"}


def test_the_report_counts_every_check() -> None:
    report = check(Shelf)
    assert report.checks == sum(times for _, times in report.rules) > 100


# What the caller has to give -----------------------------------------------------------------------------


def test_an_operation_without_example_is_not_passed_over() -> None:
    some = {name: args for name, args in EXAMPLES.items() if name not in {"add_item", "get_item"}}
    with pytest.raises(
        ContractBroken, match=r"shelf\.add_item, shelf\.delete_item, shelf\.get_item"
    ) as caught:
        check(Shelf, examples=some)
    assert caught.value.rule == "exercised"


def test_an_operation_can_be_skipped_by_name_only() -> None:
    some = {name: args for name, args in EXAMPLES.items() if name != "get_item"}
    report = check(Shelf, examples=some, skip=["get_item"])
    assert report.skipped == ("get_item",)
    assert "get_item" not in report.exercised


@pytest.mark.parametrize(
    "example",
    [{"item_id": "i9", "place": "top"}, {"item_id": "i1", "place": ""}],
    ids=["refused", "changes nothing"],
)
def test_an_example_that_shows_nothing_is_refused(example: dict[str, str]) -> None:
    with pytest.raises(ContractBroken) as caught:
        check(Shelf, examples={**EXAMPLES, "set_place": example})
    assert caught.value.rule == "example-accepted"


def test_an_example_of_one_item_has_no_half() -> None:
    with pytest.raises(ContractBroken, match="has 1 items in titles") as caught:
        check(Shelf, examples={**EXAMPLES, "add_items": {"titles": ["Emma"]}})
    assert caught.value.rule == "bulk"


def test_a_call_that_should_be_refused_and_is_not_breaks_a_rule() -> None:
    with pytest.raises(ContractBroken, match="accepted") as caught:
        check(Shelf, refused={"sell_item": [{"item_id": "i1", "price": 1}]})
    assert caught.value.rule == "refuses-properly"


@pytest.mark.parametrize("where", ["examples", "refused", "skip"])
def test_an_unknown_operation_is_an_error_of_the_caller(where: str) -> None:
    given: dict[str, Any] = {
        "examples": {**EXAMPLES, "get_itme": {}},
        "refused": {"get_itme": []},
        "skip": ["get_itme"],
    }
    with pytest.raises(UsageError, match="Did you mean 'get_item'"):
        check(Shelf, **{where: given[where]})


# The error -----------------------------------------------------------------------------------------------


def test_a_broken_rule_is_an_assertion_error_that_says_where_and_what_to_do() -> None:
    with pytest.raises(AssertionError) as caught:
        check(RaisesKeyError)
    assert str(caught.value) == (
        "refuses-properly: raised KeyError('item_1') where it should refuse "
        "(shelf.delete_item(item_id='item_1')). "
        "Raise Refusal(status, code, message): anything else would end the run."
    )


def test_a_broken_rule_travels_between_processes() -> None:
    error = ContractBroken("x", rule="json", where="here", advice="mend it")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.rule) == (str(error), "json")


def test_the_suite_needs_no_pytest() -> None:
    code = "import sys, sagaproof.testing; sys.exit('pytest' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
