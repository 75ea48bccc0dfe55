"""The base class of every fake service, ours and the user's: operations in, answers and changes out.

It knows nothing of faults, plans or the wire. What an operation writes into its tables becomes a list of
changes, whole or not at all; keys, fences, undo by key and lookup come with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, NamedTuple

from sagaproof._model.effect import Change, Effect, Record
from sagaproof._model.operation import Operation, TableInfo
from sagaproof._world.arguments import check_args
from sagaproof._world.built_in import LOOKUP, built_in, is_built_in_undo
from sagaproof._world.clock import Clock, Ids
from sagaproof._world.delivery import Delivery, Emission, Handled, from_memory, refused
from sagaproof._world.keys import LIFETIME_S, KeyMemory, Remembered
from sagaproof._world.operation import Declared, Refusal, declared, undo_of
from sagaproof._world.put_back import next_version, put_back
from sagaproof._world.table import Rows, Table
from sagaproof.errors import UsageError, suggest

__all__ = ["Snapshot", "System"]


class Snapshot(NamedTuple):
    """The whole state of a system at one moment; rows are shared, since they never change."""

    tables: tuple[Rows, ...]
    keys: dict[str, Remembered]


class System:
    """A stateful fake of an outside service. Subclass it, declare tables and operations.

    `name` is how plans, reports and `world.<name>` call it; `hosts` are the host names that it answers
    for over HTTP; `sends` are the types of the events that it may `emit`. Set-up methods are ordinary
    methods: what they write is not part of a run.
    """

    name: ClassVar[str] = ""
    hosts: ClassVar[tuple[str, ...]] = ()
    key_lifetime_s: ClassVar[float] = LIFETIME_S
    sends: ClassVar[tuple[str, ...]] = ()
    _declared: dict[str, Declared]
    _invariants: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._declared, cls._invariants = declared(cls, cls.name)
        cls._declared |= {d.operation.name: d for d in built_in(cls.name, cls._declared)}

    def __init__(self) -> None:
        if not self.name:
            raise UsageError(
                f"{type(self).__name__} has no name", advice='Set name = "..." in the class body.'
            )
        self.clock = Clock()
        self.ids = Ids()
        self.keys = KeyMemory(self.key_lifetime_s)
        self.on_outside_write: Callable[[Change], None] = _ignore
        self.on_outside_event: Callable[[Emission], None] = _ignore
        self._writes: list[Change] | None = None
        self._emitted: list[Emission] = []
        self.tables: tuple[Table, ...] = tuple(self._bind_tables())
        self._table_by_name = {table.name: table for table in self.tables}
        self._invariant_methods = tuple((name, getattr(self, name)) for name in self._invariants)

    def _bind_tables(self) -> Iterator[Table]:
        for name in dir(type(self)):
            template = getattr(type(self), name)
            if isinstance(template, Table):
                table = template.bind(self.name, name, self._wrote)
                setattr(self, name, table)
                yield table

    def _wrote(self, change: Change) -> None:
        if self._writes is None:
            self.on_outside_write(change)
        else:
            self._writes.append(change)

    # What it offers -------------------------------------------------------------------------------------

    def operations(self) -> dict[str, Operation]:
        """Every operation by its name, the built-in lookup and undo-by-key included."""
        return {name: d.operation for name, d in self._declared.items()}

    def declarations(self) -> dict[str, Declared]:
        """Every operation by its name, with its function, route and parameter types."""
        return dict(self._declared)

    def table_infos(self) -> tuple[TableInfo, ...]:
        """How the rows of each table compare."""
        return tuple(table.info for table in self.tables)

    def undoes_by_key_alone(self, name: str) -> bool:
        """Whether this is a built-in undo, which takes nothing but the key of what it takes back."""
        return is_built_in_undo(self._declared[name])

    def undo_operation(self, name: str) -> str:
        """The operation that a call of 'undo by key' on `name` runs as. Raises `UsageError` for a read."""
        if name not in self._declared:
            raise UsageError(f"{self.name} has no operation {name!r}", advice=suggest(name, self._declared))
        undo = undo_of(name, self._declared)
        if undo is None:
            raise UsageError(
                f"{self.name}.{name} has nothing to undo", advice="Only classes 3 to 5 are undone."
            )
        return undo.operation.name

    # What it does ---------------------------------------------------------------------------------------

    def handle(self, delivery: Delivery) -> Handled:
        """Take one delivery: honour its key, run the operation whole or not at all, remember the answer."""
        known = self._declared.get(delivery.operation)
        if known is None:
            return refused(404, "unknown_operation", f"{self.name} has no operation {delivery.operation!r}")
        key = delivery.key if known.operation.keyed else None
        if key is not None:
            entry = self.keys.get(key, self.clock.now())
            if entry is not None:
                return from_memory(entry, delivery)
        handled = self._execute(known, delivery)
        if key is not None and (handled.ok or handled.status >= 500):
            self.keys.done(
                key,
                delivery.operation,
                delivery.args,
                handled.status,
                handled.body,
                changes=handled.changes,
                now=self.clock.now(),
            )
        return handled

    def _execute(self, known: Declared, delivery: Delivery) -> Handled:
        outer, self._writes = self._writes, []  # a tool may call another one
        outer_events, self._emitted = self._emitted, []
        try:
            body = self._answer(known, delivery)
            return Handled(known.status, body, tuple(self._writes), events=tuple(self._emitted))
        except Refusal as refusal:
            self._roll_back()
            return refused(refusal.status, refusal.code, refusal.message)
        except BaseException:
            self._roll_back()
            raise
        finally:
            self._writes, self._emitted = outer, outer_events

    def _answer(self, known: Declared, delivery: Delivery) -> Any:
        if delivery.target_key is not None:
            return self._undo_by_key(known, delivery.target_key)
        args = delivery.args
        check_args(known, args)
        if known.operation.name == LOOKUP:
            return self._look_up(args["operation"], args["key"])
        previous = self._previous(known.operation, args)
        extra = {"if_match": delivery.if_match} if known.takes_if_match else {}
        body = known.fn(self, **args, **extra)
        return body if previous is None else {**(body or {}), "previous": previous}

    def _previous(self, operation: Operation, args: Record) -> dict[str, Any] | None:
        """The value that an undo would have to put back: the caller needs it and must not have to guess."""
        if operation.restores is None or operation.ref is None:
            return None
        table, field = operation.restores
        row = self._table_by_name[table].get(str(args.get(operation.ref)))
        return None if row is None else {field: row.get(field)}

    def _roll_back(self) -> None:
        self._take_back(self._writes or ())

    def _take_back(self, changes: Sequence[Change]) -> None:
        for table, key, before, _ in reversed(changes):
            rows = self._table_by_name[table].rows
            if before is None:
                rows.pop(key, None)
            else:
                rows[key] = before

    def _look_up(self, operation: str, key: str) -> dict[str, Any]:
        if operation not in self._declared:
            raise Refusal(404, "unknown_operation", f"{self.name} has no operation {operation!r}")
        entry = self.keys.get(key, self.clock.now())
        if entry is None or (entry.operation != operation and entry.state != "fenced"):
            return {"state": "absent", "answer": None}
        done = "applied" if entry.status < 400 else "failed"
        return {"state": done if entry.state == "done" else entry.state, "answer": entry.body}

    def _undo_by_key(self, undo: Declared, key: str) -> Any:
        entry = self.keys.get(key, self.clock.now())
        if entry is None or (entry.status >= 500 and not entry.changes):
            self.keys.fence(key, undo.operation.undoes[0], self.clock.now())
            return {"state": "fenced", "undone": False}
        if entry.state == "fenced":
            return {"state": "fenced", "undone": False}
        if entry.state == "in-flight":
            raise Refusal(409, "key_in_use", f"the call under key {key!r} is still being worked on")
        if entry.operation not in undo.operation.undoes:
            raise Refusal(409, "other_operation", f"key {key!r} belongs to {entry.operation}")
        if is_built_in_undo(undo):
            put_back(self._table_by_name, undo.operation.cls, entry)
            return {"state": "undone", "undone": True}
        ref = self._declared[entry.operation].operation.ref
        found = entry.args.get(ref, (entry.body or {}).get(ref)) if ref else None
        body = undo.fn(self, **{str(undo.operation.ref): found})
        return {**(body or {}), "state": "undone", "undone": True}

    @staticmethod
    def next_version(row: Record) -> int:
        """The version that a row gets with its next write; rows without one start at 1."""
        return next_version(row)

    def emit(self, type: str, data: Record) -> None:  # noqa: A002  # what senders of events call it
        """Send an event of one of the types that `sends` names, with what it tells.

        Within an operation it goes out once that has succeeded: a refused call sends nothing, and neither
        does a repetition that is answered from memory.
        """
        if type not in self.sends:
            raise UsageError(
                f"{self.name} does not say that it sends {type!r}",
                advice=suggest(type, self.sends) if self.sends else f"Set sends = ({type!r},) in its class.",
            )
        emission = Emission(type, dict(data))
        if self._writes is None:
            self.on_outside_event(emission)
        else:
            self._emitted.append(emission)

    def broken(self) -> Iterator[tuple[str, str]]:
        """Each invariant that does not hold now, with the sentence that says why."""
        for name, method in self._invariant_methods:
            detail = method()
            if detail:
                yield name, str(detail)

    # What faults need of it -----------------------------------------------------------------------------

    def keep_part(self, delivery: Delivery, body: Any, changes: tuple[Change, ...]) -> None:
        """Remember that a call was done in part: the same key gets the same answer, and can be undone."""
        if delivery.key is not None:
            now = self.clock.now()
            self.keys.done(
                delivery.key, delivery.operation, delivery.args, 200, body, changes=changes, now=now
            )

    @contextmanager
    def without(self, changes: Sequence[Change]) -> Iterator[None]:
        """Have the state as if these changes had not been made, for as long as the context lasts."""
        snapshot = self.snapshot()
        self._take_back(changes)
        try:
            yield
        finally:
            self.restore(snapshot)

    def meanwhile(self, kind: str, effect: Effect) -> None:
        """Let somebody else write to the object of an effect, as its operation declares it for this kind.

        Without a method for it, `meddled` sets the field that the operation sets to another value. What the
        system refuses is not done.
        """
        described = self._declared[effect.operation].operation
        method = dict(described.meanwhile).get(kind)
        if method is not None:
            with suppress(Refusal):
                getattr(self, method)(effect)
        elif described.restores is not None:
            table, field = described.restores
            for change in effect.changes:
                if change.table == table and change.after is not None:
                    value = change.after.get(field)
                    other = value + 1 if isinstance(value, int) else f"{value} (by somebody else)"
                    self._table_by_name[table].patch(change.key, **{field: other})

    # Whole state ----------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The state as it is: a shallow copy of each table."""
        return Snapshot(tuple(dict(table.rows) for table in self.tables), dict(self.keys.entries))

    def restore(self, snapshot: Snapshot) -> None:
        """Be as at the snapshot; the snapshot can be used again."""
        for table, rows in zip(self.tables, snapshot.tables, strict=True):
            table.rows = dict(rows)
        self.keys.entries = dict(snapshot.keys)

    def reset(self) -> None:
        """Be empty. Override to clear what is kept outside tables, and call `super().reset()`."""
        for table in self.tables:
            table.rows = {}
        self.keys.entries = {}


def _ignore(_change: object) -> None:
    """A system on its own has nobody to tell of outside writes, or of events."""
