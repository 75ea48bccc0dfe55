"""A file of kept tests: what is in it stays as it is, what is new comes to its end under an own name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest import SkipTest

import pytest

from sagaproof._doors import cli
from sagaproof._doors.failure import CampaignFailed
from sagaproof._doors.kept_tests import keep_in, with_test
from sagaproof._doors.registry import scenario
from sagaproof.errors import UsageError
from sagaproof.machine import replay

ONE = "from a import A\n\n\ndef test_found() -> None:\n    A.replay(1)\n"
OTHER = "from a import A\nfrom b import B\n\n\ndef test_found() -> None:\n    B.replay(2)\n"
OWN = '"""Mine."""\n\nimport os\n\nX = os.sep\n\n\ndef test_found() -> None:\n    assert X\n'


def test_a_new_test_comes_after_all_that_was_there_and_imports_once() -> None:
    text, name = with_test(OWN, ONE)
    text, other = with_test(text, OTHER)
    assert (name, other) == ("test_found_2", "test_found_3")
    assert text.count("from a import A") == 1
    assert text.startswith('"""Mine."""\n\nimport os\nfrom a import A\nfrom b import B\n\nX = os.sep\n')
    assert text.index("assert X") < text.index("A.replay") < text.index("B.replay")
    compile(text, "kept", "exec")


def test_what_is_kept_already_is_not_kept_twice() -> None:
    text, _ = with_test("", ONE)
    assert with_test(text, ONE.replace("test_found", "test_renamed")) == (text, "")


def test_a_name_that_is_taken_is_replaced_by_force_alone(tmp_path: Path) -> None:
    file = tmp_path / "test_kept.py"
    file.write_text(OWN)
    with pytest.raises(UsageError, match="test_found already"):
        keep_in(file, [ONE], name="test_found")
    assert file.read_text() == OWN
    assert keep_in(file, [ONE], name="test_found", force=True) == ["test_found"]
    assert "assert X" not in file.read_text()
    assert "X = os.sep" in file.read_text()


def test_a_file_that_is_no_python_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.py"
    file.write_text("not python at all")
    with pytest.raises(UsageError, match="no Python, from line 1"):
        keep_in(file, [ONE])
    assert file.read_text() == "not python at all"


@pytest.mark.slow
def test_a_plan_of_a_scenario_is_kept_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "test_kept.py"
    line = ["keep", "credit-mail-first", "--plan", "crm.set_ticket_status.1=503"]
    assert cli.main([*line, "--into", str(file)]) == 0, capsys.readouterr().err
    names: dict[str, object] = {}
    exec(file.read_text(), names)
    (test,) = [one for name, one in names.items() if name.startswith("test_")]
    assert callable(test)
    with pytest.raises(CampaignFailed, match="finding"):
        test()


def test_a_plan_that_shows_nothing_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "test_kept.py"
    assert cli.main(["keep", "credit-runtime", "--plan", "mail.send.1=503", "--into", str(file)]) == 3
    assert "nothing to keep of mail.send.1=503: no check is violated" in capsys.readouterr().err
    assert not file.exists()


def test_a_plan_that_meets_nothing_any_more_is_skipped() -> None:
    whole = scenario("credit-runtime").scripts[0]
    script = replace(whole, name="short", calls=whole.calls[:1])
    with pytest.raises(SkipTest, match="does not fit any more"):
        replay("credit-runtime", "mail.send.1=503", script)
