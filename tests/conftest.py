"""Settings of all tests: in a full check, a skip for want of a tool is a failure."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

WANT = "needs "


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
