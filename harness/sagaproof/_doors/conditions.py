"""`when=`: faults on certain calls only, as the user's own code says of each call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sagaproof._doors.options import cell_of
from sagaproof._model.event import Called
from sagaproof._search.settings import Condition
from sagaproof.errors import UsageError

__all__ = ["conditions_of"]


def conditions_of(when: Mapping[str, Callable[[Called], bool]]) -> tuple[Condition, ...]:
    """The conditions in `when=`, each under a cell such as `billing.charge=503`. Raises `UsageError`."""
    return tuple(_condition(cell, holds) for cell, holds in when.items())


def _condition(cell: str, holds: Callable[[Called], bool]) -> Condition:
    operation, fault = cell_of(cell, "is no condition on a known fault")
    if not callable(holds):
        raise UsageError(
            f"when= has {holds!r} for {cell!r}, which cannot be called",
            advice='Give a function of the call: when={"*=503": lambda call: call.key is not None}.',
        )

    def guarded(call: Called) -> bool:
        try:
            return bool(holds(call))
        except Exception as error:
            raise UsageError(
                f"the condition for {cell!r} broke on {call.point}: {type(error).__name__}: {error}",
                advice="A call has args, key, phase and point; args may lack any argument.",
            ) from error

    return Condition(operation, fault, guarded, cell)
