"""The command `sagaproof` on scenarios, which a test registers for itself."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sagaproof import Answer, Scenario, Script, System, Table, ToolCall, World, operation
from sagaproof._doors import cli, registry
from sagaproof._model.faults import FAULTS
from sagaproof._search.settings import Settings


class Till(System):
    name = "till"
    hosts = ("till.test",)
    sales = Table(gone={"status": ("void",)})

    @operation(cls=4, ref="id", amount="amount")
    def sell(self, *, amount: int) -> dict[str, Any]:
        key = self.ids.next("sale")
        return dict(self.sales.put(key, {"id": key, "amount": amount, "status": "open"}))

    @operation(cls=4, undoes="sell", ref="id")
    def void(self, *, id: str) -> dict[str, Any]:  # noqa: A002
        return dict(self.sales.patch(id, status="void"))

    @operation(cls=1)
    def look(self) -> dict[str, Any]:
        return {"count": len(self.sales)}


def look(world: World) -> str | None:
    """Right under every fault."""
    os.write(1, b"noise of the saga")
    answer = world.direct.till.look()
    return None if answer.get("count") == 0 else "refused"


def sell_two(world: World) -> str | None:
    """Forgets that an answer may be lost."""
    first = world.direct.till.sell(amount=100)
    try:
        world.direct.till.sell(amount=200)
    except Exception:  # noqa: BLE001
        world.direct.till.void(id=first["id"])
        return "compensated"
    return None


class Seller:
    """Fed with calls; never undoes."""

    def __init__(self, world: World) -> None:
        self._world = world

    def call(self, tool: str, args: dict[str, Any], _call_id: str) -> Any:
        return getattr(self._world.direct.till, tool)(**args)

    def give_up(self) -> str:
        return "compensated"

    def finish(self) -> str:
        return "completed"


SCRIPT = Script("sell, void", (ToolCall("sell", {"amount": 5}), ToolCall("void", {"id": Answer(1, "id")})))
ONE = Settings(faults=1)
RIGHT = Scenario("till-right", "Looks into the till.", ("till",), body=look, settings=ONE)
WRONG = Scenario("till-wrong", "Sells twice.", ("till",), body=sell_two, settings=ONE)
FED = Scenario("till-fed", "Sells by order.", ("till",), agent=Seller, scripts=(SCRIPT,), settings=ONE)

Register = Callable[..., None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Make these scenarios, and the till, all that is registered."""

    def make(*scenarios: object, systems: dict[str, str] | None = None) -> None:
        home = SimpleNamespace(Till=Till, scenarios=lambda: list(scenarios))
        monkeypatch.setitem(sys.modules, "till_stories", home)
        points = {
            registry.SYSTEMS: systems if systems is not None else {"till": "till_stories:Till"},
            registry.SCENARIOS: {"till": "till_stories:scenarios"},
        }

        def entry_points(*, group: str) -> list[EntryPoint]:
            return [EntryPoint(name, value, group) for name, value in points[group].items()]

        monkeypatch.setattr(registry, "entry_points", entry_points)

    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return make


