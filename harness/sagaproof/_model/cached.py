"""Views that are worked out once: `functools.cached_property` without its lock, which Python 3.12 dropped.

A campaign asks for some twenty views of each of thousands of histories, and no two threads share one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

__all__ = ["cached"]

T = TypeVar("T")


class cached(Generic[T]):  # noqa: N801  # reads as the decorator that it is
    """A method without arguments as an attribute that is worked out when it is first asked for."""

    def __init__(self, work_out: Callable[[Any], T]) -> None:
        self._work_out = work_out
        self._name = ""
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object, owner: type) -> T | cached[T]:
        if instance is None:
            return self
        value = self._work_out(instance)
        instance.__dict__[self._name] = value
        return value
