"""`corrupt-journal-is-loud` finds who takes a damaged store for an empty one; what nobody knows is left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sagaproof._checks.catalogue import checks
from sagaproof._checks.corrupt_journal_is_loud import CorruptJournalIsLoud
from sagaproof._checks.damage import is_excused
from sagaproof._checks.protocol import RunCheck, State
from sagaproof._model.history import History
from sagaproof._taps.direct import ToolError
from sagaproof.stores import Store

Restarted = Callable[..., History]
CHECK = CorruptJournalIsLoud()
ISSUE = {"to": "ann", "amount": 3}
DAMAGE = pytest.mark.parametrize("fault", ["torn-record", "corrupt", "version"])


class Book:
    """Lines on disk; one that came to harm is None."""

    def __init__(self) -> None:
        self.lines: list[str | None] = []

    def write(self, world: Any) -> Callable[[str], None]:
        """Its one write, which can come to any harm."""

        def spoil(before: int) -> None:
            self.lines[before:] = [None] * (len(self.lines) - before)

        def lose(before: int) -> None:
            del self.lines[before:]

        store = Store(lambda: len(self.lines), lose=lose, tear=spoil, garble=spoil, outdate=spoil)
        add: Callable[[str], None] = world.durable(self.lines.append, name="book.add", store=store)
        return add

    def read(self) -> list[str]:
        """The lines; raises `ValueError` if one cannot be read."""
        whole = [line for line in self.lines if line is not None]
        if len(whole) < len(self.lines):
            raise ValueError("a line of the book cannot be read")
        return whole


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture
def run(restarted: Restarted, book: Book) -> Callable[..., History]:
    """`run(recover, plan)`: a credit between two lines, and one after them."""

    def body(world: Any) -> None:
        book.lines = []
        write = book.write(world)
        write("intent")
        world.direct.bank.issue(**ISSUE, key="k1")
        write("done")
        write("closed")

    return lambda recover, plan: restarted(body, recover, plan)


def undo(world: Any) -> str:
    state = world.direct.bank.undo_by_key("issue", "k1")
    assert state is not None
    return "compensated"


@DAMAGE
def test_a_damaged_store_that_is_taken_for_an_empty_one_is_found(
    run: Callable[..., History], book: Book, fault: str
) -> None:
    def recover(world: Any) -> str:
        try:
            lines = book.read()
        except ValueError:
            lines = []
        return undo(world) if lines else "refused"

    history = run(recover, f"book.add.2={fault}")
    verdict = CHECK.judge(history)
    assert verdict.state is State.VIOLATED
    assert verdict.claim.startswith("said 'refused', but a record was ")
    assert verdict.claim.endswith("nobody was told, and bank.issue cr_1 (3) still stands")
    assert "book.add.2" in verdict.because
    assert not is_excused(history, CHECK.slug, verdict)


@DAMAGE
def test_who_raises_or_tells_a_person_is_loud_and_owes_no_more(
    run: Callable[..., History], book: Book, fault: str
) -> None:
    def tells(world: Any) -> str:
        try:
            book.read()
        except ValueError as error:
            world.direct.desk.open_case(text=str(error), key="case")
        return "escalated"

    for recover in (lambda _: book.read() and "refused", tells):
        history = run(recover, f"book.add.2={fault}")
        assert CHECK.judge(history).state is State.HELD
        assert not violated(history)


@pytest.mark.parametrize("death", ["bank.issue.1=crash-before", "bank.issue.1=crash-after"])
def test_who_is_loud_need_not_show_that_it_knows_of_a_call_by_other_means(
    run: Callable[..., History], book: Book, death: str
) -> None:
    plan = f"book.add.1=corrupt,{death}"  # the line says what comes next, but neither key nor operation
    assert not violated(run(lambda _: book.read() and "refused", plan))
    assert "written-ahead" in violated(run(lambda _: "refused", plan))


@DAMAGE
def test_what_is_taken_back_by_its_key_or_part_of_a_completed_saga_needs_no_word(
    run: Callable[..., History], fault: str
) -> None:
    assert CHECK.judge(run(lambda world: _once(world, undo), f"book.add.2={fault}")).state is State.HELD
    again = run(lambda world: world.direct.bank.issue(**ISSUE, key="k1") and None, f"book.add.2={fault}")
    assert CHECK.judge(again).state is State.HELD
    twice = run(lambda world: world.direct.bank.issue(**ISSUE, key="k2") and None, f"book.add.2={fault}")
    assert CHECK.judge(twice).state is State.VIOLATED


def _once(world: Any, act: Callable[[Any], str]) -> str:
    try:
        return act(world)
    except Exception:  # noqa: BLE001  # it is reversed already, when the saga is looked at once more
        return "compensated"


def test_it_is_reached_only_where_there_was_something_to_lose(run: Callable[..., History]) -> None:
    assert CHECK.judge(run(lambda _: "refused", "book.add.1=torn-record")).state is State.NOT_REACHED
    assert CHECK.judge(run(lambda _: "refused", "book.add.2=crash-after")).state is State.NOT_REACHED


# What nobody could know -------------------------------------------------------------------------------------


def violated(history: History) -> set[str]:
    """What is a finding: violated, and not excused."""
    verdicts = {c.slug: c.judge(history) for c in checks() if isinstance(c, RunCheck)}
    wrong = {slug: v for slug, v in verdicts.items() if v.state is State.VIOLATED}
    return {slug for slug, verdict in wrong.items() if not is_excused(history, slug, verdict)}


def test_a_call_whose_record_is_gone_with_the_process_is_no_finding(
    run: Callable[..., History], book: Book
) -> None:
    def recover(world: Any) -> str:
        return undo(world) if book.read() else "refused"

    history = run(recover, "book.add.1=lost-record")
    assert book.lines == []
    assert [str(effect.ref) for effect in history.residue] == ["cr_1"]
    assert violated(history) == set()


def test_the_same_without_a_lost_record_is_one(run: Callable[..., History]) -> None:
    assert "no-silent-residue" in violated(run(lambda _: "refused", "bank.issue.1=crash-after"))


def test_to_do_it_again_under_another_key_is_a_finding_all_the_same(run: Callable[..., History]) -> None:
    def again(key: str) -> Callable[[Any], None]:
        return lambda world: world.direct.bank.issue(**ISSUE, key=key) and None

    assert "applied-once" in violated(run(again("k2"), "book.add.1=lost-record"))
    assert violated(run(again("k1"), "book.add.1=lost-record")) == set()


def test_who_knows_of_no_earlier_attempt_may_take_a_refusal_for_certain(run: Callable[..., History]) -> None:
    def again(world: Any) -> str:
        try:
            world.direct.bank.issue(**ISSUE, key="k1")
        except ToolError:
            return "refused"
        return "completed"

    lost = run(again, "book.add.1=lost-record,bank.issue.1:2@1=422")
    assert [str(effect.ref) for effect in lost.residue] == ["cr_1"]
    assert violated(lost) == set()
    assert "no-silent-residue" in violated(run(again, "bank.issue.1=crash-after,bank.issue.1:2@1=422"))


@pytest.mark.parametrize("reads", [True, False], ids=["reads-and-raises", "never-reads"])
def test_who_reads_its_own_damaged_line_before_it_is_killed_and_raises_is_loud(
    restarted: Restarted, book: Book, *, reads: bool
) -> None:
    """A journal that is read before each write: the process that wrote the line is the one to meet it."""

    def body(world: Any) -> str:
        book.lines = []
        write = book.write(world)
        write("intent")
        world.direct.bank.issue(**ISSUE, key="k1")
        write("done")
        if reads:
            book.read()
            return "completed"
        return "compensated"

    def recover(_world: Any) -> str:
        book.read()
        return "completed"

    assert bool(violated(restarted(body, recover, "book.add.2=corrupt"))) is not reads
