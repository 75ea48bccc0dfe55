"""Fills in what other means find, in two pages: `./dev exec python tests/docs/compared.py`.

It takes some minutes, and what Hypothesis draws is another thing with another version of it. So the figures
are not measured again in each run of the tests, which look at their form, and at which bugs there are.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from sagaproof._doors.cli_comparison import EXAMPLES, SEEDS, comparison
from sagaproof._doors.cli_output import Output
from sagaproof._doors.cli_selfcheck import checked
from sagaproof._machine.comparison import Comparison
from sagaproof._report.comparison_text import head, rows, summary, totals

REPO: Final = Path(__file__).parents[2]
PAGE: Final = REPO / "docs" / "selfcheck.md"
README: Final = REPO / "README.md"
COMMAND: Final = "./dev exec python tests/docs/compared.py"

PART: Final = re.compile(
    r"(?P<begin>^ *<!-- compared -->\n)(?P<text>.*?)(?P<end>^ *<!-- end -->)", re.DOTALL | re.MULTILINE
)


def with_table(text: str, result: Comparison) -> str:
    """The text of the page with what was compared."""
    table = _table(head(result), [*rows(result), _bold(totals(result))])
    *_, controls = summary(result)
    return _filled(text, f"\n**{sentence(result)}**\n\n{table}\n\n{controls[0].upper()}{controls[1:]}.\n\n")


def with_sentence(text: str, result: Comparison) -> str:
    """The text of the README with the figures alone."""
    lines = textwrap.wrap(sentence(result), 108, initial_indent="  ", subsequent_indent="  ")
    return _filled(text, "\n".join(lines) + "\n")


def sentence(result: Comparison) -> str:
    """How many bugs each means kills."""
    drawn = " and ".join(
        f"{result.spread(n).least} to {result.spread(n).most} with {n} examples" for n in result.examples
    )
    return (
        f"Of {len(result.bugs)} planted bugs all plans with up to two faults show {result.explored}, "
        f"single errors {result.errors}, a plain Hypothesis test {drawn} (of {len(result.seeds)} seeds)."
    )


def _filled(text: str, part: str) -> str:
    return PART.sub(lambda match: match["begin"] + part + match["end"], text)


def _bold(cells: Sequence[str]) -> list[str]:
    return [f"**{cell}**" for cell in cells]


def _table(first: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    return "\n".join("| " + " | ".join(line) + " |" for line in (first, ["---"] * len(first), *lines))


if __name__ == "__main__":
    output = Output(as_json=True)
    measured = comparison(checked((), output, with_ablation=False), EXAMPLES, SEEDS, output)
    for path, fill in ((PAGE, with_table), (README, with_sentence)):
        path.write_text(fill(path.read_text(encoding="utf-8"), measured), encoding="utf-8")
        sys.stdout.write(f"{path} is up to date again\n")
