"""Which fixtures an explored test may use: those that all of its runs can share."""

from __future__ import annotations

import inspect

import pytest

from sagaproof._doors.exploration import Exploration
from sagaproof.errors import UsageError

__all__ = ["check_fixtures"]

_OURS = frozenset({"world", "request"})
_ADVICE = {
    "tmp_path": "world.path is an empty folder of each run",
    "tmpdir": "world.path is an empty folder of each run",
    "monkeypatch": "in the body, `with pytest.MonkeyPatch.context() as patch:` is undone after each run",
    "capsys": "return what is to be judged as the claim, or take checks=",
    "capfd": "return what is to be judged as the claim, or take checks=",
    "caplog": "return what is to be judged as the claim, or take checks=",
    "respx_mock": "open `with respx.mock:` in the body, or allow it if its routes keep no state",
    "event_loop": "each run of an `async def` body has a loop of its own",
}
_USUAL = "make it in the body, or widen its scope if all runs may share it"


def check_fixtures(item: pytest.Function, exploration: Exploration) -> None:
    """Raise `UsageError` for a fixture that is made once for each test, and not for each run.

    Fixtures that come by themselves (autouse) are not the test's choice, and are left alone.
    """
    allowed = exploration.allow_fixtures
    if allowed is True:
        return
    for name in _asked_for(item, exploration):
        if name not in _OURS and not (allowed and name in allowed) and _is_made_for_each_test(item, name):
            raise UsageError(
                f"fixture {name!r} is made once for the test, but its body runs many times",
                where=item.nodeid,
                advice=f"Instead: {_ADVICE.get(name, _USUAL)}. Or let all runs share it: "
                f"@explore(allow_fixtures=[{name!r}]).",
            )


def _asked_for(item: pytest.Function, exploration: Exploration) -> list[str]:
    names = list(inspect.signature(exploration.body).parameters)
    for mark in item.iter_markers("usefixtures"):
        names += mark.args
    return names


def _is_made_for_each_test(item: pytest.Function, name: str) -> bool:
    found = item._fixtureinfo.name2fixturedefs.get(name)  # noqa: SLF001  # there is no public way
    # What stands for an argument of parametrize is defined by pytest itself and is a plain value.
    return (
        found is not None and found[-1].scope == "function" and found[-1].func.__module__ != "_pytest.python"
    )
