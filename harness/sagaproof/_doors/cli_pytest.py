"""Tests on the command line: pytest in this process, with what its explored tests came to."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import pytest

from sagaproof._doors.options import Options, required_as_text
from sagaproof._doors.pytest_session import session_of
from sagaproof._report.parts import merge_reports
from sagaproof._report.schema import Report

__all__ = ["is_test", "run_tests"]


def is_test(target: str) -> bool:
    """Whether a target is one for pytest, and no name of a scenario."""
    return "::" in target or target.endswith(".py")


def run_tests(
    targets: Sequence[str],
    options: Options,
    *,
    plan: str | None = None,
    script: str | None = None,
    stable: bool = False,
) -> Report:
    """Run pytest on the targets. That it failed otherwise, or ran nothing, is a problem of the report."""
    collector = _Collector()
    code = pytest.main([*targets, *_arguments(options, plan, script, stable=stable)], plugins=[collector])
    report = merge_reports(collector.reports)
    problem = ""
    if not report.scenarios:
        problem = f"no explored test ran in {', '.join(targets)} (pytest ended with {int(code)})"
    elif code != 0 and report.exit_code == 0:
        problem = f"pytest ended with {int(code)}, although each explored test is clean"
    return report.model_copy(update={"problems": (*report.problems, *([problem] if problem else ()))})


class _Collector:
    """A plugin that keeps the reports of explored tests."""

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        session_of(config).listeners.append(self.reports.append)


def _arguments(options: Options, plan: str | None, script: str | None, *, stable: bool) -> list[str]:
    given = {**options.model_dump(exclude_none=True, exclude={"exclude", "families"})}
    if "durations" in given:
        given["durations"] = ",".join(given["durations"])
    if "require_sometimes" in given:
        given["require-sometimes"] = required_as_text(given.pop("require_sometimes"))
    given |= {name: value for name, value in (("plan", plan), ("script", script)) if value is not None}
    found = [f"--saga-{name}={value}" for name, value in given.items()]
    # This process has loaded more than a pytest that was called by itself.
    found += ["-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"]
    # Workers would keep what they found to themselves.
    found += ["-n0"] if find_spec("xdist") is not None else []
    return [*found, "--saga-stable"] if stable else found
