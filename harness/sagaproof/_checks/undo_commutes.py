"""`undo-commutes`: whether a call lands before or after its undo makes no difference in the end."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from sagaproof._checks.final_rows import final_rows
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, RunName, Verdict, violated
from sagaproof._checks.say import call_text
from sagaproof._model.claim import Claim
from sagaproof._model.event import Landed
from sagaproof._model.fault import Applied, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Call, History
from sagaproof._model.plan import Injection
from sagaproof._model.point import Point

__all__ = ["UndoCommutes"]

_Pair = tuple[str, Point, frozenset[Injection], Claim | None]
"""What two runs have in common that differ in when one call landed: script, point, other faults, claim."""


class UndoCommutes:
    """Commutativity (O12).

    Of two runs in which the caller of one call hears nothing and takes it back, and in which the call arrives
    before its undo in the one and after it in the other, the rows at the end are the same if the claim is.
    What a person was told of may differ: runs with a case are left out. Reached when there were two such
    runs.
    """

    slug = "undo-commutes"

    def applies(self, _facts: Facts) -> bool:
        """Applies only where it was reached: not every saga takes back what it knows nothing of."""
        return False

    def begin(self) -> Landings:
        """The landings of a new campaign."""
        return Landings()


class _End(NamedTuple):
    """How a run ended in which a call was taken back: its rows, and which calls it is about."""

    rows: tuple[Hashable, ...]
    names: tuple[str, ...]
    run: RunName
    call: str
    calls: tuple[int, int]


class Landings:
    """The ends of runs by what they have in common: those in time, and those late."""

    def __init__(self) -> None:
        self._in_time: dict[_Pair, _End] = {}
        self._late: dict[_Pair, list[_End]] = {}

    def observe(self, history: History) -> None:
        """Take in one run."""
        if history.cases or history.index.outside or history.claim in {None, Claim.COMPLETED}:
            return
        for injection in history.plan:
            fault = FAULTS[injection.fault]
            if fault.learnt is Learnt.TIMEOUT and fault.applied in {Applied.YES, Applied.LATE}:
                self._observe_landing(history, injection, late=fault.applied is Applied.LATE)

    def _observe_landing(self, history: History, injection: Injection, *, late: bool) -> None:
        call = next((c for c in history.calls if c.first.point == injection.point), None)
        undo = None if call is None else next(_undos(history, call, late=late), None)
        if call is None or undo is None:
            return
        rows = final_rows(history)
        end = _End(
            tuple(sorted((row.meaning for row in rows), key=repr)),
            tuple(f"{row.system}.{row.table}[{row.key}]" for row in rows),
            (history.script.name, history.plan),
            call_text(call),
            (call.index, undo.index),
        )
        others = frozenset(other for other in history.plan if other is not injection)
        pair = (history.script.name, injection.point, others, history.claim)
        if late:
            self._late.setdefault(pair, []).append(end)
        else:
            self._in_time.setdefault(pair, end)

    def join(self, later: Landings) -> None:
        """Take in what was seen of the runs that came next."""
        for pair, ends in later._late.items():
            self._late.setdefault(pair, []).extend(ends)
        for pair, end in later._in_time.items():
            self._in_time.setdefault(pair, end)

    def conclude(self) -> Verdict:
        """Compare; of several that differ, the one with the smallest plan is shown."""
        late = ((at, end) for at, ends in self._late.items() for end in ends)
        both = [(self._in_time[at], end) for at, end in late if at in self._in_time]
        differ = [pair for pair in both if pair[0].rows != pair[1].rows]
        if not differ:
            return HELD if both else NOT_REACHED
        return _differs(*min(differ, key=lambda pair: len(pair[1].run[1])))


def _undos(history: History, call: Call, *, late: bool) -> Iterator[Call]:
    """The undos of a call that were answered; of one that is `late` those that it landed after."""
    landed = (at for at, e in enumerate(history.events) if isinstance(e, Landed) and e.call == call.index)
    at = next(landed, -1)
    return (
        undo for undo in history.undos_of.get(call.index, ()) if undo.ok and (not late or undo.started < at)
    )


def _differs(in_time: _End, late: _End) -> Verdict:
    left = next(iter((*late.names, *in_time.names)), "")
    return violated(
        f"what is left depends on whether {late.call} lands before its undo or after it",
        because=f"{left} is not the same as under plan '{in_time.run[1]}', where it landed before the undo",
        calls=late.calls,
        run=late.run,
        beside=in_time.run,
    )
