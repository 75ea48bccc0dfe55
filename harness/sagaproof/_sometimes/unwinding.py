"""An unwind from as far as the saga can get before it has to unwind."""

from __future__ import annotations

from sagaproof._checks.protocol import Facts
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["UNWINDING"]


def _began(history: History) -> bool:
    return bool(history.undo_calls)


def _took_back(history: History) -> bool:
    return bool(history.undone_by)


def _took_back_all(history: History) -> bool:
    """Whether it took back as much as there is before the last write that may fail, be that the pivot."""
    after = history.script.give_up_after
    if after is not None and after < len(history.script.calls):
        return False
    whole = _whole(history.twin or history)
    return 0 < whole <= _depth(history)


def _depth(history: History) -> int:
    """How many calls on the way there have left an effect, and nothing of it stands."""
    return sum(
        bool(call.effects) and all(history.is_undone(effect) for effect in call.effects)
        for call in history.calls
        if _is_to_be_undone(call)
    )


def _whole(twin: History) -> int:
    writes = [call for call in twin.calls if call.phase is Phase.FORWARD and call.operation.writes]
    pivots = (at for at, call in enumerate(writes) if call.operation.cls is EffectClass.IRREVERSIBLE)
    last = next(pivots, len(writes) - 1)
    return sum(map(_is_to_be_undone, writes[:last]))


def _is_to_be_undone(call: Call) -> bool:
    cls = call.operation.cls
    return call.phase is Phase.FORWARD and EffectClass.REVERSIBLE <= cls < EffectClass.IRREVERSIBLE


def _undoes(facts: Facts) -> bool:
    return bool(facts.undone)


UNWINDING = (
    Sometimes(
        "full-unwind",
        (
            ("the unwind began", _began),
            ("it took something back", _took_back),
            ("and all that the saga can leave before its last step", _took_back_all),
        ),
        _undoes,
    ),
)
