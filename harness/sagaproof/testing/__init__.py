"""For authors of a fake system: `check_system` puts the whole contract of a system to the test.

It needs no test framework: a broken rule is a `ContractBroken`, which is an `AssertionError`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from sagaproof._model.operation import EffectClass, Operation
from sagaproof._world.system import System
from sagaproof.errors import UsageError, suggest
from sagaproof.testing._calls import check_calls, check_refused
from sagaproof.testing._declared import check_declarations
from sagaproof.testing._keys import check_keys
from sagaproof.testing._others import check_bulk, check_meanwhile
from sagaproof.testing._subject import Subject
from sagaproof.testing._undo import check_undo
from sagaproof.testing._verdict import ContractBroken, Scorecard, SystemReport

__all__ = ["ContractBroken", "SystemReport", "check_system"]

S = TypeVar("S", bound=System)


def check_system(
    make: Callable[[], S],
    *,
    examples: Mapping[str, Mapping[str, Any]],
    setup: Callable[[S], object] | None = None,
    refused: Mapping[str, Iterable[Mapping[str, Any]]] | None = None,
    skip: Collection[str] = (),
) -> SystemReport:
    """Raise `ContractBroken` at the first rule that a system breaks; else report what was tested.

    `make` builds a fresh, empty system, usually the class itself. `setup` fills it: it is called for each of
    the many fresh ones. `examples` holds, for each operation, arguments with which it is accepted after the
    set-up, and with which a write changes something. An undo needs none: it is given what a call of the
    operation that it takes back answered. `refused` holds calls that must be refused.

    An operation that is neither exercised nor named in `skip` breaks the rule `exercised`: of what was never
    called nothing is known.
    """
    score = Scorecard()
    subject = Subject(make, _ignoring_result(setup), examples, score)
    system = make()
    check_declarations(system, score)
    _check_names(subject, {**examples, **dict.fromkeys(refused or ()), **dict.fromkeys(skip)})
    for name in _to_exercise(subject, system, skip):
        _check_operation(subject, subject.operations[name])
    for name, calls in (refused or {}).items():
        for args in calls:
            check_refused(subject, name, args)
    return SystemReport(
        system.name, tuple(sorted(score.called)), tuple(sorted(skip)), tuple(sorted(score.rules.items()))
    )


def _check_operation(subject: Subject, operation: Operation) -> None:
    check_calls(subject, operation.name)
    if operation.keyed:
        check_keys(subject, operation.name)
    if operation.cls >= EffectClass.REVERSIBLE and not operation.undoes:
        check_undo(subject, operation.name)
    check_meanwhile(subject, operation.name)
    check_bulk(subject, operation.name)


def _to_exercise(subject: Subject, system: System, skip: Collection[str]) -> list[str]:
    """The operations of the class itself; those of the base are reached through them."""
    own = {name: op for name, op in subject.operations.items() if hasattr(type(system), name)}
    missing = [
        op.full
        for name, op in own.items()
        if name not in skip and name not in subject.examples and not set(op.undoes) & subject.examples.keys()
    ]
    subject.score.require(
        not missing,
        "exercised",
        f"nothing is known of {', '.join(missing)}",
        advice="Give an example of each in examples=, or name it in skip=.",
    )
    return [name for name in own if name not in skip]


def _check_names(subject: Subject, named: Collection[str]) -> None:
    for name in named:
        if name not in subject.operations:
            raise UsageError(
                f"there is no operation {name!r}",
                where="check_system(examples=, refused=, skip=)",
                advice=suggest(name, subject.operations),
            )


def _ignoring_result(setup: Callable[[S], object] | None) -> Callable[[Any], None]:
    def run(system: S) -> None:
        if setup is not None:
            setup(system)

    return run
