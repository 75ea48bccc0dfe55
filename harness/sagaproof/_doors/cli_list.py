"""What there is to run, and to run it with: scenarios, systems, checks, faults."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sagaproof._checks import catalogue
from sagaproof._doors.cli_faults import fault_data, fitting, print_faults
from sagaproof._doors.registry import scenarios, systems
from sagaproof._model.operation import STORE_HOOKS, EffectClass, Operation, durable_write, event_source
from sagaproof._model.point import Phase
from sagaproof._search.scenario import Scenario
from sagaproof._sometimes import catalogue as states
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof._world.operation import Declared
from sagaproof._world.system import System

__all__ = ["inventory", "print_inventory"]

_CLASSES = {
    EffectClass.READ: "read",
    EffectClass.CONVERGENT: "convergent",
    EffectClass.REVERSIBLE: "reversible",
    EffectClass.COMPENSABLE: "compensable",
    EffectClass.IRREVERSIBLE: "irreversible",
}


def inventory(*, faults: bool) -> dict[str, Any]:
    """All of it as data. With `faults`, each operation has the faults that fit it, by phase."""
    found = systems()
    data: dict[str, Any] = {
        "schema": "sagaproof-list/1",
        "scenarios": [_scenario(one) for one in scenarios().values()],
        "systems": [_system(one, faults=faults) for one in found.values()],
        "checks": [{"check": check.slug, "says": _first_line(check)} for check in catalogue.ALL],
    }
    data["sometimes"] = [_state(one) for one in states.sometimes()]
    if faults:
        data["faults"] = fault_data()
        write = durable_write("journal", "append", STORE_HOOKS)
        data["writes"] = [{"operation": write.full, "faults": {"journal": fitting(write, Phase.JOURNAL)}}]
        sources = [event_source(system.name) for system in found.values() if system.sends]
        data["events"] = [
            {"operation": one.full, "faults": {"event": fitting(one, Phase.EVENT)}} for one in sources
        ]
    return data


def _scenario(scenario: Scenario) -> dict[str, Any]:
    return {
        "name": scenario.name,
        "story": scenario.story,
        "systems": list(scenario.systems),
        "scripts": [script.name for script in scenario.scripts],
    }


def _system(system: System, *, faults: bool) -> dict[str, Any]:
    return {
        "name": system.name,
        "hosts": list(system.hosts),
        "sends": list(system.sends),
        "operations": [_operation(one, faults=faults) for one in system.declarations().values()],
    }


def _operation(declared: Declared, *, faults: bool) -> dict[str, Any]:
    operation = declared.operation
    data: dict[str, Any] = {
        "operation": operation.full,
        "route": declared.route,
        "arguments": list(declared.types),
        "class": int(operation.cls),
        "means": _CLASSES[operation.cls],
        "undoes": list(operation.undoes),
        "escalates": operation.escalates,
    }
    if faults:
        data["faults"] = {phase.value: fitting(operation, phase) for phase in _phases(operation)}
    return data


def _phases(operation: Operation) -> Iterator[Phase]:
    """The phases in which the operation can be called at all."""
    if operation.escalates:
        yield Phase.ESCALATE
    else:
        yield Phase.FORWARD
    if operation.undoes or operation.restores:
        yield Phase.UNDO
    if operation.cls is EffectClass.READ:
        yield Phase.QUERY


def _state(one: Sometimes) -> dict[str, Any]:
    return {"sometimes": one.slug, "stages": list(one.words), "faults_needed": one.faults_needed}


def _first_line(check: object) -> str:
    """What its module says of it, after the slug."""
    module = inspect.getmodule(type(check))
    text = " ".join((inspect.getdoc(module) or "").partition("\n\n")[0].split())
    return text.partition("`: ")[2] or text


def print_inventory(data: Mapping[str, Any], console: Console) -> None:
    """The data for people."""
    _print(console, "scenarios", ((one["name"], one["story"]) for one in data["scenarios"]))
    for system in data["systems"]:
        hosts = ", ".join(system["hosts"]) or "no host"
        _print(console, f"system {system['name']} ({hosts})", map(_operation_row, system["operations"]))
        if system["sends"]:
            _print(console, f"events of {system['name']}", ((kind, "") for kind in system["sends"]))
    _print(console, "checks", ((one["check"], one["says"]) for one in data["checks"]))
    reached = ((one["sometimes"], "; ".join(one["stages"])) for one in data["sometimes"])
    _print(console, "sometimes (states that a campaign should reach)", reached)
    if "faults" in data:
        called = [one for system in data["systems"] for one in system["operations"]]
        print_faults(data["faults"], [*called, *data["writes"], *data["events"]], console)


def _operation_row(operation: Mapping[str, Any]) -> tuple[str, str]:
    undoes = f"; undoes {', '.join(operation['undoes'])}" if operation["undoes"] else ""
    told = "; tells a person" if operation["escalates"] else ""
    name = operation["operation"].partition(".")[2]
    route = f"  {operation['route']}" if operation["route"] else ""
    return name, f"class {operation['class']}, {operation['means']}{undoes}{told}{route}"


def _print(console: Console, title: str, rows: Iterator[tuple[str, str]] | map[tuple[str, str]]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        table.add_row(Text(f"  {name}"), Text(text))
    console.print(Text(title, style="bold"))
    console.print(table if table.row_count else Text("  none"))
    console.print()
