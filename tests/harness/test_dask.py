"""A Dask cluster finds what one process finds, byte for byte, also when it loses a worker on the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._drivers.callable import CallableDriver
from sagaproof._report.build import build
from sagaproof._report.json_file import as_json
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.expected import Outcome
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.sweep import Progress

distributed: Any = pytest.importorskip("distributed")

NAME = "order-undo-once"


class Cluster(NamedTuple):
    url: str
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler and two workers, each a process of its own on loopback."""
    known = tmp_path / "scheduler.json"

    def start(kind: str, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", str(known)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([*command, *options], cwd=tmp_path, **quiet)  # type: ignore[call-overload]
        stack.callback(process.wait)
        stack.callback(process.kill)
        return process  # type: ignore[no-any-return]

    with ExitStack() as stack:
        start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        workers = [start("worker", "--no-nanny", "--nthreads", "1", "--no-dashboard") for _ in range(2)]
        # The client looks for the file until it is there.
        with distributed.Client(scheduler_file=str(known), timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        address = json.loads(known.read_text(encoding="utf-8"))["address"]
        yield Cluster(address.replace("tcp://", "dask://"), workers)


def report(campaign: Campaign) -> str:
    """The report; what waited in real time is left out, for that depends on what else the machine does."""
    campaign.notes = [note for note in campaign.notes if not note.startswith("waits in real time")]
    return as_json(build([Outcome(campaign)], stable=True))


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_writes_the_report_that_one_process_writes(cluster: Cluster) -> None:
    story = scenario(NAME)
    settings = replace(story.settings, faults=2, runs_max=300)
    alone = explore(subject_of_scenario(story), settings)
    lost: list[int] = []

    def lose_one(progress: Progress) -> None:
        if progress.runs >= 100 and not lost:
            lost.append(cluster.workers[0].pid)
            cluster.workers[0].kill()

    many = explore(subject_of_scenario(story), replace(settings, executor=cluster.url), on_progress=lose_one)
    assert not many.errors
    assert lost
    assert many.findings
    assert report(many) == report(alone)


@pytest.mark.parametrize(
    ("url", "what"), [("http://127.0.0.1:8786", "is no cluster"), ("dask://", "is no cluster")]
)
def test_an_address_that_is_none_is_refused(url: str, what: str) -> None:
    campaign = explore(subject_of_scenario(scenario(NAME)), Settings(faults=1, executor=url))
    assert campaign.status is Status.ERROR
    assert what in campaign.errors[0]
    assert "dask://HOST:PORT" in campaign.errors[0]


def _elsewhere(world: Any) -> Any:
    """A saga in a module that the workers do not have."""
    body = scenario(NAME).body
    assert body is not None
    return body(world)


@pytest.mark.slow
def test_what_no_worker_can_run_is_an_error_that_says_why(cluster: Cluster) -> None:
    subject = subject_of_scenario(scenario(NAME))
    settings = Settings(faults=1, executor=cluster.url)
    unknown = explore(replace(subject, driver=CallableDriver(_elsewhere)), settings)
    assert unknown.status is Status.ERROR
    assert "a worker of the cluster cannot load the campaign" in unknown.errors[0]
    here, body = os.getpid(), scenario(NAME).body
    assert body is not None

    def deadly(world: Any) -> Any:
        return body(world) if os.getpid() == here else os._exit(1)

    campaign = explore(replace(subject, driver=CallableDriver(deadly)), settings)
    assert campaign.status is Status.ERROR
    assert [error.partition(":")[0] for error in campaign.errors] == ["worker-died"]
    assert "plan '" in campaign.errors[0]
