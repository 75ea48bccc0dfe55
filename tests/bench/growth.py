"""How the cost of a campaign grows: `./dev exec python -m tests.bench.growth [--measure]`.

Without `--measure` it makes the tables and the plot of docs/growth.md anew from what was measured last, which
is kept in results/growth.json; with it, it measures first, which takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import Any, Final

from tests.bench.growth_page import PAGE, PLOT, filled, plot
from tests.bench.steps import Shape, settings, subject

from sagaproof._model.plan import EMPTY
from sagaproof._model.script import OPAQUE
from sagaproof._search.campaign import Campaign
from sagaproof._search.explore import explore
from sagaproof._search.judge import Judge
from sagaproof._search.running import runner_of
from sagaproof._search.settings import Settings

RESULTS: Final = Path(__file__).with_name("results") / "growth.json"

_MIDDLE: Final = Shape(steps=8)
_SERIES: Final[dict[str, list[Shape]]] = {
    "steps, k=1": [replace(_MIDDLE, steps=n, k=1) for n in (2, 5, 10, 15, 20, 30, 40)],
    "steps, k=2": [replace(_MIDDLE, steps=n) for n in (2, 5, 10, 15, 20, 25, 30)],
    "steps, k=3": [replace(_MIDDLE, steps=n, k=3) for n in (2, 3, 4, 6, 8, 10)],
    "faults": [replace(_MIDDLE, faults=f) for f in (1, 2, 4, 6, 8, 10)],
    "k": [replace(_MIDDLE, k=k, steps=4, faults=2) for k in (0, 1, 2, 3, 4)],
    "retries": [replace(_MIDDLE, retries=r) for r in (0, 1, 2, 3)],
    "retries, lasting": [replace(_MIDDLE, retries=r, faults=2, lasting=True) for r in (0, 1, 2, 3)],
}
_EVERY: Final = "steps, k=2, every fault"
_PLAIN_RUNS: Final = 60


def measured() -> dict[str, list[dict[str, Any]]]:
    """Each series with its points; what is only made once is made before."""
    explore(subject(_MIDDLE), settings(replace(_MIDDLE, k=1)))
    found = {name: [_point(shape, settings(shape)) for shape in shapes] for name, shapes in _SERIES.items()}
    every = (replace(_MIDDLE, steps=steps) for steps in (1, 2, 4, 6))
    return {**found, _EVERY: [_point(shape, Settings(faults=shape.k)) for shape in every]}


def _point(shape: Shape, how: Settings) -> dict[str, Any]:
    """What one campaign came to. Seconds are of a processor; those of a plain run the median of many."""
    plain = _plain_s(shape)
    campaigns: list[Campaign] = []
    seconds = _seconds(lambda: campaigns.append(explore(subject(shape), how)))
    campaign = campaigns[0]
    assert not campaign.errors, (shape, campaign.errors)
    assert not campaign.findings or not how.exclude, (shape, campaign.findings)
    levels = [level for level in campaign.levels if level.attempted]
    found = {
        "reachable": [level.reachable for level in levels],
        "run": [level.run for level in levels],
        "audited": sum(level.audited for level in levels),
        "seconds": round(seconds, 3),
        "plain_ms": round(plain * 1e3, 4),
        "plain_runs": round(seconds / plain),
    }
    print(shape, found, file=sys.stderr, flush=True)
    return {**asdict(shape), **found}


def _plain_s(shape: Shape) -> float:
    tested = subject(shape)
    with runner_of(tested, Settings()) as runner:
        judge = Judge(tested.checks, Campaign("plain", Settings(), ("opaque",)))
        twin = runner.run(OPAQUE, EMPTY)
        return median(
            _seconds(lambda: judge.judge(runner.run(OPAQUE, EMPTY, twin))) for _ in range(_PLAIN_RUNS)
        )


def _seconds(once: Callable[[], object]) -> float:
    began = time.process_time()
    once()
    return time.process_time() - began


def main() -> None:
    """Measure if that is asked for, and write the page."""
    parser = argparse.ArgumentParser(description="How the cost of a campaign grows.")
    parser.add_argument("--measure", action="store_true", help="measure anew; takes some minutes")
    if parser.parse_args().measure:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(measured(), indent=1) + "\n", encoding="utf-8")
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    PLOT.write_text(plot(found), encoding="utf-8")
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
    print(f"{PAGE} and {PLOT.name} are up to date again")


if __name__ == "__main__":
    main()
