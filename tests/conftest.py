"""Settings of all tests: long ones first; in a full check, a skip for want of a tool is a failure."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

WANT = "needs "
LONG = Path(__file__).with_name("scenarios")
"""Files that take minutes: they come first, so that no process is left alone with one at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONG not in item.path.parents)


def turn_wanting_skip_into_failure(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Fail `report` if SAGAPROOF_CHECK=1 and it was skipped for a reason that starts with `needs `."""
    if os.environ.get("SAGAPROOF_CHECK") != "1" or not report.skipped or hasattr(report, "wasxfail"):
        return
    # A skip is reported as (file, line, "Skipped: reason").
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if reason.startswith(WANT):
        report.outcome = "failed"
        report.longrepr = f"skipped, which a full check does not allow: {reason}. Install what it needs."


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    turn_wanting_skip_into_failure(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    turn_wanting_skip_into_failure(report)
    return report
