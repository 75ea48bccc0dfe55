"""`empty-undo-succeeds`: the undo of what never happened is done as soon as that is known."""

from __future__ import annotations

from typing import Final, NamedTuple

from sagaproof._checks.agent_second_thoughts import untold_steps
from sagaproof._checks.answers import is_definite, is_nothing_to_undo, told_text
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, Verdict, violated
from sagaproof._checks.say import asked_for
from sagaproof._model.effect import Effect
from sagaproof._model.history import Call, History
from sagaproof._model.operation import EffectClass
from sagaproof._model.point import Phase
from sagaproof._model.words import mentions

__all__ = ["EmptyUndoSucceeds"]

_MORE_MAX: Final = 3


class EmptyUndoSucceeds:
    """Empty compensation (O10).

    Once a service has said that there is nothing to undo (404, or the key is fenced), and there never was,
    the saga asks at most three times more and troubles no person with it. Reached when a service said so.
    """

    slug = "empty-undo-succeeds"

    def applies(self, _facts: Facts) -> bool:
        """Applies only where it was reached: few sagas undo what may not have happened."""
        return False

    def judge(self, history: History) -> Verdict:
        """Judge what the saga did with each such answer."""
        answers = list(_empty(history)) if _may_be_empty(history) else []
        if not answers:
            return NOT_REACHED
        for answer in answers:
            more = _asked_again(history, answer)
            if more > _MORE_MAX:
                return violated(
                    f"went on to undo what never happened, {more} times after it was told so",
                    because=f"{asked_for(answer.call)} was told {_answer_text(answer)}",
                    calls=[answer.call.index],
                )
        return _troubles(history, answers) or HELD


class _Answer(NamedTuple):
    """The first definite answer to an undo of nothing."""

    call: Call
    position: int


def _may_be_empty(history: History) -> bool:
    """The quick way out: no undo was called."""
    return any(call.operation.undoes for call in history.calls)


def _empty(history: History) -> list[_Answer]:
    found = []
    for call in history.calls:
        if call.phase is not Phase.UNDO and not call.operation.undoes:
            continue
        for arrival in call.arrivals:
            told = arrival.told
            if told is None or not is_nothing_to_undo(told) or (not told.ok and not call.rejections):
                continue
            if not _existed(history, call, arrival.told_position):
                found.append(_Answer(call, arrival.told_position))
            break
    return found


def _existed(history: History, call: Call, before: int) -> bool:
    """Whether anything that the undo could have meant was there before it was answered."""
    if call.undoes is not None and call.undoes.call is not None:
        targets: list[Effect] = history.calls[call.undoes.call].effects
    elif call.undoes is not None:
        return False
    else:
        wanted = str(call.first.args.get(call.operation.ref or ""))
        names = {f"{call.operation.system}.{name}" for name in call.operation.undoes}
        targets = [e for e in history.effects if e.full in names and e.ref == wanted]
    return any(history.applied_at[effect.id] < before for effect in targets)


def _asked_again(history: History, answer: _Answer) -> int:
    call = answer.call
    return sum(
        1
        for other in history.calls
        if other.operation is call.operation and other.first.args == call.first.args
        for arrival in other.arrivals
        if arrival.position > answer.position
    )


def _troubles(history: History, answers: list[_Answer]) -> Verdict | None:
    """A case about nothing else than effects that never were, of which the agent has been told."""
    twin = history.twin or history
    if not history.cases or history.residue or history.differences or (twin is not history and twin.cases):
        return None
    if any(mentions(history.told_words, step.call_id or step.tool) for step in untold_steps(history)):
        return None
    named = next((a for a in answers if _is_named(history, a.call)), None)
    if named is None or _has_another_reason(history, {answer.call.index for answer in answers}):
        return None
    case = history.cases[0]
    return violated(
        f"opened case {case.ref or ''} for what never happened".replace("  ", " "),
        because=f"{asked_for(named.call)} was told {_answer_text(named)}, and nothing is left over",
        calls=[case.call, named.call.index],
    )


def _is_named(history: History, undo: Call) -> bool:
    args, operation = undo.first.args, undo.operation
    names = [args.get("by_key"), args.get(operation.ref or ""), operation.name, *operation.undoes]
    return any(mentions(history.told_words, str(name)) for name in names if name)


def _has_another_reason(history: History, empty: set[int]) -> bool:
    """Whether anything else failed in a way that a person may have to look into."""
    for call in history.calls:
        if call.index in empty or call.ok:
            continue
        if call.phase in {Phase.UNDO, Phase.QUERY} or call.operation.cls is EffectClass.READ:
            return True  # another undo failed, or what it did could not be read
        told = call.last_told
        indefinite = told is None or not is_definite(told)
        resolved = any(undo.ok or undo.index in empty for undo in history.undos_of.get(call.index, ()))
        if call.phase is Phase.FORWARD and call.operation.writes and indefinite and not resolved:
            return True
    return any(effect.cls is EffectClass.IRREVERSIBLE for effect in history.effects)


def _answer_text(answer: _Answer) -> str:
    told = next(a.told for a in answer.call.arrivals if a.told_position == answer.position)
    assert told is not None
    return "that its key is fenced" if told.ok else told_text(told)
