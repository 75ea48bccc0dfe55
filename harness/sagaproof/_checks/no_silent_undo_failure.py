"""`no-silent-undo-failure`: if an undo fails for good, somebody is told."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.answers import is_nothing_to_undo
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for, effect_text, said
from sagaproof._model.claim import Claim
from sagaproof._model.effect import Effect
from sagaproof._model.history import Call, History
from sagaproof._model.words import mentions, words_of

__all__ = ["NoSilentUndoFailure"]


class NoSilentUndoFailure:
    """No swallowed undo failure (O32).

    If an undo ended without success and its effect still stands, then an open case names the effect, or the
    error of that undo reaches the caller. Reached when an undo so failed, unless the saga went on to complete
    with just what its fault-free run leaves: there the effect is wanted, and the undo was a question.
    """

    slug = "no-silent-undo-failure"
    faults_needed = 2

    def applies(self, facts: Facts) -> bool:
        """Applies to sagas that ever undo anything."""
        return bool(facts.undone)

    def judge(self, history: History) -> Verdict:
        """Judge each undo that failed."""
        if not history.undo_calls or history.asserted or _is_wanted(history):
            return NOT_REACHED
        reached = False
        for undo, effect in _failed(history):
            reached = True
            if history.is_named(effect) or _reached_caller(history, undo, effect):
                continue
            return violated(
                f"{said(history)}, but {effect_text(effect)} still stands and nobody was told",
                because=f"the error of {asked_for(undo)} reached neither the caller nor the desk",
                calls=[undo.index, effect.call],
            )
        return HELD if reached else NOT_REACHED


def _is_wanted(history: History) -> bool:
    """Whether the run completed just as the fault-free one does: the mail was never to be held back."""
    twin = history.twin
    return history.claim is Claim.COMPLETED and twin is not None and history.net == twin.net


def _failed(history: History) -> Iterator[tuple[Call, Effect]]:
    """Each undo that ended without success, with the effect that it has left standing."""
    for undo in history.undo_calls:
        if undo.ok or undo.undoes is None or undo.undoes.call is None:
            continue
        told = undo.last_told
        if told is not None and is_nothing_to_undo(told):
            continue
        for effect in history.calls[undo.undoes.call].effects:
            if effect in history.residue:
                yield undo, effect


def _reached_caller(history: History, undo: Call, effect: Effect) -> bool:
    """Whether an error that was raised is that of the undo, or speaks of it."""
    undos = {call.index for call in history.undos_of.get(effect.call, ())} | {undo.index}
    for link in history.ending.errors:
        if link.call in undos:
            return True
        words = words_of(link.text)
        if any(mentions(words, name) for name in (effect.ref, effect.key, undo.operation.name)):
            return True
    return False
