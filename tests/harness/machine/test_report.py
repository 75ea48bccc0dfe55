"""What a machine prints is a program; findings of two kinds stay two; the same seed plays the same."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, Phase, seed, settings

from sagaproof import AgentMachine, Answer, Script, ToolCall
from sagaproof._doors.machine_results import RESULTS, VacuousMachine
from sagaproof._machine.found import Found, Kind
from sagaproof._machine.program import as_test, source_of
from sagaproof._model.plan import Plan
from sagaproof.machine import IfFailed, OtherWrite, Wait
from sagaproof_scenarios.planted.deciding import DECIDING

BY_ID = {planted.id: planted for planted in DECIDING}


def machine_of(name: str, seeded: int = 1) -> type[AgentMachine]:
    scenario = BY_ID[name].scenario
    assert scenario is not None
    machine = AgentMachine.of(scenario)
    seed(seeded)(machine)
    return machine


def quick(examples: int = 150) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=10,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )


def failure_of(machine: type[AgentMachine], examples: int = 150) -> str:
    with pytest.raises((Found, ExceptionGroup)) as caught:
        machine.run(quick(examples))
    error = caught.value
    return str(error.exceptions[0] if isinstance(error, ExceptionGroup) else error)


def test_what_is_printed_can_be_pasted_and_shows_it_again() -> None:
    machine = machine_of("A05")
    text = failure_of(machine)
    there = ModuleType("pasted_machine")
    there.Pasted = machine  # type: ignore[attr-defined]
    machine.__module__, machine.__qualname__ = "pasted_machine", "Pasted"
    kind, trial = next(iter(RESULTS[-1].session.found.items()))
    program = as_test(machine, trial.script, trial.plan)
    assert "Paste this into a test" in text
    sys.modules["pasted_machine"] = there
    try:
        names: dict[str, object] = {}
        exec(program, names)
        test = names["test_found"]
        assert callable(test)
        with pytest.raises(Found) as again:
            test()
    finally:
        del sys.modules["pasted_machine"]
    assert again.value.kind == kind


def test_a_script_with_every_word_is_printed_as_what_makes_it() -> None:
    script = Script(
        "all words",
        (
            ToolCall("a", {"x": 1}, "c1", IfFailed.GO_ON),
            (ToolCall("a", {"x": Answer("c1", "id")}, "c2"), ToolCall("b", {}, "c3")),
            Wait(3.0),
            OtherWrite("crm.set", {"id": "7"}),
            ToolCall("b", {}, "c4", (ToolCall("a", {}, "c5"),)),
        ),
        give_up_after=4,
        after_restart=(ToolCall("a", {}, "c6"),),
        afterwards=(ToolCall("a", {}, "c7"),),
    )
    imports = as_test(AgentMachine, script, Plan()).partition("def test")[0]
    names: dict[str, object] = {}
    exec(f"{imports}\nscript = {source_of(script)}", names)
    assert names["script"] == script


def test_each_kind_of_finding_has_a_class_of_its_own() -> None:
    one, other = Kind("a-check", "billing.pay", "forward"), Kind("a-check", "mail.send", "forward")
    assert type(one.error("")) is type(one.error(""))
    assert type(one.error("")) is not type(other.error(""))


def test_the_same_seed_plays_the_same() -> None:
    scripts = []
    for _ in range(2):
        failure_of(machine_of("A06", seeded=7))
        scripts.append([(repr(t.script), str(t.plan)) for t in RESULTS[-1].session.found.values()])
    assert scripts[0] == scripts[1]


def test_a_machine_to_which_nothing_happens_fails_with_the_reason() -> None:
    class Idle:
        def call(self, tool: str, args: dict[str, object], call_id: str) -> str:
            raise LookupError(f"no tool {tool} for {sorted(args)}, {call_id}")

        def give_up(self) -> str:
            return "refused"

        def finish(self) -> str:
            return "refused"

    class Nothing(AgentMachine):
        agent = Idle
        systems = ("billing",)
        tools: ClassVar = {"pay": {"amount": [1]}}

    with pytest.raises(VacuousMachine, match="no tool pay"):
        Nothing.run(quick(20))


def test_the_tables_count_rules_and_steps() -> None:
    failure_of(machine_of("A05"))
    told = RESULTS[-1].as_json()
    assert {finding["check"] for finding in told["findings"]}
    assert told["rules"]["call_a_tool"]["drawn"] > 0
    assert told["rules"]["call_a_tool"]["ran"] > 0
    assert sum(step["injected"] for step in told["steps"].values()) > 10
    assert told["sometimes"]
