"""What a function calls of its repository: functions and methods, of its own module or imported by name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from sagaproof._doors.init.sources import Function, Module, functions

__all__ = ["Part", "Reach", "imported"]

_PARTS_MAX: Final = 200


class Part(NamedTuple):
    """A function, and the module whose names it uses."""

    module: Module
    function: Function


class Reach:
    """The calls of a repository, looked up by the names that each module knows."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self._functions = {f"{m.name}.{f.name}": Part(m, f) for m in modules for f in functions(m.tree)}
        self._methods = {
            f"{m.name}.{owner.name}": {
                node.name: Part(m, node) for node in owner.body if isinstance(node, Function)
            }
            for m in modules
            for owner in m.tree.body
            if isinstance(owner, ast.ClassDef)
        }
        self._modules = {m.name: {f.name: Part(m, f) for f in functions(m.tree)} for m in modules}
        self._names: dict[str, tuple[Mapping[str, Part], Mapping[str, Part]]] = {}

    def function(self, name: str) -> Function | None:
        """The function of that full name: its module, a dot, its own."""
        part = self._functions.get(name)
        return None if part is None else part.function

    def parts(self, module: Module, function: Function) -> list[Part]:
        """The function itself, then what it calls, also by way of each other."""
        start = Part(module, function)
        reached = {id(function): start}
        todo = [start]
        while todo and len(reached) < _PARTS_MAX:
            for part in self._called_by(todo.pop()):
                if id(part.function) not in reached:
                    reached[id(part.function)] = part
                    todo.append(part)
        return list(reached.values())

    def _called_by(self, part: Part) -> Iterator[Part]:
        own, methods = self._known(part.module)
        for node in ast.walk(part.function):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Name) and node.func.id in own:
                yield own[node.func.id]
            elif isinstance(node.func, ast.Attribute) and node.func.attr in methods:
                yield methods[node.func.attr]

    def _known(self, module: Module) -> tuple[Mapping[str, Part], Mapping[str, Part]]:
        """The functions that a module can call by name, and those that it finds behind a dot.

        These are the methods of the classes that it knows, and the functions of imported modules. Of which
        class an object is, is not looked into: the first method of that name is taken.
        """
        if module.name not in self._names:
            own = {f.name: f"{module.name}.{f.name}" for f in functions(module.tree)}
            names = {**imported(module), **own}
            classes = [
                f"{module.name}.{node.name}" for node in module.tree.body if isinstance(node, ast.ClassDef)
            ]
            methods: dict[str, Part] = {}
            for full in [*classes, *names.values()]:
                methods = {**self._methods.get(full, {}), **self._modules.get(full, {}), **methods}
            called = {name: self._functions[full] for name, full in names.items() if full in self._functions}
            self._names[module.name] = called, methods
        return self._names[module.name]


def imported(module: Module) -> dict[str, str]:
    """The names that a module imports from others, each with where it comes from."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
