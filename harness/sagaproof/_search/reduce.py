"""Leaving plans out: what goes on alike is explored further through one plan.

Rule R1, a heuristic: two faults at one point whose runs have the same signature are taken to go on alike.
Rule R2: two runs in which a new process comes upon the same state, with no fault still to come, go on alike.
For what the saga does that is sound, as far as all that outlives a process is in the state; but a check may
remember what was before the crash, so that for verdicts it counts as a heuristic.
Rule R4, a heuristic where time matters, else sound: a fault that nobody can tell from none, and that leaves
nothing behind, goes on as its parent does. R5, in `carried`, does without runs that would look alike.
What the rules leave out is counted by the extensions of the representative, and a seeded share of it is run
all the same; where a run is not what its representative showed, the rule is switched off.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from typing import Final, NamedTuple

from sagaproof._model.fault import Applied, Fault, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.plan import Injection
from sagaproof._search.record import Record
from sagaproof._search.signature import certainty, learnt, signature

__all__ = ["RULES", "LeftOut", "as_evidence", "group", "is_inert", "left_out", "look_of"]

RULES: Final = {"R1": "heuristic", "R2": "heuristic", "R4": "heuristic", "R5": "heuristic"}
"""The rules, and whether what they leave out is known, or only likely, to show nothing new."""

_NO_WAKE: Final = Fault("", 0, "", Applied.YES, Learnt.ANSWER, "").wake


class LeftOut(NamedTuple):
    """A record that is not extended, the one that stands for it, and the extensions that the audit runs.

    Of each pair the first extends the representative, the second the record.
    """

    record: Record
    representative: Record
    audited: tuple[tuple[Injection, Injection], ...]


def group(made: Sequence[Record]) -> list[Record]:
    """One record of those that go on alike by a rule; it stands for the others. Inert ones are alone."""
    first: dict[object, Record] = {}
    alone: list[Record] = []
    for record in made:
        if record.inert:
            alone.append(record)
            continue
        known = first.setdefault(_kind(record), record)
        if known is not record:
            known.stands_for.append(record)
    return [*first.values(), *alone]


def left_out(parents: Sequence[Record], chance: random.Random, share: float) -> Iterator[LeftOut]:
    """Each record that is not extended, with its seeded sample."""
    for representative in parents:
        for record in representative.stands_for:
            pairs = zip(representative.extensions, record.extensions, strict=False)
            audited = tuple(pair for pair in pairs if chance.random() < share)
            yield LeftOut(record, representative, audited)


def is_inert(record: Record, parent: Record) -> bool:
    """Whether what was added to a plan changed nothing, to nobody, and nothing of it comes later."""
    added = record.added
    if added is None or added.times != 1 or record.whole is None:
        return False
    fault = FAULTS[added.fault]
    plain = fault.wake == _NO_WAKE and not fault.may_kill
    return plain and (record.whole, record.violated) == (parent.whole, parent.violated)


def look_of(history: History, record: Record) -> Hashable:
    """What two runs must share to go on alike, whichever faults at one point led there."""
    return (signature(history), record.violated, certainty(history), learnt(history))


def as_evidence(history: History, record: Record, extensions: int) -> Hashable:
    """What two faults must share under one plan to be taken for each other under others.

    A fault that applies an effect and one that does not look alike only where there was nothing to do, and
    an old answer and a new one only where nothing had changed.
    """
    if history.crash_state is not None:
        return (history.crash_state, record.violated, extensions)
    assert record.added is not None
    fault = FAULTS[record.added.fault]
    writes = history.operations[record.added.point.operation].writes
    look = look_of(history, record) if record.signature is None else record.signature
    applied = fault.applied if writes else None
    success = fault.learnt if any(body is not None for body in learnt(history)) else None
    return (_reach(record.added), look, extensions, applied, success)


def _kind(record: Record) -> Hashable:
    """What two records must share to stand for each other: as many extensions anyhow."""
    if record.crash_state is not None:
        return (record.crash_state, record.violated, len(record.extensions))
    return (record.parent, _reach(record.added), record.signature, len(record.extensions))


def _reach(added: Injection | None) -> Hashable:
    """What two faults must share besides their looks: the point, when a late effect lands, and what lasts."""
    if added is None:
        return None
    fault = FAULTS[added.fault]
    return (added.point, added.times, fault.wake)
