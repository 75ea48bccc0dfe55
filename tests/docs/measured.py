"""Fills in what a self-check came to in docs/selfcheck.md: `./dev exec python tests/docs/measured.py`.

It takes about a minute, so it is no part of `generate.py`; the test of the planted bugs, which runs them all
anyway, says when the page is out of date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from sagaproof._doors.cli_output import Output
from sagaproof._doors.cli_selfcheck import checked
from sagaproof._report.selfcheck_text import MATRIX, matrix, summary
from sagaproof._search.ablation import SelfCheck
from sagaproof._search.selfcheck import Fate

PAGE: Final = Path(__file__).parents[2] / "docs" / "selfcheck.md"
COMMAND: Final = "./dev exec python tests/docs/measured.py"

_PART = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, result: SelfCheck) -> str:
    """The text of the page with what this self-check came to."""
    return _PART.sub(lambda part: f"{part[1]}\n{_measured(result)}\n\n{part[2]}", text)


def _measured(result: SelfCheck) -> str:
    killed = len(result.of(Fate.KILLED))
    rows = ([w.family, f"{w.killed} of {killed}", " ".join(w.missed)] for w in result.ablation)
    controls = ([t.planted.id, t.planted.story, str(t.runs)] for t in result.controls)
    parts = (
        f"**{summary(result)}.**",
        _table(MATRIX, map(_code, matrix(result))),
        _table(("without", "killed", "missed"), rows),
        _table(("control", "what is right about it", "runs, k<=2"), controls),
    )
    return "\n\n".join(parts)


def _code(row: Sequence[str]) -> list[str]:
    *first, plan, seen = row
    return [*first, f"`{plan.replace(chr(10), ',')}`", seen.replace("\n", ", ")]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows))


if __name__ == "__main__":
    PAGE.write_text(
        filled(PAGE.read_text(encoding="utf-8"), checked((), Output(as_json=True))), encoding="utf-8"
    )
    sys.stdout.write(f"{PAGE} is up to date again\n")
