"""The command line of the benchmarks: measures all of them in one process and prints what came of it."""

from __future__ import annotations

import argparse
import json

from rich.console import Console
from rich.table import Table
from tests.bench.campaigns import kept_mb
from tests.bench.figures import Figures, Memory, figures
from tests.bench.recovery import peak_mb
from tests.bench.rounds import measure
from tests.bench.suite import EFFORTS, report_runs, suite


def main() -> None:
    """Measure and print: a table, or with `--json` one object and nothing else."""
    parser = argparse.ArgumentParser(prog="./dev bench", description="The benchmarks of sagaproof.")
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    parser.add_argument("--quick", action="store_true", help="one short round: shows that all of it runs")
    wanted = parser.parse_args()
    effort = EFFORTS["quick" if wanted.quick else "full"]
    made: list[int] = []
    seconds = measure(suite(effort.runs, made), effort.rounds)
    memory = Memory(peak_mb(effort.runs * 60), kept_mb(report_runs(effort.runs) // 2))
    found = figures(seconds, made[-1], memory)
    if wanted.json:
        print(json.dumps({"rates": found.rates, "ratios": found.ratios}, indent=2))
    else:
        Console().print(_table(found))


def _table(found: Figures) -> Table:
    table = Table(
        title="sagaproof, in one run of one process; seconds of a processor (of the clock: on file)",
        title_justify="left",
    )
    table.add_column("what")
    table.add_column("figure", justify="right")
    table.add_column("aim", justify="right")
    for name, value in (*found.rates.items(), *found.ratios.items()):
        table.add_row(name, _written(value), _AIMS.get(name, ""))
    return table


_AIMS = {
    "direct_runs_per_s": ">= 5,000",
    "runtime_us_per_call_memory": "<= 60",
    "runtime_ms_per_call_file": "<= 3",
    "journal_us_per_append_memory": "<= 12",
    "real_kill_ms": "<= 10",
    "recover_peak_mb": "<= 3",
    "recover_over_commits": "<= 3",
    "credit_k2_seconds": "< 5",
    "client_in_world_ms": "<= 0.2",
    "ours_over_floor": ">= 0.70",
    "crash_over_plain": "<= 1.5",
    "machine_over_bare": "<= 2",
}


def _written(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"


if __name__ == "__main__":
    main()
