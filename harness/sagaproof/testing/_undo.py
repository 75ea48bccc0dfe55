"""The rules for taking back: by key, by the declared undo, by the old value; too early, twice, never."""

from __future__ import annotations

from sagaproof._model.operation import EffectClass
from sagaproof._world.delivery import Handled
from sagaproof._world.operation import undo_of
from sagaproof.testing._bench import Bench
from sagaproof.testing._subject import Subject

__all__ = ["check_undo"]

_KEY = "key-1"


def check_undo(subject: Subject, name: str) -> None:
    """All ways in which a class 3 to 5 operation can, or cannot, be taken back."""
    operation = subject.operations[name]
    declared = subject.make().declarations()
    for other in declared.values():
        if name in other.operation.undoes and hasattr(type(subject.make()), other.operation.name):
            _check_undo_by_reference(subject, name, other.operation.name)
    undo = undo_of(name, declared)
    if operation.keyed and undo is not None:
        _check_fence(subject, name, undo.operation.name)
        if operation.cls is EffectClass.IRREVERSIBLE:
            _check_irreversible(subject, name, undo.operation.name)
        else:
            _check_undo_by_key(subject, name, undo.operation.name)
    if operation.restores is not None:
        _check_restoring(subject, name)


def _check_fence(subject: Subject, name: str, undo: str) -> None:
    """An undo that comes first succeeds quietly and keeps the call from ever being applied."""
    full = subject.operations[name].full
    bench = subject.bench()
    _check_lookup(subject, bench, name, "absent", None)
    fenced = bench.call(undo, {}, target_key=_KEY)
    subject.score.require(
        fenced.ok and not fenced.changes,
        "fence",
        f"to undo {full} by a key that never came is answered {fenced.status} {fenced.body!r}",
        advice="Leave undo by key to System.handle: it fences the key.",
    )
    _check_lookup(subject, bench, name, "fenced", None)
    late = bench.call(name, subject.examples[name], key=_KEY)
    subject.score.require(
        not late.ok and not late.changes,
        "fence",
        f"{full} was applied although its key had been undone before it came",
        advice="Leave keys to System.handle: it refuses what comes under a fenced key.",
    )


def _check_undo_by_key(subject: Subject, name: str, undo: str) -> None:
    bench = subject.bench()
    applied = subject.forward(bench, name, key=_KEY)
    _check_lookup(subject, bench, name, "applied", applied)
    undone = bench.call(undo, {}, target_key=_KEY)
    _require_undone(subject, bench, undone, f"the undo by key of {subject.operations[name].full}")
    _require_once(subject, bench.call(undo, {}, target_key=_KEY), subject.operations[undo].full)


def _check_irreversible(subject: Subject, name: str, undo: str) -> None:
    bench = subject.bench()
    _check_lookup(subject, bench, name, "applied", subject.forward(bench, name, key=_KEY))
    refused = bench.call(undo, {}, target_key=_KEY)
    subject.score.require(
        not refused.ok,
        "irreversible",
        f"{subject.operations[name].full} has class 5, and yet it was taken back by its key",
        advice="Give it class 3 or 4, or refuse.",
    )


def _check_undo_by_reference(subject: Subject, name: str, undo: str) -> None:
    bench = subject.bench()
    undoing = subject.operations[undo]
    handled = subject.forward(bench, name)
    args = {str(undoing.ref): subject.reference(name, handled)}
    undone = bench.call(undo, args)
    _require_undone(subject, bench, undone, f"{undoing.full}({args!r})")
    _require_once(subject, bench.call(undo, args), undoing.full)


def _check_restoring(subject: Subject, name: str) -> None:
    """The answer says what the field was, and to write that is an undo."""
    operation = subject.operations[name]
    assert operation.restores is not None
    table, field = operation.restores
    bench = subject.bench()
    key = str(subject.examples[name].get(str(operation.ref)))
    old = bench.state().rows[table].get(key, {}).get(field)
    handled = subject.forward(bench, name)
    subject.score.require(
        handled.body["previous"] == {field: old} and handled.changes[0].key == key,
        "undo-bound",
        f"{operation.full} changes {handled.changes[0].table}[{handled.changes[0].key}], not the {field} of "
        f"{table}[{key}] that it is declared to restore",
        advice="ref= must name the parameter that is the key of the row.",
    )
    back = {**subject.examples[name], field: old}
    _require_undone(subject, bench, bench.call(name, back), f"{operation.full} with the previous {field}")


def _check_lookup(subject: Subject, bench: Bench, name: str, state: str, applied: Handled | None) -> None:
    found = bench.look_up(name, _KEY)
    subject.score.require(
        found["state"] == state and found["answer"] == (None if applied is None else applied.body),
        "lookup",
        f"the lookup of a key of {subject.operations[name].full} says {dict(found)!r}; it is {state}",
        advice="Leave lookup to the base class.",
    )


def _require_undone(subject: Subject, bench: Bench, undone: Handled, what: str) -> None:
    left = bench.differences()
    subject.score.require(
        undone.ok and not left,
        "undone",
        f"{what} {f'leaves {left[0]}' if left else f'was refused: {undone.body!r}'}",
        advice="Put back all that the call wrote, or say in Table(gone=, volatile=) what does not count.",
    )


def _require_once(subject: Subject, again: Handled, full: str) -> None:
    subject.score.require(
        not again.changes,
        "undone-once",
        f"{full} changed something again when it came a second time",
        advice="Refuse it (404 or 409), or answer without a write.",
    )
