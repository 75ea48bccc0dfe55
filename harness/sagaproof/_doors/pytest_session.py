"""The plugin of pytest once it is needed: settings, the fixture `world`, campaigns in place of test bodies."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import pytest

from sagaproof._doors.campaigns import Wanted, judge, run
from sagaproof._doors.exploration import Exploration, exploration_of
from sagaproof._doors.failure import CampaignFailed
from sagaproof._doors.options import FileOptions, Options, file_options, read, settings_of
from sagaproof._doors.subjects import subject_of_test, systems_of_test
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.httpx import HttpxTap
from sagaproof._taps.leaks import LeakGuard
from sagaproof.errors import SagaproofError

__all__ = ["PytestSession", "session_of"]

_NAME = "sagaproof-session"


def session_of(config: pytest.Config) -> PytestSession:
    """The one of this run of pytest, made and registered with the first call."""
    found = config.pluginmanager.get_plugin(_NAME)
    if found is None:
        found = PytestSession(config)
        config.pluginmanager.register(found, _NAME)
    assert isinstance(found, PytestSession)
    return found


class PytestSession:
    """Everything that sagaproof does in one run of pytest."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._worlds: dict[str, WorldHandle] = {}

    @cached_property
    def file(self) -> FileOptions:
        """What pyproject.toml says."""
        return file_options(self._config.rootpath)

    def select(self, items: list[pytest.Item]) -> None:
        """Check the settings."""
        try:
            self.file  # noqa: B018
        except SagaproofError as error:
            raise pytest.UsageError(str(error)) from error

    def hear(self, report: pytest.TestReport) -> None:
        """Take in the result of a test."""

    # The fixture ----------------------------------------------------------------------------------------

    @contextmanager
    def world(self, item: pytest.Item) -> Iterator[WorldHandle]:
        """The world of a test."""
        exploration = exploration_of(getattr(item, "obj", None))
        handle = WorldHandle(systems_of_test(exploration, self.file))
        if exploration is not None:
            yield handle
            return
        tap = HttpxTap(handle.state.systems, lambda: handle.gate)
        with tap, LeakGuard(allow_hosts=self.file.allow_hosts, sites=tap.passed):
            handle.begin(handle.fresh_gate())
            yield handle

    # Explored tests -------------------------------------------------------------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> object:
        exploration = exploration_of(pyfuncitem.obj)
        if exploration is None:
            return None
        try:
            self._explore(pyfuncitem, exploration)
        except SagaproofError as error:
            raise CampaignFailed(f"harness error: {error}") from error
        return True

    def _explore(self, item: pytest.Function, exploration: Exploration) -> None:
        names = inspect.signature(exploration.body).parameters
        arguments = {
            name: value for name, value in item.funcargs.items() if name in names and name != "world"
        }
        world: Any = item.funcargs.get("world") or WorldHandle(systems_of_test(exploration, self.file))
        body = exploration.body
        if inspect.ismethod(item.obj):
            body = body.__get__(item.obj.__self__)
        subject = subject_of_test(exploration, item.nodeid, arguments, world, self.file, body)
        settings = settings_of([self.file, exploration.options])
        judge(run(subject, settings, world=world))
