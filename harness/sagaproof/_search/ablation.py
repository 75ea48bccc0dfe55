"""What is caught without a family of faults: which of them are needed, and by how many planted bugs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sagaproof._search.planted import Planted
from sagaproof._search.selfcheck import Fate, Trial, families_of, without
from sagaproof._search.subject import Subject

__all__ = ["SelfCheck", "Without", "ablation"]


@dataclass(frozen=True, slots=True)
class Without:
    """What a family taken away costs: how many bugs are still killed, and which are missed."""

    family: str
    killed: int
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SelfCheck:
    """A whole self-check: each planted bug and control, and what each family of faults is needed for."""

    trials: Sequence[Trial]
    ablation: Sequence[Without] = ()

    def of(self, *fates: Fate) -> list[Trial]:
        """The trials that came to one of these."""
        return [trial for trial in self.trials if trial.fate in fates]

    @property
    def mutants(self) -> list[Trial]:
        """The planted bugs, the deferred ones among them."""
        return [trial for trial in self.trials if not trial.planted.is_control]

    @property
    def controls(self) -> list[Trial]:
        """The right sagas."""
        return [trial for trial in self.trials if trial.planted.is_control]

    @property
    def exit_code(self) -> int:
        """1 for a survivor, a wrong check or a false alarm; 3 where something could not be tried."""
        if self.of(Fate.BROKEN):
            return 3
        return 1 if any(trial.fate.is_bad for trial in self.trials) else 0


def ablation(trials: Sequence[Trial], subject_of: Callable[[Planted], Subject]) -> list[Without]:
    """Take away each family that any smallest plan uses, and try again the bugs that used it."""
    killed = [trial for trial in trials if trial.fate is Fate.KILLED]
    used = sorted(frozenset().union(*map(families_of, killed)))
    found = []
    for family in used:
        missed = tuple(t.planted.id for t in killed if not without(t, family, subject_of(t.planted)))
        found.append(Without(family, len(killed) - len(missed), missed))
    return sorted(found, key=lambda one: (one.killed, one.family))
