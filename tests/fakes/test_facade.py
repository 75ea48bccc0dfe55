"""The package offers each system by name, and loads none before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import sagaproof_fakes
from sagaproof import System


@pytest.mark.parametrize("name", sagaproof_fakes.__all__)
def test_each_system_is_there_under_its_own_name(name: str) -> None:
    found = getattr(sagaproof_fakes, name)
    assert issubclass(found, System)
    assert found.name == name.lower()
    assert name in dir(sagaproof_fakes)


def test_a_name_that_no_system_has_is_told() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bank'"):
        _ = sagaproof_fakes.Bank


def test_nothing_is_loaded_before_it_is_asked_for() -> None:
    code = (
        "import sys, sagaproof_fakes; print(sorted(m for m in sys.modules if 'faker' in m or 'fakes.' in m))"
    )
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "[]"
