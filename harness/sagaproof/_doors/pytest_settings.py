"""What a run of pytest is set to: pyproject.toml, command line, and the two put together for a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagaproof._doors.campaigns import Wanted
from sagaproof._doors.closing import Closing
from sagaproof._doors.exploration import Exploration
from sagaproof._doors.options import (
    FileOptions,
    Options,
    file_options,
    read,
    required_sometimes,
    settings_of,
)
from sagaproof._model.plan import Plan
from sagaproof._search.settings import Settings

__all__ = ["PytestSettings"]

_ON_THE_LINE = (
    *("faults", "statuses", "durations", "runs", "seconds", "seed", "require_sometimes", "crash"),
    *("coverage", "workers", "executor", "shard"),
)


class PytestSettings:
    """The command line wins over the decorator, which wins over pyproject.toml. Raises `UsageError`."""

    def __init__(self, config: pytest.Config) -> None:
        self.file: FileOptions = file_options(config.rootpath)
        self._line = _on_the_line(config)
        self.wanted = Wanted(config.getoption("saga_plan"), config.getoption("saga_script"))
        if self.wanted.plan is not None:
            Plan.parse(self.wanted.plan)
        self.stable: bool = config.getoption("saga_stable")
        self.report = _report_folder(config, self.file)
        self.closing = _closing(config, self.file, replayed=self.wanted.plan is not None)

    def of(self, exploration: Exploration) -> Settings:
        """The settings of a test."""
        return exploration.conditioned(settings_of([self.file, exploration.options, self._line]))


def _on_the_line(config: pytest.Config) -> Options:
    given = {name: config.getoption(f"saga_{name}") for name in _ON_THE_LINE}
    given = {name: value for name, value in given.items() if value is not None}
    if "durations" in given:
        given["durations"] = tuple(given["durations"].split(","))
    if "require_sometimes" in given:
        given["require_sometimes"] = required_sometimes(given["require_sometimes"])
    found: Options = read(Options, given, "on the command line, after --saga-")
    settings_of([found])  # whatever is wrong with them shows here
    return found


def _closing(config: pytest.Config, file: FileOptions, *, replayed: bool) -> Closing:
    """What is asked of the report as a whole. One plan that is replayed covers next to nothing: no gates."""

    def path(name: str) -> Path | None:
        given: str | None = config.getoption(f"saga_{name}")
        return None if given is None else Path(config.invocation_params.dir) / given

    least: float | None = config.getoption("saga_fail_under")
    named: str | None = config.getoption("saga_require")
    required = file.require if named is None else tuple(named.split(","))
    in_file = None if file.baseline is None else Path(config.rootpath) / file.baseline
    return Closing.read(
        fail_under=None if replayed else file.fail_under if least is None else least,
        require=() if replayed else required,
        baseline=path("baseline") or in_file,
        write_baseline=path("write_baseline"),
        junit=path("junit"),
        markdown=path("markdown"),
        insists=least is not None or named is not None,
    )


def _report_folder(config: pytest.Config, file: FileOptions) -> Path | None:
    """The folder of the report: named from where pytest was called, or from the root of the project."""
    given: str | None = config.getoption("saga_report")
    if given is not None:
        return Path(config.invocation_params.dir) / given
    return None if file.report is None else Path(config.rootpath) / file.report
