"""One fresh system in a world of its own; each call to it is tested for what must hold of all calls."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from typing import Any

from sagaproof._model.diff import Difference, differences
from sagaproof._model.operation import EffectClass, Operation
from sagaproof._world.delivery import Delivery, Handled
from sagaproof._world.system import System
from sagaproof._world.world import World
from sagaproof.testing._state import State
from sagaproof.testing._verdict import ContractBroken, Scorecard

__all__ = ["Bench"]


class Bench:
    """A system under test and the world around it."""

    def __init__(self, make: Callable[[], System], setup: Callable[[System], None], score: Scorecard) -> None:
        self.system = make()
        self.world = World([self.system])
        self._score = score
        self._calls = 0
        setup(self.system)
        self._check_invariants("after the set-up")

    def state(self) -> State:
        """All that the system knows now."""
        return State.of(self.system)

    def differences(self) -> list[Difference]:
        """What all calls so far have left different, as the services themselves see it."""
        return differences(self.world.log, self.world.tables, ())

    def look_up(self, operation: str, key: str) -> Mapping[str, Any]:
        """What the system says of a key."""
        answer = self.call("lookup", {"operation": operation, "key": key}).body
        assert isinstance(answer, Mapping)
        return answer

    def call(
        self,
        operation: str,
        args: Mapping[str, Any],
        *,
        key: str | None = None,
        target_key: str | None = None,
    ) -> Handled:
        """Deliver one call, and test that the system did nothing which no call may do."""
        described = self.system.operations()[operation]
        where = f"{described.full}({_text(args if target_key is None else {'by_key': target_key})})"
        state = self.state()
        rows = {table.name: dict(table.rows) for table in self.system.tables}
        handled = self._deliver(
            described, Delivery(operation, copy.deepcopy(dict(args)), key, None, target_key), where
        )
        self._score.called.add(operation)
        self._score.require(
            rows == state.rows,
            "rows-replaced",
            f"{where} changed the row {_first_difference(state.rows, rows)} in place",
            advice="Write with Table.put or Table.patch: a snapshot shares its rows.",
        )
        self._check_changes(described, handled, state, where)
        self._check_answer(described, args, handled, where)
        self._check_invariants(f"after {where}")
        return handled

    def meddle(self, kind: str) -> None:
        """Let somebody else write to the object of the latest effect, and test that all is valid then."""
        effect = self.world.standing.effects[-1]
        self.system.meanwhile(kind, effect)
        self._check_invariants(f"when what {effect.full} did is {kind} by somebody else")

    def do_half(self, operation: str, args: Mapping[str, Any], key: str) -> Handled:
        """Let the first half of the items of a call be done, and no more."""
        described = self.system.operations()[operation]
        items = args[str(described.bulk)]
        half = (len(items) + 1) // 2
        whole = Delivery(operation, copy.deepcopy(dict(args)), key if described.keyed else None)
        smaller = whole._replace(args={**whole.args, str(described.bulk): items[:half]})
        self._calls += 1
        handled = self.world.deliver_part(self.system, whole, (smaller, items[half:]), self._calls, None)
        self._check_invariants(f"after {described.full} was done in part")
        return handled

    def _deliver(self, described: Operation, delivery: Delivery, where: str) -> Handled:
        binding = None if delivery.target_key else self.world.standing.bind(described, delivery.args)
        self._calls += 1
        try:
            return self.world.deliver(self.system, delivery, self._calls, binding)
        except Exception as error:  # an operation of a user's may raise anything
            raise ContractBroken(
                f"raised {error!r} where it should refuse",
                rule="refuses-properly",
                where=where,
                advice="Raise Refusal(status, code, message): anything else would end the run.",
            ) from error

    def _check_changes(self, described: Operation, handled: Handled, before: State, where: str) -> None:
        after = self.state()
        missed = sorted(
            after.touched_since(before) - {(change.table, change.key) for change in handled.changes}
        )
        self._score.require(
            not missed,
            "writes-through-tables",
            f"{where} changed {missed and '.'.join(missed[0])} without a word",
            advice="Write with Table.put, Table.patch and Table.drop, never into Table.rows.",
        )
        if not handled.ok:
            self._score.require(
                400 <= handled.status < 500,
                "refuses-properly",
                f"{where} was refused with {handled.status}",
                advice="Refuse with 400 to 499: failures of the server are put in by plans.",
            )
            self._score.require(
                before.but_keys == after.but_keys,
                "refused-changes-nothing",
                f"{where} was refused ({handled.status} {handled.code}) and yet changed the system",
                advice="Keep all state in tables: their writes are rolled back when a call is refused.",
            )
        if described.cls is EffectClass.READ:
            self._score.require(
                before == after and not handled.changes,
                "reads-change-nothing",
                f"{where} is a read and changed the system",
                advice="Give it class 2 to 5, or take the write out.",
            )

    def _check_answer(
        self, described: Operation, args: Mapping[str, Any], handled: Handled, where: str
    ) -> None:
        rows = {table.name: table.rows for table in self.system.tables}
        for what, value in (("the answer", handled.body), ("a row", rows)):
            self._score.require(
                _is_json(value),
                "json",
                f"{what} of {where} does not come through JSON unchanged: {value!r:.200}",
                advice="Use dicts with text keys, lists, text, numbers, true, false and None.",
            )
        self._check_money(args, handled, where)
        if handled.ok and described.ref is not None and described.cls > EffectClass.READ and args:
            self._score.require(
                _named(described.ref, args, handled.body) is not None,
                "ref-answered",
                f"{where} has ref={described.ref!r}, found neither among its arguments nor in its answer",
                advice="Answer with the id, or name the right field in ref=.",
            )

    def _check_money(self, args: Mapping[str, Any], handled: Handled, where: str) -> None:
        operations = self.system.operations().values()
        fields = {operation.amount for operation in operations if operation.amount}
        records: list[Any] = [row for table in self.system.tables for row in table.rows.values()]
        records += [args, handled.body] if handled.ok else []
        for record in records:
            for field in fields & set(record if isinstance(record, Mapping) else ()):
                self._score.require(
                    record[field] is None or record[field].__class__ is int,
                    "whole-money",
                    f"{field} is {record[field]!r} after {where}",
                    advice="Keep money as a whole number of minor units, and answer with that.",
                )

    def _check_invariants(self, when: str) -> None:
        broken = next(iter(self.system.broken()), None)
        self._score.require(
            broken is None,
            "invariants-hold",
            f"{broken and f'{broken[0]}: {broken[1]}'} {when}",
            advice="Correct the operation, or the invariant if it asks for too much.",
        )


def _is_json(value: object) -> bool:
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False


def _named(field: str, args: Mapping[str, Any], body: object) -> object:
    found = args.get(field)
    return body.get(field) if found is None and isinstance(body, Mapping) else found


def _first_difference(one: Mapping[str, Mapping[str, Any]], other: Mapping[str, Mapping[str, Any]]) -> str:
    found = (f"{t}[{k}]" for t, rows in one.items() for k in rows if rows[k] != other[t].get(k))
    return next(found, "")


def _text(args: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r:.60}" for name, value in args.items())
