"""States that a test should reach: required by pyproject.toml, the decorator and the command line."""

from __future__ import annotations

from typing import Any

import pytest

HEAD = "from sagaproof import explore\nfrom sagaproof.sometimes import Sometimes\nfrom shop import *\n"
OWN = (
    "LISTED = Sometimes('listed', (('a look', lambda history: history.calls), "
    "('a second', lambda history: len(history.calls) > 1)))\n"
)
TEST = HEAD + OWN + "@explore({})\ndef test_it(world):\n    return read_only()\n"
TOML = '[tool.sagaproof]\nsystems = ["shop:Shop"]\nfaults = 1\n'


@pytest.mark.parametrize(
    ("toml", "decorator", "line", "missed"),
    [
        ("", "", [], False),
        ("require_sometimes = true", "", [], True),
        ("require_sometimes = ['listed']", "", [], True),
        ("require_sometimes = ['full-unwind']", "", [], False),
        ("require_sometimes = true", "require_sometimes=False", [], False),
        ("", "require_sometimes=['listed']", [], True),
        ("", "require_sometimes=['listed']", ["--saga-require-sometimes=none"], False),
        ("", "", ["--saga-require-sometimes=all"], True),
        ("", "", ["--saga-require-sometimes=full-unwind,listed"], True),
    ],
)
def test_the_nearest_setting_says_what_is_required(
    example: Any, toml: str, decorator: str, line: list[str], *, missed: bool
) -> None:
    test = TEST.format(f"sometimes=[LISTED], {decorator}")
    ran = example({"pyproject.toml": TOML + toml, "test_it": test}).run("-v", *line)

    ran.came_to(1 if missed else 0, **({"failed": 1} if missed else {"passed": 1}))
    ran.says("sometimes 0 of 1 reached; not: listed (1/2)")
    if missed:
        ran.says(
            "incomplete: sometimes listed was never reached: 1 of 2, 'a look' under no fault, but no run"
        )


def test_a_text_that_is_no_choice_is_refused(example: Any) -> None:
    files = {"pyproject.toml": TOML + "require_sometimes = 3", "test_it": TEST.format("")}
    example(files).run().says("require_sometimes")
