"""`sagaproof saga` shows what a journal holds, decides about it, and says what it was told wrongly."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sagaproof._doors import cli
from sagaproof.saga import (
    AsyncRuntime,
    CallableDesk,
    Decision,
    NotApplied,
    Retry,
    Runtime,
    SqliteJournal,
    Step,
    Tool,
)


class Bank:
    """Credits by key; its undo can be broken."""

    def __init__(self) -> None:
        self.is_broken = True
        self.credits: dict[str, int] = {}

    def credit(self, amount: int, *, key: str) -> dict[str, str]:
        self.credits[key] = amount
        return {"id": f"cr-{key}"}

    def undo(self, step: Step) -> None:
        if self.is_broken:
            raise NotApplied("locked")
        self.credits.pop(step.key, None)

    def mail(self, text: str, *, key: str) -> str:
        return f"{text} {key}"

    def runtime(self, journal: SqliteJournal, **options: Any) -> Runtime:
        return Runtime(self.tools(), journal=journal, desk=CallableDesk(lambda _case, _key: None), **options)

    def tools(self) -> list[Tool]:
        retry = Retry(1, wait_s=0)
        undo: dict[str, Any] = {"undo": self.undo, "undo_by_key": True, "undo_retry": retry}
        credit = Tool(self.credit, cls=4, name="credit", ref="id", retry=retry, **undo)
        return [credit, Tool(self.mail, cls=5, name="mail", retry=retry)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sagas.db"


@pytest.fixture
def bank(path: Path, monkeypatch: pytest.MonkeyPatch) -> Bank:
    """A journal with one saga of each kind, and a module that makes their runtime."""
    bank = Bank()
    with SqliteJournal(path) as journal:
        runtime = bank.runtime(journal)
        runtime.start("done").finish()
        running = runtime.start("running", goal="credit")
        running.call("credit", {"amount": 1})
        failed = runtime.start("failed", goal="credit 4921")
        failed.call("credit", {"amount": 5})
        failed.give_up("no stock")
        asking = bank.runtime(journal, approval=True).start("asking")
        asking.call("mail", {"text": "hello"})
        runtime.close()
    module = ModuleType("till_runtime")
    module.make = bank.runtime  # type: ignore[attr-defined]
    module.make_async = lambda journal: AsyncRuntime(bank.tools(), journal=journal)  # type: ignore[attr-defined]
    module.nothing = lambda _journal: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "till_runtime", module)
    return bank


def run(*arguments: object) -> int:
    return cli.main(["saga", *map(str, arguments)])


def test_list_names_what_is_open_and_what_is_due_and_leaves_out_the_settled(
    bank: Bank, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("list", path) == 0
    out = capsys.readouterr().out
    assert "running  running, " in out
    assert "failed  escalated, " in out
    assert "    call_1: undo it by hand" in out
    assert "asking  waiting for approval, " in out
    assert 'decide whether mail(text="hello") is to be made (key asking/call_1)' in out
    assert "done" not in out
    assert bank.credits


def test_list_as_json_is_one_value(bank: Bank, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", path, "--json") == 0
    found = {one["saga"]: one for one in json.loads(capsys.readouterr().out)}
    assert sorted(found) == ["asking", "failed", "running"]
    assert found["failed"]["state"] == "escalated"
    assert found["failed"]["age_s"] >= 0
    assert bank.credits


@pytest.mark.parametrize(("choice", "ok"), [("approve", True), ("reject", False)])
def test_what_waits_for_approval_is_answered(
    bank: Bank, path: Path, capsys: pytest.CaptureFixture[str], choice: str, *, ok: bool
) -> None:
    asked = ("resolve", path, "asking", "--as", choice, "--by", "anna", "--reason", "read it")
    assert run(*asked, "--call", "another") == 1
    assert run(*asked) == 0
    assert f"asking: it is written down ({choice})" in capsys.readouterr().out
    assert run("list", path) == 0
    assert "waiting for approval" not in capsys.readouterr().out
    with SqliteJournal(path) as journal:
        again = (
            bank.runtime(journal, approval=True).resume("asking").call("mail", {"text": "hello"}, "call_1")
        )
        assert (again.ok, again.waits) == (ok, False)


def test_a_saga_that_cannot_be_read_is_resolved_and_shown_as_settled(
    bank: Bank, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE record SET body = body || ' ' WHERE saga = 'running' AND number = 2")
    assert run("resolve", path, "running", "--as", "handled", "--by", "anna", "--reason", "refunded") == 0
    assert "running: escalated, handled" in capsys.readouterr().out
    assert run("list", path) == 0
    assert "running" not in capsys.readouterr().out
    assert run("show", path, "running") == 0
    out = capsys.readouterr().out
    assert "settled: handled, though it cannot be read" in out
    assert "anna decided: handled (refunded)" in out
    assert "   1  started" in out
    assert bank.credits


@pytest.mark.parametrize("is_parked", [False, True])
def test_a_saga_of_which_no_record_is_left_is_not_taken_for_settled(
    bank: Bank, path: Path, capsys: pytest.CaptureFixture[str], is_parked: bool
) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM record")
    if is_parked:
        with SqliteJournal(path) as journal:
            bank.runtime(journal).recover()
    state = "parked" if is_parked else "damaged"
    assert run("list", path) == 0
    out = capsys.readouterr().out
    assert f"asking  {state}, " in out
    assert "none of the records of saga 'asking' is left" in out
    assert run("show", path, "asking") == 0
    assert state in capsys.readouterr().out


def test_show_has_the_records_and_the_case(
    bank: Bank, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("show", path, "failed") == 0
    out = capsys.readouterr().out
    assert "   2  intent        call_id='call_1' tool='credit' args={'amount': 5}" in out
    assert "undo-failed" in out
    assert "What can be decided" in out
    assert run("show", path, "failed", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["case"]["goal"] == "credit 4921"
    assert any(line.startswith("retry: ") for line in told["choices"])
    assert bank.credits


def test_reading_changes_not_a_byte_of_the_journal(bank: Bank, path: Path) -> None:
    before = path.read_bytes()
    for arguments in (("list", path), ("show", path, "failed"), ("show", path, "running", "--json")):
        assert run(*arguments) == 0
    assert path.read_bytes() == before
    assert bank.credits


def test_a_journal_that_is_in_use_can_be_read(
    bank: Bank, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SqliteJournal(path) as journal:
        bank.runtime(journal).start("new")
        assert run("list", path) == 0
    assert "new  running" in capsys.readouterr().out


@pytest.mark.parametrize("command", [("list",), ("show", "failed")])
def test_what_is_no_journal_or_not_there_is_said_and_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    missing, foreign = tmp_path / "none.db", tmp_path / "notes.txt"
    foreign.write_text("this is no database at all, but a text that is long enough to look like one\n" * 20)
    for path, told in ((missing, "there is no journal"), (foreign, "is no journal")):
        assert run(command[0], path, *command[1:]) == 3
        assert told in capsys.readouterr().err
    assert not missing.exists()


def test_a_saga_that_is_not_there_is_said(bank: Bank, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ("show", path, "x"),
        ("resolve", path, "x", "--as", "accept", "--by", "a", "--reason", "r"),
    ):
        assert run(*command) == 3
        assert "there is no saga 'x'" in capsys.readouterr().err
    assert bank.credits


def test_resolve_settles_a_saga_and_is_refused_when_it_comes_late(
    bank: Bank, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accept = ("resolve", path, "failed", "--as", "accept", "--by", "anna", "--reason", "too small")
    assert run(*accept) == 0
    assert run(*accept) == 0, "the same again"
    handled = ("resolve", path, "failed", "--as", "handled", "--by", "bob", "--reason", "by phone")
    assert run(*handled) == 1
    assert "anna decided: accept (too small)" in capsys.readouterr().err
    assert run("list", path) == 0
    assert "failed" not in capsys.readouterr().out
    assert run("show", path, "failed") == 0
    assert "settled: accepted" in capsys.readouterr().out
    assert len(bank.credits) == 2, "nothing was called"


def test_what_was_done_by_hand_can_be_told_for_each_call(bank: Bank, path: Path) -> None:
    assert run("resolve", path, "failed", "--as", "handled", "--by", "anna", "--step", "call_1=by phone") == 0
    with SqliteJournal(path) as journal:
        ending = bank.runtime(journal).saga("failed").ending
    assert ending is not None
    assert ending.steps[0].handled == "by phone"


@pytest.mark.parametrize("factory", ["make", "make_async"])
def test_retry_undoes_with_the_tools_of_the_runtime(
    bank: Bank, path: Path, factory: str, capsys: pytest.CaptureFixture[str]
) -> None:
    retry = ("retry", path, "failed", "--runtime", f"till_runtime:{factory}", "--by", "anna")
    assert run(*retry) == 2
    assert "(case 2)" in capsys.readouterr().out
    bank.is_broken = False
    assert run(*retry) == 0
    assert capsys.readouterr().out == "failed: compensated\n"
    assert list(bank.credits.values()) == [1]


def test_retry_the_other_way_is_refused_where_it_cannot_be_done(
    bank: Bank, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    retry = ("retry", path, "failed", "--runtime", "till_runtime:make", "--by", "anna", "--go-on")
    assert run(*retry) == 1
    assert "impossible: go on" in capsys.readouterr().err
    assert bank.credits


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("retry", "--runtime", "nowhere:make", "--by", "a"), "cannot be used"),
        (("retry", "--runtime", "till_runtime:none", "--by", "a"), "cannot be used"),
        (("retry", "--runtime", "till_runtime:nothing", "--by", "a"), "gave None"),
        (("retry", "--runtime", "till_runtime", "--by", "a"), "names no factory"),
        (("resolve", "--as", "forget", "--by", "a"), "--as forget is unknown"),
        (("resolve", "--as", "accept", "--by", "a"), "without a word"),
        (("resolve", "--as", "handled", "--by", "a", "--step", "call_1"), "says nothing"),
    ],
)
def test_wrong_use_is_said_and_changes_nothing(
    bank: Bank, path: Path, arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments[0], path, "failed", *arguments[1:]) == 3
    assert told in capsys.readouterr().err
    with SqliteJournal(path) as journal:
        assert all(record.kind != "decision" for record in journal.read("failed"))
    assert bank.credits


def test_a_decision_that_a_crash_has_left_is_shown_as_such(
    bank: Bank, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Died(BaseException):
        pass

    def die(_step: object) -> None:
        raise Died

    monkeypatch.setattr(bank, "undo", die)
    with SqliteJournal(path) as journal, pytest.raises(Died):
        bank.runtime(journal).decide("failed", Decision.retry(), by="anna")
    assert run("list", path) == 0
    assert "failed  deciding, " in capsys.readouterr().out
    monkeypatch.undo()
    bank.is_broken = False
    with SqliteJournal(path) as journal:
        bank.runtime(journal).recover()
        ending = bank.runtime(journal).saga("failed").ending
    assert ending is not None
    assert ending.status == "compensated"
