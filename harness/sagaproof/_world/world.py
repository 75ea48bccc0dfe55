"""The systems of one run, their clock, ids and truth log: the only place where effects are recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sagaproof._model.effect import Binding, Change, Effect
from sagaproof._model.event import Applied, Broke, Event, Rejected, Wrote
from sagaproof._model.operation import Operation, TableInfo, event_source
from sagaproof._world.clock import Clock, Ids
from sagaproof._world.delivery import Delivery, Emission, Handled
from sagaproof._world.standing import Standing
from sagaproof._world.system import System
from sagaproof.errors import HostClash, UsageError

__all__ = ["World"]


class World:
    """The systems together. `deliver` is how anything reaches them during a run.

    `outbox` holds the events that they have sent and that nobody has been told of yet, oldest first.
    """

    def __init__(self, systems: Iterable[System]) -> None:
        self.clock = Clock()
        self.ids = Ids()
        self.log: list[Event] = []
        self.standing = Standing()
        self.outbox: list[tuple[System, Emission]] = []
        self.systems: Mapping[str, System] = MappingProxyType(_by_name(systems))
        self.operations: dict[str, Operation] = {}
        self.tables: dict[tuple[str, str], TableInfo] = {}
        for system in self.systems.values():
            self._join(system)

    def _join(self, system: System) -> None:
        system.clock, system.ids = self.clock, self.ids

        def wrote(change: Change, name: str = system.name) -> None:
            self.log.append(Wrote(self.clock.elapsed, name, change))

        def sent(emission: Emission) -> None:
            self.outbox.append((system, emission))

        system.on_outside_write, system.on_outside_event = wrote, sent
        self.operations |= {op.full: op for op in system.operations().values()}
        if system.sends:
            self._join_events(event_source(system.name))
        self.tables |= {(info.system, info.name): info for info in system.table_infos()}

    def _join_events(self, source: Operation) -> None:
        if source.full in self.operations:
            raise UsageError(
                f"{source.full} is an operation, and would be taken for the events of {source.system}",
                advice="Give the operation another name.",
            )
        self.operations[source.full] = source

    def reset(self) -> None:
        """Begin a new run: all systems empty, time and ids at their start, an empty log."""
        self.clock.elapsed = self.clock.skew = 0.0
        self.ids.reset()
        self.log = []
        self.standing = Standing()
        self.outbox = []
        for system in self.systems.values():
            system.reset()

    def deliver(
        self,
        system: System,
        delivery: Delivery,
        call: int,
        undoes: Binding | None,
        *,
        late: bool = False,
        again: bool = False,
    ) -> Handled:
        """Let one delivery of a logical call arrive: run it, log what it did, check the invariants."""
        handled = system.handle(delivery)
        self.outbox.extend((system, emission) for emission in handled.events)
        if handled.changes:
            self._commit(system, delivery, handled, call, undoes, late=late, again=again)
        elif not handled.ok:
            self.log.append(Rejected(self.clock.elapsed, call, handled.status, handled.code, late))
        return handled

    def deliver_part(
        self,
        system: System,
        delivery: Delivery,
        part: tuple[Delivery, list[Any]],
        call: int,
        undoes: Binding | None,
    ) -> Handled:
        """Let a call with many items be done for some of them only, and be remembered so under its key.

        The answer is that of the part, with the items left out as `refused`.
        """
        smaller, left = part
        handled = self.deliver(system, smaller, call, undoes)
        if not handled.ok:
            return handled
        body = handled.body
        if isinstance(body, Mapping):
            body = {**body, "refused": [*body.get("refused", ()), *left]}
        system.keep_part(delivery, body, handled.changes)
        return handled._replace(body=body)

    def read_stale(self, system: System, delivery: Delivery) -> Handled:
        """What a replica answers that has not heard of the latest effect in its system."""
        latest = next((e for e in reversed(self.standing.effects) if e.system == system.name), None)
        with system.without(() if latest is None else latest.changes):
            return system.handle(delivery)

    def _commit(
        self,
        system: System,
        delivery: Delivery,
        handled: Handled,
        call: int,
        undoes: Binding | None,
        *,
        late: bool,
        again: bool,
    ) -> None:
        operation = self.operations[f"{system.name}.{delivery.operation}"]
        effect = Effect(
            id=len(self.standing.effects),
            call=call,
            system=system.name,
            operation=delivery.operation,
            cls=operation.cls,
            ref=_ref(operation, delivery, handled),
            amount=_amount(operation, delivery, handled),
            key=delivery.key,
            args=delivery.args,
            changes=handled.changes,
            undoes=self._target(undoes),
            environment=again and not operation.keyed and not operation.undoes,
        )
        self.standing.add(effect, operation)
        at = self.clock.elapsed
        self.log.append(Applied(at, effect, late, again))
        for name, detail in system.broken():
            self.log.append(Broke(at, system.name, name, detail))

    def _target(self, undoes: Binding | None) -> int | None:
        """The effect that is taken back, also where only the call was known before it was applied."""
        if undoes is None:
            return None
        if undoes.effect is not None:
            return undoes.effect
        found = None if undoes.call is None else self.standing.of_call(undoes.call)
        return None if found is None else found.id


def _by_name(systems: Iterable[System]) -> dict[str, System]:
    named: dict[str, System] = {}
    hosts: dict[str, str] = {}
    for system in systems:
        if system.name in named:
            raise UsageError(
                f"two systems are called {system.name!r}", advice="Give one of them another name."
            )
        named[system.name] = system
        for host in system.hosts:
            if host in hosts:
                raise HostClash(
                    f"host {host!r} belongs to both {hosts[host]!r} and {system.name!r}",
                    advice="Give one of them other hosts.",
                )
            hosts[host] = system.name
    return named


def _ref(operation: Operation, delivery: Delivery, handled: Handled) -> str | None:
    if operation.ref is None:
        return None
    found = delivery.args.get(operation.ref)
    if found is None and isinstance(handled.body, Mapping):
        found = handled.body.get(operation.ref)
    elif found is None and isinstance(handled.body, str):
        found = handled.body  # a tool that returns its reference and nothing else
    return None if found is None else str(found)


def _amount(operation: Operation, delivery: Delivery, handled: Handled) -> int | None:
    if operation.amount is None:
        return None
    found = delivery.args.get(operation.amount)
    if found is None and isinstance(handled.body, Mapping):
        found = handled.body.get(operation.amount)
    return found if isinstance(found, int) else None
