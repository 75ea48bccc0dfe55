"""Reading what a saga says of itself, and the errors that reached its caller."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

from sagaproof._model.claim import Claim, ErrorLink
from sagaproof.errors import SagaproofError, UsageError

__all__ = ["error_links", "read_claim"]

_WORDS: Final = f"one of {', '.join(Claim)}"


def read_claim(value: object, claim: Callable[[Any], object] | None = None) -> Claim:
    """The claim in a returned value: a `Claim`, its name, an object whose `.status` is one, or None.

    None means completed. `claim` translates other values first. Raises `UsageError` for anything else, for
    a translation that raises, and for one that has no word for what was returned.
    """
    said = value if claim is None else _translated(value, claim)
    if said is None:
        return Claim.COMPLETED
    named = getattr(said, "status", said)
    named = getattr(named, "value", named)
    if isinstance(named, str):
        try:
            return Claim(named.lower())
        except ValueError:
            pass
    if claim is not None:
        raise UsageError(f"claim= made {said!r} of {value!r}, which is no claim", advice=f"Return {_WORDS}.")
    raise UsageError(
        f"the saga returned {value!r}, which is no claim",
        advice=f"Return None or {_WORDS}, or translate it with claim=.",
    )


def _translated(value: object, claim: Callable[[Any], object]) -> object:
    """What `claim` makes of it. Its own errors are none of the saga, or a slip would pass as *raised*."""
    try:
        said = claim(value)
    except (AssertionError, SagaproofError):
        raise
    except Exception as error:
        raise UsageError(
            f"claim= raised {type(error).__name__} ({error}) for {value!r}",
            advice=f"Have it return {_WORDS}, for whatever the saga may return.",
        ) from error
    if said is None and value is not None:
        raise UsageError(
            f"claim= returned None for {value!r}", advice=f"Have it return {_WORDS} for it, too."
        )
    return said


def error_links(error: BaseException) -> tuple[ErrorLink, ...]:
    """The chain of an exception, newest first: itself, its causes, and the members of its groups."""
    links: list[ErrorLink] = []
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        links.append(ErrorLink(type(current).__name__, _text_of(current), _call_of(current)))
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        if current.__cause__ is not None:
            waiting.append(current.__cause__)
        elif current.__context__ is not None and not current.__suppress_context__:
            waiting.append(current.__context__)
    return tuple(links)


def _text_of(error: BaseException) -> str:
    """The text of an exception, also of one that cannot say it."""
    try:
        return str(error)
    except Exception as broken:  # noqa: BLE001  # the code of the exception is the user's
        return f"(its text raised {type(broken).__name__})"


def _call_of(error: BaseException) -> int | None:
    """The logical call whose failure an exception is: marked by a tap, or carried by its response."""
    marked = getattr(error, "sagaproof_call", None)
    if isinstance(marked, int):
        return marked
    carried = _mark_of(getattr(error, "response", None))
    return _call_read_by(error.__traceback__) if carried is None else carried


def _mark_of(response: object) -> int | None:
    """The mark that a tap left on a response, if this is one."""
    extensions = getattr(response, "extensions", None)
    found = extensions.get("sagaproof_call") if isinstance(extensions, dict) else None
    return found if isinstance(found, int) else None


def _call_read_by(trace: TracebackType | None) -> int | None:
    """The call whose answer was being read when an error came up: a body that is no JSON, say."""
    found = None
    while trace is not None:
        mark = _mark_of(trace.tb_frame.f_locals.get("self"))
        found = found if mark is None else mark
        trace = trace.tb_next
    return found
