"""The tally adds up, and its lines say what is exact, what is a bound, and what was not attempted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sagaproof._search.campaign import Campaign
from sagaproof._tally.rows import TallyRow, ledger, rows, total
from sagaproof.errors import InternalError

EXACT = TallyRow(1, 46, "exact", 46, 0, 0, 0, 0, complete=True, attempted=True)
BY_RULE = TallyRow(2, 506, "by_rule", 161, 345, 0, 8, 0, complete=True, attempted=True)
CUT = TallyRow(2, 506, "lower", 100, 345, 61, 8, 1, complete=False, attempted=True)
BEYOND = TallyRow(3, 437, "lower", 0, 0, 437, 0, 0, complete=False, attempted=False)


def test_a_row_that_does_not_add_up_is_an_error() -> None:
    with pytest.raises(InternalError, match="47 reachable plans are not 46 run"):
        replace(EXACT, reachable=47)


def test_each_size_of_plan_has_one_row(campaign: Campaign) -> None:
    assert [row.k for row in rows(campaign)] == [0, 1, 2, 3]
    assert sum(row.run for row in rows(campaign)) == campaign.runs


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (EXACT, "k=1  46 reachable = 46 run + 0 pruned + 0 skipped  complete"),
        (
            BY_RULE,
            "k=2  506 reachable = 161 run + 345 pruned + 0 skipped  complete by rule (audit 8/8 agree)",
        ),
        (CUT, "k=2  >=506 reachable = 100 run + 345 pruned + 61 skipped  not complete (audit 7/8 agree)"),
        (BEYOND, "k=3  >=437 known  not attempted"),
    ],
)
def test_a_line_says_what_it_counts(row: TallyRow, text: str) -> None:
    assert ledger(row) == text


def test_the_total_leaves_out_what_was_not_attempted() -> None:
    found = total((EXACT, BY_RULE, BEYOND))
    assert (found.k, found.reachable, found.run, found.complete, found.bound) == (
        2,
        552,
        207,
        True,
        "by_rule",
    )


def test_the_total_is_complete_only_if_each_row_is() -> None:
    assert not total((EXACT, CUT)).complete
    assert not total((BEYOND,)).complete
