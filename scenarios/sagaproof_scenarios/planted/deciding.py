"""Bugs that show only by what an agent decides: asking again, going on, calling early, deciding otherwise.

The right saga of `reference.py`, fed call by call, and for each decision a dispatcher that is not up to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sagaproof import Scenario, Script, ToolCall, World
from sagaproof.planted import Planted
from sagaproof.saga import AsyncSaga
from sagaproof.saga import Result as ToolResult
from sagaproof_scenarios.goodwill import on_runtime
from sagaproof_scenarios.planted.reference import Entry, Journal, Reference, Step
from sagaproof_scenarios.planted.stories import SYSTEMS, set_up

__all__ = ["DECIDING", "Dispatcher"]

_TOOLS: Final = {
    "customer": ("billing", "create_customer", ("delete_customer", "customer_id"), False),
    "book": ("ledger", "post_transfer", ("reverse_transfer", "transfer_id"), False),
    "mail": ("mail", "send", ("", ""), True),
}


@dataclass(frozen=True)
class Told:
    """What the agent is told of a call."""

    outcome: str
    value: Mapping[str, Any]
    text: str = ""


class Dispatcher(Reference):
    """Takes calls one by one. It refuses what may not be made, and takes up what is asked for again.

    `unheard` are the calls that are done and of which the agent may not know: it has asked for none since.
    `same_as` are further ids of calls that were taken up.
    """

    def __init__(self, world: World, journal: Journal) -> None:
        super().__init__(world, (), journal)
        self.unheard: set[str] = set()
        self.same_as: dict[str, str] = {}

    def ask(self, tool: str, args: dict[str, Any], call_id: str) -> Told:
        """Make a call of the agent."""
        known = self.entries.get(self.same_as.get(call_id, call_id)) or self.taken_up(tool, args, call_id)
        if known is not None and known.state in {"done", "refused", "lapsed"}:
            self.unheard.discard(known.step.name)
            return self.told(known)
        is_open = known is not None and known.may_stand
        why_not = self.refusal(tool)
        if why_not and not (is_open and self.status == "running"):
            return Told("unknown" if is_open else "failed", {}, why_not)
        step = known.step if known is not None else _step(tool, args, call_id)
        if known is not None:
            known.known = False  # what was sent before may still be there, whatever is said of it now
        if self.unheard:  # else it would count as told, since the agent asks for more
            self.write({"unheard": sorted(self.unheard)})
        self.unheard.add(step.name)
        self.do(step)
        self.unheard.discard(step.name)
        return self.told(self.entries[step.name])

    def taken_up(self, tool: str, args: dict[str, Any], call_id: str) -> Entry | None:
        """The call that this one asks for again under a new id, which is written down."""
        known = self.asked_before(tool, args)
        if known is not None:
            self.same_as[call_id] = known.step.name
            self.write({"call_id": call_id, "same_as": known.step.name})
        return known

    def told(self, entry: Entry) -> Told:
        """What there is to say of a step."""
        outcome = {"done": "ok", "refused": "failed"}.get(entry.state, "unknown")
        return Told(outcome, entry.answer, entry.error)

    def asked_before(self, tool: str, args: dict[str, Any]) -> Entry | None:
        """A call whose outcome the agent does not know, if this asks for the same."""
        wanted = _step(tool, args, "")
        asked = (entry for entry in self.entries.values() if _is_same(entry, wanted))
        in_doubt = {"begun", "unknown", "lapsed"}
        return next((e for e in asked if e.state in in_doubt or e.step.name in self.unheard), None)

    def refusal(self, tool: str) -> str:
        """Why a call may not be made now."""
        if self.status != "running":
            return f"the saga is {self.status}"
        passed = any(entry.step.pivot and entry.may_stand for entry in self.entries.values())
        if passed:
            return "the mail may be out: nothing can follow it"
        open_ones = any(entry.state in {"begun", "unknown"} for entry in self.entries.values())
        return "something is not settled" if _TOOLS[tool][3] and open_ones else ""

    def give_up(self) -> str:
        """The agent wants all taken back; an unwind that its store has stopped goes on."""
        return self.abort() if self.status in {"running", "aborting"} else self.status

    def finish(self) -> str:
        """The agent is done; what is not settled cannot be called so."""
        if self.status != "running":
            return self.status
        unsettled = any(entry.state not in {"done", "refused"} for entry in self.entries.values())
        return self.abort() if unsettled else self.end("completed")

    def load(self) -> None:
        """Know again what is written, with the steps themselves."""
        still: set[str] = set()
        for record in self.journal:
            if "same_as" in record:
                self.same_as[record["call_id"]] = record["same_as"]
            if "step" in record:
                tool = next(name for name, known in _TOOLS.items() if known[1] == record["operation"])
                self.steps = (*self.steps, _step(tool, record["args"], record["step"]))
            still = set(record.get("unheard", still))
            if record.get("state") == "begun":
                self.unheard, still = self.unheard & still, set()
            elif record.get("state") == "done":
                self.unheard.add(record["step"])
        super().load()

    @classmethod
    def resumed(cls, world: World, journal: Journal) -> Dispatcher:
        """A dispatcher that goes on where the journal ends: an unwind that had begun is finished."""
        saga = cls(world, journal)
        saga.load()
        if saga.case is not None:
            saga.escalate()
        elif saga.status == "aborting":
            saga.abort()
        return saga


class Fed:
    """A dispatcher as an agent sees it."""

    def __init__(self, saga: Dispatcher) -> None:
        self.call, self.give_up, self.finish = saga.ask, saga.give_up, saga.finish


def _step(tool: str, args: Mapping[str, Any], name: str) -> Step:
    system, operation, inverse, pivot = _TOOLS[tool]
    return Step(name, system, operation, lambda _: dict(args), inverse, pivot)


def _is_same(entry: Entry, step: Step) -> bool:
    return entry.step.operation == step.operation and entry.args == step.args({})


# The bugs ---------------------------------------------------------------------------------------------------


class KeyOfTheCallId(Dispatcher):
    """Takes each call id for an intent of its own, also where the outcome of the same is not known."""

    def key_for(self, step: Step) -> str:
        """The id that the model gave."""
        return f"order-4921-{step.name}"

    def asked_before(self, _tool: str, _args: dict[str, Any]) -> Entry | None:
        """Nothing was."""
        return None


class DroppedAnswer(Dispatcher):
    """Tells the agent 'failed' of what it has heard nothing of."""

    def told(self, entry: Entry) -> Told:
        """No answer is a failure."""
        return Told("ok" if entry.state == "done" else "failed", entry.answer, entry.error)


class UnwindsWithin(Dispatcher):
    """Unwinds as soon as a call fails, and lets the agent go on; what was undone stays on its list."""

    def ask(self, tool: str, args: dict[str, Any], call_id: str) -> Told:
        """Make a call; on failure take all back."""
        told = super().ask(tool, args, call_id)
        if told.outcome != "ok":
            for entry in self.to_undo():
                self.undo_call(entry)
        return told


class PopsOnFailure(Dispatcher):
    """Takes the newest step off its stack when a call is refused, although that one was never put there."""

    def do(self, step: Step) -> bool:
        """Make one step; one that is refused leaves the stack."""
        done = super().do(step)
        if self.entries[step.name].state == "refused":
            good = [entry for entry in self.entries.values() if entry.state == "done"]
            for entry in good[-1:]:
                entry.state = "refused"
        return done


class NoOrder(Dispatcher):
    """Mails whenever it is asked to, and undoes what can be undone afterwards."""

    def refusal(self, _tool: str) -> str:
        """Nothing is refused while it runs."""
        return "" if self.status == "running" else f"the saga is {self.status}"

    def abort(self) -> str:
        """Unwind all but the mail."""
        self.enter("aborting")
        return self.unwind()

    def to_undo(self) -> list[Entry]:
        """What has an undo."""
        return [entry for entry in super().to_undo() if not entry.step.pivot]


class ForgetsWhatIsNotAskedAgain(Dispatcher):
    """After a restart knows only the steps that its agent makes again."""

    def load(self) -> None:
        """Keep the status, and wait for the agent to name the steps."""
        super().load()
        self.entries.clear()


class FirstComeFirstTold:
    """Takes the calls of a turn together, and hands their results out as they come: failures last."""

    def __init__(self, saga: AsyncSaga) -> None:
        self._saga = saga

    async def call(self, tool: str, args: dict[str, Any], call_id: str) -> ToolResult:
        """One call."""
        return await self._saga.call(tool, args, call_id)

    async def call_all(self, calls: Any) -> list[ToolResult]:
        """Several."""
        results = await self._saga.call_all(calls)
        return sorted(results, key=lambda result: result.outcome != "ok")

    async def give_up(self) -> Any:
        """Unwind."""
        return await self._saga.give_up()

    async def finish(self) -> Any:
        """The end."""
        return await self._saga.finish()


# As scenarios -----------------------------------------------------------------------------------------------

_BOOK = {"debit": "receivables", "credit": "sales", "amount": 250000, "reference": "4921"}
_AGENT = Script(
    "customer, booking, mail",
    (
        ToolCall("customer", {"name": "Kim", "email": "kim@example.test", "reference": "4921"}, "call_1"),
        ToolCall("book", _BOOK, "call_2"),
        ToolCall("mail", {"to": "kim@example.test", "subject": "Order 4921", "body": "Ready."}, "call_3"),
    ),
)


def _scenario(name: str, story: str, made: type[Dispatcher]) -> Scenario:
    journal: Journal = []

    def start(world: World) -> Fed:
        journal.clear()
        set_up(world)
        return Fed(made(world, journal))

    def recover(world: World) -> Fed:
        return Fed(made.resumed(world, journal))

    return Scenario(name, story, SYSTEMS, agent=start, recover=recover, scripts=(_AGENT,))


def _told_by_arrival(name: str, story: str) -> Scenario:
    def start(world: World) -> FirstComeFirstTold:
        world.billing.add_customer("cus_7", email="kim@example.test")
        world.ledger.add_account("goodwill", kind="expense")
        world.ledger.add_account("receivables")
        return FirstComeFirstTold(on_runtime.start(world))

    turn = (
        ToolCall("issue_credit", {"customer": "cus_7", "amount": 2000}, "call_1"),
        ToolCall("book", {"amount": 2000}, "call_2"),
    )
    return Scenario(name, story, SYSTEMS, agent=start, scripts=(Script("two at once", (turn,)),))


def _plant(name: str, bug: str, story: str, made: type[Dispatcher], *expect: str) -> Planted:
    return Planted(name, bug, story, _scenario(name, story, made), expect, faults=2)


_FED = "The right dispatcher: what an agent decides does no harm."
_MIXED = "The results of one turn are told in the order in which they came."

DECIDING = (
    _plant("A01", "K01 LOST-ACK-RETRY", "A call asked for again under a new id is taken for another one.",
           KeyOfTheCallId, "applied-once", "one-key-per-intent"),
    _plant("A02", "K29 AGENT-MISTOLD", "The agent is told 'failed' of what nobody knows.", DroppedAnswer,
           "truthful-to-agent", "applied-once"),
    _plant("A03", "K14 DOUBLE-COMP", "All is unwound when a call fails, and again when the next one does.",
           UnwindsWithin, "undone-once", "truthful-claim", "completed-is-complete", "no-forward-in-unwind",
           "empty-undo-succeeds", "full-picture"),
    _plant("A04", "K21 EMPTY-COMP", "A refused call takes the step before it off the stack.", PopsOnFailure,
           "no-silent-residue", "compensated-is-clean"),
    _plant("A05", "K22 PIVOT-IGNORED", "A mail goes out in the middle, and what came before it is undone.",
           NoOrder, "no-unwind-past-pivot", "ambiguous-pivot-is-pivot"),
    _plant("A06", "K18 RECOVERY-GAP",
           "After a restart the agent decides otherwise, and what it had done is forgotten.",
           ForgetsWhatIsNotAskedAgain, "nothing-forgotten", "no-silent-residue", "compensated-is-clean"),
    Planted("A07", "K29 AGENT-MISTOLD", _MIXED, _told_by_arrival("A07", _MIXED), ("truthful-to-agent",), 2),
    Planted("A00", "control", _FED, _scenario("A00", _FED, Dispatcher), faults=2),
)  # fmt: skip
"""For a machine, which draws the decisions; `second_thoughts.py` has the same with the scripts that it takes.

A01 and A02 are M02 as an agent meets it (an intent repeated under a new id), A03 is M28 (undone while the
agent goes on), A04 M46 (what a refusal takes off the stack), A05 M47 (the irreversible call too early), A06
M64 and M25 (planned anew, and forgotten), A07 M62 (told of parallel calls what is not so).
"""
