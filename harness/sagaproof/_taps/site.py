"""Where in the user's code a call was made."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

__all__ = ["caller_site", "is_foreign"]

_HERE: Final = str(Path(__file__).resolve().parent.parent)
_FOREIGN: Final = tuple(
    {_HERE, *(sysconfig.get_paths()[name] for name in ("purelib", "platlib", "stdlib", "platstdlib"))}
)
_verdicts: dict[CodeType, bool] = {}


def caller_site() -> str:
    """`file:line` of the innermost frame that belongs to neither sagaproof nor an installed library."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        foreign = _verdicts.get(code)
        if foreign is None:
            foreign = _verdicts[code] = is_foreign(code.co_filename)
        if not foreign:
            return f"{code.co_filename}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def is_foreign(filename: str) -> bool:
    """Whether a source file belongs to the standard library, an installed package or sagaproof itself."""
    return filename.startswith((*_FOREIGN, "<"))
