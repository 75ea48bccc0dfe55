"""What pytest loads in every session: the options, the fixture `world`, and hooks that hand over.

It imports nothing of sagaproof before a test or an option asks for it, so that a session without either pays
next to nothing, and a coverage tool that starts after the plugins still sees all of the package.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from sagaproof._doors.pytest_session import PytestSession
    from sagaproof._taps.handle import WorldHandle

_OPTIONS = (
    ("--saga-faults", "K", int, "put up to K faults into one run (default 2)"),
    (
        "--saga-plan",
        "PLAN",
        str,
        "replay one plan, such as mail.send.1=503, in the tests that know its operations",
    ),
    ("--saga-script", "NAME", str, "only this script of an agent"),
    ("--saga-statuses", "WHICH", str, "representative (503 and 422 stand for their kind) or all"),
    ("--saga-durations", "LIST", str, "how long faults last, joined by commas: once, twice, all"),
    ("--saga-runs", "N", int, "end each exploration after N runs; what is left counts as skipped"),
    ("--saga-seconds", "S", float, "end each exploration after S seconds; what is left counts as skipped"),
    ("--saga-seed", "N", int, "choose by this seed which of the pruned plans are audited"),
    (
        "--saga-require-sometimes",
        "WHICH",
        str,
        "incomplete unless these states were reached: all, none, or slugs joined by commas",
    ),
    ("--saga-report", "DIR", str, "write report.json and report.html of the explored tests into DIR"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options. They win over `@explore(...)`, which wins over `[tool.sagaproof]`."""
    group = parser.getgroup("sagaproof", "sagaproof: break every call of a saga, judge what is left")
    for flag, metavar, kind, text in _OPTIONS:
        group.addoption(flag, metavar=metavar, type=kind, default=None, help=text)
    group.addoption(
        "--saga-stable", action="store_true", help="reports without times, versions and absolute paths"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check what was asked for before anything is collected."""
    config.pluginmanager.register(_Listener(config), "sagaproof-listener")
    if _asked(config) or _leads_workers(config):
        _session(config)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Read the settings, and keep the tests that a plan to replay belongs to."""
    if _asked(config) or any(_uses(item) for item in items):
        _session(config).select(items)


class _Listener:
    """Hears what a campaign came to, also one of a worker of pytest-xdist."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "sagaproof"):
            _session(self._config).hear(report)


@pytest.fixture
def world(request: pytest.FixtureRequest) -> Iterator[WorldHandle | None]:
    """The fake systems of this test: `world.crm`, `world.billing`, `world.mail`, ..., all empty.

    Calls of httpx clients to their hosts reach them; a connection to any other host but loopback fails.
    Under `@explore` every run gets the world anew; in other tests no fault is injected.
    """
    with _session(request.config).world(request.node) as handle:
        yield handle


def _asked(config: pytest.Config) -> bool:
    return any(value for name, value in vars(config.option).items() if name.startswith("saga_"))


def _leads_workers(config: pytest.Config) -> bool:
    """Whether workers of pytest-xdist may be about to write into a report that this process puts together."""
    if config.getoption("dist", "no") == "no" or hasattr(config, "workerinput"):
        return False
    project = config.rootpath / "pyproject.toml"
    return project.is_file() and "[tool.sagaproof" in project.read_text(encoding="utf-8")


def _uses(item: pytest.Item) -> bool:
    explored = hasattr(getattr(item, "obj", None), "sagaproof_exploration")
    return explored or "world" in getattr(item, "fixturenames", ())


def _session(config: pytest.Config) -> PytestSession:
    from sagaproof._doors.pytest_session import session_of  # noqa: PLC0415  # the purpose of this module

    return session_of(config)
