"""The public names: few, each of them there, and none loaded before it is asked for."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest

import sagaproof

NAMES_MAX = 25


def test_there_are_few() -> None:
    assert len(sagaproof.__all__) <= NAMES_MAX
    assert len(set(sagaproof.__all__)) == len(sagaproof.__all__)


@pytest.mark.parametrize("name", sagaproof.__all__)
def test_each_is_there_with_words_of_its_own(name: str) -> None:
    found = getattr(sagaproof, name)
    assert name in {"HELD", "NOT_REACHED"} or inspect.getdoc(found)
    assert name in dir(sagaproof)


def test_those_that_are_found_are_those_that_a_type_checker_sees() -> None:
    tree = ast.parse(inspect.getsource(sagaproof))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.asname or alias.name
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == set(sagaproof.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'AfterRestarts'"):
        _ = sagaproof.AfterRestarts


def test_none_is_loaded_before_it_is_asked_for() -> None:
    code = "import sagaproof, sys; print(sorted(n for n in sys.modules if n.startswith('sagaproof.')))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_the_choices_after_a_restart_are_public() -> None:
    script = sagaproof.Script("s", after_restart=sagaproof.AfterRestart.GIVE_UP)
    assert script.after_restart == "give up"
