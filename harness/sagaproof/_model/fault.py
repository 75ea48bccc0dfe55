"""What a kind of fault is, in two halves: is the effect applied, and does the caller learn it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.point import Phase

__all__ = [
    "CALLS",
    "Applied",
    "Fault",
    "Harm",
    "Lands",
    "Learnt",
    "Scope",
    "applicable",
    "says_not_applied",
]


class Applied(StrEnum):
    """The first half: what becomes of the effect."""

    NO = "not applied"
    YES = "applied"
    LATE = "applied late"
    TWICE = "applied twice"
    TWICE_CHANGED = "applied twice, the second time with other parameters"
    PARTLY = "applied in part"
    OFF = "applied, a hundredth off"


class Learnt(StrEnum):
    """The second half: what the caller gets to see."""

    ANSWER = "answer"
    STATUS = "error status"
    REFUSED = "connection refused"
    TIMEOUT = "timeout"
    RESET = "connection reset"
    TORN = "answer torn off"
    GARBAGE = "garbage"
    EMPTY = "an empty answer"
    SOFT = "200 with an error inside"
    ACCEPTED = "202, not done yet"
    BARE = "the answer without its reference"
    RENAMED = "the answer with its fields renamed"
    NULLS = "the answer with nothing in its fields"
    STALE = "the answer of a moment ago"
    OTHER_REF = "the reference of something else"
    OTHER_AMOUNT = "another amount"
    CANCELLED = "it is cancelled"
    RAISED = "an exception of its own"
    DEATH = "the process dies"


class Lands(StrEnum):
    """When a late effect, or what somebody else does, arrives."""

    NEXT_CALL = "before the next call"
    UNDO = "after the first undo"
    END = "after the end"
    NEXT_EVENT = "after the next event"


class Scope(StrEnum):
    """How far a fault reaches: its call, or from there on all calls of the operation, or of the system."""

    CALL = "call"
    OPERATION = "operation"
    SYSTEM = "system"


class Harm(StrEnum):
    """What becomes of a record of which the writer was told that it is kept."""

    LOST = "gone"
    TORN = "there in part"
    CORRUPT = "not what was written"
    FOREIGN = "of another version"


CALLS = frozenset(Phase) - {Phase.JOURNAL, Phase.EVENT}


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of fault. `number` is its place in the public fault table.

    `representative` names the fault that stands for this one unless all statuses are asked for.
    `code` is the error code inside of an answer that is one. `retry_after` is the header of a rate limit:
    seconds, "date" for an HTTP-date two seconds ahead, or None. `spans` says whether a duration (`/3` or
    `/all`) makes a difference; what reaches further than its call lasts by itself, for `lasts_s` virtual
    seconds if that is given. `trait` has to be one of the operation's; `needs_key` asks for a call that
    carries a key.

    `slow`: the answer takes as long as the caller waits for it, and comes in time. `outlasts_key`: it takes
    longer than the service remembers a key. `stored`: the service keeps the error for the key of the call.
    `meanwhile` is what somebody else then does to the object of the call, `jump_s` by how much the wall clock
    of the saga is set forward, `cancels_next` that whoever waits next is cancelled. `pauses`: the process
    stands still here, for so long that another one takes its saga up. `harm` is what becomes of a record
    after its writer was told that it is kept; the process dies soon after. `errno` is that of the error that
    a store raises. `opt_in`: used only where its family is asked for.
    """

    name: str
    number: int
    family: str
    applied: Applied
    learnt: Learnt
    meaning: str
    status: int | None = None
    code: str | None = None
    retry_after: str | None = None
    lands: Lands | None = None
    representative: str | None = None
    spans: bool = True
    scope: Scope = Scope.CALL
    lasts_s: float | None = None
    phases: frozenset[Phase] = CALLS
    writes_only: bool = False
    reads_only: bool = False
    trait: str | None = None
    needs_key: bool = False
    slow: bool = False
    outlasts_key: bool = False
    stored: bool = False
    meanwhile: str | None = None
    jump_s: float = 0.0
    cancels_next: bool = False
    pauses: bool = False
    harm: Harm | None = None
    errno: int | None = None
    opt_in: bool = False

    @property
    def macro(self) -> bool:
        """Whether it reaches further than its call."""
        return self.scope is not Scope.CALL

    @property
    def may_kill(self) -> bool:
        """Whether the process dies of it, or may: a store that fails can be more than a saga bears."""
        return self.learnt is Learnt.DEATH or self.harm is not None or self.errno is not None

    @property
    def wake(self) -> tuple[object, ...]:
        """What comes of it later than its own answer: faults that differ in this never go on alike."""
        goes_on = (self.learnt, self.status) if self.macro else None
        return (
            goes_on, self.lands, self.scope, self.lasts_s, self.stored, self.outlasts_key, self.meanwhile,
            self.jump_s, self.cancels_next, self.pauses, self.harm, self.errno,
        )  # fmt: skip

    def reaches(self, at: str, operation: str) -> bool:
        """Whether a fault that was put on operation `at` is met by calls of another one, by full names."""
        if self.scope is Scope.SYSTEM:
            return at.partition(".")[0] == operation.partition(".")[0]
        return at == operation


def says_not_applied(fault: Fault) -> bool:
    """Whether its caller knows for certain that nothing was applied: it was refused, or never sent."""
    refused = fault.status is not None and 400 <= fault.status < 500 and fault.applied is Applied.NO
    return refused or fault.learnt in {Learnt.REFUSED, Learnt.SOFT}


def applicable(fault: Fault, operation: Operation, phase: Phase) -> bool:
    """Whether the fault can be put on a call of this operation in this phase."""
    if phase not in fault.phases or (fault.trait and fault.trait not in operation.traits):
        return False
    reads = operation.cls is EffectClass.READ
    return not (
        (fault.writes_only and reads)
        or (fault.reads_only and not reads)
        or (fault.needs_key and not operation.keyed)
        or (fault.trait != _SINK and _SINK in operation.traits)
        or (fault.trait != _EVENT and _EVENT in operation.traits)
        # An awaited callable cannot be run later by somebody else.
        or (fault.applied is Applied.LATE and "immediate" in operation.traits)
        # What is read where it was written is never behind.
        or (fault.learnt is Learnt.STALE and "primary" in operation.traits)
        # In the unwind it is called `again`.
        or (fault.name.startswith("duplicate") and phase is Phase.UNDO)
    )


_SINK = "sink"
_EVENT = "event"
