"""The rules for what somebody else does meanwhile, and for calls of which a part is done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sagaproof._model.operation import MEANWHILE, EffectClass
from sagaproof._world.operation import undo_of
from sagaproof.testing._bench import Bench
from sagaproof.testing._subject import Subject

__all__ = ["check_bulk", "check_meanwhile"]

_KEY = "key-1"


def check_meanwhile(subject: Subject, name: str) -> None:
    """What somebody else does to the object of a call shows, is valid, and, if it says so, bars the undo."""
    operation = subject.operations[name]
    for kind in MEANWHILE:
        if kind in operation.traits:
            _check_something_happens(subject, name, kind)
    if "consumed" in operation.traits:
        for undo, args, key in _undos(subject, name):
            _check_barred(subject, name, undo, args, key)


def _check_something_happens(subject: Subject, name: str, kind: str) -> None:
    bench = subject.bench()
    subject.forward(bench, name)
    before = bench.state()
    bench.meddle(kind)
    subject.score.require(
        bench.state().touched_since(before),
        "meanwhile",
        f"after {subject.operations[name].full} nothing is different when it is {kind}",
        advice="Write to the rows of the effect, with Table.put, Table.patch or Table.drop.",
    )


def _check_barred(subject: Subject, name: str, undo: str, args: dict[str, Any], key: str | None) -> None:
    bench = subject.bench()
    handled = subject.forward(bench, name, key=_KEY if subject.operations[name].keyed else None)
    bench.meddle("consumed")
    ref = str(subject.operations[undo].ref)
    given = args or ({} if key else {ref: subject.reference(name, handled)})
    refused = bench.call(undo, given, target_key=key)
    subject.score.require(
        not refused.ok,
        "consumed-bars-undo",
        f"{subject.operations[undo].full} takes back what {subject.operations[name].full} did although "
        "somebody else has used it up",
        advice="Refuse (409) what cannot be taken back any more, or leave consumed out of meanwhile=.",
    )


def _undos(subject: Subject, name: str) -> Iterator[tuple[str, dict[str, Any], str | None]]:
    """Each way to take a call back: the operation, the arguments if they are known before, and the key."""
    operation = subject.operations[name]
    declared = subject.make().declarations()
    for other in declared.values():
        if name in other.operation.undoes and hasattr(type(subject.make()), other.operation.name):
            yield other.operation.name, {}, None
    undo = undo_of(name, declared)
    if operation.keyed and undo is not None:
        yield undo.operation.name, {}, _KEY
    if operation.restores is not None:
        table, field = operation.restores
        row = subject.bench().state().rows[table][str(subject.examples[name][str(operation.ref)])]
        yield name, {**subject.examples[name], field: row[field]}, None


def check_bulk(subject: Subject, name: str) -> None:
    """Of a list of items some can be done without the others, and that part can be taken back."""
    operation = subject.operations[name]
    if operation.bulk is None:
        return
    items = subject.examples[name].get(operation.bulk, ())
    subject.score.require(
        len(items) > 1,
        "bulk",
        f"the example of {operation.full} has {len(items)} items in {operation.bulk}: that has no half",
        advice=f"Give examples[{name!r}] at least two items.",
    )
    whole = subject.bench()
    subject.forward(whole, name)
    bench = subject.bench()
    part = bench.do_half(name, subject.examples[name], _KEY)
    subject.score.require(
        part.ok and 0 < len(part.changes) <= len(whole.world.standing.effects[-1].changes),
        "bulk",
        f"half of the example of {operation.full} was answered {part.status} {part.body!r}",
        advice="Let each item be done by itself.",
    )
    if operation.keyed:
        _check_part_kept(subject, bench, name, part.body)


def _check_part_kept(subject: Subject, bench: Bench, name: str, body: Any) -> None:
    operation = subject.operations[name]
    again = bench.call(name, subject.examples[name], key=_KEY)
    subject.score.require(
        again.replayed and again.body == body,
        "bulk",
        f"{operation.full} answered {again.body!r} to the repetition of a call that was done in part",
        advice="Leave keys to System.handle.",
    )
    undo = undo_of(name, subject.make().declarations())
    if undo is None or operation.cls is EffectClass.IRREVERSIBLE:
        return
    undone = bench.call(undo.operation.name, {}, target_key=_KEY)
    left = bench.differences()
    subject.score.require(
        undone.ok and not left,
        "bulk",
        f"the undo of a part of {operation.full} "
        f"{f'leaves {left[0]}' if left else f'was refused: {undone.body!r}'}",
        advice="Take back what was done, however many items that were.",
    )
