"""Names by which modules hold the functions of `time`: found, bound to their stand-ins, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any, Final

from sagaproof._taps.site import is_foreign

__all__ = ["Rebinding"]

Function = Callable[..., Any]

_RETRYING: Final = frozenset({"backoff", "retry", "retrying", "sagaproof_scenarios", "stamina", "tenacity"})
"""Installed packages that are searched like the user's own modules."""

_REAL_WAITERS: Final = frozenset(
    {
        "concurrent.futures._base",
        "multiprocessing.connection",
        "multiprocessing.managers",
        "multiprocessing.pool",
        "multiprocessing.queues",
        "multiprocessing.synchronize",
        "subprocess",
    }
)
"""Modules that measure a real wait with `time.monotonic`, or poll the system with `time.sleep`."""


class Rebinding:
    """Binds early imports (`from time import sleep`) to the stand-ins, and defaults (`sleep=time.sleep`).

    Searched are the attributes of the user's modules, those of their classes, and the defaults of the
    functions in both. What a closure, an instance or a container holds is not found. Other modules keep the
    real functions, also those that are loaded later and so were given a stand-in; modules that wait for the
    system itself are given `real` in place of the module `time`.
    """

    def __init__(self, stand_ins: Mapping[Function, Function], real: ModuleType) -> None:
        self._forth = {id(function): stand_in for function, stand_in in stand_ins.items()}
        self._back = {id(stand_in): function for function, stand_in in stand_ins.items()}
        self._real = real
        self._waiters: list[tuple[dict[str, Any], object]] = []
        self._seen: dict[str, int] = {}
        self._loaded = 0
        self._touched: list[tuple[str, ModuleType]] = []

    def scan(self) -> None:
        """Bind what the modules hold that were loaded since the last scan; next to nothing if none was."""
        if len(sys.modules) == self._loaded:
            return
        first = not self._loaded
        for name, module in list(sys.modules.items()):
            if self._seen.get(name) != id(module):
                self._seen[name] = id(module)
                if name != "time":
                    self._meet(name, module, first=first)
        self._loaded = len(sys.modules)

    def _meet(self, name: str, module: object, *, first: bool) -> None:
        if not isinstance(module, ModuleType):  # anything may be put there
            return
        held = _held_by(module)
        searched = _is_searched(name, held.get("__file__"))
        if name in _REAL_WAITERS and isinstance(held.get("time"), ModuleType):
            self._waiters.append((held, held["time"]))
            held["time"] = self._real
        if searched or not first:
            self._touched.append((name, module))
            _swap(name, held, self._forth if searched else self._back)

    def restore(self) -> None:
        """Bind the real functions again everywhere, also in modules that were loaded in the meantime."""
        self.scan()
        for name, module in self._touched:
            _swap(name, _held_by(module), self._back)
        for held, before in self._waiters:
            held["time"] = before
        self._touched.clear()
        self._waiters.clear()


def _held_by(module: ModuleType) -> dict[str, Any]:
    """The names of a module. Not `vars(module)`, which would wake up one that is to be loaded lazily."""
    held: dict[str, Any] = ModuleType.__getattribute__(module, "__dict__")
    return held


def _is_searched(name: str, file: object) -> bool:
    if name == "__main__" or name.partition(".")[0] in _RETRYING:
        return True
    return isinstance(file, str) and not is_foreign(file)


def _swap(name: str, held: dict[str, Any], to: Mapping[int, Function]) -> None:
    for key, value in list(held.items()):
        if id(value) in to:
            held[key] = to[id(value)]
        elif isinstance(value, FunctionType):
            _swap_defaults(value, to)
        elif isinstance(value, type) and value.__module__ == name:
            _swap_in_class(value, to)


def _swap_in_class(owner: type, to: Mapping[int, Function]) -> None:
    for key, value in list(vars(owner).items()):
        inner = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
        if id(inner) in to:
            setattr(owner, key, staticmethod(to[id(inner)]) if inner is not value else to[id(inner)])
        elif isinstance(inner, FunctionType):
            _swap_defaults(inner, to)


def _swap_defaults(function: FunctionType, to: Mapping[int, Function]) -> None:
    defaults, by_name = function.__defaults__, function.__kwdefaults__
    if defaults and any(id(value) in to for value in defaults):
        function.__defaults__ = tuple(to.get(id(value), value) for value in defaults)
    if by_name and any(id(value) in to for value in by_name.values()):
        function.__kwdefaults__ = {name: to.get(id(value), value) for name, value in by_name.items()}
