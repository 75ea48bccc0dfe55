"""Which rules an example has: all of them in half of the examples, in others some.

An example without some rule has room for others (Groce et al., "Swarm Testing", ISSTA 2012). Hypothesis does
that of its own accord for rules of a state machine, but turns off any: where those that are left are not
possible as things stand, it gives the example up, and with it all that was drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import strategies as st

from sagaproof._machine.rule import Rule

__all__ = ["Rules", "swarm"]

Rules = tuple[Rule, ...]
"""The rules of an example, simplest first."""


def swarm(rules: Sequence[Rule]) -> st.SearchStrategy[Rules]:
    """All rules, or as often those that every example has with any of the optional ones."""
    whole = st.just(tuple(rules))
    optional = [one for one in rules if one.optional]
    some = [
        tuple(one for one in rules if one not in left_out) for left_out in map(frozenset, _subsets(optional))
    ]
    return st.one_of(whole, st.sampled_from(some))


def _subsets(of: Sequence[Rule]) -> list[list[Rule]]:
    return [
        [one for one, is_in in zip(of, chosen, strict=True) if is_in]
        for chosen in product((False, True), repeat=len(of))
    ]
