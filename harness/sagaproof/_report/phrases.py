"""What a call looked like from both sides, in a few words: what its client was told, what the world did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final, TypeAlias

from sagaproof._model.effect import Change, Effect
from sagaproof._model.event import Told
from sagaproof._model.operation import EffectClass, TableInfo
from sagaproof._report.plain import one_line, shorten, show
from sagaproof._report.visit import Visit

__all__ = ["args_text", "brief_args", "changes_text", "happened", "remark", "told_text"]

Tables: TypeAlias = Mapping[tuple[str, str], TableInfo]

_TOLD: Final = {
    "answer": "ok",
    "connection refused": "refused",
    "timeout": "timeout",
    "connection reset": "reset",
    "answer torn off": "torn",
    "garbage": "garbage",
    "200 with an error inside": "200 with an error",
    "raised": "raised",
}
_VALUE_MAX: Final = 24
_BRIEF_MAX: Final = 40
_CHANGES_MAX: Final = 4


def told_text(visit: Visit) -> str:
    """What the client saw, attempt by attempt, repeats counted: `503 x3, ok`."""
    words = (_told(arrival.told) for arrival in visit.arrivals)
    return ", ".join(_times(word, len(list(same))) for word, same in groupby(words))


def _told(told: Told | None) -> str:
    if told is None:
        return "nothing"
    if told.learnt == "error status":
        return str(told.status)
    return _TOLD.get(told.learnt, told.learnt)


def _times(word: str, count: int) -> str:
    return word if count == 1 else f"{word} x{count}"


def happened(visit: Visit, tables: Tables) -> str:
    """What became of the effect at once, whatever the client was told."""
    if visit.call.operation.cls is EffectClass.READ:
        return "read" if visit.ok else "not read"
    if visit.effects:
        texts = "; ".join(dict.fromkeys(changes_text(e.system, e.changes, tables) for e in visit.effects))
        return f"{_times('applied', len(visit.effects))}: {texts}"
    if visit.rejections:
        last = visit.rejections[-1]
        return f"refused: {last.status} {last.code}".rstrip()
    if visit.ok:
        return "no change"
    return "not applied" if visit.lands is None else f"on its way, to arrive {visit.lands.value}"


def remark(visit: Visit, tables: Tables) -> str:
    """The gist of `happened` beside a call: the object made, the value before, or what it undoes."""
    words = []
    undoes = visit.call.undoes
    if undoes is not None and undoes.call is not None:
        words.append(f"undoes {undoes.call + 1}" + ("" if undoes.certain else "?"))
    else:
        words.extend(dict.fromkeys(filter(None, (_gist(effect, tables) for effect in visit.effects))))
    if len(visit.effects) > 1:
        words.append(_times("applied", len(visit.effects)))
    if visit.first.point.attempt > 1:
        words.append(f"attempt {visit.first.point.attempt}")
    return ", ".join(words)


def _gist(effect: Effect, tables: Tables) -> str:
    for change in effect.changes:
        if change.before is None:
            return shorten(one_line(change.key), _VALUE_MAX)
        for _, before, _ in _fields(effect.system, change, tables):
            return f"was {shorten(show(before), _VALUE_MAX)}"
    return ""


def changes_text(system: str, changes: Iterable[Change], tables: Tables) -> str:
    """Rows added, removed and changed, field by field; versions and times of change are left out."""
    texts = []
    for change in changes:
        row = f"{change.table} {one_line(change.key)}"
        if change.before is None or change.after is None:
            texts.append(f"{row} {'added' if change.before is None else 'removed'}")
            continue
        fields = (
            f"{name} {shorten(show(old), _VALUE_MAX)} -> {shorten(show(new), _VALUE_MAX)}"
            for name, old, new in _fields(system, change, tables)
        )
        texts.append(f"{row} {', '.join(fields)}".rstrip())
    more = len(texts) - _CHANGES_MAX
    return "; ".join(texts[:_CHANGES_MAX]) + (f"; {more} more" if more > 0 else "")


def _fields(system: str, change: Change, tables: Tables) -> list[tuple[str, object, object]]:
    before, after = change.before or {}, change.after or {}
    info = tables.get((system, change.table))
    volatile = frozenset() if info is None else info.volatile
    names = [name for name in dict.fromkeys((*before, *after)) if name not in volatile]
    return [(n, before.get(n), after.get(n)) for n in names if before.get(n) != after.get(n)]


def args_text(args: Mapping[str, object]) -> str:
    """All arguments, each cut to a readable length: `customer=a amount=250000`."""
    return " ".join(f"{one_line(str(name))}={shorten(show(value), 60)}" for name, value in args.items())


def brief_args(args: Mapping[str, object]) -> str:
    """The short values among the arguments, without names: enough to know a call by."""
    words: list[str] = []
    for value in args.values():
        if isinstance(value, str | int) and not isinstance(value, bool):
            word = one_line(str(value))
            if word and len(word) <= _VALUE_MAX:
                words.append(word)
    return shorten(" ".join(words), _BRIEF_MAX)
