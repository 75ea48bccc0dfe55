"""Tests on the command line: pytest in this process, with what its explored tests came to."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Final

import pytest

from sagaproof._doors.closing import Closing
from sagaproof._doors.options import Options, required_as_text
from sagaproof._doors.pytest_end import End
from sagaproof._doors.pytest_session import session_of
from sagaproof._report.parts import merge_reports
from sagaproof._report.schema import GatePart, Report

__all__ = ["ALONE", "is_test", "run_tests"]

ALONE: Final = (
    # This process has loaded more than a pytest that was called by itself.
    *("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning"),
    # Workers would keep what they found to themselves.
    *(("-n0",) if find_spec("xdist") is not None else ()),
)
"""Options of a pytest that runs in this process."""


def is_test(target: str) -> bool:
    """Whether a target is one for pytest, and no name of a scenario."""
    return "::" in target or target.endswith(".py")


def run_tests(
    targets: Sequence[str],
    options: Options,
    *,
    plan: str | None = None,
    script: str | None = None,
    closing: Closing | None = None,
    stable: bool = False,
    show_all: bool = False,
    plugins: Sequence[object] = (),
) -> Report:
    """Run pytest on the targets. That it failed otherwise, or ran nothing, is a problem of the report.

    The gates and the baseline of `closing` are those of pytest; what it writes is left to the caller.
    """
    collector = _Collector()
    arguments = [*_arguments(options, plan, script, stable=stable), *_gates(closing)]
    arguments += ["-vv"] if show_all else []
    code = pytest.main([*targets, *arguments], plugins=[collector, *plugins])
    report = merge_reports(collector.reports).model_copy(update={"gates": collector.gates})
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
        self._ends: list[End] = []

    @property
    def gates(self) -> tuple[GatePart, ...]:
        """What the gates came to."""
        return tuple(gate for end in self._ends for gate in end.gates)

    def pytest_configure(self, config: pytest.Config) -> None:
        session = session_of(config)
        session.listeners.append(self.reports.append)
        session.end.is_inner = True
        self._ends.append(session.end)


def _gates(closing: Closing | None) -> list[str]:
    if closing is None:
        return []
    gates, found = closing.gates, []
    found += [] if gates.fail_under is None else [f"--saga-fail-under={gates.fail_under}"]
    found += [f"--saga-require={','.join(gates.require)}"] if gates.require else []
    return found + ([] if closing.baseline is None else [f"--saga-baseline={closing.baseline}"])


def _arguments(options: Options, plan: str | None, script: str | None, *, stable: bool) -> list[str]:
    given = {**options.model_dump(exclude_none=True, exclude={"exclude", "families"})}
    if "durations" in given:
        given["durations"] = ",".join(given["durations"])
    if "require_sometimes" in given:
        given["require-sometimes"] = required_as_text(given.pop("require_sometimes"))
    given |= {name: value for name, value in (("plan", plan), ("script", script)) if value is not None}
    flags = ["--saga-coverage"] if given.pop("coverage", False) else []
    found = [*flags, *(f"--saga-{name}={value}" for name, value in given.items())]
    found += ALONE
    return [*found, "--saga-stable"] if stable else found
