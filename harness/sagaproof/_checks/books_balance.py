"""`books-balance`: the systems' own invariants hold, and what was taken back is what was given."""

from __future__ import annotations

from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.event import Applied, Broke, Wrote
from sagaproof._model.history import History

__all__ = ["BooksBalance"]


class BooksBalance:
    """Conservation (O14).

    No invariant of a system ever breaks, unless by a duplicate that no client can prevent, or where another
    writer has been at the system since it last held; and if the saga claims *compensated*, the undos of each
    effect with an amount, which nobody else has written to, add up to just that amount. Reached when an
    effect with an amount was applied.
    """

    slug = "books-balance"

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that move amounts."""
        return facts.amounts

    def judge(self, history: History) -> Verdict:
        """Judge the invariants first, then the sums."""
        if not history.index.broke and all(effect.amount is None for effect in history.effects):
            return NOT_REACHED
        broken = _first_broken(history) if history.index.broke else None
        if broken is not None:
            return _broke(history, *broken)
        return _sums(history) if history.claim is Claim.COMPENSATED else HELD


def _first_broken(history: History) -> tuple[Broke, Applied | None] | None:
    """The first invariant of a system that broke by the saga's doing, and what was applied before it."""
    last: Applied | None = None
    is_others = False
    excused: set[tuple[str, str]] = set()
    meddled: set[str] = set()
    for event in history.events:
        if isinstance(event, Applied):
            last = event
            is_others = event.effect.environment or event.effect.system in meddled
            meddled.discard(event.effect.system)
        elif isinstance(event, Wrote) and last is not None:
            meddled.add(event.system)
        elif isinstance(event, Broke) and event.system:
            if is_others:
                excused.add((event.system, event.invariant))
            if (event.system, event.invariant) not in excused:
                return event, last
    return None


def _broke(history: History, broke: Broke, last: Applied | None) -> Verdict:
    call = None if last is None else history.calls[last.effect.call]
    return violated(
        f"{broke.system}.{broke.invariant} broke: {broke.detail}",
        because="" if call is None else f"{asked_for(call)} was the last to write before that",
        calls=[] if call is None else [call.index],
    )


def _sums(history: History) -> Verdict:
    for target, undos in history.undone_by.items():
        effect = history.effects[target]
        amounts = [undo.amount for undo in undos if undo.amount is not None]
        if effect.amount is None or not amounts or len(amounts) < len(undos) or effect.undoes is not None:
            continue
        if _is_touched_by_others(history, effect):
            continue  # somebody else may have taken a part of it back
        if sum(amounts) != effect.amount:
            undo = history.calls[undos[-1].call]
            return violated(
                f"said 'compensated', but of {effect_text(effect)} {sum(amounts)} was taken back",
                because=f"{asked_for(undo)} was the last to take of it",
                calls=[undo.index, effect.call],
            )
    return HELD


def _is_touched_by_others(history: History, effect: Effect) -> bool:
    rows = {(effect.system, change.table, change.key) for change in effect.changes}
    return any(
        (wrote.system, wrote.change.table, wrote.change.key) in rows for _, wrote in history.index.outside
    )
