"""Calls that are made again without a stable key, and keys whose own life goes wrong (K01, K02, K04)."""

from __future__ import annotations

import time
from typing import ClassVar
from uuid import uuid4

from sagaproof_scenarios.planted.plant import plant
from sagaproof_scenarios.planted.reference import Entry, Reference, Step
from sagaproof_scenarios.planted.sending import Answer, Result, send
from sagaproof_scenarios.planted.stories import BOOKING

__all__ = ["PLANTED"]


class NoKey(Reference):
    """Calls again after a timeout, and sends no key."""

    def key_for(self, _step: Step) -> str | None:
        """None."""
        return None


class Impatient(Reference):
    """Drops what comes after its patience has ended; the agent then asks for the same as a new call."""

    attempts: ClassVar[int] = 1

    def run(self) -> str:
        """Each call id is a step of its own."""
        for step in self.steps:
            ids = (f"{step.name}-call-{n}" for n in (1, 2))
            if not any(self.do(step._replace(name=name)) for name in ids):
                return self.abort()
        return self.end("completed")

    def settle(self, entry: Entry, result: Result) -> None:
        """No answer in time is taken for a failure."""
        stale = Result("refused", error=result.error)
        super().settle(entry, stale if result.state == "unknown" else result)


class NewKeyEachTry(Reference):
    """Draws the key anew for each attempt."""

    def call(self, entry: Entry) -> Answer:
        """One attempt, one key."""
        entry.key = str(uuid4())
        return super().call(entry)


class StuckClaim(Reference):
    """Claims a step before it is made; a claim without a result is 'in progress', whoever left it."""

    def forward(self, entry: Entry) -> Result:
        """Wait for whoever holds the claim."""
        claim = {"claim": entry.step.name}
        while claim in self.journal:
            time.sleep(3600.0)
        self.write(claim)
        return super().forward(entry)


class DroppedClaim(NoKey):
    """One claim covers two effects, and is dropped when the second fails: then both are made again."""

    def run(self) -> str:
        """Make both, up to three times."""
        for _ in range(3):
            self.entries.clear()
            if all(self.do(step) for step in self.steps):
                return self.end("completed")
        return self.abort()


class KeptFailure(Reference):
    """Stores a failure as the result of the call, and asks the store from then on."""

    def forward(self, entry: Entry) -> Result:
        """Retry until it is done, which it never will be."""
        stored = send(lambda _: self.call(entry), 1)
        while stored.state == "unknown":
            time.sleep(3600.0)
        return stored


class RetryAfterKeyExpired(Reference):
    """Retries by way of a queue that takes longer than a key is remembered."""

    def forward(self, entry: Entry) -> Result:
        """Once now, and if need be on the next day but one."""
        first = send(lambda _: self.call(entry), 1, needs=entry.step.handle)
        if first.state != "unknown":
            return first
        time.sleep(48 * 3600.0)
        return send(lambda _: self.call(entry), self.attempts, needs=entry.step.handle)


_K01, _K02, _K04 = "K01 LOST-ACK-RETRY", "K02 UNSTABLE-KEY", "K04 KEY-LIFECYCLE"
_DOUBLED = ("applied-once", "one-key-per-intent")

PLANTED = (
    plant("M01", _K01, "A timeout is read as 'not applied': the call is made again without a key.", NoKey,
          expect=("applied-once",)),
    plant("M02", _K01, "An answer comes too late; the agent asks again, under a new call id.", Impatient,
          (BOOKING,), expect=("applied-once", "truthful-to-agent")),
    plant("M03", _K02, "A key is sent, but each attempt draws a new one.", NewKeyEachTry, expect=_DOUBLED),
    plant("M07", _K04, "A process dies between claim and call; its claim is never given up.", StuckClaim,
          expect=("terminates",), recovers=True),
    plant("M07b", _K04, "A claim over two effects is dropped when the second one fails.", DroppedClaim,
          expect=("applied-once",)),
    plant("M07c", _K04, "A transient failure is stored as the result for ever.", KeptFailure,
          expect=("terminates",)),
    plant("M08", _K04, "The retry comes when the service has forgotten the key.", RetryAfterKeyExpired,
          expect=("applied-once",)),
)  # fmt: skip
