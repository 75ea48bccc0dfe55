"""A share of the plans: the same on each machine, and each plan in one of them."""

from __future__ import annotations

import pytest

from sagaproof._model.plan import EMPTY, Plan
from sagaproof._search.settings import Settings
from sagaproof._search.shard import Shard
from sagaproof.errors import UsageError

PLANS = [EMPTY, *(Plan.parse(f"mail.send.{n}=503") for n in range(1, 200))]


def test_each_plan_falls_to_one_shard() -> None:
    for plan in PLANS:
        assert sum(Shard(number, 7).owns("opaque", plan) for number in range(1, 8)) == 1


def test_plans_are_spread_evenly_enough() -> None:
    shares = [sum(Shard(number, 4).owns("opaque", plan) for plan in PLANS) for number in range(1, 5)]
    assert min(shares) > 30


def test_which_one_does_not_change_from_machine_to_machine() -> None:
    assert [n for n in range(1, 11) if Shard(n, 10).owns("opaque", EMPTY)] == [2]


def test_it_reads_its_own_text() -> None:
    assert Shard.parse(str(Shard(3, 10))) == Shard(3, 10)


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "3/0", "a/b", "1/2/3"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no shard"):
        Shard.parse(text)


def test_code_coverage_is_not_measured_in_a_share() -> None:
    with pytest.raises(UsageError, match="not measured in shards"):
        Settings(coverage=True, shard=Shard(1, 2))
