"""A saga that cannot be taken up is parked, the desk has its case once, and all others go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from sagaproof.saga import (
    AsyncRuntime,
    CallableDesk,
    Case,
    Leased,
    Parked,
    Record,
    Retry,
    Runtime,
    SqliteJournal,
    Step,
    Tool,
    UnreadableJournal,
)
from sagaproof.saga.journal_file import VERSION
from sagaproof.saga.recover import pursue as really_pursue

ATTEMPTS = 3


class Dies(BaseException):
    """The process ends here."""


@dataclass
class Shop:
    """A service whose undos fail for the sagas named in `poison`, and a desk that may be down."""

    path: Path
    poison: dict[str, BaseException] = field(default_factory=dict)
    undone: list[str] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    is_desk_down: bool = False

    def tool(self, **options: Any) -> Tool:
        def sell(what: str, *, key: str) -> dict[str, str]:
            return {"id": key, "what": what}

        def take_back(step: Step) -> None:
            if step.saga in self.poison:
                raise self.poison[step.saga]
            self.undone.append(step.saga)

        usual: dict[str, Any] = {"undo": take_back, "undo_by_key": True, "ref": "id"}
        return Tool(sell, cls=4, **{**usual, **options})

    def open(self, case: Case, key: str) -> None:
        if self.is_desk_down:
            raise ConnectionRefusedError
        self.told.append(key)
        self.cases[key] = case

    def runtime(self, *tools: Tool, journal: Any = None) -> Runtime:
        """As a new process would make it."""
        return Runtime(
            tools or [self.tool()],
            journal=journal or SqliteJournal(self.path),
            desk=CallableDesk(self.open),
            desk_retry=Retry(2, wait_s=0),
            attempts_max=ATTEMPTS,
        )

    def leave_open(self, *sagas: str) -> None:
        """Sagas that sold something, and were about to be undone when their process died."""
        poison, self.poison = self.poison, dict.fromkeys(sagas, Dies())
        for saga in sagas:
            one = self.runtime().start(saga)
            one.call("sell", {"what": "lamp"}, "c1")
            with pytest.raises(Dies):
                one.give_up("no stock")
            del one
        self.poison = poison

    def spoil(self, statement: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(statement)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "sagas.db")


def _sell_for_good(what: str) -> str:
    """What a later release has made of the tool."""
    return what


def recover(shop: Shop) -> None:
    """One process that takes up what is there, and dies if that kills it."""
    try:
        shop.runtime().recover()
    except Dies:
        return


# --- poison -------------------------------------------------------------------------------------------------


def test_one_that_kills_the_process_is_parked_after_so_many_times_and_hides_no_other(shop: Shop) -> None:
    shop.leave_open("before", "poison", "after")
    shop.poison = {"poison": Dies()}
    for number in range(ATTEMPTS):
        recover(shop)
        assert (shop.undone, shop.told) == (["before"], []), number
    recover(shop)
    assert shop.undone == ["before", "after"]
    assert [(one.saga, one.attempts, one.told) for one in shop.runtime().parked()] == [("poison", 4, True)]
    (case,) = shop.cases.values()
    assert "recovery failed 3 times" in str(case.cause)
    assert [step.call_id for step in case.steps] == ["c1"]


def test_one_that_is_parked_is_left_alone_and_the_desk_has_it_once(shop: Shop) -> None:
    shop.leave_open("poison")
    shop.poison = {"poison": Dies()}
    for _ in range(ATTEMPTS + 4):
        recover(shop)
    assert len(shop.told) == 1
    assert shop.runtime().send_cases() == 0
    assert len(shop.told) == 1
    assert SqliteJournal(shop.path).open_sagas() == ["poison"]
    with pytest.raises(Parked, match=r"'poison' is parked: .*retry\('poison'\)"):
        shop.runtime().resume("poison")


def test_one_that_is_parked_is_retried_on_purpose(shop: Shop) -> None:
    shop.leave_open("poison")
    shop.poison = {"poison": Dies()}
    for _ in range(ATTEMPTS + 1):
        recover(shop)
    shop.poison = {}
    ending = shop.runtime().retry("poison").ending
    assert ending is not None
    assert ending.status == "compensated"
    assert shop.runtime().parked() == []


def test_a_retry_has_all_attempts_anew_and_a_second_parking_is_told_too(shop: Shop) -> None:
    shop.leave_open("poison")
    shop.poison = {"poison": Dies()}
    for _ in range(ATTEMPTS + 1):
        recover(shop)
    with pytest.raises(Dies):
        shop.runtime().retry("poison")
    assert shop.runtime().parked() == []
    for _ in range(ATTEMPTS):
        recover(shop)
    assert len(set(shop.told)) == len(shop.told) == 2


def test_an_attempt_that_goes_well_makes_the_earlier_ones_forgotten(shop: Shop) -> None:
    shop.runtime().start("order").call("sell", {"what": "lamp"}, "c1")
    for _ in range(ATTEMPTS * 3):
        (saga,) = shop.runtime().recover()
        del saga
    assert shop.runtime().parked() == []
    for _ in range(ATTEMPTS * 3):
        assert shop.runtime().resume("order").ending is None


def test_those_before_one_that_kills_the_process_are_not_counted_with_it(shop: Shop) -> None:
    shop.runtime().start("running").call("sell", {"what": "lamp"}, "c1")
    shop.leave_open("poison")
    shop.poison = {"poison": Dies()}
    for _ in range(ATTEMPTS):
        recover(shop)
    with closing(sqlite3.connect(shop.path)) as connection:
        counted = dict(connection.execute("SELECT saga, attempts FROM lease").fetchall())
    assert counted == {"running": 0, "poison": ATTEMPTS}


def test_what_a_recovery_that_failed_has_taken_up_is_there_for_the_next_one(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The caller got an error instead of these sagas: nobody drives them, whatever keeps that error."""
    runtime = shop.runtime()
    for name in ("running", "broken"):
        runtime.start(name)
    used = runtime.start("used")
    failing = ["broken"]

    async def once(core: Any) -> None:
        if core.state.id in failing:
            raise RuntimeError("for now")
        await really_pursue(core)

    monkeypatch.setattr("sagaproof.saga.lease_takeover.pursue", once)
    with pytest.raises(ExceptionGroup, match="1 sagas could not be recovered, 2 were") as caught:
        runtime.recover()
    failing.clear()
    assert [saga.id for saga in shop.runtime().recover()] == ["running", "broken"]
    assert caught.value.exceptions
    with pytest.raises(Leased):
        shop.runtime().resume(used.id)


