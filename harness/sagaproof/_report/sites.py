"""Places in the user's code, as a reader wants them: below the working folder, or by file name only."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Final

__all__ = ["Sites"]

_ROOTED: Final = re.compile(r"(?<![\w./:-])(?:[A-Za-z]:)?[/\\](?:[^:<>\"'\n]*[/\\])?(?=[\w.@+-]+\.py\b)")
"""An absolute folder, which may have blanks in it, before the name of a source file."""

_FOLDERS: Final = re.compile(r"(?<![\w./-])(?:[A-Za-z]:)?(?:[\w.@+~-]*[/\\])+(?=[\w.@+-]+\.py\b)")


class Sites:
    """Shortens the paths of a report. With `stable` only file names are left: the same on every machine."""

    def __init__(self, *, stable: bool, folder: str | None = None) -> None:
        self._stable = stable
        self._folder = (os.getcwd() if folder is None else folder).rstrip(os.sep) + os.sep  # noqa: PTH109
        self.short = lru_cache(maxsize=4096)(self._short)

    def _short(self, text: str) -> str:
        """The text with each path in it shortened."""
        if self._stable:
            return _FOLDERS.sub("", _ROOTED.sub("", text))
        return text.replace(self._folder, "") if self._folder != os.sep else text
