"""Leaving plans out: what goes on alike is explored further through one plan.

Rule R1, a heuristic: two faults at one point whose runs have the same signature are taken to go on alike.
Rule R2: two runs in which a new process comes upon the same state, with no fault still to come, go on alike;
that is sound as far as all that outlives a process is in the state. What the rules leave out is counted by
the extensions of the representative, and a seeded share of it is run all the same; where a run is not what
its representative showed, the rule is switched off.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import Injection
from sagaproof._search.record import Record

__all__ = ["LeftOut", "group", "left_out"]


class LeftOut(NamedTuple):
    """A record that is not extended, the one that stands for it, and the extensions that the audit runs.

    Of each pair the first extends the representative, the second the record.
    """

    record: Record
    representative: Record
    audited: tuple[tuple[Injection, Injection], ...]


def group(made: Sequence[Record]) -> list[Record]:
    """One record of those that go on alike by a rule; it stands for the others."""
    first: dict[object, Record] = {}
    for record in made:
        known = first.setdefault(_kind(record), record)
        if known is not record:
            known.stands_for.append(record)
    return list(first.values())


def left_out(parents: Sequence[Record], chance: random.Random, share: float) -> Iterator[LeftOut]:
    """Each record that is not extended, with its seeded sample."""
    for representative in parents:
        for record in representative.stands_for:
            pairs = zip(representative.extensions, record.extensions, strict=False)
            audited = tuple(pair for pair in pairs if chance.random() < share)
            yield LeftOut(record, representative, audited)


def _kind(record: Record) -> object:
    """What two records must share to stand for each other: as many extensions anyhow."""
    if record.crash_state is not None:
        return (record.crash_state, record.violated, len(record.extensions))
    return (record.parent, _reach(record.added), record.signature, len(record.extensions))


def _reach(added: Injection | None) -> object:
    """What two faults must share besides their looks: the point, when a late effect lands, and what lasts."""
    if added is None:
        return None
    fault = FAULTS[added.fault]
    return (added.point, added.times, fault.wake)
