"""What is being checked: how to get a fresh system, and what to call it with."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sagaproof._model.operation import EffectClass, Operation
from sagaproof._world.delivery import Handled
from sagaproof._world.system import System
from sagaproof.testing._bench import Bench
from sagaproof.testing._verdict import Scorecard

__all__ = ["Subject"]

Args = Mapping[str, Any]


@dataclass(frozen=True)
class Subject:
    """A system under test, in as many fresh copies as the rules want."""

    make: Callable[[], System]
    setup: Callable[[System], None]
    examples: Mapping[str, Args]
    score: Scorecard

    @cached_property
    def operations(self) -> Mapping[str, Operation]:
        """Its operations by name."""
        return self.make().operations()

    def bench(self) -> Bench:
        """A fresh system after the set-up."""
        return Bench(self.make, self.setup, self.score)

    def prepared(self, name: str) -> tuple[Bench, dict[str, Any]]:
        """A fresh system in which `name` can be called, and the arguments for that.

        Without an example of its own, an undo gets something to undo: a call of what it takes back.
        """
        bench = self.bench()
        if name in self.examples:
            return bench, copy.deepcopy(dict(self.examples[name]))
        operation = self.operations[name]
        forward = next(target for target in operation.undoes if target in self.examples)
        handled = self.forward(bench, forward)
        return bench, {str(operation.ref): self.reference(forward, handled)}

    def forward(self, bench: Bench, name: str, *, key: str | None = None) -> Handled:
        """Call an operation with its example, which must be accepted and, for a write, change something."""
        return self.accepted(bench, name, self.examples[name], key=key)

    def accepted(self, bench: Bench, name: str, args: Args, *, key: str | None = None) -> Handled:
        """Call an operation with arguments that it must accept."""
        handled = bench.call(name, args, key=key)
        operation = self.operations[name]
        self.score.require(
            handled.ok,
            "example-accepted",
            f"{operation.full} refused its example: {handled.body!r}",
            advice=f"Let setup= make what it needs, or mend examples[{name!r}].",
        )
        self.score.require(
            operation.cls is EffectClass.READ or handled.changes,
            "example-accepted",
            f"the example of {operation.full} changes nothing, so that nothing can be seen of it",
            advice=f"Choose examples[{name!r}] such that a row is different afterwards.",
        )
        return handled

    def reference(self, name: str, handled: Handled) -> Any:
        """What an undo is given to find the effect of this call."""
        ref = str(self.operations[name].ref)
        found = self.examples[name].get(ref)
        return handled.body.get(ref) if found is None and isinstance(handled.body, Mapping) else found
