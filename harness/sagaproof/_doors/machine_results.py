"""What the machines of a session came to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from sagaproof._machine.program import as_test, test_name
from sagaproof._machine.session import Session

__all__ = ["RESULTS", "MachineResult", "VacuousMachine"]


class VacuousMachine(AssertionError):
    """A machine that found nothing, because nothing happened."""


@dataclass(slots=True)
class MachineResult:
    """One machine after it was played."""

    name: str
    machine: type
    session: Session

    def require_substance(self) -> None:
        """Raise `VacuousMachine`, with the reason, if no call came through or no fault met one."""
        tables = self.session.tables
        why = "; ".join(f"{rule}: {reason}" for rule, reason in tables.never().items())
        if not tables.calls:
            raise VacuousMachine(
                f"{self.name}: {tables.examples} examples made no call that any tap saw, "
                f"so that nothing was tested. {why}"
            )
        if not tables.effects:
            raise VacuousMachine(f"{self.name}: no call took effect, so that nothing was tested. {why}")
        if not tables.steps:
            raise VacuousMachine(f"{self.name}: no fault met any call, so that none was tested")

    def as_json(self) -> dict[str, Any]:
        """The tables as plain JSON."""
        tables = self.session.tables
        campaign = self.session.trials.campaign
        return {
            "name": self.name,
            "examples": tables.examples,
            "runs": self.session.trials.runs,
            "rules": {name: asdict(count) for name, count in sorted(tables.rules.items())},
            "never_went_through": tables.never(),
            "steps": {name: asdict(count) for name, count in sorted(tables.steps.items())},
            "sometimes": {slug: count.count for slug, count in campaign.sometimes.items()},
            "promoted": None if self.session.promotion is None else asdict(self.session.promotion),
            "findings": [
                {
                    "check": kind.check,
                    "operation": kind.operation,
                    "plan": str(trial.plan),
                    "calls": len(trial.script.calls),
                    "program": as_test(self.machine, trial.script, trial.plan, test_name(*kind)),
                }
                for kind, trial in self.session.found.items()
            ],
        }


RESULTS: Final[list[MachineResult]] = []
"""Every machine that was played in this process, in turn."""
