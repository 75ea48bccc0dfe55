"""What a system offers: an operation with its effect class and with what it undoes or restores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from math import inf

__all__ = [
    "MEANWHILE",
    "STORE_HOOKS",
    "EffectClass",
    "Operation",
    "TableInfo",
    "durable_write",
    "event_source",
]


MEANWHILE = ("meddled", "consumed", "bounced")
"""What somebody else may do to the object of a call: change it, use it up, send it back."""


class EffectClass(IntEnum):
    """How an effect can be taken back, from 'nothing happened' to 'never'."""

    READ = 1
    CONVERGENT = 2  # sets a desired state: retry it, there is nothing to undo
    REVERSIBLE = 3  # the previous value can be put back
    COMPENSABLE = 4  # undone by a visible counter-entry; both lines stay
    IRREVERSIBLE = 5  # the pivot: mail, payout


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of one system, as declared.

    `undoes` names operations of the same system whose effect this one takes back, found by `ref`.
    `restores` is (table, field): writing the old value back takes the write back.
    `ref` is the argument or answer field that names the object; `amount` the one in minor units. `bulk` is
    the argument that holds a list of items, which are done one by one. `meanwhile` says, by kind, which
    method of its system lets somebody else write to the object of the call. `key_lifetime_s` is for how long
    its system remembers the key of a call.
    """

    system: str
    name: str
    cls: EffectClass
    ref: str | None = None
    amount: str | None = None
    undoes: tuple[str, ...] = ()
    restores: tuple[str, str] | None = None
    escalates: bool = False
    keyed: bool = True
    traits: frozenset[str] = frozenset()
    params: tuple[str, ...] = ()
    bulk: str | None = None
    meanwhile: tuple[tuple[str, str], ...] = ()
    key_lifetime_s: float = inf
    full: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "full", f"{self.system}.{self.name}")

    @property
    def writes(self) -> bool:
        """Whether a call can leave an effect."""
        return self.cls > EffectClass.READ


STORE_HOOKS = ("lose", "tear", "garble", "outdate")
"""What a store can be told to let come to harm: a record is gone, torn, corrupt, or of another version."""


def durable_write(store: str, name: str, hooks: Iterable[str] = ()) -> Operation:
    """What a write into a store of the saga's own is taken for: it stands, and nobody has to undo it.

    `hooks` are those of `STORE_HOOKS` that the store has.
    """
    return Operation(store, name, EffectClass.CONVERGENT, keyed=False, traits=frozenset({"store", *hooks}))


def event_source(system: str) -> Operation:
    """What the events that a system sends are taken for: each is a point, and none is a call."""
    return Operation(system, "events", EffectClass.READ, keyed=False, traits=frozenset({"event"}))


@dataclass(frozen=True, slots=True)
class TableInfo:
    """How the rows of a table compare: which of them count as gone, which fields never count.

    `gone` maps a field to the values with which the service itself treats the row as not there
    (a void invoice, a reversed credit). `volatile` fields (versions, times) are left out of diffs.
    """

    system: str
    name: str
    gone: tuple[tuple[str, tuple[object, ...]], ...] = ()
    volatile: frozenset[str] = frozenset()
