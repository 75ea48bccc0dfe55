"""What the pages say of other means adds up, and speaks of the bugs that there are."""

from __future__ import annotations

import re
import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from sagaproof._doors.cli_comparison import EXAMPLES, SEEDS
from sagaproof._doors.registry import planted
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._machine.compare import shows_in_a_run
from sagaproof._machine.comparison import Comparison, Row

SCRIPT: Final = runpy.run_path(str(Path(__file__).with_name("compared.py")))
STALE: Final = f"out of date. Run: {SCRIPT['COMMAND']}"
FRAME: Final = {"bug", "---", "**killed**"}
SEEN: Final = re.compile(r"(\d) of (\d)(?:, run (\d+))?")


def part(path: Path) -> str:
    match = SCRIPT["PART"].search(path.read_text(encoding="utf-8"))
    assert match is not None
    return str(match["text"])


@pytest.fixture
def table() -> Mapping[str, list[str]]:
    """The cells behind each bug."""
    lines = [line for line in part(SCRIPT["PAGE"]).splitlines() if line.startswith("| ")]
    rows = [line.strip("| ").split(" | ") for line in lines]
    return {first: rest for first, *rest in rows}


@pytest.fixture
def rows(table: Mapping[str, list[str]]) -> list[list[str]]:
    return [cells for name, cells in table.items() if name not in FRAME]


def seeds_that_saw(cell: str) -> int:
    match = SEEN.fullmatch(cell)
    assert match is not None, cell
    saw, of = int(match[1]), int(match[2])
    assert of == SEEDS
    assert (saw > 0) == (match[3] is not None)
    return saw


def test_each_bug_that_shows_in_a_run_has_a_row(table: Mapping[str, list[str]]) -> None:
    known = [one for one in planted() if one.scenario is not None and not one.is_control]
    shows = {o.id: shows_in_a_run(o, subject_of_scenario(o.scenario)) for o in known if o.scenario}

    assert table.keys() - FRAME == {name for name in shows if shows[name]}, STALE
    left_out = " ".join(name for name in shows if not shows[name])
    assert part(SCRIPT["PAGE"]).rstrip().endswith(f"not compared: {left_out}."), STALE


def test_the_columns_are_the_means(table: Mapping[str, list[str]]) -> None:
    assert table["bug"] == ["explored", "single errors", *(f"{n} examples" for n in EXAMPLES)]


def test_the_totals_are_those_of_the_rows(table: Mapping[str, list[str]], rows: list[list[str]]) -> None:
    explored, errors, *drawn = (cell.strip("*") for cell in table["**killed**"])

    assert explored == f"{sum(row[0] != '-' for row in rows)} of {len(rows)}"
    assert errors == f"{sum(row[1] != '-' for row in rows)} of {len(rows)}"
    for column, total in enumerate(drawn, start=2):
        least, middle, most, of = (float(number) for number in re.findall(r"[\d.]+", total))
        saw = [seeds_that_saw(row[column]) for row in rows]
        assert saw.count(SEEDS) <= least <= middle <= most <= sum(map(bool, saw))
        assert least * SEEDS <= sum(saw) <= most * SEEDS
        assert of == len(rows)


def test_exploring_shows_them_all_without_a_false_alarm(rows: list[list[str]]) -> None:
    assert all(row[0].startswith("run ") for row in rows)
    assert re.search(r"^0 false alarms on \d+ controls", part(SCRIPT["PAGE"]), re.MULTILINE)


def test_the_readme_has_the_figures_of_the_page(table: Mapping[str, list[str]]) -> None:
    words = " ".join(part(SCRIPT["README"]).split())

    assert f"**{words}**" in part(SCRIPT["PAGE"])
    figures = [re.findall(r"\d+", cell) for cell in table["**killed**"]]
    assert re.findall(r"\d+ planted|show \d+|errors \d+", words) == [
        f"{figures[0][1]} planted",
        f"show {figures[0][0]}",
        f"errors {figures[1][0]}",
    ]
    for examples, (least, *_, most, _of) in zip(EXAMPLES, figures[2:], strict=True):
        assert f"{least} to {most} with {examples} examples" in words


def test_what_was_compared_is_put_where_it_belongs() -> None:
    (one,) = planted(["M13"])
    result = Comparison([Row(one, 13, None, {100: (4, None)})], (100,), (0, 1), ("M65",))
    page: Any = "before\n<!-- compared -->\nold\n<!-- end -->\nafter\n<!-- end -->\n"

    filled = SCRIPT["with_table"](page, result)

    assert filled.startswith("before\n<!-- compared -->\n\n**Of 1 planted bugs all plans")
    assert filled.endswith("not compared: M65.\n\n<!-- end -->\nafter\n<!-- end -->\n")
    assert "| M13 | run 13 | - | 1 of 2, run 4 |" in filled
    assert SCRIPT["with_table"](filled, result) == filled
    assert "old" not in filled
