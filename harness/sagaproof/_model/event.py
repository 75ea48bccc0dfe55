"""The typed events of a history: what arrived, what was applied, what the caller was told.

Each is a named tuple; `at` is virtual time in seconds since the run began. `call` numbers logical calls.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from sagaproof._model.claim import Claim, Ending
from sagaproof._model.effect import Binding, Change, Effect, Record
from sagaproof._model.point import Phase, Point

__all__ = [
    "Answered",
    "Applied",
    "Asked",
    "Broke",
    "Called",
    "Died",
    "Ended",
    "Event",
    "Heard",
    "Landed",
    "Meddled",
    "Noted",
    "Notified",
    "Paused",
    "Rejected",
    "Restarted",
    "Rested",
    "Sent",
    "Slept",
    "Spoiled",
    "Told",
    "Woke",
    "Wrote",
]


class Called(NamedTuple):
    """A call arrived at the tap. `site` is the user's file:line; `fault` the one planned for here."""

    at: float
    call: int
    point: Point
    phase: Phase
    args: Record
    key: str | None
    undoes: Binding | None
    site: str
    fault: str | None


class Applied(NamedTuple):
    """An effect was committed. `late` after its caller was told something; `again` by a second delivery."""

    at: float
    effect: Effect
    late: bool
    again: bool


class Rejected(NamedTuple):
    """The system itself refused a delivery of a call (nothing was applied)."""

    at: float
    call: int
    status: int
    code: str
    late: bool


class Landed(NamedTuple):
    """A late delivery arrived. `outcome`: applied, fenced, absorbed (by its key) or refused."""

    at: float
    call: int
    outcome: str


class Told(NamedTuple):
    """What the caller was told for one arrival. `ok`: it learnt a success. `body` is the answer seen.

    `status` is None where no status line reached the caller.
    """

    at: float
    call: int
    point: Point
    ok: bool
    learnt: str
    status: int | None
    body: Any


class Broke(NamedTuple):
    """An invariant did not hold. `system` is empty for the user's own over the whole world."""

    at: float
    system: str
    invariant: str
    detail: str


class Wrote(NamedTuple):
    """A row was written by no call: set-up by Python, or another writer."""

    at: float
    system: str
    change: Change


class Meddled(NamedTuple):
    """Somebody else comes to the object of a call, by a fault of that `kind`; what they write follows."""

    at: float
    call: int
    kind: str


class Slept(NamedTuple):
    """The saga waited, in virtual time."""

    at: float
    seconds: float


class Noted(NamedTuple):
    """The saga wrote into a store that outlives it: a record in its journal. `kept`: it got there.

    `record` is what was written, as JSON values where it can be shown as such.
    """

    at: float
    point: Point
    record: Any
    kept: bool
    site: str
    fault: str | None

    @property
    def phase(self) -> Phase:
        """What it was for, as for calls."""
        return Phase.JOURNAL


class Spoiled(NamedTuple):
    """A record that was kept has come to harm: by its point, and what has become of it (`Harm`)."""

    at: float
    point: Point
    harm: str


class Sent(NamedTuple):
    """A system sends an event to a saga that listens: it is handed over, unless a fault says otherwise.

    `body` is the event as its handler gets it.
    """

    at: float
    point: Point
    type: str
    body: Record
    fault: str | None

    @property
    def phase(self) -> Phase:
        """What it was for, as for calls."""
        return Phase.EVENT


class Notified(NamedTuple):
    """The saga's handler is handed an event; what the handler does follows. `late`: after the saga's end."""

    at: float
    point: Point
    type: str
    late: bool


class Heard(NamedTuple):
    """What a handler said to an event: what the saga now claims, or the error with which it ended."""

    at: float
    point: Point
    claim: Claim | None
    error: str


class Died(NamedTuple):
    """The process died at a point; whatever it did not keep in a store is gone."""

    at: float
    point: Point


class Restarted(NamedTuple):
    """A new process began, the `restart`-th after the first.

    `at_rest`: the saga had come to its end, and is asked once more, without faults, whether anything is left
    for it to recover.
    """

    at: float
    restart: int
    at_rest: bool


class Paused(NamedTuple):
    """The process, the `restart`-th after the first, stands still at a point: it knows nothing of that."""

    at: float
    point: Point
    restart: int


class Woke(NamedTuple):
    """A process that stood still goes on, after another one has taken its saga up and come to the end."""

    at: float
    restart: int


class Asked(NamedTuple):
    """The agent called a tool of a saga that is fed: the `step`-th call of its script, from 1."""

    at: float
    step: int
    tool: str
    args: Record
    call_id: str


class Answered(NamedTuple):
    """What the agent was told of such a call: ok, failed (and not applied) or unknown, and the words.

    A tool that raised tells its agent `unknown`, unless the exception says more by an `outcome`.
    """

    at: float
    step: int
    outcome: str
    text: str


class Ended(NamedTuple):
    """The saga under test came to its end; what is late may still land after this."""

    at: float
    ending: Ending


class Rested(NamedTuple):
    """Everything late has landed and nothing moves any more."""

    at: float


Event: TypeAlias = (
    Called
    | Applied
    | Rejected
    | Landed
    | Told
    | Broke
    | Wrote
    | Meddled
    | Noted
    | Spoiled
    | Sent
    | Notified
    | Heard
    | Died
    | Restarted
    | Paused
    | Woke
    | Asked
    | Answered
    | Slept
    | Ended
    | Rested
)
