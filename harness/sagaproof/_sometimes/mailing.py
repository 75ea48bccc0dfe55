"""A mail that was taken while its sender was told nothing: to send it again is to send it twice."""

from __future__ import annotations

from collections.abc import Iterator

from sagaproof._checks.protocol import Facts
from sagaproof._model.history import Arrival, Call, History
from sagaproof._sometimes.kinds import MAIL_LOST
from sagaproof._sometimes.sometimes import Sometimes

__all__ = ["MAILING"]


def _failed(history: History) -> bool:
    return not history.smooth and any(True for _ in _mails(history))


def _mails(history: History) -> Iterator[tuple[Call, Arrival]]:
    """The attempts to send a mail that were not answered with success."""
    for call in history.calls:
        if "mail" in call.operation.traits:
            for arrival in call.arrivals:
                if arrival.told is None or not arrival.told.ok:
                    yield call, arrival


def _was_taken(history: History) -> bool:
    return any(
        arrival.position < history.applied_at[effect.id]
        and (arrival.told is None or history.applied_at[effect.id] < arrival.told_position)
        for call, arrival in _mails(history)
        for effect in call.effects
    )


def _sends_mail(facts: Facts) -> bool:
    return not MAIL_LOST.isdisjoint(facts.faults)


MAILING = (
    Sometimes(
        "mail-taken-unheard",
        (
            ("an attempt to send a mail failed", _failed),
            ("although the mail was taken", _was_taken),
        ),
        _sends_mail,
    ),
)
