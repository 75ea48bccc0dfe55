"""What it costs to measure the undo code: a scenario explored with `--saga-coverage` over one without.

`./dev exec python tests/bench/undo_code.py [--rounds 5] [--faults 1] [SCENARIO ...]` prints the table. The
two take turns; each figure is the median of its rounds, in seconds of the processor.
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import replace
from typing import Final

from sagaproof._doors.campaigns import run
from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario

SCENARIOS: Final = ("order-by-hand", "credit-rederive", "credit-runtime")


def seconds(name: str, faults: int, *, coverage: bool) -> tuple[float, int]:
    """What one campaign takes, and how many runs it makes."""
    found = scenario(name)
    began = time.process_time()
    campaign = run(subject_of_scenario(found), replace(found.settings, faults=faults, coverage=coverage))
    return time.process_time() - began, campaign.runs


def main() -> None:
    """Print a row for each scenario."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenarios", nargs="*", default=SCENARIOS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--faults", type=int, default=1)
    given = parser.parse_args()
    print("| scenario | runs | ms a run | measured | ratio |\n|---|---|---|---|---|")
    for name in given.scenarios:
        rounds = [
            (seconds(name, given.faults, coverage=False), seconds(name, given.faults, coverage=True))
            for _ in range(given.rounds + 1)
        ][1:]  # the first loads what is imported late
        plain = statistics.median(before[0] for before, _ in rounds)
        measured = statistics.median(after[0] for _, after in rounds)
        runs = rounds[0][0][1]
        a_run = f"{1000 * plain / runs:.2f} | {1000 * measured / runs:.2f}"
        print(f"| {name} | {runs} | {a_run} | {measured / plain:.2f} |")


if __name__ == "__main__":
    main()
