"""The state machine that Hypothesis plays. To it there is one rule, that something is decided.

What can be decided is up to `Decisions`: of rules that Hypothesis knows it leaves out some in each example,
and gives up an example in which no other is possible.
"""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from sagaproof._machine.decisions import Decision
from sagaproof._machine.draft import Draft
from sagaproof._machine.rules import RULES
from sagaproof._machine.session import Session
from sagaproof._machine.swarm import Rules

__all__ = ["Player"]


@st.composite
def _decisions(draw: st.DrawFn) -> Decision:
    """What the machine that is running may do next."""
    machine: Player = draw(st.runner())
    assert machine.session is not None
    decisions = machine.session.decisions
    if machine.on is None:
        machine.on = draw(decisions.on)
    chosen = draw(decisions.rule(machine.on, machine.draft))
    return Decision(chosen.name, draw(decisions.values(chosen)))


class Player(RuleBasedStateMachine):
    """A model that picks the order. `session` is set while the machine is run."""

    session: ClassVar[Session | None] = None

    def __init__(self) -> None:
        super().__init__()
        assert self.session is not None
        self.on: Rules | None = None
        self.draft = Draft(self.session.known)

    @rule(decision=_decisions())
    def decide(self, decision: Decision) -> None:
        """Do what was drawn."""
        RULES[decision.rule].do(self.draft, decision.values)

    def teardown(self) -> None:
        """Run what was drafted, to rest, and judge it. Raises a `Found`, of a class for each kind."""
        assert self.session is not None
        if not self.session.was_cut_off():
            self.session.take(self.draft)
