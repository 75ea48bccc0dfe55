"""The views of a history: calls and their attempts, what stands, what was told to a person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied
from sagaproof._model.history import History, mask
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._model.script import OPAQUE
from sagaproof._run.runner import Runner
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle

HistoryOf = Callable[..., History]


@pytest.fixture
def history(world: WorldHandle) -> HistoryOf:
    """`history(body, plan)`: of a run of `body(world.direct.shop)`, with its fault-free twin."""

    def history(body: Callable[[Any], object], plan: str = "") -> History:
        def run(world: Any) -> object:
            said = body(world.direct.shop)
            return said if isinstance(said, str) else None

        with Runner(world, CallableDriver(run)) as runner:
            twin = runner.run(OPAQUE, EMPTY)
            twin.twin = twin
            return runner.run(OPAQUE, Plan.parse(plan), twin) if plan else twin

    return history


def again(call: Callable[[], Any], times: int = 2) -> Any:
    """The first success within so many attempts, else None."""
    for _ in range(times):
        try:
            return call()
        except (ToolError, OSError):
            pass
    return None


def names(effects: list[Effect]) -> list[str]:
    return [effect.operation for effect in effects]


# Calls ------------------------------------------------------------------------------------------------------


def test_arrivals_of_one_call_belong_together_in_order(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        again(lambda: shop.buy(item="tea", key="k"), 3)
        shop.send(order="o_1")

    found = history(body, "shop.buy.1=lost/2")
    buy, send = found.calls
    assert [arrival.called.point.attempt for arrival in buy.arrivals] == [1, 2, 3]
    assert [arrival.told.ok for arrival in buy.arrivals if arrival.told] == [False, False, True]
    assert (buy.keys, send.keys, buy.index, send.index) == (("k", "k", "k"), (None,), 0, 1)
    assert buy.started < buy.arrivals[1].position < buy.answered < send.started
    assert (buy.ok, names(buy.effects)) == (True, ["buy"])


def test_a_call_that_never_succeeded_has_no_answer_and_keeps_what_was_told_last(history: HistoryOf) -> None:
    found = history(
        lambda shop: again(lambda: shop.send(order="a"), 3), "shop.send.1=503,shop.send.1:2=timeout/2"
    )
    (send,) = found.calls
    assert (send.ok, send.answered) == (False, -1)
    assert send.last_told is not None
    assert send.last_told.learnt == "timeout"


def test_refusals_and_landings_belong_to_their_call(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        again(lambda: shop.buy(item="tea", key="k"), 1)
        shop.undo_by_key("buy", "k")

    buy = history(body, "shop.buy.1=late-end").calls[0]
    assert [rejected.code for rejected in buy.rejections] == ["fenced"]
    assert [landed.outcome for landed in buy.landed] == ["fenced"]


def test_effects_are_found_by_their_id_and_place(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.send(order="a")
        shop.send(order="b")

    found = history(body)
    assert [effect.id for effect in found.effects] == [0, 1]
    assert [found.events[at].__class__ for at in found.applied_at] == [Applied, Applied]
    assert found.ended_at == len(found.events) - 2


# What stands ------------------------------------------------------------------------------------------------


def test_what_was_undone_does_not_stand_and_an_undo_itself_never_does(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.buy(item="tea")
        shop.buy(item="milk")
        shop.cancel(order="o_1")

    found = history(body)
    assert [effect.ref for effect in found.standing] == ["o_2"]
    assert [found.is_undone(effect) for effect in found.effects] == [True, False, False]
    assert found.undone_by == {0: [found.effects[2]]}


def test_an_undo_that_was_itself_undone_does_not_count(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.buy(item="tea")
        shop.set_place(order="o_1", place="there")
        shop.set_place(order="o_1", place="here")
        shop.set_place(order="o_1", place="there")

    found = history(body)
    assert [effect.undoes for effect in found.effects] == [None, None, 1, 2]
    assert names(found.standing) == ["buy", "set_place"]
    assert names(found.residue) == ["buy", "set_place"]


def test_calls_for_help_are_not_among_what_stands(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.send(order="a")
        shop.tell(text="see p_1")

    found = history(body)
    assert (names(found.standing), names(found.cases)) == (["send"], ["tell"])


def test_residue_is_what_somebody_would_have_to_take_back(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.buy(item="tea")
        shop.set_note(order="o_1", note="x")
        shop.set_place(order="o_1", place="there")
        shop.send(order="o_1")

    found = history(body)
    assert names(found.standing) == ["buy", "set_note", "set_place", "send"]
    assert names(found.residue) == ["buy", "set_place", "send"]


def test_what_is_gone_by_whatever_means_is_no_residue(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.draft(text="x")
        shop.archive(order="o_1")

    found = history(body)
    assert names(found.standing) == ["draft", "archive"]
    assert found.residue == []
    assert found.differences == []


def test_a_write_of_what_was_there_is_hollow(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.buy(item="tea")
        shop.set_place(order="o_1", place="here")

    found = history(body)
    assert [found.is_hollow(effect) for effect in found.effects] == [False, True]


def test_a_second_delivery_that_no_client_could_prevent_is_no_residue(history: HistoryOf) -> None:
    found = history(lambda shop: shop.send(order="a"), "shop.send.1=duplicate")
    assert (len(found.effects), len(found.residue)) == (2, 1)
    assert [difference.key for difference in found.differences] == ["p_1"]


def test_the_net_effects_do_not_depend_on_the_ids_of_a_run(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        order = again(lambda: shop.buy(item="tea")) or {}
        shop.set_place(order=order["id"], place="there")

    plain, lost = history(body), history(body, "shop.buy.1=500-applied")
    assert lost.created == {"o_1", "o_2"}
    assert lost.meaning(lost.effects[2]) == plain.meaning(plain.effects[1])
    assert lost.net - plain.net == {lost.meaning(lost.effects[0]): 1}
    assert (plain.is_like_twin, lost.is_like_twin) == (True, False)


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ("o_1", "*"),
        ("o_2", "o_2"),
        (3, 3),
        (None, None),
        ({"b": "o_1", "a": [1, "x"]}, (("a", (1, "x")), ("b", "*"))),
        (("o_1", 1.5), ("*", 1.5)),
    ],
)
def test_ids_of_the_run_are_masked_wherever_they_stand(value: object, masked: object) -> None:
    assert mask(value, frozenset({"o_1"})) == masked
    hash(mask(value, frozenset()))


# Named ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "plan", "named"),
    [
        ("order o_1 still stands", "", True),
        ("see the call under key-7", "", True),
        ("a buy is open", "", False),
        ("a buy is open", "shop.buy.1=lost", True),
        ("shop.buy is unknown", "shop.buy.1=lost", True),
        ("order o_10 still stands", "", False),
        ("something is wrong", "", False),
    ],
)
def test_a_case_names_an_effect_by_object_key_or_if_unknown_operation(
    history: HistoryOf, text: str, plan: str, *, named: bool
) -> None:
    def body(shop: Any) -> None:
        again(lambda: shop.buy(item="tea", key="key-7"), 1)
        shop.tell(text=text)

    found = history(body, plan)
    assert found.is_named(found.effects[0]) is named


def test_without_a_case_nothing_is_named(history: HistoryOf) -> None:
    found = history(lambda shop: shop.send(order="a"))
    assert not found.is_named(found.effects[0])


# Undos ------------------------------------------------------------------------------------------------------


def compensates(shop: Any) -> str | None:
    shop.buy(item="tea")
    shop.set_place(order="o_1", place="there")
    if again(lambda: shop.send(order="o_1"), 1) is None:
        shop.set_place(order="o_1", place="here")
        shop.cancel(order="o_1")
        return "compensated"
    return None


def test_calls_that_were_meant_to_undo_are_listed_with_what_they_undo(history: HistoryOf) -> None:
    found = history(compensates, "shop.send.1=503")
    assert [call.operation.name for call in found.undo_calls] == ["set_place", "cancel"]
    assert {target: [c.operation.name for c in undos] for target, undos in found.undos_of.items()} == {
        1: ["set_place"], 0: ["cancel"],
    }  # fmt: skip
    assert found.unwind_began == found.undo_calls[0].started
    assert history(compensates).unwind_began == -1


def test_an_undo_that_the_ordinary_way_contains_is_routine(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.buy(item="tea")
        shop.send(order="o_1")
        shop.cancel(order="o_1")

    found = history(body)
    assert found.routine == {"shop.cancel"}
    assert found.undo_calls == []


def test_after_a_failure_in_the_fault_free_run_no_undo_is_routine(history: HistoryOf) -> None:
    def body(shop: Any) -> None:
        shop.buy(item="tea")
        again(lambda: shop.buy(item="sold out"), 1)
        shop.cancel(order="o_1")

    found = history(body)
    assert found.routine == frozenset()
    assert len(found.undo_calls) == 1


def test_what_takes_back_an_undo_goes_forward_again(history: HistoryOf) -> None:
    def body(shop: Any) -> str:
        shop.buy(item="tea")
        for place in ("there", "here", "there"):
            shop.set_place(order="o_1", place=place)
        return "compensated"

    found = history(body)
    assert [call.started for call in found.undo_calls] == [found.calls[2].started]


# The end ----------------------------------------------------------------------------------------------------


def test_the_claim_is_that_of_the_ending(history: HistoryOf) -> None:
    found = history(compensates, "shop.send.1=503")
    assert (found.claim, found.ending.how, found.asserted) == (Claim.COMPENSATED, "returned", False)


def test_a_history_without_an_end_has_hung() -> None:
    found = History(OPAQUE, EMPTY, [], operations={}, tables={}, injected={})
    assert (found.ending.how, found.claim, found.ended_at) == ("hung", None, 0)
