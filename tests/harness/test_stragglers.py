"""Threads of a run: which are waited for, which are named, which do not count."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from sagaproof._run import real_time
from sagaproof._run.stragglers import ThreadsOfRun


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    """What threads wait for; at the end of the test they go on, and end."""
    before = set(threading.enumerate())
    event = threading.Event()
    yield event
    event.set()
    for thread in set(threading.enumerate()) - before:
        thread.join()


@pytest.fixture
def threads() -> ThreadsOfRun:
    threads = ThreadsOfRun()
    threads.begin()
    return threads


def heartbeat(let_go: threading.Event) -> None:
    let_go.wait(30)


def defined_at() -> str:
    return f"{__file__}:{heartbeat.__code__.co_firstlineno}"


def test_a_run_without_threads_has_no_stragglers(threads: ThreadsOfRun) -> None:
    assert threads.end() == ()


def test_a_thread_that_stays_is_named_with_what_it_runs_and_where_it_is(
    threads: ThreadsOfRun, let_go: threading.Event
) -> None:
    threading.Thread(target=heartbeat, args=(let_go,)).start()
    (straggler,) = threads.end()
    assert straggler.name == "heartbeat"
    assert straggler.target == defined_at()
    assert straggler.site == f"{__file__}:{heartbeat.__code__.co_firstlineno + 1}"


def test_a_name_that_somebody_gave_is_kept(threads: ThreadsOfRun, let_go: threading.Event) -> None:
    threading.Thread(target=heartbeat, args=(let_go,), name="renewal").start()
    assert [straggler.name for straggler in threads.end()] == ["renewal"]


def test_a_subclass_is_named_by_its_run(threads: ThreadsOfRun, let_go: threading.Event) -> None:
    class Renewal(threading.Thread):
        def run(self) -> None:
            let_go.wait(30)

    Renewal().start()
    (straggler,) = threads.end()
    assert straggler.name.endswith("Renewal.run")
    assert straggler.target.startswith(f"{__file__}:")


def test_a_thread_that_ends_shortly_after_the_run_is_waited_for(threads: ThreadsOfRun) -> None:
    thread = threading.Thread(target=real_time.sleep, args=(0.03,))
    thread.start()
    assert threads.end() == ()
    assert not thread.is_alive()


def test_a_thread_from_before_the_run_does_not_count(let_go: threading.Event) -> None:
    threading.Thread(target=heartbeat, args=(let_go,)).start()
    threads = ThreadsOfRun()
    threads.begin()
    assert threads.end() == ()


def test_a_worker_without_work_does_not_count_but_one_at_work_does(
    threads: ThreadsOfRun, let_go: threading.Event
) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        assert threads.end() == ()
        pool.submit(heartbeat, let_go)
        (straggler,) = threads.end()
        let_go.set()
    assert straggler.site.startswith(f"{__file__}:")


def test_stragglers_come_in_the_same_order_whoever_started_first(
    threads: ThreadsOfRun, let_go: threading.Event
) -> None:
    for name in ("b", "c", "a"):
        threading.Thread(target=heartbeat, args=(let_go,), name=name).start()
    assert [straggler.name for straggler in threads.end()] == ["a", "b", "c"]
