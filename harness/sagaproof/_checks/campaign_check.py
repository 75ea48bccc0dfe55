"""What a check over a campaign is: all its runs, one after the other, to one verdict that compares them.

It never has two histories at once: what it has to remember of a run it takes out of its history at once.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

from sagaproof._checks.protocol import Facts, RunCheck, Verdict
from sagaproof._model.history import History

__all__ = ["CampaignCheck", "Check", "Fold", "JoinedFold"]


class Fold(Protocol):
    """What one campaign comes to for a check that compares its runs."""

    def observe(self, history: History) -> None:
        """Take in one run. Histories come once each, in the order of the runs, and are not to be kept."""

    def conclude(self) -> Verdict:
        """The verdict over all runs; asked for once, at the end, also of a campaign that was cut short.

        A violated one names the `run` that shows it and, if there is one, the run `beside` it to hold
        against: each by `(history.script.name, history.plan)`. Its `calls` are those of `run`.
        """


@runtime_checkable
class JoinedFold(Fold, Protocol):
    """One that workers can each make a part of. It has to be picklable.

    Of one that is not, the workers send back whole histories, which takes far longer.
    """

    def join(self, later: Any) -> None:
        """Take in what another of its class has seen of the runs that came next."""


@runtime_checkable
class CampaignCheck(Protocol):
    """A check that compares the runs of a campaign. `slug` names it in output, docs and settings.

    `applies` and `faults_needed` are as with a `RunCheck`; a check may be both, and is then judged for each
    run and once more over all of them. The replay of one plan has nothing to compare, and leaves this out.
    """

    slug: str

    def applies(self, facts: Facts) -> bool:
        """Whether the check speaks of anything that this saga does."""

    def begin(self) -> Fold:
        """What takes in the runs of a new campaign; it knows nothing of earlier ones."""


Check: TypeAlias = RunCheck | CampaignCheck
"""Any check: of each run, over the campaign, or both."""
