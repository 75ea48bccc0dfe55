"""The irreversible step, the call for a person, and ends that are none (K22, K23, K24)."""

from __future__ import annotations

from typing import Any

from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference, Step
from sagaproof_scenarios.planted.stories import MAIL, MAIL_EARLY, PAIR

__all__ = ["PLANTED"]


class UnwindsAnyway(Reference):
    """Undoes whatever can be undone, also after the mail."""

    def abort(self) -> str:
        """Unwind."""
        self.enter("aborting")
        return self.unwind()

    def to_undo(self) -> list[Entry]:
        """All but the mail."""
        return [entry for entry in super().to_undo() if not entry.step.pivot]


class PivotIsFailure(Reference):
    """Takes 'cannot be undone' for 'cannot go on'; the next trigger finds the mail not sent."""

    def run(self) -> str:
        """Two triggers."""
        for _trigger in (1, 2):
            self.call(Entry(MAIL, None, MAIL.args({})))
        return self.end("refused")


class BarePicture(Reference):
    """Tells a person that something went wrong, and no more."""

    def picture(self) -> dict[str, Any]:
        """The id of the saga and the error."""
        return {"saga": "order-4921", "error": self.cause}


class PictureFromMemory(Reference):
    """Tells a person what this process has done; what another one did before is not in its memory."""

    def do(self, step: Step) -> bool:
        """Remember what is made here."""
        here = step.name not in self.entries
        done = super().do(step)
        self.here = {*getattr(self, "here", ()), *((step.name,) if here else ())}
        return done

    def picture(self) -> dict[str, Any]:
        """What is remembered."""
        whole = super().picture()
        made = [row for row, name in zip(whole["steps"], self.entries, strict=True) if name in self.here]
        return {**whole, "steps": made}


class FireAndForget(Reference):
    """Returns a failure to a caller that does not look."""

    def abort(self) -> str:
        """Give up, without a word."""
        raise RuntimeError("failed")


_K22, _K23, _K24 = "K22 PIVOT-IGNORED", "K23 BLIND-ESCALATION", "K24 ZOMBIE-STATUS"

PLANTED = (
    plant("M47", _K22, "All that can be undone is undone, although the mail is out.", UnwindsAnyway,
          MAIL_EARLY, expect=("no-unwind-past-pivot", "ambiguous-pivot-is-pivot")),
    plant("M49", _K22, "A mail that cannot be taken back is noted as a failure, and sent again.",
          PivotIsFailure, (MAIL,), expect=("truthful-claim", "applied-once"), faults=0),
    plant("M50", _K23, "The case holds the id of the saga and the text of an error.", BarePicture,
          MAIL_EARLY, expect=("full-picture",)),
    plant("M51", _K23, "The case is made from memory, which is empty after a restart.", PictureFromMemory,
          MAIL_EARLY, expect=("full-picture", "no-silent-residue"), faults=2, recovers=True),
    plant("M52", _K24, "A step fails, and nobody aborts.", FireAndForget, PAIR,
          expect=("terminates", "no-silent-residue")),
)  # fmt: skip
