"""What a process hands over, as bytes: by name what is there already, by its text what cannot be copied."""

from __future__ import annotations

import io
import pickle
import sys
from collections.abc import Hashable
from functools import cache
from types import BuiltinFunctionType, FunctionType, MappingProxyType
from typing import Any, NoReturn, cast

from sagaproof._world.system import System
from sagaproof._world.world import World
from sagaproof.errors import InternalError

__all__ = ["Absent", "Packer", "Unpacker"]


class Absent:
    """What could not leave its process, by its text: two are equal if that is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Absent) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __call__(self, *_args: object, **_kwargs: object) -> Absent:
        """Stand in for what a class or a function that is absent would have made."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Absent, (self.text,)

    def __setstate__(self, _state: object) -> None:
        """There is nothing that it could be the state of."""


class Packer(pickle.Pickler):
    """Names systems instead of copying them, and leaves a text for what cannot be copied.

    It is asked only about what pickle has no format of its own for: to be asked about each number of a long
    state, as by `persistent_id`, would take longer than to write it.
    """

    def __init__(self, file: io.BytesIO, world: World) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._world = world

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, System | World) and (name := self._name(obj)) is not None:
            return _of_this_process, (name,)
        if isinstance(obj, MappingProxyType):
            return _view, (dict(obj),)
        named = isinstance(obj, type | FunctionType | BuiltinFunctionType)
        if not _is_found_again(obj if named else cast("Hashable", type(obj))):
            return Absent, (repr(obj),)
        if named or isinstance(obj, tuple):
            return NotImplemented
        try:
            return obj.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        except Exception:  # noqa: BLE001  # whatever an object of the user's says to being copied
            return Absent, (repr(obj),)

    def _name(self, obj: System | World) -> str | None:
        """The name by which the other process has it: empty for the world, None for what is not of it."""
        if obj is self._world:
            return ""
        return obj.name if isinstance(obj, System) and self._world.systems.get(obj.name) is obj else None


class Unpacker(pickle.Unpickler):
    """Reads what a `Packer` wrote, with the systems of this process in the place of those."""

    def __init__(self, file: io.BytesIO, world: World) -> None:
        super().__init__(file)
        self._world = world

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        if found is _of_this_process:
            return self._named
        _is_found_again(found)  # kept here, or each process that is forked would have to find it out itself
        return found

    def _named(self, name: str) -> World | System:
        return self._world.systems[name] if name else self._world


def _view(mapping: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Make a view, whose class is not in the module that it names, and so would not be found again."""
    return MappingProxyType(mapping)


def _of_this_process(name: str) -> NoReturn:
    """Stands for a world or a system of it in what is packed; an unpacker puts its own in its place."""
    raise InternalError(f"{name or 'a world'} is unpacked without a world")


@cache
def _is_found_again(named: Any) -> bool:
    """Whether a class or a function is the one that its module has under its name."""
    found: Any = sys.modules.get(getattr(named, "__module__", None) or "")
    for part in getattr(named, "__qualname__", "").split("."):
        found = getattr(found, part, None)
    return found is named
