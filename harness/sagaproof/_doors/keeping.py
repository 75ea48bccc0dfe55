"""What `sagaproof keep` keeps: the programs of the findings of a target.

Saved examples and plans are run first, and only what fails then is kept; results in JSON as they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sagaproof._doors.cli_pytest import ALONE, is_test, run_tests
from sagaproof._doors.cli_scenarios import replay_scenario
from sagaproof._doors.exploration import Exploration, exploration_of
from sagaproof._doors.options import Options
from sagaproof._doors.registry import scenario
from sagaproof._doors.saved_only import saved_only
from sagaproof._machine.program import as_replay, test_name
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE, Script
from sagaproof.errors import UsageError, suggest

__all__ = ["programs_of"]


def programs_of(target: str, plan: str | None, script: str | None) -> list[str]:
    """A program for each finding: of saved results (JSON), of a machine, or of a plan of a scenario or test.

    Of saved results and of a machine a plan chooses among its findings. Raises `UsageError` if there is none.
    """
    path = Path(target)
    if path.is_dir() or path.suffix == ".json":
        return _saved(path / "machines.json" if path.is_dir() else path, plan)
    if is_test(target):
        return _of_machines(target, plan) if plan is None else _of_test(target, plan, script)
    if plan is None:
        raise UsageError(f"which plan of {target}?", advice="Add --plan, as printed beside the finding.")
    return [_of_scenario(target, plan, script)]


def _saved(file: Path, plan: str | None) -> list[str]:
    """The programs in machines.json, as `--saga-report` writes it."""
    try:
        machines = json.loads(file.read_text(encoding="utf-8"))
        return _chosen(machines, plan, str(file))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{file} holds no results of machines: {error}",
            advice="Write them by pytest --saga-report=DIR, and name DIR/machines.json.",
        ) from error


def _chosen(machines: Sequence[Any], plan: str | None, where: str) -> list[str]:
    found = [one for machine in machines for one in machine["findings"]]
    chosen = [one["program"] for one in found if plan in {None, one["plan"]}]
    if not chosen:
        plans = sorted({one["plan"] or "''" for one in found})
        known = f"There are findings under {', '.join(plans)}." if plans else "Play it first: pytest."
        raise UsageError(
            "there is no finding to keep" + (f" under {plan}" if plan else ""), where=where, advice=known
        )
    return chosen


class _Heard:
    """A plugin that keeps what tests were collected, and what machines came to."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []
        self.machines: list[Any] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.machines += getattr(report, "sagaproof_machines", ())


def _of_machines(target: str, plan: str | None) -> list[str]:
    """The findings of the examples that Hypothesis has saved of a machine; nothing new is drawn."""
    heard = _Heard()
    with saved_only():
        code = pytest.main([target, "-q", *ALONE], plugins=[heard])
    if not heard.items:
        raise UsageError(f"pytest found no test in it (it ended with {int(code)})", where=target)
    return _chosen(heard.machines, plan, target)


def _of_test(target: str, plan: str, script: str | None) -> list[str]:
    heard = _Heard()
    report = run_tests([target], Options(), plan=plan, script=script, plugins=[heard])
    found = [one.check for part in report.scenarios for one in part.findings]
    explored = [(item, one) for item in heard.items if (one := exploration_of(getattr(item, "obj", None)))]
    if not explored:
        return _of_machines(target, plan)
    if len(explored) > 1:
        raise UsageError(
            f"{len(explored)} tests know the plan {plan}", where=target, advice="Name one: FILE::TEST."
        )
    (item, exploration) = explored[0]
    _require(found, plan, target, [*report.problems, *(e for part in report.scenarios for e in part.errors)])
    return [_program(item, exploration, Plan.parse(plan), script, found[0])]


def _program(item: Any, exploration: Exploration, plan: Plan, script: str | None, check: str) -> str:
    body = exploration.body
    if item.cls is not None or "[" in item.name:
        raise UsageError(
            "a test of a class, or one with parameters, cannot be called from another test",
            where=item.nodeid,
            advice="Write a function without parameters for this case, and keep that.",
        )
    fixtures = [one for one in item.fixturenames if one in _parameters(body)]
    chosen = _script(exploration.scripts or (OPAQUE,), script)
    name = test_name(item.name.removeprefix("test_"), check)
    return as_replay(body.__name__, chosen, plan, name, module=item.module.__name__, fixtures=fixtures)


def _parameters(body: Any) -> set[str]:
    code = body.__code__
    return set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) - {"world"}


def _of_scenario(name: str, plan: str, script: str | None) -> str:
    chosen = scenario(name)
    campaign = replay_scenario(chosen, plan, script, Options()).campaign
    found = [one.key.check for one in campaign.findings]
    _require(found, plan, name, campaign.errors)
    scripted = _script(chosen.scripts, script)
    return as_replay(name, scripted, Plan.parse(plan), test_name(name, found[0]))


def _script(scripts: Sequence[Script], name: str | None) -> Script:
    known = {one.name: one for script in scripts for one in script.endings()}
    if name is not None and name not in known:
        raise UsageError(f"there is no script {name!r}", advice=suggest(name, known))
    return scripts[0] if name is None else known[name]


def _require(found: Sequence[str], plan: str, where: str, problems: Sequence[str]) -> None:
    if not found:
        why = problems[0] if problems else "no check is violated"
        raise UsageError(
            f"there is nothing to keep of {plan or 'the run without faults'}: {why}", where=where
        )
