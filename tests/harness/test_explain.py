"""`sagaproof explain`, and the way to it from each finding."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest
from rich.console import Console

from sagaproof import ToolError, World, explore
from sagaproof._checks import catalogue
from sagaproof._doors import cli
from sagaproof._doors.cli_explain import page_of, print_explained
from sagaproof._doors.failure import CampaignFailed
from sagaproof._model.faults import FAULTS
from sagaproof._report.build import build
from sagaproof._report.explanation import effect_of, explain_command, explanations
from sagaproof._report.html import as_html
from sagaproof._report.json_file import as_json
from sagaproof._report.schema import Report
from sagaproof._search.expected import Outcome
from sagaproof.errors import UsageError

SLUG = "truthful-claim"


def test_a_page_is_plain_where_nobody_sees_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", SLUG]) == 0
    out, err = capsys.readouterr()
    assert out == page_of(SLUG)
    assert err == ""
    assert all(f"\n## {head}\n" in out for head in ("Meaning", "The bug", "The fix", "Exactly"))


def test_a_page_is_laid_out_on_a_terminal() -> None:
    seen = StringIO()
    print_explained(SLUG, Console(file=seen, force_terminal=True, width=100))
    assert "\x1b[" in seen.getvalue()
    assert "## Meaning" not in seen.getvalue()
    assert "```" not in seen.getvalue()


def test_without_a_slug_every_check_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first_words = [line.split()[0] for line in lines if not line.startswith(" ")]
    assert first_words == [check.slug for check in catalogue.ALL]


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [("truthfull-claim", "Did you mean 'truthful-claim'?"), ("zzz", "Known: ambiguous-pivot-is-pivot, ")],
)
def test_a_slug_that_is_none_is_wrong_use(
    capsys: pytest.CaptureFixture[str], wrong: str, advice: str
) -> None:
    assert cli.main(["explain", wrong]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert f"there is no check {wrong!r}" in err
    assert advice in err


@pytest.mark.parametrize("written", ["lost", "lost/all", "mail.send.1=lost", "mail.send.1:2=lost/3"])
def test_a_fault_is_explained_by_its_name_and_as_it_stands_in_a_plan(
    capsys: pytest.CaptureFixture[str], written: str
) -> None:
    assert cli.main(["explain", written]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# lost\n\n**applied, timeout** (a fault of the family lost answer)\n")
    assert "`lost/all` until the caller gives up" in out


def test_each_fault_of_a_plan_is_explained_once() -> None:
    page = page_of("mail.send.1=lost,crm.add_note.1=503,mail.send.2=lost")
    assert [line for line in page.splitlines() if line.startswith("# ")] == ["# lost", "# 503"]


def test_every_fault_has_a_page_that_says_when_it_is_tried() -> None:
    for name, fault in FAULTS.items():
        page = page_of(name)
        assert fault.meaning in page, name
        assert "- Tried: " in page, name


@pytest.mark.parametrize("written", ["lots", "mail.send.1=", "mail.send.1=lost,mail.send.2=lots"])
def test_what_is_no_fault_is_not_explained(written: str) -> None:
    with pytest.raises(UsageError, match="and no error or fault"):
        page_of(written)


def test_each_check_is_explained_in_words() -> None:
    for slug, one in explanations().items():
        assert one.effect.endswith("."), slug
        assert one.exactly, slug
        assert one.applies.startswith("Applies "), slug
        assert one.judged, slug
        assert "(O" not in one.exactly, slug


def test_what_is_judged_over_runs_says_so() -> None:
    judged = {slug: one.judged for slug, one in explanations().items()}
    assert judged[SLUG] == "each run"
    assert judged["undo-tries-as-hard"] == "all runs of a test together"
    assert judged["retry-budgets"] == "each run, and all runs of a test together"


def test_a_check_of_the_user_has_no_page() -> None:
    assert explain_command("no-mail") == effect_of("no-mail") == ""


@pytest.fixture(scope="module")
def report() -> Report:
    @explore(faults=1, families=["rejection"], systems=["crm"])
    def lies(world: World) -> str:
        world.crm.add_ticket("9104")
        try:
            world.direct.crm.set_ticket_priority(ticket_id="9104", priority="low")
        except ToolError:
            return "escalated"
        return "completed"

    with pytest.raises(CampaignFailed) as failed:
        lies()  # type: ignore[call-arg]  # the world is made for it
    assert f"\n   explain sagaproof explain {SLUG}\n   replay  " in str(failed.value)
    assert failed.value.campaign is not None
    return build([Outcome(failed.value.campaign)])


def test_a_finding_in_json_says_how_to_read_more(report: Report) -> None:
    (finding,) = json.loads(as_json(report))["scenarios"][0]["findings"]
    assert finding["check"] == SLUG
    assert finding["help"] == f"sagaproof explain {SLUG}"


def test_a_finding_on_the_page_says_what_its_check_is_for(report: Report) -> None:
    html = as_html(report)
    assert f'<span class="slug" title="{effect_of(SLUG)}">{SLUG}</span>' in html
    assert f">sagaproof explain {SLUG}</code>" in html
    assert not re.search(r"(?:href|src)=[\"'](?!#)", html), "only links into the page itself"
