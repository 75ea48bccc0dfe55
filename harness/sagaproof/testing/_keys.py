"""The rules for idempotency keys: replays, other arguments, forgetting."""

from __future__ import annotations

from sagaproof.testing._subject import Subject

__all__ = ["check_keys"]

_KEY = "key-1"


def check_keys(subject: Subject, name: str) -> None:
    """What a repetition under the same key gets, with the same arguments, others, and too late."""
    bench, args = subject.prepared(name)
    full = subject.operations[name].full
    first = subject.accepted(bench, name, args, key=_KEY)
    again = bench.call(name, args, key=_KEY)
    subject.score.require(
        (again.status, again.body, again.changes, again.replayed) == (first.status, first.body, (), True),
        "key-replays",
        f"{full} answered {again.status} {again.body!r} to the repetition of a call, "
        f"not its first answer {first.status} {first.body!r}",
        advice="Leave keys to System.handle.",
    )
    other = bench.call(name, {**args, "no_such_parameter": 1}, key=_KEY)
    subject.score.require(
        other.status == 400,
        "key-bound-to-arguments",
        f"{full} answered {other.status}, not 400, when a key came again with other arguments",
        advice="Leave keys to System.handle.",
    )
    bench.world.clock.advance(bench.system.key_lifetime_s + 1)
    late = bench.call(name, args, key=_KEY)
    subject.score.require(
        not late.replayed,
        "key-forgotten",
        f"{full} still knows a key {bench.system.key_lifetime_s + 1:.0f} s after it came",
        advice="Set key_lifetime_s to how long the service remembers a key.",
    )
