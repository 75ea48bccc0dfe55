"""The plugin of pytest once it is needed: the fixture `world`, campaigns in place of test bodies."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from sagaproof._doors.campaigns import broken, run
from sagaproof._doors.closing import Closing
from sagaproof._doors.exploration import Exploration, exploration_of
from sagaproof._doors.failure import CampaignFailed
from sagaproof._doors.options import hosts_for
from sagaproof._doors.pytest_end import End
from sagaproof._doors.pytest_fixtures import check_fixtures
from sagaproof._doors.pytest_reports import Reports
from sagaproof._doors.pytest_repr import as_it_is
from sagaproof._doors.pytest_selection import those_for
from sagaproof._doors.pytest_settings import PytestSettings
from sagaproof._doors.pytest_summary import Heard, heard_of, summary
from sagaproof._doors.pytest_ticker import ticking
from sagaproof._doors.pytest_world import PlainWorld
from sagaproof._doors.subjects import subject_of_test, systems_of_test
from sagaproof._doors.verdict import first_line, verdict
from sagaproof._report.build import build
from sagaproof._report.json_file import as_json
from sagaproof._report.schema import Report
from sagaproof._search.campaign import Campaign
from sagaproof._search.expected import Outcome
from sagaproof._search.settings import Settings
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import NotInjected, SagaproofError, UsageError

__all__ = ["PytestSession", "session_of"]

_NAME = "sagaproof-session"
_WIDTH_MAX = 110


def session_of(config: pytest.Config) -> PytestSession:
    """The one of this run of pytest, made and registered with the first call.

    Raises `pytest.UsageError` for settings that cannot be read.
    """
    found = config.pluginmanager.get_plugin(_NAME)
    if found is None:
        found = PytestSession(config)
        config.pluginmanager.register(found, _NAME)
    assert isinstance(found, PytestSession)
    return found


class PytestSession:
    """What sagaproof does in one run of pytest."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._error: SagaproofError | None = None
        self._reports: Reports | None = None
        self._worlds: dict[str, PlainWorld] = {}
        self._made: dict[str, Heard] = {}
        self._heard: dict[str, Heard] = {}
        self._replayed_in = 0
        self.listeners: list[Callable[[Report], object]] = []
        """What is handed the report of each campaign that this process ran."""
        self._closing: list[str] = []
        self._settings = self._read_settings()
        self.end = End(Closing() if self._settings is None else self._settings.closing, self._reports)

    def _read_settings(self) -> PytestSettings | None:
        """The settings. A worker of pytest-xdist cannot say what is wrong with them: its tests will."""
        try:
            settings = PytestSettings(self._config)
        except UsageError as error:
            self._refuse(error)
            return None
        if settings.report is not None:
            self._reports = Reports(settings.report)
            self.listeners.append(self._reports.add)
            if not self._is_worker:
                self._reports.begin()
        return settings

    def _refuse(self, error: UsageError) -> None:
        if not self._is_worker:
            raise pytest.UsageError(str(error)) from error
        self._error = error

    @property
    def _known(self) -> PytestSettings:
        if self._settings is None or self._error is not None:
            assert self._error is not None
            raise self._error
        return self._settings

    @property
    def _plan(self) -> str | None:
        return None if self._settings is None else self._settings.wanted.plan

    def select(self, items: list[pytest.Item]) -> None:
        """Keep the tests that a plan to replay belongs to."""
        if self._settings is None or self._settings.wanted.plan is None:
            return
        try:
            kept = those_for(self._settings.wanted.plan, items, self._settings.file)
        except UsageError as error:
            self._refuse(error)
            return
        self._replayed_in = len(kept)
        dropped = [item for item in items if item not in kept]
        if dropped:
            self._config.hook.pytest_deselected(items=dropped)
            items[:] = kept

    # The fixture ----------------------------------------------------------------------------------------

    @contextmanager
    def world(self, item: pytest.Item) -> Iterator[WorldHandle | None]:
        """The world of a test. Of an explored one, None if it cannot be made: its campaign will tell why."""
        exploration = exploration_of(getattr(item, "obj", None))
        if exploration is not None:
            yield self._explored_world(exploration)
            return
        try:
            file = self._known.file
            systems = systems_of_test(None, file)
            plain = PlainWorld(systems, hosts_for(systems, file.hosts), file.allow_hosts)
        except SagaproofError as error:
            pytest.fail(f"harness error: {error.slug}: {error}", pytrace=False)
        self._worlds[item.nodeid] = plain
        with plain.active() as handle:
            yield handle

    def _explored_world(self, exploration: Exploration) -> WorldHandle | None:
        try:
            return WorldHandle(systems_of_test(exploration, self._known.file))
        except SagaproofError:
            return None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        __tracebackhide__ = True
        answer = yield
        if item.nodeid in self._worlds:
            self._worlds.pop(item.nodeid).fail_on_leaks()
        return answer

    # Explored tests -------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> object:
        exploration = exploration_of(pyfuncitem.obj)
        if exploration is None:
            return None
        campaign = self._campaign(pyfuncitem, exploration)
        if self._replayed_in > 1 and _did_not_fit(campaign):
            pytest.skip(f"the plan does not fit: {campaign.errors[0]}")
        self._conclude(pyfuncitem, campaign)
        return True

    def _campaign(self, item: pytest.Function, exploration: Exploration) -> Campaign:
        settings = Settings()
        try:
            known = self._known
            settings = known.of(exploration)
            check_fixtures(item, exploration)
            names = inspect.signature(exploration.body).parameters.keys() - {"world"}
            arguments = {name: value for name, value in item.funcargs.items() if name in names}
            world: Any = item.funcargs.get("world") or WorldHandle(systems_of_test(exploration, known.file))
            body = (
                exploration.body.__get__(item.obj.__self__)
                if inspect.ismethod(item.obj)
                else exploration.body
            )
            subject = subject_of_test(exploration, item.nodeid, arguments, world, known.file, body=body)
        except SagaproofError as error:
            return broken(item.nodeid, settings, error)
        try:
            with ticking(self._config) as ticker:
                campaign = run(subject, settings, known.wanted, world=world, on_progress=ticker)
        finally:
            world.close()
        campaign.notes.extend(exploration.notes)
        return campaign

    def _conclude(self, item: pytest.Function, campaign: Campaign) -> None:
        """Keep what the campaign came to, and fail the test unless that is clean."""
        report = build([Outcome(campaign)], stable=self._settings is not None and self._settings.stable)
        report = self.end.closing.marked(report)
        part, plan = report.scenarios[0], self._plan
        whole = as_json(report) if self.end.closing.wants_report() else ""
        self._made[item.nodeid] = heard_of(part, first_line(part, replayed=plan), whole)
        try:
            for listener in self.listeners:
                listener(report)
        except SagaproofError as error:
            raise CampaignFailed(f"harness error: {error.slug}: {error}", campaign) from error
        if "interrupted" in campaign.incomplete:
            item.session.shouldstop = "interrupted while exploring"
        if part.exit_code:
            width = min(self._config.get_terminal_writer().fullwidth, _WIDTH_MAX)
            in_full = self._config.option.verbose > 1
            raise CampaignFailed(verdict(part, replayed=plan, width=width, in_full=in_full), campaign)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when != "call" or item.nodeid not in self._made:
            return report
        report.sagaproof = self._made.pop(item.nodeid)  # type: ignore[attr-defined]  # travels with the report
        error = None if call.excinfo is None else call.excinfo.value
        exploration = exploration_of(getattr(item, "obj", None))
        if isinstance(error, CampaignFailed) and exploration is not None:
            report.longrepr = as_it_is(error.text, *exploration.site)
        return report

    def hear(self, report: pytest.TestReport) -> None:
        """Take in the report of an explored test, from this process or a worker."""
        heard: Heard = report.sagaproof  # see makereport
        self._heard[report.nodeid] = heard
        self.end.hear(report.nodeid, heard["whole"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._is_worker or self._config.getoption("collectonly"):
            return
        if self._plan is not None and not self._heard and session.exitstatus in _RAN:
            self._close(session, f"harness error: {self._plan!r} was replayed in no test")
        try:
            for line, fails in self.end.lines(verbose=self._config.option.verbose > 0):
                self._close(session, line, fails=fails)
        except SagaproofError as error:
            self._close(session, f"harness error: {error.slug}: {error}")

    def _close(self, session: pytest.Session, line: str, *, fails: bool = True) -> None:
        self._closing.append(line)
        if fails and session.exitstatus in _RAN:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        lines = [*self._closing]
        if self._heard:
            lines = [*summary(self._heard, verbose=self._config.option.verbose > 0), *lines]
        if not lines or self._config.option.verbose < -1:
            return
        terminalreporter.section("sagaproof", sep="-")
        for line in lines:
            terminalreporter.write_line(line)


_RAN = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}


def _did_not_fit(campaign: Campaign) -> bool:
    return bool(campaign.errors) and all(
        error.startswith(f"{NotInjected.slug}:") for error in campaign.errors
    )
