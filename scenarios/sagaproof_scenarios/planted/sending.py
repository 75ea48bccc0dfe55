"""One call with retries, and what is known after it: done, refused, or unknown."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sagaproof import ToolError

__all__ = ["FAILURES", "KEY_LIFETIME_S", "Answer", "Result", "send"]

Answer = Mapping[str, Any]

KEY_LIFETIME_S = 24 * 3600.0
"""How long the services remember a key."""

FAILURES = (ToolError, OSError)
"""What a call raises that does not succeed: an error status, or a timeout, reset or refused connection."""


class Result(NamedTuple):
    """`state` is done, refused (no attempt can have got through), unknown or lapsed; `code` of a refusal.

    Lapsed is unknown for so long that the service has forgotten the key: nothing can be found out by it.
    """

    state: str
    answer: Answer = MappingProxyType({})
    code: str = ""
    error: str = ""

    @property
    def is_undone(self) -> bool:
        """Of an undo: whether it is known that there is nothing left to undo."""
        return self.state == "done" or self.code == "not_found" or self.code.startswith("already_")


def send(
    call: Callable[[int], Answer], attempts: int, *, needs: str = "", since: float | None = None
) -> Result:
    """Call until it is answered, each time with the number of the attempt; a refusal ends it.

    After an attempt that may have got through, a refusal is no proof that nothing was done. An answer without
    the field that it `needs` may mean anything: that it was only accepted, or that it was done. `since` is
    when, by `time.monotonic`, the call was first made: it is not repeated once the service may have
    forgotten its key.
    """
    doubt, wait_s = "", 0.0
    since = time.monotonic() if since is None else since
    for attempt in range(1, attempts + 1):
        if attempt > 1:
            time.sleep(max(wait_s, 2.0**attempt))
        if time.monotonic() - since >= KEY_LIFETIME_S:
            return Result("lapsed", error=doubt or "its key is too old")
        try:
            answer = call(attempt)
        except ToolError as error:
            problem, wait_s = str(error), float(error.retry_after or 0)
            if 400 <= error.status < 500 and error.status != 429 and error.code != "key_in_use":
                return Result("unknown" if doubt else "refused", code=error.code, error=doubt or problem)
        except OSError as error:
            problem = f"{type(error).__name__}: {error}"
        else:
            if "error" not in answer and (not needs or answer.get(needs) is not None):
                return Result("done", answer)
            problem = str(answer.get("error", f"the answer has no {needs}"))
        doubt = doubt or problem
    return Result("unknown", error=doubt)
