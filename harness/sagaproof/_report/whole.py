"""Files that are whole or absent: nobody ever sees half a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from sagaproof._report.console import as_text
from sagaproof._report.html import as_html
from sagaproof._report.json_file import as_json
from sagaproof._report.schema import Report
from sagaproof.errors import UsageError, suggest

__all__ = ["FORMATS", "write_reports", "write_whole"]

_MAKERS: Final[Mapping[str, tuple[str, Callable[[Report], str]]]] = {
    "json": ("report.json", as_json),
    "html": ("report.html", as_html),
    "text": ("console.txt", as_text),
}
FORMATS: Final = tuple(_MAKERS)
"""The formats that can be written."""

_ANOTHER_FOLDER: Final = "Choose another folder, or make this one writable."


def write_reports(report: Report, folder: Path, formats: Iterable[str] = FORMATS) -> list[Path]:
    """Write the report into the folder, which is made, and give the paths in the order of `formats`.

    All formats are made before the first is put in its place. Raises `UsageError` for an unknown format or
    a folder that cannot be written to; files that were there before are then as they were.
    """
    texts: dict[Path, str] = {}
    for name in formats:
        if name not in _MAKERS:
            raise UsageError(f"there is no format {name!r}", advice=suggest(name, FORMATS))
        file, make = _MAKERS[name]
        texts[folder / file] = make(report)
    write_whole(texts)
    return list(texts)


def write_whole(texts: Mapping[Path, str], advice: str = _ANOTHER_FOLDER) -> None:
    """Write each text to its path: first all beside their places, then each into its place at once.

    Raises `UsageError` with that advice if it cannot be done. Nothing half written stays behind, after an
    interruption neither.
    """
    path = Path()
    with ExitStack() as left_over:
        try:
            drafts = {}
            for path, text in texts.items():
                drafts[path] = _draft(path, text, left_over)
            for path, draft in drafts.items():
                draft.replace(path)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}", advice=advice) from error


def _draft(path: Path, text: str, left_over: ExitStack) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    left_over.callback(draft.unlink, missing_ok=True)
    with draft.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return draft
