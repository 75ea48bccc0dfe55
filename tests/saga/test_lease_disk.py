"""A write that fails, wherever it comes: nothing is sent on the strength of it, and it is settled later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from sagaproof.saga import (
    ABSENT,
    CallableDesk,
    Found,
    JournalError,
    NotApplied,
    Record,
    Retry,
    Runtime,
    SqliteJournal,
    Step,
    Tool,
)


class FailingJournal(SqliteJournal):
    """A journal in memory of which `lasts` writes fail from the n-th on, or say so though they are kept."""

    def __init__(self, at: int, *, lasts: int = 1, keeps: bool = False) -> None:
        super().__init__(":memory:")
        self.at, self.lasts, self.keeps = at, lasts, keeps
        self.count = 0
        self.failed: list[str] = []

    def begin(self, saga: str, record: Record, seconds: float) -> Any:
        kept = super().begin(saga, record, seconds) if self._passes(record) else None
        return self._told(kept)

    def append(self, saga: str, number: int, record: Record, lease: Any = None) -> None:
        if self._passes(record):
            super().append(saga, number, record, lease)
        self._told(None)

    def _passes(self, record: Record) -> bool:
        self.count += 1
        self.fails = self.at <= self.count < self.at + self.lasts
        if self.fails:
            self.failed.append(record.kind)
        return self.keeps or not self.fails

    def _told(self, answer: Any) -> Any:
        if self.fails:
            raise JournalError("database or disk is full")
        return answer


@dataclass
class Services:
    """What was done under which key, what was undone, and what the journal held when it arrived."""

    journal: FailingJournal
    done: dict[str, str] = field(default_factory=dict)
    undone: list[str] = field(default_factory=list)
    cases: dict[str, Any] = field(default_factory=dict)

    def last(self) -> Record:
        return self.journal.read("order")[-1]

    def call(self, what: str, *, key: str) -> dict[str, str]:
        assert self.last().body["call_id"] in key, "sent without its intent"
        if what == "refused":
            raise NotApplied
        self.done.setdefault(key, what)
        return {"id": key}

    def look(self, step: Step) -> Any:
        return Found({"id": step.key}) if step.key in self.done else ABSENT

    def undo(self, step: Step) -> None:
        assert self.last().kind == "undoing", "sent without being written down"
        if step.key in self.done and step.key not in self.undone:
            self.undone.append(step.key)

    def runtime(self) -> Runtime:
        tool = Tool(
            self.call, name="do", cls=4, undo=self.undo, undo_by_key=True, lookup=self.look, ref="id",
            retry=Retry(2, wait_s=0),
        )  # fmt: skip
        desk = CallableDesk(lambda case, key: self.cases.setdefault(key, case))
        return Runtime([tool], journal=self.journal, desk=desk, desk_retry=Retry(2, wait_s=0))


def task(runtime: Runtime) -> None:
    """Two calls that are done, one that is refused, and the way back."""
    saga = runtime.start("order")
    for name in ("a", "b", "refused"):
        saga.call("do", {"what": name}, name)
    saga.give_up("no stock")


def writes() -> int:
    services = Services(FailingJournal(at=0, lasts=0))
    task(services.runtime())
    return services.journal.count


WRITES = writes()


@pytest.fixture(params=[False, True], ids=["not-kept", "kept-and-told-otherwise"])
def keeps(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize("at", range(1, WRITES + 1))
def test_a_write_that_fails_is_heard_and_settled_when_the_disk_is_back(at: int, keeps: bool) -> None:
    services = Services(FailingJournal(at, keeps=keeps))
    runtime = services.runtime()
    with pytest.raises(JournalError, match="disk is full"):
        task(runtime)
    del runtime
    for saga in services.runtime().recover():
        saga.give_up("restarted")
    assert sorted(services.undone) == sorted(services.done)
    assert services.cases == {}
    assert services.journal.open_sagas() == []


@pytest.mark.parametrize("at", range(1, WRITES + 1))
def test_while_the_disk_stays_full_nothing_is_sent_that_is_not_written(at: int) -> None:
    services = Services(FailingJournal(at, lasts=10**6))
    runtime = services.runtime()
    with pytest.raises(JournalError):
        task(runtime)
    done = dict(services.done)
    for _ in range(8):
        try:
            runtime.recover()
        except (JournalError, ExceptionGroup):
            continue
    assert services.done == done
    services.journal.lasts = 0
    for saga in runtime.recover():
        saga.give_up("the disk is back")
    assert sorted(services.undone) == sorted(services.done)
    assert runtime.parked() == [], "a full disk says nothing of a saga"


def test_an_effect_of_which_the_outcome_was_not_kept_is_looked_up() -> None:
    services = Services(FailingJournal(at=3))
    saga = services.runtime().start("order")
    with pytest.raises(JournalError):
        saga.call("do", {"what": "a"}, "a")
    assert services.journal.failed == ["outcome"]
    assert saga.call("do", {"what": "a"}, "a").ok
    assert list(services.done) == ["order/a"]
    assert saga.finish().status == "completed"


def test_a_caller_whose_saga_was_not_begun_may_begin_it_again() -> None:
    services = Services(FailingJournal(at=1))
    runtime = services.runtime()
    with pytest.raises(JournalError):
        runtime.start("order")
    assert runtime.start("order").finish().status == "completed"


@pytest.mark.parametrize("broken", ["claim", "confirm", "read"])
def test_a_journal_that_cannot_be_asked_stops_what_relies_on_it(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = Services(FailingJournal(at=0, lasts=0))
    runtime = services.runtime()
    runtime.start("order").call("do", {"what": "a"}, "a")

    def fail(*_args: object, **_options: object) -> None:
        raise JournalError("disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(services.journal, broken, fail)
        failed: Callable[[], object] = runtime.recover
        try:
            for saga in failed():  # type: ignore[attr-defined]
                saga.give_up("restarted")
        except (JournalError, ExceptionGroup):
            pass
    for saga in runtime.recover():
        saga.give_up("restarted")
    assert sorted(services.undone) == sorted(services.done)
    assert runtime.parked() == []


def test_an_error_that_could_not_be_written_down_is_in_the_case_all_the_same() -> None:
    def mail(to: str) -> None:
        raise TimeoutError(f"no answer from {to}")

    at = {kind: n for n, kind in enumerate(("started", "intent", "outcome"), start=1)}
    journal = FailingJournal(at=at["outcome"])
    cases: list[Any] = []
    desk = CallableDesk(lambda case, _key: cases.append(case))
    runtime = Runtime([Tool(mail, name="mail", cls=5)], journal=journal, desk=desk)
    saga = runtime.start("order")
    with pytest.raises(JournalError):
        saga.call("mail", {"to": "kim"})
    assert journal.failed == ["outcome"]
    assert saga.give_up().status == "escalated"
    assert [case.cause for case in cases] == ["mail (call_1): TimeoutError: no answer from kim"]
    assert [case.steps[0].error for case in cases] == ["TimeoutError: no answer from kim"]
