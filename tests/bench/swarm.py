"""Which states a machine reaches, with rules chosen by swarm and with all rules equally likely.

`./dev exec python tests/bench/swarm.py [--examples 1000] [--seeds 5] [SCENARIO ...]` prints the table.

Half of the examples do without some rules (Groce et al., "Swarm Testing", ISSTA 2012). The other column is
the same machine with every rule in every example. Examples that Hypothesis gave up while they were drawn
count in neither, and a finding ends a seed.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final
from unittest.mock import patch

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st

from sagaproof import AgentMachine
from sagaproof._doors.machine_results import RESULTS
from sagaproof._doors.registry import scenario
from sagaproof._machine.found import Found

SCENARIOS: Final = ("credit-runtime", "goodwill-parallel")


@contextmanager
def uniform() -> Iterator[None]:
    """Leave no rule out of an example inside."""
    with patch("sagaproof._machine.decisions.swarm", lambda rules: st.just(tuple(rules))):
        yield


def reached(name: str, examples: int, seeds: int) -> dict[str, float]:
    """How many runs reached each state, per 1,000 examples, over all seeds."""
    how = settings(
        max_examples=examples,
        stateful_step_count=12,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        report_multiple_bugs=False,
    )
    found: Counter[str] = Counter()
    played = 0
    for number in range(seeds):
        machine = seed(number)(AgentMachine.of(scenario(name)))
        with suppress(Found):
            machine.run(how)
        told = RESULTS.pop().as_json()
        found.update(told["sometimes"])
        played += told["examples"]
    return defaultdict(float, {state: round(1000 * count / played, 1) for state, count in found.items()})


def table(names: list[str], examples: int, seeds: int) -> Iterator[str]:
    """The table in Markdown: one row for each state that either reached."""
    for name in names:
        swarm = reached(name, examples, seeds)
        with uniform():
            plain = reached(name, examples, seeds)
        yield f"| {name}, reached per 1,000 examples | swarm | uniform |\n| --- | --- | --- |"
        for state in sorted({*swarm, *plain}):
            if swarm[state] or plain[state]:
                yield f"| `{state}` | {swarm[state]} | {plain[state]} |"
        at_all = [sum(map(bool, one.values())) for one in (swarm, plain)]
        yield f"| states reached at all | {at_all[0]} | {at_all[1]} |\n"


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description="States that machines reach, by the choice of rules.")
    parser.add_argument("names", nargs="*", metavar="SCENARIO", default=list(SCENARIOS))
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=5)
    wanted = parser.parse_args()
    print("\n".join(table(wanted.names, wanted.examples, wanted.seeds)))


if __name__ == "__main__":
    main()