def test_one_whose_recovery_raises_is_parked_as_well(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.leave_open("poison", "other")

    async def pursue(core: Any) -> None:
        if core.state.id == "poison":
            raise RuntimeError("a bug")

    monkeypatch.setattr("sagaproof.saga.lease_takeover.pursue", pursue)
    for _ in range(ATTEMPTS - 1):
        with pytest.raises(ExceptionGroup, match="1 sagas could not be recovered"):
            shop.runtime().recover()
    shop.runtime().recover()
    assert [one.reason for one in shop.runtime().parked()] == ["recovery failed 3 times: RuntimeError: a bug"]
    assert len(shop.told) == 1


def test_a_desk_that_is_down_is_told_later(shop: Shop) -> None:
    shop.leave_open("poison")
    shop.poison, shop.is_desk_down = {"poison": Dies()}, True
    for _ in range(ATTEMPTS + 2):
        recover(shop)
    assert shop.runtime().send_cases() == 1
    shop.is_desk_down = False
    assert shop.runtime().send_cases() == 0
    assert len(shop.told) == 1
    recover(shop)
    assert len(shop.told) == 1


@pytest.mark.asyncio
async def test_the_async_runtime_parks_lists_and_retries_too(shop: Shop) -> None:
    shop.leave_open("order")
    shop.spoil("UPDATE record SET body = '{}' WHERE number = 2")
    runtime = AsyncRuntime(
        [shop.tool()], journal=SqliteJournal(shop.path), desk=CallableDesk(shop.open), desk_retry=Retry(1)
    )
    assert await runtime.recover() == []
    assert [one.saga for one in runtime.parked()] == ["order"]
    with pytest.raises(Parked):
        await runtime.retry("order")
    runtime.close()


# --- a record that is not whole ---------------------------------------------------------------------------

SPOILT = {
    "torn": ("UPDATE record SET body = substr(body, 1, 9) WHERE saga = 'b' AND number = 2", "record 2"),
    "altered": ("UPDATE record SET body = body || ' ' WHERE saga = 'b' AND number = 3", "record 3"),
    "missing": ("DELETE FROM record WHERE saga = 'b' AND number = 2", "record 2"),
    "without its start": ("DELETE FROM record WHERE saga = 'b' AND number = 1", "record 1"),
    "said to be closed": ("UPDATE record SET kind = 'closed' WHERE saga = 'b' AND number = 4", "record 4"),
    "all gone": ("DELETE FROM record WHERE saga = 'b'", "none of the records"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_saga_that_cannot_be_read_is_parked_and_all_others_go_on(shop: Shop, how: str) -> None:
    shop.leave_open("a", "b", "c")
    statement, said = SPOILT[how]
    shop.spoil(statement)
    assert shop.runtime().recover() == []
    assert shop.undone == ["a", "c"]
    (parked,) = shop.runtime().parked()
    assert (parked.saga, parked.told) == ("b", True)
    assert said in parked.reason
    assert said in str(shop.cases[parked.key].cause)


def test_the_case_of_one_that_cannot_be_read_holds_what_can(shop: Shop) -> None:
    shop.leave_open("b")
    shop.spoil("UPDATE record SET body = body || ' ' WHERE saga = 'b' AND number = 4")
    shop.runtime().recover()
    (case,) = shop.cases.values()
    assert [(step.call_id, step.outcome, step.ref) for step in case.steps] == [("c1", "ok", "b/c1")]


def test_the_case_of_one_that_is_parked_says_what_to_do_and_offers_and_claims_no_more(shop: Shop) -> None:
    shop.leave_open("b")
    shop.spoil("UPDATE record SET body = body || ' ' WHERE saga = 'b' AND number = 2")
    runtime = shop.runtime()
    runtime.recover()
    (case,) = shop.cases.values()
    assert case.choices == ()
    first = "see to what is wrong, then take the saga up again with retry('b'): record 2"
    assert case.todo[0].startswith(first)
    assert "before anything goes on" in case.text()  # the reason, not cut short
    assert "pivot  none that is known of" in case.text()
    assert Case.from_json(case.to_json()) == case


def test_a_record_of_a_later_release_parks_the_saga_until_that_release_is_there(shop: Shop) -> None:
    shop.leave_open("b")
    journal = SqliteJournal(shop.path)
    number = len(journal.read("b")) + 1
    journal.append("b", number, Record("from the future", {}))  # type: ignore[arg-type]
    shop.runtime().recover()
    (parked,) = shop.runtime().parked()
    assert "'from the future', which this version does not know" in parked.reason
    shop.spoil(f"DELETE FROM record WHERE saga = 'b' AND number = {number}")  # as that release would read it
    shop.spoil(f"UPDATE lease SET number = {number - 1} WHERE saga = 'b'")
    assert shop.runtime().retry("b").ending is not None
    assert shop.undone == ["b"]


def test_a_tool_without_its_undo_after_a_deploy_leaves_the_step_to_a_person(shop: Shop) -> None:
    shop.leave_open("b")
    without = Tool(_sell_for_good, cls=2, name="sell")
    shop.runtime(without).recover()
    (case,) = shop.cases.values()
    assert [(step.call_id, step.undo) for step in case.steps] == [("c1", "failed")]


def test_a_tool_that_is_gone_after_a_deploy_leaves_the_step_to_a_person(shop: Shop) -> None:
    shop.leave_open("b")
    shop.runtime(Tool(_sell_for_good, cls=2, name="other")).recover()
    (case,) = shop.cases.values()
    assert [(step.call_id, step.undo, step.note) for step in case.steps] == [("c1", "failed", "no tool")]


def test_a_file_that_breaks_while_open_is_loud_and_the_desk_is_told_each_time(shop: Shop) -> None:
    shop.leave_open(*(f"b{n}" for n in range(40)))
    journal = SqliteJournal(shop.path)
    journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with shop.path.open("r+b") as file:
        file.write(b"\xa5" * shop.path.stat().st_size)
    journal._connection.execute("PRAGMA shrink_memory")
    runtime = shop.runtime(journal=journal)
    for number in (1, 2):
        with pytest.raises(UnreadableJournal):
            runtime.recover()
        assert shop.told == ["journal/unreadable"] * number
    assert "cannot be read" in str(shop.cases["journal/unreadable"].cause)


# --- a journal of the release before ----------------------------------------------------------------------


@pytest.fixture
def made_before_leases(shop: Shop) -> Callable[[], None]:
    def turn_back() -> None:
        shop.spoil("DROP TABLE lease")
        shop.spoil("DROP TRIGGER counted")
        shop.spoil("PRAGMA user_version = 1")

    return turn_back


def test_a_journal_without_leases_gets_them_and_its_sagas_go_on(
    shop: Shop, made_before_leases: Callable[[], None]
) -> None:
    shop.leave_open("a", "b")
    made_before_leases()
    shop.runtime().recover()
    assert shop.undone == ["a", "b"]
    with SqliteJournal(shop.path) as journal:
        assert journal._connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
