"""Ten shards make the report of one run; repeats are laid over each other; contradictions are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sagaproof import Claim, History, Verdict, World
from sagaproof._checks.compensated_is_clean import CompensatedIsClean
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, violated
from sagaproof._report.build import build
from sagaproof._report.console import as_text
from sagaproof._report.markdown import as_markdown
from sagaproof._report.merge import Source, merge
from sagaproof._report.schema import GridCellPart, Report, ScenarioPart
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Outcome
from sagaproof._search.settings import Settings
from sagaproof._search.shard import Shard

Explored = Callable[..., Campaign]
SETTINGS = Settings(families=("outage", "lost answer"))


class OnlyAfterTwo:
    """Holds in runs with two faults, and says nothing of others: a shard may never come to it."""

    slug = "only-after-two"
    faults_needed = 2

    def applies(self, facts: Facts) -> bool:
        return bool(facts)

    def judge(self, history: History) -> Verdict:
        return HELD if str(history.plan).count("shop.send") == len(history.plan) == 2 else NOT_REACHED


class SameClaim:
    """Compares runs: all come to the same claim."""

    slug = "same-claim"

    def applies(self, facts: Facts) -> bool:
        return bool(facts)

    def begin(self) -> Any:
        return _Claims()


class _Claims:
    def __init__(self) -> None:
        self._bad: tuple[str, Any] | None = None

    def observe(self, history: History) -> None:
        if history.claim is Claim.COMPENSATED and self._bad is None:
            self._bad = (history.script.name, history.plan)

    def conclude(self) -> Verdict:
        if self._bad is None:
            return HELD
        return violated("said something else", because="a run said 'compensated'", run=self._bad)


def resumes(world: World) -> str:
    world.direct.shop.get_ticket(ticket="9104")
    return "completed"


CASES: dict[str, dict[str, Any]] = {
    "reduced": {"checks": (CompensatedIsClean(), OnlyAfterTwo(), SameClaim())},
    "all plans": {"settings": replace(SETTINGS, reduce=False, families=("outage",))},
    "crashes": {"recover": resumes, "settings": replace(SETTINGS, families=("crash", "outage"))},
    "much audited": {"settings": replace(SETTINGS, audit=0.2)},
}


def reported(campaign: Campaign, **values: Any) -> Report:
    found = build([Outcome(campaign)], stable=True)
    return found.model_copy(update={"scenarios": (found.scenarios[0].model_copy(update=values),)})


def shards(explored: Explored, of: int, case: dict[str, Any]) -> list[Source]:
    settings = case.get("settings", SETTINGS)
    return [
        Source(f"{number}.json", reported(explored(**case | {"settings": replace(settings, shard=shard)})))
        for number, shard in ((n, Shard(n, of)) for n in range(1, of + 1))
    ]


@pytest.fixture(scope="module")
def ten(explored: Explored) -> list[Source]:
    return shards(explored, 10, CASES["reduced"])


@pytest.fixture(scope="module")
def whole(explored: Explored) -> Report:
    return reported(explored(**CASES["reduced"], settings=SETTINGS))


@pytest.mark.slow
def test_ten_merged_shards_equal_one_whole_run(ten: list[Source], whole: Report) -> None:
    merged = merge(ten)
    assert merged == whole
    assert merged.conflicts == ()
    assert whole.scenarios[0].findings, "else this shows little"
    assert whole.scenarios[0].tally[2].pruned


@pytest.mark.slow
@pytest.mark.parametrize("case", [name for name in CASES if name != "reduced"])
def test_three_merged_shards_equal_one_whole_run(explored: Explored, case: str) -> None:
    whole = reported(explored(**{"settings": SETTINGS} | CASES[case]))
    assert merge(shards(explored, 3, CASES[case])) == whole


def test_shards_may_be_merged_in_any_order_and_in_steps(ten: list[Source], whole: Report) -> None:
    first = Source("first.json", merge(ten[7:] + ten[:2]))
    second = Source("second.json", merge(ten[2:7]))
    assert merge([second, first]) == whole


def test_each_plan_is_counted_by_one_shard_alone(ten: list[Source], whole: Report) -> None:
    rows = [source.report.scenarios[0].tally[2] for source in ten]
    assert sum(row.run for row in rows) == whole.scenarios[0].tally[2].run
    assert sum(row.run > 0 for row in rows) > 5, "the work is divided"


def test_a_shard_that_is_missing_is_named_and_the_rest_is_incomplete(ten: list[Source]) -> None:
    (found,) = merge([one for one in ten if one.name not in {"4.json", "7.json"}]).scenarios
    assert "shards 4 and 7 of 10 are missing" in found.incomplete
    assert found.shard is not None
    assert found.exit_code == 1, "what it has found counts all the same"


def test_one_shard_by_itself_is_no_whole_once_it_is_merged(ten: list[Source], whole: Report) -> None:
    merged = merge(ten[3:4])
    assert "shards 1, 2, 3, 5, 6, 7, 8, 9 and 10 of 10 are missing" in merged.scenarios[0].incomplete
    others = [*ten[:3], *ten[4:]]
    assert merge([Source("alone.json", merged), *others]) == whole


def test_a_shard_alone_does_not_complain_of_what_others_may_reach(ten: list[Source]) -> None:
    parts = [source.report.scenarios[0] for source in ten]
    assert all(not part.incomplete for part in parts)
    assert any(gap.about == "only-after-two" for part in parts for gap in part.gaps)


@pytest.mark.slow
def test_what_no_shard_has_reached_is_missing_of_the_whole(explored: Explored) -> None:
    class Never(OnlyAfterTwo):
        slug = "never"

        def judge(self, _: History) -> Verdict:
            return NOT_REACHED

    case = {"checks": (Never(),), "settings": SETTINGS}
    merged, whole = merge(shards(explored, 2, case)), reported(explored(**case))
    assert merged.scenarios[0].incomplete == ("check never applies and was never reached",)
    assert merged == whole


def test_plans_that_shards_have_skipped_add_up(explored: Explored) -> None:
    parts = shards(explored, 2, {"settings": replace(SETTINGS, runs_max=40)})
    (merged,) = merge(parts).scenarios
    skipped = sum(row.skipped for one in parts for row in one.report.scenarios[0].tally if row.attempted)
    assert f"{skipped} plans were skipped: the budget was used up" in merged.incomplete
    assert skipped > 0


# Repeats, and what does not fit ---------------------------------------------------------------------------


def test_the_same_report_twice_is_itself(whole: Report) -> None:
    assert merge([Source("a", whole), Source("b", whole)]) == whole


def test_reports_of_other_tests_stand_beside_each_other(whole: Report) -> None:
    other = whole.model_copy(
        update={"scenarios": (whole.scenarios[0].model_copy(update={"name": "another"}),)}
    )
    merged = merge([Source("a", whole), Source("b", other)])
    assert [one.name for one in merged.scenarios] == ["another", whole.scenarios[0].name]


def with_cell(report: Report, state: str, runs: int = 7) -> tuple[Report, str]:
    """The report with its first cell that was run in another state, and the place of that cell."""
    part = report.scenarios[0]
    rows, faults = list(part.grid.rows), part.grid.faults
    at = next(n for n, cell in enumerate(rows[0].cells) if cell.state == "held")
    cell = (
        rows[0]
        .cells[at]
        .model_copy(update={"state": state, "runs": runs, "violated": int(state == "violated")})
    )
    cells = (*rows[0].cells[:at], cell, *rows[0].cells[at + 1 :])
    rows[0] = rows[0].model_copy(update={"cells": cells})
    grid = part.grid.model_copy(update={"rows": tuple(rows)})
    return (
        report.model_copy(update={"scenarios": (part.model_copy(update={"grid": grid}),)}),
        f"{rows[0].operation}/{rows[0].phase}/{rows[0].attempt}/{rows[0].position}={faults[at]}",
    )


@pytest.mark.parametrize("bad_first", [True, False])
def test_a_cell_violated_here_and_held_there_is_told_and_kept_as_violated(
    whole: Report, *, bad_first: bool
) -> None:
    bad, place = with_cell(whole, "violated")
    sources = [Source("bad.json", bad), Source("good.json", whole)]
    merged = merge(sources if bad_first else sources[::-1])
    (told,) = merged.conflicts
    assert (told.what, told.where) == ("cell", place)
    assert "violated in bad.json" in told.text
    assert "held in good.json" in told.text
    assert cells_of(merged.scenarios[0]) == cells_of(bad.scenarios[0])
    assert told.line in " ".join(as_text(merged, width=4000).split())
    assert "kept as violated" in as_markdown(merged)


def cells_of(part: ScenarioPart) -> list[GridCellPart]:
    return [cell for row in part.grid.rows for cell in row.cells]


def test_what_one_day_had_no_time_for_is_what_the_next_has_shown(explored: Explored, whole: Report) -> None:
    settings = replace(SETTINGS, runs_max=20)
    cut = reported(explored(checks=CASES["reduced"]["checks"], settings=settings))
    (merged,) = merge([Source("monday", cut), Source("tuesday", whole)]).scenarios
    assert merged.tally == whole.scenarios[0].tally
    assert merged.incomplete == whole.scenarios[0].incomplete
    assert merged.cells.skipped == 0


@pytest.mark.parametrize(
    ("values", "what", "where"),
    [
        ({"revision": "b2"}, "code", "revision"),
        ({"fault_free": "0" * 16}, "code", "run without faults"),
        ({"scripts": ("other",)}, "settings", "scripts"),
    ],
)
def test_shards_of_something_else_are_not_added_up(
    ten: Sequence[Source], values: dict[str, Any], what: str, where: str
) -> None:
    part = ten[1].report.scenarios[0].model_copy(update=values)
    other = Source("other.json", ten[1].report.model_copy(update={"scenarios": (part,)}))
    merged = merge([ten[0], other])
    assert [(one.what, one.where) for one in merged.conflicts] == [(what, where)]
    rows = merged.scenarios[0].tally
    assert rows[2].run == max(one.report.scenarios[0].tally[2].run for one in ten[:2]), "the fuller one"


def test_other_settings_are_told_with_both_values(explored: Explored, whole: Report) -> None:
    less = reported(explored(checks=CASES["reduced"]["checks"], settings=replace(SETTINGS, faults=1)))
    merged = merge([Source("less.json", less), Source("more.json", whole)])
    (told,) = (one for one in merged.conflicts if one.where == "faults")
    assert told.text.startswith("1 in less.json, 2 in more.json")
    assert merged.scenarios[0].tally == whole.scenarios[0].tally


@pytest.mark.slow
def test_shards_of_two_divisions_are_told(explored: Explored, ten: list[Source]) -> None:
    half = shards(explored, 2, CASES["reduced"])[0]
    assert any(one.what == "shards" for one in merge([half, ten[0]]).conflicts)


def test_problems_and_earlier_conflicts_are_kept(whole: Report) -> None:
    bad, _ = with_cell(whole, "violated")
    once = merge([Source("bad", bad), Source("good", whole)])
    torn = Report(problems=("part x cannot be read",))
    merged = merge([Source("once", once), Source("torn", torn)])
    assert merged.conflicts == once.conflicts
    assert merged.problems == torn.problems
    assert merged.exit_code == 3


def test_another_version_of_the_harness_is_told(whole: Report) -> None:
    other = whole.model_copy(update={"version": "9.9"})
    (told,) = merge([Source("a", whole), Source("b", other)]).conflicts
    assert (told.what, told.where) == ("code", "version")