def test_all_scenarios_run_and_the_worst_one_decides(
    register: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    register(RIGHT, WRONG)

    assert cli.main(["run"]) == 1
    out = capsys.readouterr().out
    assert "till-right" in out
    assert "replay  sagaproof replay till-wrong till.sell.2=lost" in out


def test_a_clean_scenario_ends_with_0(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    register(RIGHT, WRONG)

    assert cli.main(["run", "till-right"]) == 0
    assert "no finding in " in capsys.readouterr().out


def test_json_is_one_object_whatever_the_saga_prints(
    register: Register, capfd: pytest.CaptureFixture[str]
) -> None:
    register(RIGHT)

    assert cli.main(["run", "--json"]) == 0
    captured = capfd.readouterr()
    assert json.loads(captured.out)["scenarios"][0]["name"] == "till-right"
    assert "noise of the saga" in captured.err


def test_json_of_wrong_use_is_one_object_too(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    register(RIGHT)

    assert cli.main(["run", "till-rigth", "--json"]) == 3
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert problems == ["there is no scenario 'till-rigth'. Did you mean 'till-right'?"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "till-rigth"], "Did you mean 'till-right'?"),
        (["run", "--fault", "2"], "--fault"),
        (["run", "--faults", "two"], "--faults"),
        (["run", "--faults", "-1"], "faults = -1 will not do"),
        (["run", "--durations", "onse"], "Did you mean 'once'?"),
        (["replay", "till-right", "till.lok.1=503"], "Did you mean 'till.look'?"),
        (["replay", "till-right", "till.look.1=53"], "there is no fault '53'"),
        (["replay", "till-right", "till.look.9=503"], "never met its point"),
        (["replay", "till-fed", "till.sell.1=503", "--script", "sel"], "has no script 'sel'"),
        (["replay", "till-right"], "PLAN"),
        (["rn"], "rn"),
    ],
)
def test_wrong_use_ends_with_3_and_says_what_to_do(
    register: Register, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    register(RIGHT, FED)

    assert cli.main(arguments) == 3
    captured = capsys.readouterr()
    assert says in captured.out + captured.err


def test_a_replay_shows_the_finding_and_a_right_one_ends_with_0(
    register: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    register(RIGHT, WRONG)

    assert cli.main(["replay", "till-wrong", "till.sell.2=lost"]) == 1
    assert "compensated-is-clean" in capsys.readouterr().out
    assert cli.main(["replay", "till-wrong", "till.sell.2=503"]) == 0


def test_a_script_can_be_chosen_by_name(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    register(FED)

    assert (
        cli.main(["replay", "till-fed", "till.sell.1=lost", "--script", "sell, void, given up after 1"]) == 1
    )
    assert "--script 'sell, void, given up after 1'" in capsys.readouterr().out


def test_a_budget_that_is_used_up_ends_with_2(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    register(RIGHT)

    assert cli.main(["run", "--runs", "3"]) == 2
    assert "plans were skipped" in capsys.readouterr().out


def test_accepted_findings_are_expected_from_then_on(register: Register, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    register(replace(WRONG, expected=file))

    assert cli.main(["run"]) == 3  # there is no such file yet
    assert cli.main(["run", "--accept"]) == 0
    assert cli.main(["run"]) == 0
    kept = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({"findings": kept["findings"][1:]}), encoding="utf-8")
    assert cli.main(["run"]) == 1


def test_part_of_a_scenario_is_not_held_against_what_is_expected_of_all(
    register: Register, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "known.json"
    register(replace(WRONG, expected=file))
    cli.main(["run", "--accept"])
    kept = file.read_bytes()

    assert cli.main(["run", "--runs", "5"]) == 2
    assert cli.main(["run", "--faults", "0"]) == 0
    assert cli.main(["run", "--faults", "0", "--accept"]) == 3
    assert cli.main(["run", "--runs", "5", "--accept"]) == 3
    assert "nothing was accepted" in capsys.readouterr().out
    assert file.read_bytes() == kept


def test_accept_without_a_file_to_write_ends_with_3(
    register: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    register(WRONG)

    assert cli.main(["run", "--accept"]) == 3
    assert "names no file for its expected findings" in capsys.readouterr().out


def test_a_report_is_written_where_asked(register: Register, tmp_path: Path) -> None:
    register(RIGHT)

    assert cli.main(["run", "--report", str(tmp_path / "out"), "--stable"]) == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "console.txt",
        "report.html",
        "report.json",
    ]


def test_an_interruption_keeps_what_was_found_and_runs_no_more(
    register: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    count = 0

    def interrupted(world: World) -> str | None:
        nonlocal count
        count += 1
        if count == 20:
            os.kill(os.getpid(), signal.SIGINT)
        return sell_two(world)

    register(Scenario("a-first", "", ("till",), body=interrupted, settings=ONE), RIGHT)

    assert cli.main(["run"]) == 1
    out = capsys.readouterr().out
    assert "a-first: incomplete: interrupted" in out
    assert "till-right came after it and did not run" in out
    assert "completed-is-complete" in out or "no-silent-residue" in out


def test_nothing_registered_is_no_pass(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    register()

    assert cli.main(["run"]) == 3
    assert "no scenario is registered" in capsys.readouterr().err


BROKEN = {
    "no module": ({"till": "no_such_module:Till"}, "cannot be loaded: ModuleNotFoundError"),
    "no object": ({"till": "till_stories:Tilt"}, "cannot be loaded: AttributeError"),
    "no system": ({"till": "till_stories:scenarios"}, "which is no System"),
    "other name": ({"kiosk": "till_stories:Till"}, "no system is registered as 'till'"),
}


@pytest.mark.parametrize(("systems", "says"), BROKEN.values(), ids=BROKEN)
def test_a_broken_registration_of_a_system_ends_with_3_and_names_it(
    register: Register, capsys: pytest.CaptureFixture[str], systems: dict[str, str], says: str
) -> None:
    register(RIGHT, systems=systems)

    assert cli.main(["run"]) == 3
    assert says in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("scenarios", [(7,), (RIGHT, RIGHT)], ids=["no scenario", "twice the same name"])
def test_a_broken_registration_of_scenarios_ends_with_3(
    register: Register, capsys: pytest.CaptureFixture[str], scenarios: tuple[object, ...]
) -> None:
    register(*scenarios)

    assert cli.main(["run"]) == 3
    assert "entry point" in capsys.readouterr().err


def test_list_shows_scenarios_systems_and_checks_with_their_meaning(
    register: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    register(RIGHT)

    assert cli.main(["list"]) == 0
    out = capsys.readouterr().out
    for text in (
        "till-right",
        "Looks into the till.",
        "system till (till.test)",
        "class 4, compensable; undoes sell",
    ):
        assert text in out
    assert "compensated-is-clean" in out
    assert max(map(len, out.splitlines())) <= 80


def test_list_of_faults_is_data_too(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    register(RIGHT)

    assert cli.main(["list", "--faults", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    by_name = {one["operation"]: one for one in found["systems"][0]["operations"]}
    assert "lost" in by_name["till.sell"]["faults"]["forward"]
    assert "lost" not in by_name["till.look"]["faults"]["forward"]
    assert "again" in by_name["till.void"]["faults"]["undo"]
    (journal,) = found["writes"]
    assert journal["operation"] == "journal.append"
    assert {"crash-before", "crash-after", "disk-full", "lost-record"} < set(journal["faults"]["journal"])
    assert not {"lost", "crash-late"} & set(journal["faults"]["journal"])
    assert found["systems"][0]["sends"] == found["events"] == []


def test_list_of_faults_says_when_each_is_tried(
    register: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    register(RIGHT)

    assert cli.main(["list", "--faults", "--json"]) == 0
    found = {one["fault"]: one for one in json.loads(capsys.readouterr().out)["faults"]}
    assert found.keys() == FAULTS.keys()
    assert {name: one["tried"] for name, one in found.items() if name in TRIED} == TRIED
    assert {one["family"] for one in found.values() if one["opt_in"]} == {"lie", "pause"}
    assert (found["auth-expired"]["reaches"], found["removed"]["reaches"]) == ("system", "operation")
    assert found["500"]["stands_for_it"] == "503"


TRIED = {
    "503": "always",
    "500": "with statuses=all",
    "rounded": 'only with families=["lie"]',
    "crash-late": "with recover=",
    "disk-full": "with recover=",
    "read-only": "with statuses=all",
    "cancel-next": "if the saga is asynchronous",
}


def test_list_of_faults_is_by_family_and_has_operations_that_are_alike_together(
    register: Register, capsys: pytest.CaptureFixture[str]
) -> None:
    register(RIGHT)

    assert cli.main(["list", "--faults"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for title in {fault.family for fault in FAULTS.values()}:
        assert f"\nfaults, {title}" in out
    assert '\nfaults, lie: only with families=["lie"]\n' in out
    assert "\nfaults, cancel: if the saga is asynchronous\n" in out
    assert re.search(r"\n  500 +not applied, 500 \(with statuses=all\) *\n", out)
    forward = out.partition("which faults fit which operations, forward\n")[2].partition("\nwhich faults")[0]
    fits = {
        name: " ".join(said.split())
        for group in forward.strip().split("\n\n")
        for names, _, said in [group.partition("\n      ")]
        for name in names.replace("\n", " ").replace(",", " ").split()
    }
    assert "silence, lost answer, soft failure" in fits["till.sell"]
    assert "silence, lost answer (garbage empty), soft failure" in fits["till.look"]
    assert (
        "operations, journal\n  journal.append\n      crash (crash-before crash-after), pause, store\n" in out
    )


def test_list_of_faults_has_the_events_that_systems_send(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", "--faults", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    sends = {one["name"]: one["sends"] for one in found["systems"]}
    assert sends["desk"] == ["case.resolved"]
    at_events = {one["operation"]: one["faults"] for one in found["events"]}
    assert at_events.keys() == {f"{name}.events" for name, types in sends.items() if types}
    assert all(name.startswith("event-") for faults in at_events.values() for name in faults["event"])


# Gates and other forms of the report ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        (("--fail-under", "95"), 0),
        (("--fail-under", "95", "--runs", "3"), 2),
        (("--require", "forward,lost-answer"), 0),
        (("--require", "forward,crash"), 2),  # nothing says what a new process does
        (("--require", "query"), 2),
        (("--require", "forward"), 0),
        (("--fail-under", "120"), 3),
        (("--require", "forwrad"), 3),
    ],
)
def test_a_gate_decides_the_exit_code(register: Register, gate: tuple[str, ...], code: int) -> None:
    register(RIGHT)

    assert cli.main(["run", *gate]) == code


def test_a_gate_that_was_not_passed_is_told(register: Register, capsys: pytest.CaptureFixture[str]) -> None:
    register(RIGHT)

    cli.main(["run", "--require", "query"])

    assert "gate not passed: require query: no cell of it can be covered" in capsys.readouterr().out


def test_known_findings_pass_once_they_have_reasons(
    register: Register, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    register(WRONG)
    file = tmp_path / "known.toml"

    assert cli.main(["run", "--write-baseline", str(file)]) == 1
    assert cli.main(["run", "--baseline", str(file)]) == 3
    file.write_text(
        file.read_text(encoding="utf-8").replace('reason = ""', 'reason = "OPS-7"'), encoding="utf-8"
    )
    capsys.readouterr()
    assert cli.main(["run", "--baseline", str(file)]) == 0
    assert "(OPS-7)" in capsys.readouterr().out


def test_other_forms_of_the_report_are_written(register: Register, tmp_path: Path) -> None:
    register(RIGHT)

    assert cli.main(["run", "--junit", str(tmp_path / "j.xml"), "--markdown", str(tmp_path / "m.md")]) == 0

    assert 'name="till-right"' in (tmp_path / "j.xml").read_text(encoding="utf-8")
    assert "| `till-right` |" in (tmp_path / "m.md").read_text(encoding="utf-8")


def test_the_summary_of_a_step_on_github_is_appended_to(
    register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register(RIGHT)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))

    cli.main(["run"])

    assert (tmp_path / "step.md").read_text(encoding="utf-8").startswith("## sagaproof: no finding")
