"""The summary of a step on GitHub: a file that all commands of the step append Markdown to."""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["append_summary"]

_BYTES_MAX: Final = 1024 * 1024
"""GitHub shows nothing of a larger file."""


def append_summary(path: Path, text: str) -> str:
    """Append a text whole, or leave the file as it is; then what stands in the way, else an empty text."""
    data = (text.rstrip("\n") + "\n\n").encode()
    try:
        there = path.stat().st_size if path.exists() else 0
        if there + len(data) > _BYTES_MAX:
            return f"{path} has no room for {len(data)} bytes more, nothing was written"
        with path.open("ab", buffering=0) as file:  # one write: others append as well
            file.write(data)
    except OSError as error:
        return f"{path} cannot be written: {error.strerror}"
    return ""
