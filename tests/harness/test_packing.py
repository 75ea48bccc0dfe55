"""What a process hands over: values as they are, systems by name, and a text for what cannot travel."""

from __future__ import annotations

import io
import pickle
import threading
from types import MappingProxyType
from typing import Any

import pytest

from sagaproof._taps.packing import Absent, Packer, Unpacker
from sagaproof._world.system import System
from sagaproof._world.world import World
from sagaproof.errors import InternalError


class Shop(System):
    """A system without operations."""

    name = "shop"


@pytest.fixture
def here() -> World:
    """The world of the process that reads."""
    return World([Shop()])


@pytest.fixture
def there() -> World:
    """The same in the process that is about to be killed."""
    return World([Shop()])


def _packed(value: object, world: World) -> bytes:
    file = io.BytesIO()
    Packer(file, world).dump(value)
    return file.getvalue()


def _carried(value: object, there: World, here: World) -> Any:
    return Unpacker(io.BytesIO(_packed(value, there)), here).load()


def test_a_system_and_its_world_are_those_of_the_process_that_reads(here: World, there: World) -> None:
    shop, world = _carried((there.systems["shop"], there), there, here)
    assert shop is here.systems["shop"]
    assert world is here


def test_a_system_of_another_world_is_copied(here: World, there: World) -> None:
    shop = _carried(Shop(), there, here)
    assert isinstance(shop, Shop)
    assert shop is not here.systems["shop"]


def test_what_cannot_be_copied_leaves_its_text(here: World, there: World) -> None:
    lock, nameless = threading.Lock(), lambda: None
    assert _carried([lock, nameless, 1], there, here) == [Absent(repr(lock)), Absent(repr(nameless)), 1]


def test_an_object_that_refuses_to_be_copied_leaves_its_text(here: World, there: World) -> None:
    assert _carried(Stubborn(), there, here) == Absent("<stubborn>")


def test_a_view_of_a_mapping_is_one_again(here: World, there: World) -> None:
    view = _carried(MappingProxyType({"a": (1, 2)}), there, here)
    assert isinstance(view, MappingProxyType)
    assert view == {"a": (1, 2)}


def test_what_speaks_of_systems_is_not_read_without_a_world(there: World) -> None:
    with pytest.raises(InternalError, match="shop is unpacked without a world"):
        pickle.loads(_packed(there.systems["shop"], there))


class Stubborn:
    """Raises what it likes when it is copied."""

    def __reduce_ex__(self, _protocol: object) -> tuple[Any, ...]:
        raise RuntimeError

    def __repr__(self) -> str:
        return "<stubborn>"
