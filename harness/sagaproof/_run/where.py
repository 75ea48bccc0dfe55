"""Where a stack or a task stands in the user's code, for messages about what hangs or waits."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from functools import lru_cache
from types import FrameType
from typing import Any

from sagaproof._taps.site import is_foreign

__all__ = ["frames_of", "is_of_user", "place", "site_of_frame", "site_of_task", "sites_of_loop", "stacks"]

_is_foreign = lru_cache(maxsize=4096)(is_foreign)


def place(frame: FrameType) -> str:
    """`file:line` of a frame."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def stacks() -> dict[int, FrameType]:
    """The innermost frame of each thread, by ident: also of threads that `threading` does not know."""
    return sys._current_frames()  # noqa: SLF001  # documented, in spite of its name


def is_of_user(frame: FrameType) -> bool:
    """Whether a frame belongs to neither sagaproof, nor the standard library, nor an installed package."""
    return not _is_foreign(frame.f_code.co_filename)


def frames_of(frame: FrameType | None, until: FrameType | None = None) -> Iterator[FrameType]:
    """The frames of a stack, innermost first, without `until` and what called it."""
    while frame is not None and frame is not until:
        yield frame
        frame = frame.f_back


def site_of_frame(frame: FrameType, until: FrameType | None = None) -> str:
    """`file:line` of the innermost frame of the user's, or of the tasks that a loop in the stack waits for.

    The innermost frame of all if there is neither.
    """
    for inner in frames_of(frame, until):
        if is_of_user(inner):
            return place(inner)
        if inner.f_code.co_name == "run_forever":
            loop = inner.f_locals.get("self")
            sites = sites_of_loop(loop) if isinstance(loop, asyncio.AbstractEventLoop) else ""
            if sites:
                return sites
    return place(frame)


def sites_of_loop(loop: asyncio.AbstractEventLoop, first: asyncio.Future[Any] | None = None) -> str:
    """Where the tasks of a loop wait, `file:line` joined by commas, that of the task `first` in front."""
    sites = {site_of_task(task) for task in asyncio.all_tasks(loop)} - {""}
    front = site_of_task(first) if isinstance(first, asyncio.Task) and not first.done() else ""
    return ", ".join(sorted(sites, key=lambda site: (site != front, site)))


def site_of_task(task: asyncio.Task[Any]) -> str:
    """`file:line` of the innermost `await` of the user's in a task; of its outermost if none is theirs."""
    frames = list(_awaiting(task.get_coro()))
    for frame in reversed(frames):
        if is_of_user(frame):
            return place(frame)
    return place(frames[0]) if frames else ""


def _awaiting(coroutine: Any) -> Iterator[FrameType]:
    """The suspended frames of a coroutine and of what it awaits, outermost first."""
    while coroutine is not None:
        for kind, inner in (("cr", "cr_await"), ("gi", "gi_yieldfrom"), ("ag", "ag_await")):
            frame = getattr(coroutine, f"{kind}_frame", None)
            if isinstance(frame, FrameType):
                yield frame
                coroutine = getattr(coroutine, inner)
                break
        else:
            return
