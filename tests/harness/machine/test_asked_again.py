"""After a crash an agent plans anew, under new ids: what it was told nothing of is done once all the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from sagaproof import AgentMachine, Script, ToolCall
from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._machine.trials import Trial, Trials
from sagaproof._model.plan import Plan
from sagaproof._search.explore import explore
from sagaproof._search.scenario import Scenario
from sagaproof.errors import NotInjected
from sagaproof_scenarios.planted.deciding import DECIDING

CREDIT = ToolCall("issue_credit", {"customer": "cus_7", "amount": 2000}, "c1")
BOOK = ToolCall("book", {"amount": 2000}, "c2")
CRASHES = [f"journal.append.{n}=crash-{when}" for n in range(2, 7) for when in ("before", "after")]
FED = {planted.id: planted.scenario for planted in DECIDING if planted.scenario is not None}


@contextmanager
def trials(of: Scenario) -> Iterator[Trials]:
    with AgentMachine.of(of)._trials() as made:
        yield made


def tried(made: Trials, script: Script, plan: str) -> Trial | None:
    """What this comes to; None where the script has no such point."""
    try:
        return made.of(script, Plan.parse(plan))
    except NotInjected:
        return None


def anew(*calls: ToolCall) -> tuple[ToolCall, ...]:
    return tuple(call._replace(call_id=f"new_{call.call_id}") for call in calls)


def complaints(of: Scenario, scripts: list[Script], plans: list[str]) -> set[str]:
    with trials(of) as made:
        found = [tried(made, script, plan) for script in scripts for plan in plans]
    assert sum(trial is not None for trial in found) >= len(scripts) * 4
    return {slug for trial in found if trial is not None for slug in trial.violated}


def test_by_the_runtime() -> None:
    turns = [((BOOK, CREDIT),), (CREDIT, BOOK), (CREDIT,)]
    scripts = [Script("s", turn, after_restart=anew(CREDIT)) for turn in turns]
    assert complaints(scenario("goodwill-parallel"), scripts, CRASHES) == set()


def test_by_the_runtime_where_its_recovery_is_cancelled() -> None:
    scripts = [Script("s", ((CREDIT, BOOK),)), Script("s", ((CREDIT, BOOK),), after_restart=anew(CREDIT))]
    lookups = [f"{system}.lookup.1@1=cancel-before" for system in ("billing", "ledger")]
    plans = [f"{lookup},{crash}" for lookup in lookups for crash in CRASHES]
    assert complaints(scenario("goodwill-parallel"), scripts, plans) == set()


@pytest.mark.parametrize("planted", ["A00", "A01"])
def test_by_the_right_dispatcher_and_by_no_other(planted: str) -> None:
    (known,) = FED[planted].scripts
    scripts = [
        Script("s", known.calls[:n], after_restart=anew(*known.calls[:m]))  # type: ignore[arg-type]
        for n in (1, 3)
        for m in (1, 3)
    ]
    twice = [f"{crash},journal.append.{n}@1=crash-before" for crash in CRASHES[:5] for n in (3, 4, 7, 8)]
    found = complaints(FED[planted], scripts, [*CRASHES, *twice])
    assert ("applied-once" in found) == (planted == "A01")
    assert found == set() or planted == "A01"


def test_what_an_agent_asks_for_again_is_no_attempt_of_the_saga() -> None:
    again = Script("asks again", (CREDIT._replace(if_failed=anew(CREDIT)),))
    asked_again = replace(scenario("goodwill-parallel"), scripts=(again,), expected=None)

    found = explore(subject_of_scenario(asked_again), replace(asked_again.settings, faults=1))

    assert list(found.findings) == []
    assert found.runs > 100
