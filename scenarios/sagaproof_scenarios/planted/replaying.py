"""Effects that are made again by a replay, and those beside a transaction that is rolled back (K05, K06)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof import World
from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference, Step
from sagaproof_scenarios.planted.sending import FAILURES, Answer
from sagaproof_scenarios.planted.stories import BOOKING, FULL, MAIL

__all__ = ["PLANTED", "local_commit"]


class FromTheTop(Reference):
    """Is interrupted for an approval; to resume is to run from the first line, with the stored answer."""

    def key_for(self, _step: Step) -> str | None:
        """None: within one run nothing is made twice."""
        return None

    def recover(self) -> str:
        """The same node once more, unless it has come to its end."""
        self.load()
        self.entries.clear()
        return self.status if self.status == "completed" else self.run()


def local_commit(world: World) -> Callable[..., Any]:
    """The commit of a local transaction, as a tool: it may fail like any call."""

    def commit(row: str) -> str:
        return row

    return world.tool(commit, cls=2, name="commit")


class MailInTransaction(Reference):
    """Mails inside of a local transaction, which is run again if its commit fails."""

    tries = 3

    def run(self) -> str:
        """Mail and commit."""
        commit = local_commit(self.world)
        entry = Entry(MAIL, None, MAIL.args({}))
        for _ in range(self.tries):
            try:
                self.call(entry)
                commit("order 4921 is mailed")
            except FAILURES as error:
                self.cause = str(error)
            else:
                return "completed"
        raise RuntimeError(f"rolled back: {self.cause}")


class MailRolledBack(MailInTransaction):
    """The same without the second try: the transaction is rolled back, and with it all trace of the mail."""

    tries = 1


class MarkedFirst(Reference):
    """Marks the mail as sent before it sends it; what is marked is not sent again."""

    def call(self, entry: Entry) -> Answer:
        """Skip what is marked."""
        if entry.step.pivot and entry.answer:
            return entry.answer
        entry.answer = {"id": "marked"} if entry.step.pivot else {}
        return super().call(entry)


_K05, _K06 = "K05 REPLAY-RERUN", "K06 DUAL-WRITE"

PLANTED = (
    plant("M09", _K05, "A run that resumes makes its effects again from the first line.", FromTheTop,
          (BOOKING, MAIL), expect=("applied-once",), recovers=True),
    plant("M11", _K06, "A mail goes out inside a transaction that is run again after a conflict.",
          MailInTransaction, (MAIL,), expect=("applied-once",)),
    plant("M11b", _K06, "A mail goes out inside a transaction that is rolled back.", MailRolledBack, (MAIL,),
          expect=("no-silent-residue", "no-unwind-past-pivot", "truthful-claim")),
    plant("M12", _K06, "A mail is marked as sent before it is sent.", MarkedFirst, FULL,
          expect=("completed-is-complete", "truthful-claim")),
)  # fmt: skip
