"""The rules for one operation by itself: it repeats, it can be set back, it refuses cleanly."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from sagaproof._model.operation import EffectClass
from sagaproof.testing._bench import Bench
from sagaproof.testing._subject import Subject

__all__ = ["check_calls", "check_refused"]

_KEY = "key-1"
_NOBODY = "no-such-thing"


def check_calls(subject: Subject, name: str) -> None:
    """All rules that need the example of one operation only."""
    _check_deterministic(subject, name)
    _check_snapshot(subject, name)
    _check_reset(subject, name)
    _check_refusals(subject, name)
    if subject.operations[name].cls is EffectClass.CONVERGENT:
        _check_convergent(subject, name)


def check_refused(subject: Subject, name: str, args: Mapping[str, Any]) -> None:
    """A call that the user says must be refused; that it changes nothing is tested with every call."""
    handled = subject.bench().call(name, args)
    subject.score.require(
        not handled.ok,
        "refuses-properly",
        f"{subject.operations[name].full} accepted {dict(args)!r}, which it was to refuse",
        advice=f"Raise Refusal there, or take it out of refused[{name!r}].",
    )


def _check_deterministic(subject: Subject, name: str) -> None:
    first, second = (
        subject.accepted(bench, name, args) for bench, args in (subject.prepared(name) for _ in range(2))
    )
    subject.score.require(
        first == second,
        "deterministic",
        f"two fresh systems answered the same call of {subject.operations[name].full} differently: "
        f"{first.body!r} and {second.body!r}",
        advice="Take time from self.clock and ids from self.ids; use nothing random.",
    )


def _check_snapshot(subject: Subject, name: str) -> None:
    bench, args = subject.prepared(name)
    key = _KEY if subject.operations[name].keyed else None
    snapshot, before, ids = bench.system.snapshot(), bench.state(), copy.deepcopy(bench.world.ids)
    first = subject.accepted(bench, name, args, key=key)
    bench.system.restore(snapshot)
    restored = bench.state()
    bench.world.ids = bench.system.ids = ids
    second = bench.call(name, args, key=key)
    bench.system.restore(snapshot)
    subject.score.require(
        before == restored == bench.state() and first == second,
        "snapshot",
        f"the system was not what it had been when it was set back to before {subject.operations[name].full}",
        advice="Keep all state in tables, or override snapshot and restore to hold the rest.",
    )


def _check_reset(subject: Subject, name: str) -> None:
    bench, args = subject.prepared(name)
    subject.accepted(bench, name, args, key=_KEY if subject.operations[name].keyed else None)
    bench.world.reset()
    fresh = Bench(subject.make, _no_setup, subject.score).state()
    subject.score.require(
        bench.state() == fresh and not any(fresh.rows.values()),
        "reset",
        f"after {subject.operations[name].full} a reset leaves the system other than a new and empty one",
        advice="Keep all state in tables, or override reset to clear the rest; write no row in __init__.",
    )


def _check_refusals(subject: Subject, name: str) -> None:
    """Odd calls: what must hold of all calls is tested with each; what is refused is up to the system."""
    _, args = subject.prepared(name)
    ref = subject.operations[name].ref
    odd: list[dict[str, Any]] = [{**args, "no_such_parameter": 1}]
    odd += [{k: v for k, v in args.items() if k != left_out} for left_out in args]
    odd += [{**args, parameter: _NOBODY} for parameter, v in args.items() if isinstance(v, str)]
    odd += [{**args, parameter: [_NOBODY]} for parameter in args]
    if ref in args:
        odd.append({ref: ""})
    for each in odd:
        subject.prepared(name)[0].call(name, each)


def _check_convergent(subject: Subject, name: str) -> None:
    bench, args = subject.prepared(name)
    subject.accepted(bench, name, args)
    again = bench.call(name, args)
    subject.score.require(
        again.ok and not again.changes,
        "convergent",
        f"{subject.operations[name].full} has class 2, but the same call again "
        f"{'changed something' if again.ok else 'was refused'}",
        advice="Write only where a value differs, or give it class 3 to 5.",
    )


def _no_setup(_system: object) -> None:
    """Leave a new system empty."""
