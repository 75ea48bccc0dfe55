"""What a check is: history to verdict, held, violated or not reached.

A check whose antecedent never held has proved nothing; it must say so instead of passing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from sagaproof._model.history import History
from sagaproof._model.plan import Plan

__all__ = [
    "HELD",
    "NOT_REACHED",
    "Facts",
    "RunCheck",
    "RunName",
    "State",
    "Verdict",
    "verdict_of",
    "violated",
]

RunName: TypeAlias = tuple[str, Plan]
"""A run of a campaign: the name of its script, and its plan."""


class State(StrEnum):
    """The three values of a verdict."""

    HELD = "held"
    VIOLATED = "violated"
    NOT_REACHED = "not reached"


class Verdict(NamedTuple):
    """What a check says of one run, or of all runs of a campaign.

    `claim` is one sentence: what the saga said or did, *but* what the world shows. `because` names the
    event that proves it. `calls` are the logical calls it is about, most telling first. Over a campaign,
    `run` is the one that shows it, and `beside` the one to hold against it.
    """

    state: State
    claim: str = ""
    because: str = ""
    calls: tuple[int, ...] = ()
    run: RunName | None = None
    beside: RunName | None = None


HELD: Final = Verdict(State.HELD)
NOT_REACHED: Final = Verdict(State.NOT_REACHED)


def violated(
    claim: str,
    *,
    because: str = "",
    calls: Sequence[int] = (),
    run: RunName | None = None,
    beside: RunName | None = None,
) -> Verdict:
    """A violation; see `Verdict` for the fields."""
    return Verdict(State.VIOLATED, claim, because, tuple(calls), run, beside)


def verdict_of(answer: object) -> Verdict:
    """What a check of the user has answered. Raises `TypeError` for what is no verdict, such as a bool."""
    if isinstance(answer, Verdict):
        return answer
    msg = f"it answered {answer!r}; return HELD, NOT_REACHED or violated(...)"
    raise TypeError(msg)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a campaign has seen so far of the saga under test, over all its runs.

    `called` holds full operation names, `undos` those that were ever meant to undo something, `classes` the
    effect classes of forward calls in the fault-free run, `claims` what was ever claimed; `faults` the
    kinds that were injected and `retried` whether any call was ever made twice. `undone` holds the operations
    that were ever meant to be taken back (to shut an irreversible one out is none of that), `undone_by_key`
    says whether that was ever done by key, and `undone_in_order` whether two of them follow one another: what
    overlaps has no order. `past_pivot` says
    whether the fault-free run writes anything after an irreversible call, `steps` whether an agent feeds it,
    `durable` whether it writes into a store that outlives its process.
    """

    called: frozenset[str]
    undos: frozenset[str]
    classes: frozenset[int]
    claims: frozenset[str]
    faults: frozenset[str]
    escalates: bool
    amounts: bool
    keys: bool
    retried: bool
    undone: frozenset[str] = frozenset()
    undone_by_key: bool = False
    undone_in_order: bool = False
    past_pivot: bool = False
    steps: bool = False
    durable: bool = False


@runtime_checkable
class RunCheck(Protocol):
    """A check of one run. `slug` names it in output, docs and settings.

    `applies` says whether the saga does what the check speaks of at all; if it does and no run ever
    reached the antecedent, the campaign is incomplete. A check whose antecedent takes more than one fault
    says so by an attribute `faults_needed`; with fewer faults that is only noted.
    """

    slug: str

    def applies(self, facts: Facts) -> bool:
        """Whether the check speaks of anything that this saga does."""

    def judge(self, history: History) -> Verdict:
        """The verdict on one run."""
