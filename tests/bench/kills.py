"""Real SIGKILLs at every durable boundary of the runtime: `./dev exec python tests/bench/kills.py [N]`.

A boundary is a place at which a process of a saga can die with something of it kept: before or after a write
into the journal, before, after or during a call, of each kind of step, phase and process (the first one, or
one that recovers from a crash). Each of the first process is tried once; then the recoveries are killed, and
the recoveries from that, until N processes have been killed (1,000).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from sagaproof._checks.protocol import RunCheck, State  # noqa: E402
from sagaproof._doors.registry import scenario  # noqa: E402
from sagaproof._doors.subjects import subject_of_scenario  # noqa: E402
from sagaproof._model.event import Called, Noted  # noqa: E402
from sagaproof._model.history import History  # noqa: E402
from sagaproof._model.plan import ALL, EMPTY, Injection, Plan  # noqa: E402
from sagaproof._run.runner import Runner  # noqa: E402
from sagaproof._search.candidates import Candidates  # noqa: E402
from sagaproof._search.running import runner_of  # noqa: E402
from sagaproof._search.settings import Settings  # noqa: E402
from sagaproof._search.subject import Subject  # noqa: E402

SCENARIOS = ("credit-runtime", "order-runtime", "reply-runtime", "goodwill-parallel")
KILLS_MAX = 3


@dataclass
class Tally:
    """How many processes were killed in how many runs, at which boundaries, and what was violated."""

    kills: int = 0
    runs: int = 0
    boundaries: set[str] = field(default_factory=set)
    findings: list[str] = field(default_factory=list)


def kill(wanted: int, names: Sequence[str] = SCENARIOS) -> Tally:
    """Kill at least `wanted` processes in runs of these scenarios, each as often as any other."""
    tally = Tally()
    for number, name in enumerate(names, start=1):
        _kill_in(name, wanted * number // len(names), tally)
    return tally


def _kill_in(name: str, until: int, tally: Tally) -> None:
    subject = subject_of_scenario(scenario(name))
    with runner_of(subject, Settings(crash="real")) as runner:
        before = tally.kills
        for history in _crashed(subject, runner, name, tally):
            tally.runs += 1
            tally.findings += _violated(subject, history, name)
            tally.kills = before + runner.killed
            if tally.kills >= until and history.index.restarts > 1:
                return


def _crashed(subject: Subject, runner: Runner, name: str, tally: Tally) -> Iterator[History]:
    """Runs with single crashes that meet a new boundary, then with a crash of what recovers, and so on."""
    candidates = Candidates(Settings(families=("crash",)), restarts=True)
    level = [runner.run(script, EMPTY) for script in subject.all_scripts()]
    twins = {history.script.name: history for history in level}
    level += [history for twin in level for history in _refused(runner, twin)]
    for deaths in range(1, KILLS_MAX + 1):
        # All over the runs in turns, so that wherever it ends all of them have been visited.
        options = [(history, one) for history in level for one in candidates.of(history)]
        step = len(options) // 97 + 1
        level = []
        for history, one in (option for at in range(step) for option in options[at::step]):
            boundary = _boundary(name, history, one)
            if deaths == 1 and boundary in tally.boundaries:
                continue
            tally.boundaries.add(boundary)
            level.append(runner.run(history.script, history.plan.plus(one), twins[history.script.name]))
            yield level[-1]


def _refused(runner: Runner, twin: History) -> Iterator[History]:
    """Runs without a crash in which a call is refused for good: for to kill what unwinds or escalates."""
    for one in Candidates(Settings()).of(twin):
        if one.fault == "422" or (one.fault == "503" and one.times == ALL):
            yield runner.run(twin.script, Plan.of(one), twin)


def _boundary(name: str, history: History, injection: Injection) -> str:
    """What is killed there: operation, kind of record, phase, kind of crash, and the how manieth process."""
    at = next(e for e in history.events if isinstance(e, Called | Noted) and e.point == injection.point)
    record = at.record[-1].get("kind", "") if isinstance(at, Noted) else ""
    process = f"process {injection.point.restart + 1}"
    return f"{name} {injection.point.operation} {record} {at.phase.value} {injection.fault} {process}"


def _violated(subject: Subject, history: History, name: str) -> list[str]:
    where = f"{name}, {history.script.name}, {history.plan}"
    judged = {c.slug: c.judge(history) for c in subject.checks if isinstance(c, RunCheck)}
    return [f"{slug}: {where}" for slug, verdict in judged.items() if verdict.state is State.VIOLATED]


def main() -> int:
    began = time.perf_counter()
    tally = kill(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
    took = time.perf_counter() - began
    print(
        f"{tally.kills} processes killed in {tally.runs} runs, at {len(tally.boundaries)} boundaries, "
        f"in {took:.0f} s; findings: {len(tally.findings)}"
    )
    for finding in tally.findings:
        print(finding)
    return 1 if tally.findings else 0


if __name__ == "__main__":
    sys.exit(main())
