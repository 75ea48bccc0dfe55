"""Errors in the wrong drawer, an approval used twice, and a test that tests nothing (K28, K29, K30)."""

from __future__ import annotations

import itertools
import time
from typing import Any, ClassVar

from sagaproof import World
from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference, Step
from sagaproof_scenarios.planted.sending import FAILURES, Result, send
from sagaproof_scenarios.planted.stories import BOOKING, CUSTOMER

__all__ = ["PLANTED"]


class RetriesAll(Reference):
    """Retries whatever the error is."""

    tries: ClassVar[int | None] = 5

    def forward(self, entry: Entry) -> Result:
        """Until it is done, or the tries are used up."""
        result = Result("refused")
        for _ in itertools.count() if self.tries is None else range(self.tries):
            result = send(lambda _: self.call(entry), 1)
            if result.state == "done":
                break
            time.sleep(60.0)
        return result


class RetriesForEver(RetriesAll):
    """The same without an end."""

    tries: ClassVar[int | None] = None


class NeverRetries(Reference):
    """Aborts on the first transient failure, although three attempts were meant."""

    attempts: ClassVar[int] = 1


class ApprovalStays(Reference):
    """Books what was approved; if the model then fails, the run is made again, and is still approved."""

    def run(self) -> str:
        """Up to three times."""
        model = _model(self.world)
        for number in (1, 2, 3):
            if not self.do(BOOKING._replace(name=f"booking-of-run-{number}")):
                return self.abort()
            try:
                model("what next?")
            except FAILURES:
                continue
            return self.end("completed")
        return self.abort()


def _model(world: World) -> Any:
    def ask(question: str) -> str:
        return question

    return world.tool(ask, cls=1, name="model")


class LastUndoIdle(Reference):
    """Ends with a reservation, whose undo is noted after it: nothing comes later that could fail."""

    def run(self) -> str:
        """Reserve last; what is refused leaves nothing, so that only the steps before it are taken back."""
        reserve = _warehouse(self.world)
        if not all(self.do(step) for step in self.steps):
            return self.abort()
        result = send(lambda _: reserve(order="4921"), self.attempts)
        if result.state == "done":
            return self.end("completed")
        self.cause = f"reserve: {result.error}"
        return self.abort() if result.state == "refused" else self.escalate()

    def picture(self) -> dict[str, Any]:
        """With the reservation, which may have come about."""
        return {**super().picture(), "unknown": ["reserve, order 4921"]}


def _warehouse(world: World) -> Any:
    """A reservation with an undo that would not work, as nobody ever found out."""

    def reserve(order: str) -> dict[str, str]:
        return {"id": order}

    def release(id: str) -> None:  # noqa: A002  # the name of the field that the answer has
        raise LookupError(id)

    world.tool(release, cls=3, ref="id")
    return world.tool(reserve, cls=3, undo="release", ref="id", idempotent=True)


class UsedParameters(Reference):
    """A test whose second round fails at once, since its first one has used the parameters up."""

    rounds: ClassVar[itertools.count[int]] = itertools.count()

    def begin(self, step: Step) -> Entry:
        """Every other round gets nowhere."""
        entry = super().begin(step)
        if len(self.entries) == 1 and next(self.rounds) % 2:
            entry.state = "refused"
        return entry


_K28, _K29, _K30 = "K28 AMBIGUOUS-MISCLASSIFIED", "K29 AGENT-MISTOLD", "K30 VACUOUS-TEST"

PLANTED = (
    plant("M61", _K28, "Whatever the error, the call is tried five times.", RetriesAll,
          expect=("errors-classified",)),
    plant("M61b", _K28, "The first transient failure aborts the saga, its attempts unused.", NeverRetries,
          expect=("retry-budgets",), attempts={"billing.create_*": 3}),
    plant("M61c", _K28, "A call is tried again without end.", RetriesForEver,
          expect=("terminates", "retry-budgets", "errors-classified")),
    plant("M64", _K29, "A run fails after its approved call and is made again under the same approval.",
          ApprovalStays, (BOOKING,), expect=("applied-once",)),
    plant("M65", _K30, "A test uses parameters up, and from its second round on tests nothing.",
          UsedParameters, expect=("not-deterministic", "not-injected"), faults=0),
    plant("M66", _K30, "An undo is never run by any schedule, and nobody notices.", LastUndoIdle,
          (CUSTOMER,), expect=("undo-never-run",)),
)  # fmt: skip
