"""A card fits its width, says the lead first, and can be pasted into a shell."""

from __future__ import annotations

import pytest

from sagaproof._report.card import card
from sagaproof._report.group import grouped
from sagaproof._report.schema import FindingPart, Report, Step

PAIR = "shop.send.1=503,shop.set_status.2=503"


@pytest.fixture
def finding(report: Report) -> FindingPart:
    found = (f for f in report.scenarios[0].findings if f.plan == PAIR)
    return next(f for f in found if f.check == "compensated-is-clean")


def long_timeline(finding: FindingPart, length: int) -> FindingPart:
    step = finding.timeline[0]
    steps = tuple(
        step.model_copy(update={"number": n, "faults": (1,) if n == 30 else (), "about": False})
        for n in range(1, length + 1)
    )
    return finding.model_copy(update={"timeline": steps})


def test_a_card_is_laid_out_for_reading(finding: FindingPart) -> None:
    assert "\n".join(card(finding)) == (
        " compensated-is-clean       said 'compensated', but shop.issue_credit cr_1 (250000) still stands\n"
        "   1 shop.issue_credit cus_7 250000  ok   cr_1\n"
        "   2 shop.set_status 9104 solved     ok   was open\n"
        "   3 shop.send credited              503   <- fault 1: not applied, 503\n"
        "   4 shop.set_status 9104 open       503  undoes 2?   <- fault 2: not applied, 503\n"
        f"   because {finding.because}\n"
        "   explain sagaproof explain compensated-is-clean\n"
        f"   replay  sagaproof replay credit-then-mail {PAIR}"
    )


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_line_but_those_to_copy_is_wider_than_the_terminal(report: Report, width: int) -> None:
    for group in grouped(report.scenarios[0].findings):
        lines = card(group.lead, group.also, width=width)
        assert max(map(len, lines[:-2])) <= width
        assert lines[-2] == f"   explain {group.lead.help}"
        assert lines[-1] == f"   replay  {group.lead.replay}"


def test_checks_that_one_run_violates_share_a_card(report: Report) -> None:
    groups = grouped(report.scenarios[0].findings)
    shared = next(group for group in groups if group.also)
    assert {f.plan for f in (shared.lead, *shared.also)} == {shared.lead.plan}
    assert (shared.lead.check, shared.also[0].check) == ("compensated-is-clean", "no-mail")
    assert any(line.startswith("   also: no-mail") for line in card(shared.lead, shared.also))
    assert sum(1 + len(group.also) for group in groups) == len(report.scenarios[0].findings)


def test_a_long_timeline_keeps_its_ends_and_its_faults(finding: FindingPart) -> None:
    lines = card(long_timeline(finding, 100))
    assert len(lines) < 30
    numbers = [line.split()[0] for line in lines if line.split()[0].isdigit()]
    assert numbers == ["1", "2", "30", "99", "100"]
    assert sum("27 more" in line or "68 more" in line for line in lines) == 2


def test_what_lands_late_and_how_it_ended_is_shown(finding: FindingPart) -> None:
    late = Step(kind="landed", at=1.0, what="shop.send of step 3 arrives late", happened="fenced")
    timeline = (*finding.timeline, late)
    lines = card(finding.model_copy(update={"timeline": timeline}))
    assert "   = said 'compensated'" in lines
    assert "   ~ shop.send of step 3 arrives late: fenced" in lines


def test_a_finding_without_calls_has_a_card(finding: FindingPart) -> None:
    empty = finding.model_copy(update={"timeline": (), "faults": (), "because": ""})
    assert len(card(empty)) == 3


def test_a_check_of_the_user_is_not_explained(report: Report) -> None:
    found = next(f for f in report.scenarios[0].findings if f.check == "no-mail")
    assert found.help == ""
    assert not any(line.startswith("   explain") for line in card(found))
