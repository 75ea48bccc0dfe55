"""Workers find what one process finds, byte for byte, and lose nothing when one of them dies."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sagaproof._checks.protocol import HELD, Facts, Verdict
from sagaproof._doors.cli import main
from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.event import Called
from sagaproof._model.history import History
from sagaproof._report.build import build
from sagaproof._report.json_file import as_json
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.expected import Outcome
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._search.sweep import Progress
from sagaproof.errors import UsageError

Deed = Callable[[], None]


def explored(name: str, **settings: Any) -> Campaign:
    story = scenario(name)
    return explore(subject_of_scenario(story), replace(story.settings, **settings))


def report(campaign: Campaign) -> str:
    """The report; what waited in real time is left out, for that depends on what else the machine does."""
    campaign.notes = [note for note in campaign.notes if not note.startswith("waits in real time")]
    return as_json(build([Outcome(campaign)], stable=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["credit-late-push", "order-undo-once"])
def test_two_workers_write_the_report_that_one_process_writes(name: str) -> None:
    one, two = (explored(name, faults=2, runs_max=400, workers=workers) for workers in (1, 2))
    assert one.runs == two.runs
    assert one.findings
    assert not two.errors
    assert report(one) == report(two)


class LastRun:
    """A check over runs that can only be fed: it keeps the order in which it saw them."""

    slug = "last-run"
    seen: list[str]

    def applies(self, _facts: Facts) -> bool:
        return True

    def begin(self) -> LastRun:
        self.seen = []
        return self

    def observe(self, history: History) -> None:
        assert history.plan == () or history.twin is not None
        self.seen.append(str(history.plan))

    def conclude(self) -> Verdict:
        return HELD


@pytest.mark.slow
def test_a_check_that_cannot_be_joined_sees_the_same_runs_in_the_same_order() -> None:
    seen = []
    for workers in (1, 2):
        check, story = LastRun(), scenario("order-undo-once")
        subject = replace(subject_of_scenario(story), checks=(check,))
        explore(subject, replace(story.settings, faults=1, workers=workers))
        seen.append(check.seen)
    assert len(seen[0]) > 100
    assert seen[0] == seen[1]


def dying(deed: Deed, once: Path | None) -> Subject:
    """A saga whose process ends in a worker, at one plan; only the first time if there is a file for it."""
    story = scenario("order-undo-once")
    body, here = story.body, os.getpid()
    assert body is not None

    def saga(world: Any) -> Any:
        try:
            return body(world)
        finally:
            log = world.state.log
            faults = [e.fault for e in log if isinstance(e, Called) and e.fault]
            if os.getpid() != here and faults == ["500"] and (once is None or not once.exists()):
                if once is not None:
                    once.touch()
                deed()

    return replace(subject_of_scenario(story), driver=CallableDriver(saga, story.recover))


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(("deed", "how"), [(killed, "SIGKILL"), (lambda: os._exit(7), "exit code 7")])
def test_what_a_dead_worker_had_in_hand_is_run_again_and_it_is_named(
    deed: Deed, how: str, tmp_path: Path
) -> None:
    settings = Settings(faults=1, statuses="all")
    alone = explore(dying(deed, tmp_path / "never"), settings)
    crew = explore(dying(deed, tmp_path / "once"), replace(settings, workers=2))
    told = [note for note in crew.notes if "what it had in hand was run again" in note]
    assert len(told) == 1
    assert how in told[0]
    crew.notes.remove(told[0])
    assert report(crew) == report(alone)


@pytest.mark.slow
def test_a_plan_that_kills_each_worker_is_an_error_with_its_name() -> None:
    campaign = explore(dying(killed, None), Settings(faults=1, statuses="all", workers=2))
    assert campaign.status is Status.ERROR
    assert len(campaign.errors) == 1
    assert "worker-died" in campaign.errors[0]
    assert "=500'" in campaign.errors[0]


@pytest.mark.slow
def test_an_interruption_ends_the_workers_and_keeps_what_was_found() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.runs >= 200:
            raise KeyboardInterrupt

    story = scenario("order-undo-once")
    settings = replace(story.settings, workers=2)
    campaign = explore(subject_of_scenario(story), settings, on_progress=interrupt)
    assert "interrupted" in campaign.incomplete
    assert campaign.runs == 200
    assert campaign.findings
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_workers_are_asked_for_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for workers in ("1", "2"):
        main(["run", "order-undo-once", "--faults=1", "--workers", workers, "--json", "--stable"])
        said.append(capsys.readouterr().out)
    assert json.loads(said[0])["scenarios"]
    assert said[0] == said[1]


def test_fewer_than_no_workers_is_refused_with_the_option_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_nothing(): pass")
    result = pytester.runpytest_inprocess("--saga-workers=-1")
    result.stderr.fnmatch_lines(["*workers = -1 will not do*"])


@pytest.mark.parametrize("settings", [{"workers": 0}, {"workers": 2, "coverage": True}])
def test_settings_that_cannot_be_met_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Settings(**settings)
