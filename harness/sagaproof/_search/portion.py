"""What a worker has gathered over a batch of runs, and hands over with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sagaproof._checks.campaign_check import Fold
from sagaproof._model.history import History
from sagaproof._search.coverage import Coverage
from sagaproof._search.facts import FactBook
from sagaproof._search.shown import Shown
from sagaproof.errors import SagaproofError

__all__ = ["Portion", "Returned"]


class Portion(NamedTuple):
    """What the runs of one batch have in common, as a campaign joins it to what came before.

    `folds` are the checks that compare runs, as far as they can be joined; for the others there are the
    `histories`. `going` are all that have not broken. `met` and `excluded` are of the candidates, `told` the
    errors of what broke, and `said` what the notes of the runner are made of.
    """

    facts: FactBook
    coverage: Coverage
    folds: Mapping[str, Fold]
    going: frozenset[str]
    histories: Sequence[History]
    met: frozenset[str]
    excluded: Mapping[tuple[str, str], str]
    told: Sequence[tuple[str, str]]
    said: tuple[Any, ...]


class Returned(NamedTuple):
    """A batch of runs; without a portion, what they have in common has been gathered already.

    An `error` ended it: there are no runs after it.
    """

    shown: Sequence[Shown]
    portion: Portion | None = None
    error: SagaproofError | None = None
