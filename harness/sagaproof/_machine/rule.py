"""One thing that an agent, or the world, may do next: what is drawn for it, and what it adds to a draft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from sagaproof._machine.draft import Draft

__all__ = ["RULES", "Rule", "rule"]

Apply = TypeVar("Apply", bound=Callable[..., None])


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """`draws` names the choices of the machine that its values come from, in the order of `apply`.

    `can` says whether it is possible as the draft stands; `optional`, whether an example may do without it.
    Beside others it is drawn as often as its `weight` says.
    """

    name: str
    apply: Callable[..., None]
    draws: tuple[str, ...]
    can: Callable[[Draft], object]
    optional: bool
    weight: int

    def do(self, draft: Draft, values: tuple[Any, ...]) -> None:
        """Append to a draft, which notes by which rule."""
        draft.rules.append(self.name)
        self.apply(draft, *values)


RULES: Final[dict[str, Rule]] = {}
"""All rules by name, in the order in which they are written down: the simplest first."""


def rule(
    *draws: str, can: Callable[[Draft], object], optional: bool = True, weight: int = 1
) -> Callable[[Apply], Apply]:
    """Make a rule of a function that takes the draft and what is drawn."""

    def made(apply: Apply) -> Apply:
        RULES[apply.__name__] = Rule(apply.__name__, apply, draws, can, optional, weight)
        return apply

    return made
