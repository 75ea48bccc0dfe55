"""Checks of the user in a campaign: what breaks in them is told, and takes no findings along."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sagaproof._checks.protocol import Facts, RunCheck, Verdict
from sagaproof._model.history import History

__all__ = ["UserCheck", "breakages"]


class UserCheck:
    """A check around one of the user's. One that cannot say whether it applies counts as if it did."""

    def __init__(self, check: RunCheck) -> None:
        self.slug = check.slug
        self.broke = ""
        self._check = check

    def applies(self, facts: Facts) -> bool:
        """What the user's says."""
        try:
            return self._check.applies(facts)
        except Exception as error:  # noqa: BLE001  # it is the user's code: whatever it raises
            self.broke = f"check {self.slug} broke in applies(): {type(error).__name__}: {error}"
            return True

    def judge(self, history: History) -> Verdict:
        """What the user's says; whoever calls it sees to what it raises."""
        return self._check.judge(history)


def breakages(checks: Iterable[RunCheck]) -> Iterator[str]:
    """What broke in those of the user outside of a verdict."""
    return (check.broke for check in checks if isinstance(check, UserCheck) and check.broke)
