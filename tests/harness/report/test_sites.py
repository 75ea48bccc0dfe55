"""Paths in a report are those a reader can use; with `stable`, those that are the same everywhere."""

from __future__ import annotations

import pytest

from sagaproof._report.sites import Sites


def test_a_path_below_the_folder_is_told_from_there() -> None:
    sites = Sites(stable=False, folder="/home/ann/shop")
    assert sites.short("asked for at /home/ann/shop/app/support.py:88") == "asked for at app/support.py:88"
    assert sites.short("/opt/lib/support.py:88") == "/opt/lib/support.py:88"


@pytest.mark.parametrize(
    "path",
    [
        "/home/ann/shop/app/support.py:88",
        "/home/ann s/my shop (2)/support.py:88",
        "app/support.py:88",
        "support.py:88",
        "C:\\my shop\\support.py:88",
    ],
)
def test_stable_leaves_the_file_name_only(path: str) -> None:
    assert Sites(stable=True).short(f"(at {path}) raised") == "(at support.py:88) raised"


def test_stable_shortens_each_of_two_paths_with_blanks() -> None:
    text = "at /tmp/fresh 3/a.py:61 < /tmp/fresh 3/b c/b.py:5) and so on"
    assert Sites(stable=True).short(text) == "at a.py:61 < b.py:5) and so on"


def test_stable_leaves_what_is_no_path_to_code_alone() -> None:
    text = "GET https://crm.test/tickets/9104 answered 503/all"
    assert Sites(stable=True).short(text) == text
    assert Sites(stable=True).short(f"{text} at /tmp/a b/c.py:7") == f"{text} at c.py:7"
