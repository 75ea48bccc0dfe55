"""What the examples of a machine did: by rule, and by kind of step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sagaproof._machine.trials import Trial, classes_by_point
from sagaproof._model.event import Answered, Asked, Rejected

__all__ = ["RuleCount", "StepCount", "Tables"]


@dataclass(slots=True)
class RuleCount:
    """How often a rule was drawn, and what its calls were told: ok, refused, or nothing certain."""

    drawn: int = 0
    ran: int = 0
    refused: int = 0
    failed: int = 0


@dataclass(slots=True)
class StepCount:
    """At one kind of step: the faults that were put in, and how many of those runs held or did not."""

    injected: int = 0
    held: int = 0
    violated: int = 0


@dataclass(slots=True)
class Tables:
    """Counted over all examples."""

    examples: int = 0
    empty: int = 0
    calls: int = 0
    effects: int = 0
    unmet: int = 0
    rules: dict[str, RuleCount] = field(default_factory=dict)
    steps: dict[str, StepCount] = field(default_factory=dict)
    why_not: dict[str, Counter[str]] = field(default_factory=dict)
    reached: Counter[str] = field(default_factory=Counter)

    def draw(self, rule: str) -> None:
        """A rule was drawn."""
        self.rules.setdefault(rule, RuleCount()).drawn += 1

    def take(self, trial: Trial, rules_of: dict[str, str], unmet: int) -> None:
        """Count a run. `rules_of` says by which rule each call id came about; `unmet` arms met no point."""
        self.unmet += unmet
        history = trial.history
        self.calls += len(history.calls)
        self.effects += len(history.effects)
        asked: dict[int, Asked] = {}
        for event in history.events:
            if isinstance(event, Asked):
                asked[event.step] = event
            elif isinstance(event, Answered) and event.step in asked:
                self._answer(rules_of.get(asked[event.step].call_id, ""), asked[event.step], event)
        self._faults(trial)

    def _answer(self, rule: str, asked: Asked, told: Answered) -> None:
        if not rule:
            return
        count = self.rules.setdefault(rule, RuleCount())
        if told.outcome == "ok":
            count.ran += 1
        elif told.outcome == "failed":
            count.refused += 1
        else:
            count.failed += 1
        if told.outcome != "ok":
            self.why_not.setdefault(rule, Counter())[f"{asked.tool}: {told.text[:80]}"] += 1

    def _faults(self, trial: Trial) -> None:
        classes = classes_by_point(trial.history)
        for injection in trial.plan:
            step = self.steps.setdefault(str(classes[injection.point]), StepCount())
            step.injected += 1
            if trial.violated:
                step.violated += 1
            else:
                step.held += 1

    def never(self) -> dict[str, str]:
        """Each rule whose calls never went through, with the most frequent reason."""
        return {
            name: (self.why_not[name].most_common(1)[0][0] if name in self.why_not else "was never run")
            for name, count in self.rules.items()
            if not count.ran and (count.refused or count.failed)
        }


def refusals(events: Sequence[object]) -> int:
    """How many deliveries a service refused."""
    return sum(isinstance(event, Rejected) for event in events)
