"""Errors on their way from one process to another: as values, whatever their classes make of being copied."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Iterator

from sagaproof.errors import InternalError, SagaproofError

__all__ = ["as_error", "as_value"]


def as_value(error: BaseException) -> bytes:
    """An error in a form in which it can travel; its class goes by its name."""
    told = "".join(traceback.format_exception(error))
    kind = type(error)
    name = (kind.__module__, kind.__qualname__)
    text = f"{kind.__name__}: {error}"
    try:
        value = pickle.dumps((name, error.args, vars(error), text, told))
        pickle.loads(value)  # noqa: S301  # our own bytes
    except Exception:  # noqa: BLE001  # the error is the user's, and may say anything to this
        return pickle.dumps((None, (), {}, text, told))
    return value


def as_error(value: bytes) -> BaseException:
    """The error, if its class is known here, else one of ours with its text."""
    name, args, attributes, text, told = pickle.loads(value)  # noqa: S301  # our own bytes
    kind = next((k for k in _kinds(BaseException) if (k.__module__, k.__qualname__) == name), None)
    if kind is None:
        return InternalError(f"a process of the saga ended with {text}", advice=told)
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    if not isinstance(error, SagaproofError):
        error.add_note(told)
    return error


def _kinds(base: type[BaseException]) -> Iterator[type[BaseException]]:
    """A class of errors and all below it, also those that pretend to be of another module (pytest's do)."""
    yield base
    for kind in base.__subclasses__():
        yield from _kinds(kind)
