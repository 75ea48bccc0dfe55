"""What is drawn next: one of the rules that are on and possible, and the values that it takes.

Strategies are made once for a machine: to make one takes longer than to draw from it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from sagaproof._machine.choices import Choices
from sagaproof._machine.draft import Draft
from sagaproof._machine.rule import Rule
from sagaproof._machine.rules import RULES
from sagaproof._machine.swarm import Rules, swarm

__all__ = ["Decision", "Decisions"]


class Decision(NamedTuple):
    """A rule, by its name, and the values that were drawn for it."""

    rule: str
    values: tuple[Any, ...]


class Decisions:
    """All that the examples of one machine can decide: `on` draws which of its rules one example has."""

    def __init__(self, choices: Choices) -> None:
        drawn = {one: choices.values(one.draws) for one in RULES.values()}
        self._values = {one: values for one, values in drawn.items() if not values.is_empty}
        self._among: dict[Rules, st.SearchStrategy[Rule]] = {}
        self.on = swarm(tuple(self._values))

    def rule(self, on: Rules, draft: Draft) -> st.SearchStrategy[Rule]:
        """One of the rules that are on and possible, by their weight."""
        possible = tuple(one for one in on if one.can(draft))
        if possible not in self._among:
            self._among[possible] = st.sampled_from([one for one in possible for _ in range(one.weight)])
        return self._among[possible]

    def values(self, rule: Rule) -> st.SearchStrategy[tuple[Any, ...]]:
        """What a rule takes."""
        return self._values[rule]
