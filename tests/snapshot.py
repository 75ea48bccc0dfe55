"""Texts that users see, kept as files: a change of one is seen in a review.

With SAGAPROOF_SNAPSHOTS=write they are written anew instead.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["FOLDER", "require_kept"]

FOLDER: Final = Path(__file__).with_name("snapshots")


def require_kept(name: str, text: str) -> None:
    """Fail unless this text is what is kept under `name`, a path below the folder without its ending."""
    path = FOLDER / f"{name}.txt"
    text = "".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines())
    if os.environ.get("SAGAPROOF_SNAPSHOTS") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), (
        f"{name} is not kept. Run the test with SAGAPROOF_SNAPSHOTS=write and read what it wrote"
    )
    assert text == path.read_text(encoding="utf-8"), (
        f"{name} has changed. If that is meant, run the test with SAGAPROOF_SNAPSHOTS=write"
    )
