"""The place of a call is a line of the user's, however many libraries lie in between."""

from __future__ import annotations

import json
import sys

from sagaproof._taps.site import caller_site, is_foreign


def here() -> str:
    return f"{__file__}:{sys._getframe(1).f_lineno}"


def test_the_innermost_frame_of_the_user_is_the_place() -> None:
    assert caller_site() == here()


def asks() -> str:
    return caller_site()


def test_who_called_the_function_that_makes_all_calls_is_told_too() -> None:
    inner, _, outer = asks().partition(" < ")

    assert inner == f"{__file__}:{asks.__code__.co_firstlineno + 1}"
    assert outer == f"{__file__}:{sys._getframe().f_lineno - 3}"


def test_a_place_is_told_once_where_a_comprehension_stands_between() -> None:
    assert [caller_site() for _ in range(1)] == [here()]


def test_frames_of_libraries_are_passed_over() -> None:
    of_a_library = eval("lambda _: site()", {"site": caller_site, "__file__": json.__file__})
    assert json.loads(json.JSONEncoder(default=of_a_library).encode(object())) == here()


def test_generated_code_is_nobodys_place_whatever_module_it_is_in() -> None:
    assert eval("site()", {"site": caller_site}) == here()
    assert eval("site()", {"site": caller_site, "__file__": __file__}) == here()


def test_code_of_a_script_without_a_module_file_is_the_users() -> None:
    space = {"site": caller_site}
    exec(compile("place = site()", "cell_3.py", "exec"), space)
    assert str(space["place"]).startswith("cell_3.py:1 < ")


def test_standard_library_and_packages_are_foreign() -> None:
    assert is_foreign(json.__file__)
    assert is_foreign("<string>")
    assert not is_foreign(__file__)
