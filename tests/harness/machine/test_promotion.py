"""A script that reached something new meets every single fault; a budget leaves the rest out, and says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from tests.harness.machine.till import Seller, Till

from sagaproof import AgentMachine, Script, ToolCall
from sagaproof._machine.choices import Choices
from sagaproof._machine.decisions import Decisions
from sagaproof._machine.found import Kind
from sagaproof._machine.promotion import Promotion, promote
from sagaproof._machine.session import Session
from sagaproof._machine.vocabulary import found_out
from sagaproof._model.plan import EMPTY


class Shop(AgentMachine):
    agent = Seller
    systems = (Till,)
    tools: ClassVar = {"sell": {"amount": [5]}}
    options: ClassVar = {"families": ("lost answer",)}


SCRIPT = Script("new", (ToolCall("sell", {"amount": 5}, "c1"), ToolCall("sell", {"amount": 5}, "c2")))


@contextmanager
def session() -> Iterator[Session]:
    """One in which a script reached something new."""
    with Shop._trials() as trials:
        vocabulary = found_out(trials, Shop.tools, (), ())
        decisions = Decisions(Choices.of(vocabulary, trials))
        made = Session(trials, vocabulary, decisions, tell=lambda trial, _: str(trial.plan))
        made.promoted["new"] = (SCRIPT, EMPTY)
        yield made


def told(session: Session) -> list[str]:
    return [str(error) for error in promote(session, 3, is_enough=lambda: False)]


def test_each_single_fault_is_tried_and_a_kind_is_told_once() -> None:
    with session() as made:
        assert told(made) == ["till.sell.1=lost"]
        places = made.trials.places(made.trials.fault_free(SCRIPT))
        singles = sum(len(place.fitting) for place in places)
        assert made.promotion == Promotion(scripts=1, of=1, runs=singles, left=0)


def test_what_the_play_has_found_is_not_told_again() -> None:
    with session() as made:
        made.passed_over.add(Kind("compensated-is-clean", "till.sell", "forward"))
        assert told(made) == []


def test_a_budget_that_ends_says_what_it_left_out() -> None:
    with session() as made:
        assert len(list(promote(made, 3, is_enough=lambda: False, runs_max=1))) == 1
        assert made.promotion is not None
        assert made.promotion.runs == 1
        assert made.promotion.left > 0
        assert list(promote(made, 3, is_enough=lambda: True)) == []
        assert made.promotion.runs == 0
