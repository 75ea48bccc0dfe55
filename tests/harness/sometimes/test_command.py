"""`sagaproof run --require-sometimes`, and what a scenario brings along of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sagaproof import Scenario
from sagaproof._doors import cli
from sagaproof._doors.options import required_as_text, required_sometimes
from sagaproof._search.settings import Settings
from sagaproof.sometimes import Sometimes


def look(world: Any) -> str:
    """Reads, and is right under every fault."""
    world.crm.add_ticket("9104")
    try:
        world.direct.crm.get_ticket(ticket_id="9104")
    except Exception:  # noqa: BLE001
        return "refused"
    return "completed"


OWN = Sometimes("looked-twice", (("a look", bool), ("another", lambda history: len(history.calls) > 1)))


@pytest.fixture(autouse=True)
def scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Scenario("looks", "Looks.", ("crm",), body=look, sometimes=(OWN,), settings=Settings(faults=1))
    monkeypatch.setattr(cli, "scenario", lambda _: one)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], 0),
        (["--require-sometimes", "none"], 0),
        (["--require-sometimes", "all"], 2),
        (["--require-sometimes", "looked-twice"], 2),
        (["--require-sometimes", "full-unwind, pivot-rejected"], 0),
    ],
)
def test_the_exit_code_tells_whether_what_is_required_was_reached(
    arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["run", "looks", *arguments]) == code
    assert "sometimes 1 of 2 reached; not: looked-twice (1/2)" in capsys.readouterr().out


def test_a_name_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "looks", "--require-sometimes", "looked-thrice"]) == 3
    assert "Did you mean 'looked-twice'?" in capsys.readouterr().out


def test_json_has_stages_and_the_best_partial(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", "looks", "--json"]) == 0
    (part,) = json.loads(capsys.readouterr().out)["scenarios"]
    assert part["sometimes"][-1] == {
        "sometimes": "looked-twice",
        "state": "not reached",
        "count": 0,
        "best": 1,
        "stages": ["a look", "another"],
        "script": "opaque",
        "plan": "",
        "number": 1,
    }


@pytest.mark.parametrize(("text", "means"), [("all", True), ("none", False), ("a, b", ("a", "b"))])
def test_what_is_required_reads_back(text: str, means: object) -> None:
    assert required_sometimes(text) == means
    assert required_sometimes(required_as_text(means)) == means
