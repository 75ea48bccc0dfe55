"""What a saga can know whose records have come to harm, and what nobody could.

A record of which a store has said that it is kept, and which is gone with the process, leaves no trace. What
was done on the strength of it alone is known to nobody: the next process finds a journal that is whole, only
shorter. So a finding about such a call is the environment's and none of the saga's, unless a later process
has come back to it all the same: an agent that repeats its calls, a key that follows from the order. Then it
has to be right, unless the service has forgotten the key by then. To do it twice stays a finding: a key that
does not change from process to process prevents it, as long as the service remembers the key. That it is made
again with other arguments under its key is none: what it had been made with is lost.

A record that is torn, corrupt or of another version shows itself to whoever reads it with care. Nobody can
ask of a saga that it takes back or names what stands in a record which it cannot read. What can be asked is
that it says so, to a person or to its caller; what then is left undone or unnamed is no finding.
"""

from __future__ import annotations

from typing import Final

from sagaproof._checks.doubt import is_silence
from sagaproof._checks.protocol import Verdict
from sagaproof._model.claim import Claim
from sagaproof._model.event import Applied, Died, Noted, Restarted, Spoiled
from sagaproof._model.fault import Harm
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import Arrival, Call, History
from sagaproof._model.operation import EffectClass

__all__ = ["found_by", "is_excused", "is_loud"]

_TWICE: Final = frozenset({"applied-once", "undone-once"})
"""What a key prevents whatever is lost."""

_SAME_KEY: Final = "one-key-per-intent"

_LEFT: Final = frozenset(
    {
        "terminates",
        "cancellation-safe",
        "rest-is-rest",
        "late-effect-fenced",
        "no-silent-residue",
        "no-silent-undo-failure",
        "no-undo-skipped",
        "nothing-forgotten",
        "written-ahead",
        "full-picture",
        "desk-failure-survives",
        "empty-undo-succeeds",
        "original-error-kept",
        "retry-budgets",
        "rejected-pivot-unwinds",
        "forward-after-pivot",
    }
)
"""What a saga owes that can read what it has written, and that it calls nobody for nothing."""


def is_excused(history: History, slug: str, verdict: Verdict) -> bool:
    """Whether what was violated is about what nobody could know, or what a person was told to look at."""
    if not any(event.__class__ is Spoiled for event in history.events):
        return False
    about = [history.calls[index] for index in verdict.calls]
    if any(_is_unknowable(history, call, slug) for call in about):
        return True
    if slug not in _LEFT:
        return False
    found = found_by(history)
    if found >= 0:
        return is_loud(history, found)
    found = found_by(history, at_rest=True)
    return _has_met_its_own(history) or _is_told(history, found)


def _is_unknowable(history: History, call: Call, slug: str) -> bool:
    """Whether a call was made after a record that was lost, and a check asks what is known by that alone."""
    death = next((death for lost, death in _losses(history) if lost < call.started < death), None)
    if death is None:
        return False
    if _has_outlasted_its_key(call):
        return True  # not even its repetition leads back to it
    if slug in _TWICE:
        return False
    return slug == _SAME_KEY or not _is_repeated(history, call, death)


def _has_outlasted_its_key(call: Call) -> bool:
    faults = (arrival.called.fault for arrival in call.arrivals)
    return any(FAULTS[fault].outlasts_key for fault in faults if fault is not None)


def found_by(history: History, *, at_rest: bool = False) -> int:
    """The position of the first process that came upon a damaged record; -1 if none did before the end.

    `at_rest` asks for the one that looks after the end.
    """
    damaged = False
    for at, event in enumerate(history.events if at_rest else history.events[: history.ended_at]):
        damaged = damaged or (isinstance(event, Spoiled) and event.harm != Harm.LOST)
        if damaged and isinstance(event, Restarted):
            return at
    return -1


def _has_met_its_own(history: History) -> bool:
    """Whether the process that wrote a damaged record read it itself, and raised before it was killed."""
    spoiled = (e for e in history.events[: history.ended_at] if isinstance(e, Spoiled))
    return history.claim is Claim.RAISED and any(event.harm != Harm.LOST for event in spoiled)


def is_loud(history: History, since: int) -> bool:
    """Whether the caller or a person was told that something is wrong, by a process from there on."""
    return history.claim in {Claim.RAISED, Claim.ESCALATED} or _is_told(history, since)


def _is_told(history: History, since: int) -> bool:
    cases = {case.id for case in history.cases} if since >= 0 else set()
    return any(isinstance(event, Applied) and event.effect.id in cases for event in history.events[since:])


def _losses(history: History) -> list[tuple[int, int]]:
    """For each record that was lost, where it was noted, and where its process died."""
    noted = {event.point: at for at, event in enumerate(history.events) if isinstance(event, Noted)}
    found = []
    for at, event in enumerate(history.events):
        if isinstance(event, Spoiled) and event.harm == Harm.LOST:
            later = enumerate(history.events[at:], start=at)
            death = next((i for i, e in later if isinstance(e, Died)), len(history.events))
            found.append((noted[event.point], death))
    return found


def _is_repeated(history: History, call: Call, death: int) -> bool:
    """Whether a process after that made the call again, or took it back: then it knew of it.

    To one that knows of no earlier attempt a refusal of its own says for certain that nothing was done.
    """
    later = (arrival for arrival in call.arrivals if death < arrival.position < history.ended_at)
    if any(not _is_refused(arrival) for arrival in later):
        return True
    undos = history.undos_of.get(call.index, [])
    return call.operation.cls >= EffectClass.REVERSIBLE and any(undo.started > death for undo in undos)


def _is_refused(arrival: Arrival) -> bool:
    told = arrival.told
    return told is not None and not told.ok and not is_silence(told)
