"""How a machine is played: again for each further kind of finding, then around the scripts that were new."""

from __future__ import annotations

from itertools import islice
from typing import Final

from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from sagaproof._doors.saved_only import is_saved_only
from sagaproof._machine.found import Found
from sagaproof._machine.further_plays import FurtherPlays
from sagaproof._machine.player import Player
from sagaproof._machine.promotion import promote
from sagaproof._machine.session import Session

__all__ = ["played"]

_KINDS_MAX: Final = 5
"""So many findings are enough for one go."""

_PLAYS_MAX: Final = 2
"""How many times the examples that were asked for are played in all, for the sake of further findings."""


def played(machine: type[Player], session: Session, how: settings, promoted_max: int) -> None:
    """Let Hypothesis play, then explore up to so many scripts that were new, and raise all that is found."""
    errors = _played(machine, session, how)
    if not is_saved_only() and (how.report_multiple_bugs or not errors):
        more = promote(session, promoted_max, is_enough=lambda: len(errors) >= _KINDS_MAX)
        for error in islice(more, None if how.report_multiple_bugs else 1):
            errors.append(error)
    if len(errors) > 1:
        raise ExceptionGroup(f"{len(errors)} findings", errors)
    if errors:
        raise errors[0]


def _played(machine: type[Player], session: Session, how: settings) -> list[Found]:
    """What it fails with, again as long as there is another kind of finding.

    Shrinking is ours, since a fault has to be bound anew for each smaller script; Hypothesis would stop at
    the first finding then, so what is found is passed over when it plays again.
    """
    phases = [phase for phase in how.phases if phase is not Phase.shrink]
    if is_saved_only():
        phases = [Phase.reuse]
    errors: list[Found] = []
    left = _PLAYS_MAX * how.max_examples
    while len(errors) < _KINDS_MAX and left > 0:
        before = session.tables.examples
        this = settings(how, phases=phases, max_examples=min(left, how.max_examples))
        new = _found(machine, this)[: _KINDS_MAX - len(errors)]
        if not new:
            break
        errors += new
        session.passed_over |= {error.kind for error in new}
        left -= session.tables.examples - before
        if not how.report_multiple_bugs or is_saved_only():
            break
        if how.database is not None and not isinstance(how.database, FurtherPlays):
            how = settings(how, database=FurtherPlays(how.database))
    return errors


def _found(machine: type[Player], how: settings) -> list[Found]:
    """What a play fails with: of saved examples that may be several at once."""
    try:
        run_state_machine_as_test(machine, settings=how)
    except Found as error:
        return [error]
    except ExceptionGroup as group:
        found = [error for error in group.exceptions if isinstance(error, Found)]
        if len(found) < len(group.exceptions):
            raise
        return found
    return []
