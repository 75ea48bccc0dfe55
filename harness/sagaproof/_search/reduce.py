"""Leaving plans out: faults that look alike at a point are explored further through one of them.

Rule R1, a heuristic: two faults at one point whose runs have the same signature are taken to go on alike.
What it leaves out is counted by the extensions of the representative, and a seeded share of it is run all the
same; where a run is not what its representative showed, the rule is switched off.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sagaproof._model.fault import FAULTS
from sagaproof._model.plan import Injection
from sagaproof._search.record import Record

__all__ = ["LeftOut", "group", "left_out"]


class LeftOut(NamedTuple):
    """A record that is not extended, the one that stands for it, and the extensions that the audit runs."""

    record: Record
    representative: Record
    audited: tuple[Injection, ...]


def group(made: Sequence[Record]) -> list[Record]:
    """One record for each parent, point and signature; it stands for the others."""
    first: dict[object, Record] = {}
    for record in made:
        known = first.setdefault((record.parent, _reach(record.added), record.signature), record)
        if known is not record:
            known.stands_for.append(record)
    return list(first.values())


def left_out(parents: Sequence[Record], chance: random.Random, share: float) -> Iterator[LeftOut]:
    """Each record that is not extended, with its seeded sample."""
    for representative in parents:
        for record in representative.stands_for:
            audited = tuple(i for i in representative.extensions if chance.random() < share)
            yield LeftOut(record, representative, audited)


def _reach(added: Injection | None) -> object:
    """What two faults must share besides their looks: the point, when a late effect lands, and what lasts."""
    if added is None:
        return None
    fault = FAULTS[added.fault]
    return (added.point, fault.lands, fault.macro)
