"""Logical calls: which arrivals mean one and the same thing, and what each is meant to undo."""

from __future__ import annotations

from collections.abc import Hashable

from sagaproof._model.effect import Binding
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._model.plan import Injection
from sagaproof._model.point import Phase
from sagaproof._world.delivery import Delivery
from sagaproof._world.standing import Standing

__all__ = ["LogicalCall", "LogicalCalls"]


class LogicalCall:
    """One logical call. `left` is how many arrivals more its `injection` will meet."""

    __slots__ = (
        "args",
        "attempts",
        "index",
        "injection",
        "learnt_ok",
        "left",
        "n",
        "phase",
        "target_key",
        "undoes",
    )

    def __init__(self, index: int, n: int, delivery: Delivery) -> None:
        self.index = index
        self.n = n
        self.args = delivery.args
        self.target_key = delivery.target_key
        self.attempts = 0
        self.learnt_ok = False
        self.injection: Injection | None = None
        self.left = 0
        self.undoes: Binding | None = None
        self.phase = Phase.FORWARD


class LogicalCalls:
    """The logical calls of a run, in the order of their first arrival."""

    __slots__ = ("_by_key", "_of_operation", "_unwinding", "calls")

    def __init__(self) -> None:
        self.calls: list[LogicalCall] = []
        self._of_operation: dict[str, list[LogicalCall]] = {}
        self._by_key: dict[tuple[str, str], LogicalCall] = {}
        self._unwinding = False

    def identify(self, operation: Operation, delivery: Delivery, standing: Standing) -> LogicalCall:
        """The logical call of an arrival: same key, else same arguments while no success was learnt.

        A new one is bound to what it undoes before it is applied; what stands is asked for that.
        """
        known = self._of_operation.setdefault(operation.full, [])
        logical = self._repeated(operation, delivery, known) if known else None
        if logical is None:
            logical = LogicalCall(len(self.calls), len(known) + 1, delivery)
            logical.undoes = self._binding(operation, delivery, standing)
            logical.phase = self._phase(operation, logical.undoes)
            self.calls.append(logical)
            known.append(logical)
        if delivery.key is not None:
            self._by_key.setdefault((operation.full, delivery.key), logical)
        logical.attempts += 1
        return logical

    def open(self) -> Hashable:
        """Whether an unwind has begun, and the calls without a key that a repetition would be taken for."""
        keyed = set(map(id, self._by_key.values()))
        return (
            self._unwinding,
            tuple((c.index, c.n) for c in self.calls if not c.learnt_ok and id(c) not in keyed),
        )

    def _repeated(
        self, operation: Operation, delivery: Delivery, known: list[LogicalCall]
    ) -> LogicalCall | None:
        if delivery.key is not None:
            same = self._by_key.get((operation.full, delivery.key))
            if same is not None:
                return same
        for logical in reversed(known):
            if (
                not logical.learnt_ok
                and logical.args == delivery.args
                and logical.target_key == delivery.target_key
            ):
                return logical
        return None

    def _binding(self, operation: Operation, delivery: Delivery, standing: Standing) -> Binding | None:
        if delivery.target_key is None:
            return standing.bind(operation, delivery.args)
        for target in operation.undoes:
            forward = self._by_key.get((f"{operation.system}.{target}", delivery.target_key))
            if forward is not None:
                effect = standing.of_call(forward.index)
                return Binding(forward.index, None if effect is None else effect.id)
        return Binding(None, None)

    def _phase(self, operation: Operation, undoes: Binding | None) -> Phase:
        if undoes is not None:
            self._unwinding = True
            return Phase.UNDO
        if operation.escalates:
            return Phase.ESCALATE
        if operation.cls is EffectClass.READ and self._unwinding:
            return Phase.QUERY
        return Phase.FORWARD
