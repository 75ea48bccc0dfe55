"""Where in the user's code a call was made."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path
from types import FrameType
from typing import Final

__all__ = ["caller_site", "is_foreign"]

_HERE: Final = str(Path(__file__).resolve().parent.parent)
_FOREIGN: Final = tuple(
    {_HERE, *(sysconfig.get_paths()[name] for name in ("purelib", "platlib", "stdlib", "platstdlib"))}
)


def caller_site() -> str:
    """`file:line` of the innermost frame that belongs to neither sagaproof nor an installed library.

    If the user's code called it from somewhere else of the user's, that place follows after ` < `: a saga
    that sends everything through one function would otherwise have one place for all of its calls.
    Frames are told apart by the file of their module and only those that are left are asked for their code:
    each look at the code of a frame is an audit event.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # made for this
    place = ""
    while frame is not None:
        if not _verdicts[frame.f_globals.get("__file__")]:
            code = frame.f_code
            if not _verdicts[code.co_filename]:
                here = f"{code.co_filename}:{frame.f_lineno}"
                if place and here != place:
                    return f"{place} < {here}"
                place = here
        elif place:
            return place  # called back by a library: who started that is another story
        frame = frame.f_back
    return place


class _Verdicts(dict[str | None, bool]):
    """Whether a file is foreign, found out when it is first asked; a module without a file is not."""

    def __missing__(self, file: str | None) -> bool:
        foreign = self[file] = is_foreign(str(file))
        return foreign


_verdicts: Final = _Verdicts({None: False})


def is_foreign(filename: str) -> bool:
    """Whether a source file belongs to the standard library, an installed package or sagaproof itself."""
    return filename.startswith((*_FOREIGN, "<"))
