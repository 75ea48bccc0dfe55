"""The one place that lists the benchmarks, with how often each is done."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from tests.bench import (
    campaigns,
    crashes,
    exploration,
    floor,
    machine,
    ours,
    plain_respx,
    plugin,
    recovery,
    runtime,
    state,
)
from tests.bench.rounds import Benchmark


@dataclass(frozen=True)
class Effort:
    """How much is done: rounds, and runs in each of them."""

    rounds: int
    runs: int


EFFORTS: Final = {"full": Effort(rounds=9, runs=150), "quick": Effort(rounds=1, runs=20)}


def suite(runs: int, made: list[int]) -> tuple[Benchmark, ...]:
    """All benchmarks, `runs` runs a round; what is compared with the floor stands beside it.

    `made` gets the number of runs that each timed campaign made.
    """
    return (
        Benchmark("floor", floor.floor, runs),
        Benchmark("ours", ours.over_httpx, runs),
        Benchmark("direct", ours.direct, runs * 4),
        Benchmark("judged", ours.judged, runs * 4),
        Benchmark("respx_4_routes", plain_respx.plain_respx(4), runs),
        Benchmark("respx_20_routes", plain_respx.plain_respx(20), runs),
        Benchmark("respx_60_routes", plain_respx.plain_respx(60), runs),
        Benchmark("client_in_world", ours.client_in_world, runs),
        Benchmark("snapshot", state.snapshot, runs * 20),
        Benchmark("restore", state.restore, runs * 20),
        Benchmark("compare", state.compare, runs * 20),
        Benchmark("bare_tool", runtime.bare_tool, runs * 20),
        Benchmark("runtime_memory", runtime.in_memory, runs * 4),
        Benchmark("runtime_file", runtime.on_file, runs, waits=True),
        Benchmark("run_plain", crashes.plain, runs * 2),
        Benchmark("run_crashed", crashes.simulated, runs * 2),
        Benchmark("run_killed", crashes.real, max(1, runs // 5)),
        Benchmark("recover", partial(recovery.recover, runs * 4), 1, rounds_max=3, waits=True),
        Benchmark("recover_commits", partial(recovery.commits, runs * 4), 1, rounds_max=3, waits=True),
        Benchmark("journal_append", runtime.append, runs * 20),
        Benchmark("credit", exploration.credit(made), 1, rounds_max=3),
        Benchmark("report", campaigns.report(report_runs(runs)), 1, rounds_max=3),
        Benchmark("bare_machine", machine.bare, 1, rounds_max=5),
        Benchmark("machine", machine.ours, 1, rounds_max=5),
        Benchmark("pytest", plugin.session(), 1, rounds_max=5),
        Benchmark("pytest_with_plugin", plugin.session("-p", "_sagaproof_pytest"), 1, rounds_max=5),
    )


def report_runs(runs: int) -> int:
    """How many runs the reported campaign has: ten thousand at full effort."""
    return 10_000 * runs // EFFORTS["full"].runs
