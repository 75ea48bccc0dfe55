"""`user-assertion`: the assertions in the test body hold under every plan."""

from __future__ import annotations

from pathlib import PurePath

from sagaproof._checks.protocol import NOT_REACHED, Facts, Verdict, violated
from sagaproof._model.history import History

__all__ = ["UserAssertion"]


class UserAssertion:
    """An assertion of the test body itself failed. One that did not is not seen, so this never holds."""

    slug = "user-assertion"

    def applies(self, _facts: Facts) -> bool:
        """Applies only where one failed."""
        return False

    def judge(self, history: History) -> Verdict:
        """Judge whether the run ended in an assertion."""
        if not history.asserted:
            return NOT_REACHED
        ending = history.ending
        text = ending.errors[0].text.partition("\n")[0] if ending.errors else ""
        where = f" at {PurePath(ending.where).name}" if ending.where else ""
        return violated(
            f"an assertion of the test failed: {text}" if text else "an assertion of the test failed",
            because=f"the test body asserts it{where}",
        )
