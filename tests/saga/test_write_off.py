"""A saga that cannot be read is noticed, parked, and settled by a person all the same, once and for good."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from sagaproof.saga import (
    CallableDesk,
    Decision,
    DecisionRefused,
    Parked,
    Runtime,
    SagaMisuse,
    SqliteJournal,
    Tool,
    UnreadableJournal,
)
from sagaproof.saga.journal_reader import JournalReader
from sagaproof.saga.survey import standing_of, standings

DAMAGES = {
    "altered": "UPDATE record SET body = body || ' ' WHERE saga = 'b' AND number = 2",
    "a hole": "DELETE FROM record WHERE saga = 'b' AND number = 2",
    "no start": "DELETE FROM record WHERE saga = 'b' AND number = 1",
    "no end": "DELETE FROM record WHERE saga = 'b' AND number = 3",
    "two short": "DELETE FROM record WHERE saga = 'b' AND number >= 2",
    "nothing left": "DELETE FROM record WHERE saga = 'b'",
}
ACCEPT = Decision.accept("too small to chase")


@dataclass
class Shop:
    """A till, and what its desk was told."""

    path: Path
    told: list[str] = field(default_factory=list)
    sold: list[str] = field(default_factory=list)

    @contextmanager
    def runtime(self) -> Iterator[Runtime]:
        """As a new process would make it."""

        def sell(what: str, *, key: str) -> str:
            self.sold.append(what)
            return key

        desk = CallableDesk(lambda _case, key: self.told.append(key))
        with SqliteJournal(self.path) as journal:
            runtime = Runtime([Tool(sell, cls=2)], journal=journal, desk=desk)
            yield runtime
            runtime.close()

    def recover(self) -> list[str]:
        with self.runtime() as runtime:
            return [saga.id for saga in runtime.recover()]

    def spoil(self, statement: str) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute(statement)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """Two sagas of three records each, which nobody holds."""
    shop = Shop(tmp_path / "sagas.db")
    with shop.runtime() as runtime:
        for name in ("a", "b"):
            runtime.start(name).call("sell", {"what": "lamp"}, "c1")
    return shop


@pytest.fixture(params=DAMAGES)
def damaged(shop: Shop, request: pytest.FixtureRequest) -> Shop:
    shop.spoil(DAMAGES[request.param])
    return shop


def test_any_damage_parks_the_saga_and_tells_the_desk_once(damaged: Shop) -> None:
    damaged.recover()
    with damaged.runtime() as runtime:
        assert [one.saga for one in runtime.parked()] == ["b"]
    assert len(damaged.told) == 1
    assert "a" in damaged.recover()
    assert len(damaged.told) == 1


@pytest.mark.parametrize("is_parked", [True, False])
@pytest.mark.parametrize(
    ("decision", "how"), [(ACCEPT, "accepted"), (Decision.handled("refunded"), "handled")]
)
def test_what_cannot_be_read_is_settled_by_a_person_and_left_alone_from_then_on(
    damaged: Shop, decision: Decision, how: str, *, is_parked: bool
) -> None:
    if is_parked:
        damaged.recover()
    told = list(damaged.told)
    with damaged.runtime() as runtime:
        ending = runtime.decide("b", decision, by="anna").ending
        assert ending is not None
        assert (ending.status, ending.settled) == ("escalated", how)
    assert damaged.recover() == ["a"]
    with damaged.runtime() as runtime:
        assert runtime.parked() == []
        assert runtime.send_cases() == 0
        again = runtime.saga("b").ending
        assert again is not None
        assert [one.line for one in again.decisions] == [one.line for one in ending.decisions]
        for take_up in (runtime.resume, runtime.retry):
            with pytest.raises((Parked, SagaMisuse)):
                take_up("b")
    assert damaged.told == told


def test_it_is_settled_once(damaged: Shop) -> None:
    with damaged.runtime() as runtime:
        first = runtime.decide("b", ACCEPT, by="anna", id="one").ending
        second = runtime.decide("b", ACCEPT, by="bob", id="two").ending
        assert first is not None
        assert second is not None
        assert [one.by for one in second.decisions] == ["anna"]
        with pytest.raises(
            DecisionRefused, match=r"late: the saga 'b' was settled before: anna decided: accept"
        ):
            runtime.decide("b", Decision.handled("refunded"), by="bob")
        with pytest.raises(DecisionRefused, match="double"):
            runtime.decide("b", Decision.handled("refunded"), by="bob", id="one")


@pytest.mark.parametrize(
    "decision", [Decision.retry(), Decision.go_on(), Decision.handled(steps={"c1": "refunded"})]
)
def test_nothing_else_can_be_decided_about_what_cannot_be_read(damaged: Shop, decision: Decision) -> None:
    with damaged.runtime() as runtime, pytest.raises(DecisionRefused, match=r"impossible.*cannot be read"):
        runtime.decide("b", decision, by="anna")


def test_a_saga_that_can_be_read_is_not_settled_by_force(shop: Shop) -> None:
    with shop.runtime() as runtime:
        with pytest.raises(DecisionRefused, match="impossible: the saga 'b' has no case"):
            runtime.decide("b", ACCEPT, by="anna")
        with pytest.raises(SagaMisuse, match="there is no saga 'c'"):
            runtime.decide("c", ACCEPT, by="anna")
    assert shop.recover() == ["a", "b"]


def test_nobody_settles_a_saga_under_the_hands_of_its_runner(shop: Shop) -> None:
    with shop.runtime() as runtime:
        saga = runtime.resume("b")
        shop.spoil(DAMAGES["altered"])
        with shop.runtime() as other, pytest.raises(DecisionRefused, match=r"contradictory.*another runner"):
            other.decide("b", ACCEPT, by="anna")
        assert saga.call("sell", {"what": "cup"}, "c2").ok


def test_a_person_who_looks_sees_that_it_is_settled_and_by_whom(damaged: Shop) -> None:
    with JournalReader(damaged.path) as reader:
        assert [one.saga for one in standings(reader, 0.0)] == ["a", "b"]
    with damaged.runtime() as runtime:
        runtime.decide("b", ACCEPT, by="anna")
    with JournalReader(damaged.path) as reader:
        assert [one.saga for one in standings(reader, 0.0)] == ["a"]
        seen = standing_of(reader, "b", 0.0, reader.reasons())
    assert seen is not None
    assert seen.state == "settled: accepted, though it cannot be read"
    assert seen.decisions == ("anna decided: accept (too small to chase)",)


def test_a_file_of_the_release_before_learns_how_long_its_sagas_are(shop: Shop) -> None:
    shop.spoil("DROP TRIGGER counted")
    shop.spoil("ALTER TABLE lease DROP COLUMN number")
    shop.spoil("ALTER TABLE lease DROP COLUMN settled")
    shop.spoil("PRAGMA user_version = 2")
    with JournalReader(shop.path) as reader:
        assert [one.state for one in standings(reader, 0.0)] == ["running", "running"]
    with SqliteJournal(shop.path) as journal:
        assert len(journal.read("b")) == 3
    shop.spoil(DAMAGES["no end"])
    with SqliteJournal(shop.path) as journal, pytest.raises(UnreadableJournal, match="records 3 to 3"):
        journal.read("b")


def test_recovering_again_gives_a_saga_between_two_calls_once_more_and_the_same_one(shop: Shop) -> None:
    with shop.runtime() as runtime:
        first = {saga.id: saga for saga in runtime.recover()}
        second = {saga.id: saga for saga in runtime.recover()}
        assert first.keys() == second.keys() == {"a", "b"}
        assert first["b"].call("sell", {"what": "cup"}, "c2").ok
        assert second["b"].call("sell", {"what": "cup"}, "c2").ok
    assert shop.sold == ["lamp", "lamp", "cup"]


@pytest.mark.parametrize("saga", ["\ud800", "a\udfff"])
def test_an_id_that_cannot_be_written_down_is_refused_in_words(shop: Shop, saga: str) -> None:
    with shop.runtime() as runtime:
        for ask in (runtime.start, runtime.resume, runtime.saga, runtime.retry):
            with pytest.raises(SagaMisuse, match=rf"character {len(saga)} is half a character"):
                ask(saga)


def test_a_used_id_is_refused_without_the_error_of_the_journal(shop: Shop) -> None:
    with shop.runtime() as runtime, pytest.raises(SagaMisuse, match="there is a saga 'b' already") as caught:
        runtime.start("b")
    assert caught.value.__suppress_context__
