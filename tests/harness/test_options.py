"""Layers of options: what is set nearer wins, exclusions add up, slips are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagaproof._doors.options import FileOptions, Options, file_options, hosts_for, read, settings_of
from sagaproof._model.plan import ALL
from sagaproof._search.settings import DURATIONS, Exclusion, Settings
from sagaproof.errors import UsageError


def test_without_options_the_settings_are_the_usual_ones() -> None:
    assert settings_of([Options(), FileOptions()]) == Settings()


def test_later_layers_win_and_unset_ones_do_not() -> None:
    found = settings_of([Options(faults=1, runs=7), Options(faults=3), Options(seconds=2.5)])

    assert (found.faults, found.runs_max, found.seconds_max) == (3, 7, 2.5)


def test_options_lie_over_the_settings_of_a_scenario() -> None:
    base = Settings(faults=1, audit=0.5, exclude=(Exclusion("a.b", "503", "known"),))

    found = settings_of([Options(seed=4, exclude={"c.d": "later"})], base=base)

    assert (found.faults, found.audit, found.seed) == (1, 0.5, 4)
    assert found.exclude == (*base.exclude, Exclusion("c.d", "*", "later"))


@pytest.mark.parametrize(
    ("cell", "operation", "fault"),
    [("mail.send=503", "mail.send", "503"), ("mail.*", "mail.*", "*"), ("=late*", "*", "late*")],
)
def test_an_exclusion_is_an_operation_a_fault_or_both(cell: str, operation: str, fault: str) -> None:
    assert settings_of([Options(exclude={cell: "why"})]).exclude == (Exclusion(operation, fault, "why"),)


def test_durations_may_be_a_list_as_in_toml() -> None:
    found: Options = read(Options, {"durations": ["once", "all"]}, "here")

    assert [DURATIONS[name] for name in found.durations or ()] == [1, ALL]


@pytest.mark.parametrize("value", [True, "2", 1.5, 99])
def test_a_number_of_faults_is_a_small_whole_number(value: object) -> None:
    with pytest.raises(UsageError, match=r"faults = .* will not do \(here\)"):
        read(Options, {"faults": value}, "here")


def test_a_folder_without_pyproject_has_no_options(tmp_path: Path) -> None:
    assert file_options(tmp_path) == FileOptions()


def test_toml_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool", encoding="utf-8")

    with pytest.raises(UsageError, match="cannot be read"):
        file_options(tmp_path)


def test_hosts_are_those_of_systems_that_are_there_and_later_layers_win() -> None:
    found = hosts_for(["crm", "mail"], {"crm": "a.test", "ledger": "b.test"}, {"crm": ["c.test", "d.test"]})

    assert found == {"crm": ("c.test", "d.test")}
