"""Which threads are at work, and which only wait in a pool for work that nobody has given them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from types import FrameType
from typing import Final

from sagaproof._run.where import frames_of, stacks

__all__ = ["busy_threads", "is_idle"]

_WAITING: Final = ("/threading.py", "/queue.py")


def busy_threads(besides: AbstractSet[int] = frozenset()) -> frozenset[int]:
    """The idents of the threads at work, `besides` left out; the calling one counts as at work."""
    return frozenset(
        ident for ident, frame in stacks().items() if ident not in besides and not is_idle(frame)
    )


def is_idle(frame: FrameType) -> bool:
    """Whether a thread with this innermost frame is a pool's worker without work.

    Known are the pools of concurrent.futures (so asyncio's) and of anyio; all others are at work.
    """
    queued = False
    for inner in frames_of(frame):
        code = inner.f_code
        if not code.co_filename.endswith(_WAITING):
            if code.co_name == "_worker":
                return code.co_filename.endswith("concurrent/futures/thread.py")
            return (
                queued and code.co_name == "run" and code.co_filename.endswith("anyio/_backends/_asyncio.py")
            )
        queued = queued or code.co_filename.endswith("/queue.py")
    return False
