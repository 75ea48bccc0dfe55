"""The rows of a timeline about the agent of a saga that is fed: what it asked for and what it was told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from sagaproof._model.event import Answered, Asked, Event, Restarted
from sagaproof._report.phrases import args_text, brief_args
from sagaproof._report.plain import moment, one_line, shorten
from sagaproof._report.schema import Step

__all__ = ["asked_rows"]

_TEXT_MAX: Final = 80


def asked_rows(events: Iterable[Event]) -> dict[int, Step]:
    """A row for each call of the agent, by its position, with the answer that came in the same process."""
    asked: dict[int, Asked] = {}
    told: dict[int, Answered] = {}
    open_at: dict[int, int] = {}
    for position, event in enumerate(events):
        if isinstance(event, Asked):
            asked[position] = event
            open_at[event.step] = position
        elif isinstance(event, Answered) and event.step in open_at:
            told[open_at.pop(event.step)] = event
        elif isinstance(event, Restarted):
            open_at.clear()
    return {position: _row(event, told.get(position)) for position, event in asked.items()}


def _row(asked: Asked, answered: Answered | None) -> Step:
    brief = brief_args(asked.args)
    return Step(
        kind="asked",
        at=moment(asked.at),
        what=one_line(f"agent, step {asked.step}: {asked.tool} {brief}"),
        n=asked.step,
        args=args_text(asked.args),
        brief=brief,
        key=one_line(asked.call_id) or None,
        told="nothing" if answered is None else _told(answered),
        ok=answered is not None and answered.outcome == "ok",
    )


def _told(answered: Answered) -> str:
    text = shorten(one_line(answered.text), _TEXT_MAX)
    return f"{answered.outcome}: {text}" if text else answered.outcome
