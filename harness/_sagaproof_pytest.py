"""What pytest loads in every session: the options, the fixture `world`, and hooks that hand over.

It imports nothing of sagaproof before a test or an option asks for it, so that a session without either pays
next to nothing, and a coverage tool that starts after the plugins still sees all of the package.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    ("--saga-crash", "HOW", str, "how processes die: simulated, or real (in a fork, by SIGKILL)"),
    ("--saga-shard", "N/OF", str, "count only a share of the plans: 3/10 is the third of ten"),
    ("--saga-workers", "N", int, "explore in N processes (default 1); what is found is the same"),
    ("--saga-executor", "URL", str, "explore on the workers of a cluster, such as dask://HOST:PORT"),
    ("--saga-report", "DIR", str, "write report.json and report.html of the explored tests into DIR"),
    ("--saga-junit", "FILE", str, "write a JUnit XML with a case for each check of each explored test"),
    ("--saga-markdown", "FILE", str, "write a summary for a pull request as Markdown"),
    ("--saga-fail-under", "PCT", float, "fail if fewer of the cells that can be covered are, in per cent"),
    ("--saga-require", "LIST", str, "fail unless these phases and fault families are covered: undo,crash"),
    ("--saga-baseline", "FILE", str, "let the findings pass that are known there, each till its last day"),
    ("--saga-write-baseline", "FILE", str, "write what is found as a baseline, for people to give reasons"),
    ("--saga-keep", "FILE", str, "append a test to FILE for each finding of an AgentMachine"),
)
_FLAGS = (*(flag for flag, *_ in _OPTIONS), "--saga-coverage", "--saga-stable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options. They win over `@explore(...)`, which wins over `[tool.sagaproof]`."""
    group = parser.getgroup("sagaproof", "sagaproof: break every call of a saga, judge what is left")
    for flag, metavar, kind, text in _OPTIONS:
        group.addoption(flag, metavar=metavar, type=kind, default=None, help=text)
    group.addoption(
        "--saga-coverage",
        action="store_const",
        const=True,
        default=None,
        help="tell which lines of the undo code no fault has reached (needs coverage.py)",
    )
    group.addoption(
        "--saga-stable", action="store_true", help="reports without times, versions and absolute paths"
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser, args: list[str]) -> Generator[None, object, object]:
    """Name the option that was meant, where one of ours is misspelt; a conftest may have some like it."""
    loaded = yield
    if any(arg.startswith("--saga") and arg.partition("=")[0] not in _FLAGS for arg in args):
        from sagaproof._doors.misspelt import refuse_misspelt  # noqa: PLC0415  # only where there is one

        refuse_misspelt(parser, args, _FLAGS)
    return loaded


@pytest.hookimpl(tryfirst=True)  # before Hypothesis loads the profile
def pytest_configure(config: pytest.Config) -> None:
    """Check what was asked for before anything is collected."""
    if config.getoption("--hypothesis-profile", None) == "nightly":
        from sagaproof._doors.machine_profiles import register  # noqa: PLC0415  # only where there is one

        register()
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

        self._machines: list[Any] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "sagaproof"):
            _session(self._config).hear(report)
        self._machines += getattr(report, "sagaproof_machines", ())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        played = sys.modules.get("sagaproof._doors.machine_results")
        if call.when == "call" and played is not None and played.RESULTS:
            told = [result.as_json() for result in played.RESULTS]
            played.RESULTS.clear()
            report.sagaproof_machines = told  # type: ignore[attr-defined]  # travels with the report
        return report

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._machines or hasattr(self._config, "workerinput"):
            return
        from sagaproof._doors.machine_summary import keep, lines  # noqa: PLC0415  # only where there is one

        terminalreporter.section("sagaproof machines", sep="-")
        for line in lines(self._machines, verbose=self._config.option.verbose > 0):
            terminalreporter.write_line(line)
        file, report = self._config.getoption("saga_keep"), self._config.getoption("saga_report")
        if file:
            terminalreporter.write_line(f"{keep(Path(file), self._machines)} tests kept in {file}")
        if report:
            Path(report).mkdir(parents=True, exist_ok=True)
            text = json.dumps(self._machines, indent=2)
            (Path(report) / "machines.json").write_text(text + "\n", encoding="utf-8")


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
