"""One call with retries, and what is known after it: done, refused, or unknown."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sagaproof import ToolError

__all__ = ["FAILURES", "Answer", "Result", "send"]

Answer = Mapping[str, Any]

FAILURES = (ToolError, OSError)
"""What a call raises that does not succeed: an error status, or a timeout, reset or refused connection."""


class Result(NamedTuple):
    """`state` is done, refused (no attempt can have got through) or unknown; `code` that of the refusal."""

    state: str
    answer: Answer = MappingProxyType({})
    code: str = ""
    error: str = ""

    @property
    def is_undone(self) -> bool:
        """Of an undo: whether it is known that there is nothing left to undo."""
        return self.state == "done" or self.code == "not_found" or self.code.startswith("already_")


def send(call: Callable[[int], Answer], attempts: int) -> Result:
    """Call until it is answered, each time with the number of the attempt; a refusal ends it.

    After an attempt that may have got through, a refusal is no proof that nothing was done.
    """
    doubt, wait_s = "", 0.0
    for attempt in range(1, attempts + 1):
        if attempt > 1:
            time.sleep(max(wait_s, 2.0**attempt))
        try:
            answer = call(attempt)
        except ToolError as error:
            problem, wait_s = str(error), float(error.retry_after or 0)
            if 400 <= error.status < 500 and error.status != 429:
                return Result("unknown" if doubt else "refused", code=error.code, error=doubt or problem)
        except OSError as error:
            problem = f"{type(error).__name__}: {error}"
        else:
            if "error" not in answer:
                return Result("done", answer)
            problem = str(answer["error"])
        doubt = doubt or problem
    return Result("unknown", error=doubt)
