"""The rules that can be read off the declarations of a system, before any call."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Final

from sagaproof._model.operation import EffectClass, Operation
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.routes import Routes
from sagaproof._world.operation import Declared, undo_of
from sagaproof._world.system import System
from sagaproof.errors import UsageError
from sagaproof.testing._verdict import Scorecard

__all__ = ["check_declarations"]

_HOST: Final = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*")
_OF_THE_WORLD: Final = frozenset({"state", "gate", "direct", "tools", *dir(WorldHandle)})


def check_declarations(system: System, score: Scorecard) -> None:
    """Name and hosts, docstrings, routes, and what is declared to undo what."""
    _check_name(system, score)
    _check_routes(system, score)
    for known in system.declarations().values():
        _check_docstring(known, system, score)
        _check_undo(known, system, score)


def _check_name(system: System, score: Scorecard) -> None:
    name = system.name
    score.require(
        name.isidentifier() and name not in _OF_THE_WORLD,
        "name",
        f"a system cannot be called {name!r}",
        advice="Take a Python name that the world itself does not use: world.<name> is how tests reach it.",
    )
    for entry in entry_points(group="sagaproof.systems", name=name):
        score.require(
            entry.load() is type(system),
            "name",
            f"{name!r} is the name of {entry.value} already",
            advice="Give your system another name, or no world can hold both.",
        )
    for host in system.hosts:
        score.require(
            _HOST.fullmatch(host),
            "name",
            f"{host!r} is no host name",
            where=f"{name}.hosts",
            advice="Write it in lower case, without scheme, port or path: crm.test.",
        )


def _check_docstring(known: Declared, system: System, score: Scorecard) -> None:
    if hasattr(type(system), known.operation.name):  # lookup and undo by key are the base's own
        score.require(
            (known.fn.__doc__ or "").strip(),
            "documented",
            f"{known.operation.full} has no docstring",
            advice="Say in a line what a call does, and when it is refused.",
        )


def _check_routes(system: System, score: Scorecard) -> None:
    """Let the tap read them, as it will in a run; and let no write hide behind a GET."""
    try:
        Routes(system)
    except UsageError as error:
        score.require(None, "route", error.what, where=error.where, advice=error.advice)
    for known in system.declarations().values():
        score.require(
            known.operation.cls is EffectClass.READ or not known.route.startswith("GET "),
            "route",
            f"{known.operation.full} writes, and its route is {known.route}",
            advice="Use POST, PUT, PATCH or DELETE: clients repeat a GET as they like.",
        )


def _check_undo(known: Declared, system: System, score: Scorecard) -> None:
    operation, operations = known.operation, system.declarations()
    for target in operation.undoes:
        forward = operations.get(target)
        score.require(
            forward and (forward.operation.ref or not _is_own(known, system)),
            "undo-declared",
            f"{operation.full} undoes {target!r}, which {'has no ref' if forward else 'is no operation'}",
            advice="Give it ref=, the field of its answer that the undo is called with.",
        )
        score.require(
            operation.ref in operation.params and known.required <= {operation.ref},
            "undo-declared",
            f"{operation.full} cannot undo {target!r} with nothing but its {operation.ref!r}",
            advice="ref= names a parameter of the undo, and it needs no other.",
        )
    if operation.restores:
        _check_restores(operation, system, score)
    if operation.undoes or operation.cls < EffectClass.REVERSIBLE:
        return
    undo = undo_of(operation.name, operations)
    if operation.cls is EffectClass.IRREVERSIBLE:
        score.require(
            undo is None or not _is_own(undo, system),
            "undo-declared",
            f"{operation.full} is irreversible and {undo and undo.operation.full} undoes it",
            advice="Make it class 3 or 4, or take the undo out.",
        )
    else:
        score.require(
            undo or operation.restores,
            "undo-declared",
            f"{operation.full} has class {operation.cls} and nothing takes it back",
            advice="Declare undoes= on another operation or restores= on this one, or make it class 5.",
        )


def _check_restores(operation: Operation, system: System, score: Scorecard) -> None:
    assert operation.restores is not None
    table, field = operation.restores
    score.require(
        table in _names(system) and {operation.ref, field} <= set(operation.params),
        "undo-declared",
        f"{operation.full} restores {field!r} of table {table!r}, which it cannot",
        advice="Name a table, give ref= the parameter that holds its key, and call the new value's "
        "parameter like the field.",
    )


def _names(system: System) -> Iterable[str]:
    return [table.name for table in system.tables]


def _is_own(known: Declared, system: System) -> bool:
    return hasattr(type(system), known.operation.name)
