"""What is remembered of an idempotency key, and for how long."""

from __future__ import annotations

from sagaproof._world.keys import KeyMemory


def test_a_key_is_forgotten_after_its_lifetime_and_not_before() -> None:
    memory = KeyMemory(60.0)
    memory.done("k", "pay", {"n": 1}, 201, {"id": "p_1"}, changes=(), now=100.0)
    entry = memory.get("k", 160.0)
    assert entry is not None
    assert (entry.state, entry.operation, entry.args, entry.status, entry.body) == (
        "done", "pay", {"n": 1}, 201, {"id": "p_1"},
    )  # fmt: skip
    assert memory.get("k", 160.1) is None
    assert memory.get("k", 100.0) is None, "what was forgotten once does not come back"


def test_a_fence_lasts_as_long_as_a_key() -> None:
    memory = KeyMemory(60.0)
    memory.fence("k", "pay", now=0.0)
    assert (fence := memory.get("k", 60.0)) is not None
    assert (fence.state, fence.status) == ("fenced", 409)
    assert memory.get("k", 61.0) is None


def test_a_claim_is_in_flight_until_it_is_done() -> None:
    memory = KeyMemory(60.0)
    memory.claim("k", "pay", {}, now=0.0)
    assert (claimed := memory.get("k", 1.0)) is not None
    assert claimed.state == "in-flight"
    memory.done("k", "pay", {}, 200, None, changes=(), now=2.0)
    assert (done := memory.get("k", 61.0)) is not None, "the lifetime counts from the answer"
    assert done.state == "done"


def test_keys_do_not_know_of_each_other() -> None:
    memory = KeyMemory(60.0)
    memory.done("a", "pay", {}, 200, None, changes=(), now=0.0)
    assert memory.get("b", 0.0) is None
