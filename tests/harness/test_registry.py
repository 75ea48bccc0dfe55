"""What is registered, and what stands for a system besides a registered name."""

from __future__ import annotations

import pytest

from sagaproof._doors.registry import scenario, scenarios, systems
from sagaproof.errors import UsageError
from sagaproof_fakes.crm import Crm


def test_each_bundled_system_is_registered_under_its_own_name() -> None:
    found = systems()

    assert {"billing", "crm", "desk", "ledger", "mail"} <= set(found)
    assert all(name == system.name for name, system in found.items())


def test_each_call_gives_systems_of_its_own() -> None:
    assert systems(["crm"])["crm"] is not systems(["crm"])["crm"]


def test_a_name_a_place_a_class_and_an_instance_stand_for_a_system() -> None:
    mine = Crm()

    assert type(systems(["crm"])["crm"]) is Crm
    assert type(systems(["sagaproof_fakes.crm:Crm"])["crm"]) is Crm
    assert type(systems([Crm])["crm"]) is Crm
    assert systems([mine])["crm"] is mine


def test_the_bundled_scenarios_have_names_stories_and_systems_that_exist() -> None:
    found = scenarios()
    known = set(systems())

    assert found
    assert list(found) == sorted(found)
    for name, one in found.items():
        assert one.name == name
        assert one.story.strip()
        assert set(one.systems) <= known


def test_an_unknown_scenario_is_named_with_the_nearest() -> None:
    name = next(iter(scenarios()))

    with pytest.raises(UsageError, match=f"Did you mean '{name}'"):
        scenario(f"{name}x")
