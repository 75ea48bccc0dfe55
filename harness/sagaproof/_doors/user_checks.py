"""Checks of the user in a campaign: what breaks in them is told, and takes no findings along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sagaproof._checks.campaign_check import CampaignCheck, Check
from sagaproof._checks.protocol import Facts, RunCheck

__all__ = ["breakages", "of_user"]


class _UserCheck:
    """A check around one of the user's. One that cannot say whether it applies counts as if it did."""

    def __init__(self, check: Check) -> None:
        self.slug = check.slug
        self.faults_needed: int = getattr(check, "faults_needed", 1)
        self.broke = ""
        self._check = check

    def applies(self, facts: Facts) -> bool:
        """What the user's says."""
        try:
            return self._check.applies(facts)
        except Exception as error:  # noqa: BLE001  # it is the user's code: whatever it raises
            self.broke = f"check {self.slug} broke in applies(): {type(error).__name__}: {error}"
            return True


# Whoever calls what follows sees to what it raises.


class _OfRuns(_UserCheck):
    def __init__(self, check: RunCheck) -> None:
        super().__init__(check)
        self.judge = check.judge


class _OverRuns(_UserCheck):
    def __init__(self, check: CampaignCheck) -> None:
        super().__init__(check)
        self.begin = check.begin


class _OfAndOverRuns(_OverRuns):
    def __init__(self, check: CampaignCheck, again: RunCheck) -> None:
        super().__init__(check)
        self.judge = again.judge


def of_user(check: Check) -> Check:
    """The check with something around it that is of the same kind, or kinds."""
    if not isinstance(check, CampaignCheck):
        return _OfRuns(check)
    return _OfAndOverRuns(check, check) if isinstance(check, RunCheck) else _OverRuns(check)


def breakages(checks: Iterable[Check]) -> Iterator[str]:
    """What broke in those of the user outside of a verdict."""
    return (check.broke for check in checks if isinstance(check, _UserCheck) and check.broke)
