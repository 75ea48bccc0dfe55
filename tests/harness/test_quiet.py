"""What a saga prints and logs is kept out of the way, and put back exactly."""

from __future__ import annotations

import logging
import sys

import pytest

from sagaproof._run.quiet import Quiet


def test_prints_and_last_resort_logs_lead_nowhere_between_begin_and_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    quiet = Quiet()
    quiet.begin()
    sys.stdout.write("during\n")
    sys.stderr.write("error during\n")
    logging.getLogger("saga").error("logged during")
    quiet.end()
    sys.stdout.write("after\n")

    assert capsys.readouterr() == ("after\n", "")


def test_pytests_log_collectors_are_set_aside_and_come_back(caplog: pytest.LogCaptureFixture) -> None:
    before = list(logging.getLogger().handlers)
    quiet = Quiet()
    quiet.begin()
    logging.getLogger("saga").warning("during")
    quiet.end()
    logging.getLogger("saga").warning("after")

    assert caplog.messages == ["after"]
    assert set(logging.getLogger().handlers) == set(before)


def test_a_handler_of_the_users_still_gets_the_records() -> None:
    class Keeps(logging.Handler):
        def __init__(self) -> None:
            super().__init__()
            self.messages: list[str] = []

        def emit(self, record: logging.LogRecord) -> None:
            self.messages.append(record.getMessage())

    keeps, logger = Keeps(), logging.getLogger("saga.audit")
    logger.addHandler(keeps)
    quiet = Quiet()
    quiet.begin()
    logger.warning("during")
    quiet.end()
    logger.removeHandler(keeps)

    assert keeps.messages == ["during"]


def test_aloud_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    quiet = Quiet()
    quiet.aloud = True
    quiet.begin()
    sys.stdout.write("during\n")
    quiet.end()
    quiet.end()

    assert capsys.readouterr().out == "during\n"
