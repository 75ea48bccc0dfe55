"""A skip for want of a tool is a skip on a laptop and a failure in a full check."""

from __future__ import annotations

from pathlib import Path

import pytest

WANTING = {
    "by mark": """
        import pytest

        @pytest.mark.skipif(True, reason="needs chromium")
        def test_it(): pass
    """,
    "in the body": """
        import pytest

        def test_it():
            pytest.skip("needs chromium")
    """,
    "by fixture": """
        import pytest

        @pytest.fixture
        def browser():
            pytest.skip("needs chromium")

        def test_it(browser): pass
    """,
    "of the whole module": """
        import pytest

        pytest.skip("needs chromium", allow_module_level=True)
    """,
}

OTHER = """
    import pytest

    @pytest.mark.skip(reason="not on a Tuesday")
    def test_skipped(): pass

    @pytest.mark.xfail(reason="needs work", strict=True)
    def test_expected_to_fail(): assert False
"""


@pytest.fixture(autouse=True)
def _same_conftest(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize("test", WANTING.values(), ids=WANTING)
def test_skip_for_want_of_a_tool_fails_a_full_check(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str
) -> None:
    monkeypatch.setenv("SAGAPROOF_CHECK", "1")
    pytester.makepyfile(test)

    result = pytester.runpytest_inprocess()

    outcomes = result.parseoutcomes()
    assert outcomes.get("failed", 0) + outcomes.get("errors", 0) == 1
    assert "skipped" not in outcomes
    result.stdout.fnmatch_lines("*a full check does not allow: needs chromium. Install what it needs.*")


@pytest.mark.parametrize("test", WANTING.values(), ids=WANTING)
def test_skip_for_want_of_a_tool_stays_a_skip_elsewhere(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, test: str
) -> None:
    monkeypatch.delenv("SAGAPROOF_CHECK", raising=False)
    pytester.makepyfile(test)

    assert pytester.runpytest_inprocess().parseoutcomes() == {"skipped": 1}


def test_other_skips_and_expected_failures_pass_a_full_check(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAGAPROOF_CHECK", "1")
    pytester.makepyfile(OTHER)

    pytester.runpytest_inprocess().assert_outcomes(skipped=1, xfailed=1)
