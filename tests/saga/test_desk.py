"""A case reaches a function or a log as it is, and what fails there is raised."""

from __future__ import annotations

import asyncio
import logging

import pytest

from sagaproof.saga.case import Case, CaseStep, build_case
from sagaproof.saga.desk import CallableDesk, Desk, LogDesk


def a_case() -> Case:
    paid = CaseStep(
        call_id="call_1", tool="pay", cls=4, args={}, key="s/call_1", ref="p_1", outcome="ok", undo="failed"
    )
    return build_case(saga="s", goal=None, cause="503", gave_up=True, steps=[paid], pivot=None)


def test_a_callable_desk_hands_over_case_and_key_and_gives_back_the_answer() -> None:
    got = []

    def tell(case: Case, key: str) -> str:
        got.append((case, key))
        return "case_17"

    desk = CallableDesk(tell)
    assert isinstance(desk, Desk)
    assert desk.open(a_case(), "s/case") == "case_17"
    assert got == [(a_case(), "s/case")]


def test_an_async_desk_is_awaited_by_its_caller() -> None:
    async def tell(case: Case, key: str) -> str:
        return f"{key} {case.saga}"

    async def ask() -> str | None:
        opened = CallableDesk(tell).open(a_case(), "s/case")
        assert not isinstance(opened, str | None)
        return await opened

    assert asyncio.run(ask()) == "s/case s"


def test_what_the_desk_raises_goes_on_to_the_caller() -> None:
    def down(case: Case, key: str) -> None:
        raise ConnectionError(case.saga, key)

    with pytest.raises(ConnectionError):
        CallableDesk(down).open(a_case(), "s/case")


def test_the_log_desk_writes_the_whole_case_as_an_error(caplog: pytest.LogCaptureFixture) -> None:
    assert isinstance(LogDesk(), Desk)
    LogDesk().open(a_case(), "s/case")
    LogDesk(logging.getLogger("ops")).open(a_case(), "s/case")
    assert [(r.name, r.levelno) for r in caplog.records] == [
        ("sagaproof.saga.desk", logging.ERROR),
        ("ops", logging.ERROR),
    ]
    for record in caplog.records:
        assert "s/case" in record.getMessage()
        assert a_case().text() in record.getMessage()
