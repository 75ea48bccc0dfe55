"""Desks: where a case goes so that a person gets to know."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Final, Protocol, TypeAlias, runtime_checkable

from sagaproof.saga.case import Case

__all__ = ["CallableDesk", "Desk", "LogDesk", "Opened"]

Opened: TypeAlias = str | Awaitable[str | None] | None
"""The desk's own reference for the case, if it has one; an awaitable of it where the desk is async."""

_LOG: Final = logging.getLogger("sagaproof.saga.desk")


@runtime_checkable
class Desk(Protocol):
    """Takes cases. It is asked again, with the same key, until it has answered once without an error."""

    def open(self, case: Case, key: str) -> Opened:
        """Tell a person; with a key that is known already, do nothing. Raises if nobody was told."""


class CallableDesk:
    """A desk made of a function of case and key, sync or async as the runtime is."""

    def __init__(self, fn: Callable[[Case, str], Opened]) -> None:
        # Kept as it is: an async function is to be seen as one, and not sent to a thread.
        self.open = fn


class LogDesk:
    """Write cases to a log as errors: a start, until a person is really told.

    The default logger is "sagaproof.saga.desk", which without any logging set up writes to stderr. A case
    that is sent again is written again, with its key.
    """

    def __init__(self, logger: logging.Logger | None = None) -> None:
        self._logger = logger or _LOG

    def open(self, case: Case, key: str) -> None:
        """Write the whole text; see `Desk.open`."""
        self._logger.error("case %s\n%s", key, case.text())
