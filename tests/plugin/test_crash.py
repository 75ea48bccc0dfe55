"""What a user sees of a test under @explore(recover=...): it is killed at each call and each write."""

from __future__ import annotations

from typing import Any

import pytest

# All that a user writes: a saga with notes of its own, what a new process does with them, and the test.
CAREFUL = """
    from sagaproof import explore
    from shop import Shop

    NOTES = []

    def order(world, key):
        add = world.durable(NOTES.append, name="notes.add")
        add(f"sent {key}")
        world.direct.shop.place(amount=300, key=key)
        add("done")

    def recover(world):
        if "done" not in NOTES:
            order(world, key="order-1")

    @explore(systems=[Shop], families=["crash"], recover=recover)
    def test_order(world):
        NOTES.clear()
        order(world, key="order-1")
"""
FORGETFUL = CAREFUL.replace('key="order-1")\n\n    @', 'key="order-2")\n\n    @')
WITHOUT = CAREFUL.replace(", recover=recover", "")

APPLIED_TWICE = """
 applied-once               shop.place or_1 (300) was applied twice, also as or_2
   * notes.add.1 written: sent order-1
   1 shop.place 300  nothing  or_1   <- fault 1: the process dies after it, before it learns of it
   x the process died at shop.place.1
   @ restart 1: a new process recovers
   * notes.add.2 written: sent order-2
   1 shop.place 300  ok       or_2, attempt 2
   * notes.add.3 written: done
   = said 'completed'
   @ restart 2: a new process looks, at rest, for what is left to do
   because shop.place.1 (asked for at test_it.py:9 < test_it.py:19) was told 'no answer' and made again with
           another key
"""


def test_a_saga_that_goes_on_under_the_same_key_is_clean(example: Any) -> None:
    ran = example({"test_it": CAREFUL}).run("-v")

    ran.came_to(0, passed=1).shows(r"test_it.py::test_order  no finding in \d+ runs \(k<=2 complete: ")


def test_one_that_goes_on_under_another_key_does_it_twice(example: Any) -> None:
    ran = example({"test_it": FORGETFUL}).run()

    ran.came_to(1, failed=1).says(
        "applied-once               shop.place or_1 (300) was applied twice, also as or_2",
        "   replay  pytest 'test_it.py::test_order' --saga-plan=shop.place.1=crash-after",
    )


def test_a_crash_is_told_from_the_last_note_to_the_restart_at_rest(example: Any) -> None:
    ran = example({"test_it": FORGETFUL}).run("--saga-plan=shop.place.1=crash-after")

    ran.came_to(1, failed=1).says(APPLIED_TWICE)


def test_without_recover_the_crashes_are_left_out_once_and_no_fault_at_all_is_no_pass(example: Any) -> None:
    ran = example({"test_it": WITHOUT}).run("--saga-report=out")

    ran.came_to(1, failed=1).says("incomplete: no fault was injected")
    assert ran.text("out/report.json").count('"fault": "crash-*"') == 1


# Replays ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "plan",
    [
        "notes.add.1=crash-before",
        "shop.place.1=crash-after,notes.add.3@1=crash-before",
        "shop.place.1=crash-late",
    ],
)
def test_crashes_at_calls_and_at_named_writes_can_be_replayed(example: Any, plan: str) -> None:
    ran = example({"test_it": CAREFUL}).run(f"--saga-plan={plan}")

    ran.came_to(0, passed=1).says(f"no finding in the replay of {plan}", "x the process died at ")


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ("notes.add.9=crash-before", "This run came to notes.add.1, notes.add.2."),
        ("noets.add.1=crash-before", "there is no such operation. Did you mean 'notes.add'?"),
    ],
)
def test_a_write_that_is_not_met_is_a_harness_error_that_says_what_was(
    example: Any, plan: str, says: str
) -> None:
    ran = example({"test_it": CAREFUL}).run("test_it.py::test_order", f"--saga-plan={plan}")

    ran.came_to(1, failed=1).says("harness error: not-injected: ", says)


@pytest.mark.parametrize("plan", ["notes.add.1=crash-late", "journal.append.1=503"])
def test_a_write_meets_no_other_faults_than_deaths_and_those_of_stores(example: Any, plan: str) -> None:
    ran = example({"test_it": CAREFUL}).run(f"--saga-plan={plan}")

    ran.came_to(4).says("There the process can die, or the store can fail: crash-before, crash-after")


def test_a_slip_in_an_operation_of_a_system_is_not_taken_for_a_write(example: Any) -> None:
    ran = example({"test_it": CAREFUL}).run("--saga-plan=shop.plase.1=crash-before")

    ran.came_to(4).says("there is no operation 'shop.plase'", "Did you mean 'shop.place'?")


@pytest.mark.parametrize("plan", ["shop.place.1=crash-after", "notes.add.1=crash-before"])
def test_a_crash_without_recover_is_an_error_that_says_what_to_pass(example: Any, plan: str) -> None:
    ran = example({"test_it": WITHOUT}).run(f"--saga-plan={plan}")

    ran.came_to(1, failed=1).says(
        "harness error: usage: the plan kills the process, and nothing says what a new one does",
        "Pass recover=",
    )


def test_of_several_tests_a_crash_is_replayed_in_those_that_recover(example: Any) -> None:
    ran = example({"test_it": CAREFUL, "test_without": WITHOUT}).run("--saga-plan=shop.place.1=crash-after")

    ran.came_to(0, passed=1, deselected=1)


def test_the_command_replays_crashes_at_named_writes_as_well(example: Any) -> None:
    ran = example({"test_it": CAREFUL}).command(
        "replay", "test_it.py::test_order", "notes.add.1=crash-before"
    )

    assert ran.result.ret == 0, ran.output + ran.errors
    ran.says("   * notes.add.1 lost: sent order-1   <- fault 1: the process dies before it is written")


# Killed in earnest ------------------------------------------------------------------------------------------

ON_DISK = """
    from sagaproof import explore
    from shop import Shop

    CACHE = {}

    def lines(world):
        path = world.path / "notes"
        return path.read_text().split() if path.exists() else []

    def order(world, key):
        with (world.path / "notes").open("a") as notes:
            notes.write("begun ")
            notes.flush()
            CACHE["done"] = False
            world.direct.shop.place(amount=300, key=key)
            notes.write("done ")
        CACHE["done"] = True

    def recover(world):
        if "done" not in lines(world):
            order(world, key="order-1")

    @explore(systems=[Shop], families=["crash"], recover=recover)
    def test_order(world):
        CACHE.clear()
        order(world, key="order-1")
"""
TRUSTS_MEMORY = ON_DISK.replace('if "done" not in lines(world)', 'if not CACHE.get("done", True)')


def test_a_store_without_a_tap_is_believed_when_the_kill_is_real(example: Any) -> None:
    ran = example({"test_it": ON_DISK}).run("--saga-crash=real", "-v")

    ran.came_to(0, passed=1).shows(r"test_it.py::test_order  no finding in \d+ runs \(k<=2 complete: ")


def test_a_saga_that_trusts_its_memory_is_found_out_only_by_a_real_kill(example: Any) -> None:
    """It looks in a global for what it should read from its file."""
    files = {"test_it": TRUSTS_MEMORY.replace("recover=recover", "recover=recover, faults=1")}
    example(files).run().came_to(0, passed=1)
    ran = example(files).run("--saga-crash=real")

    ran.came_to(1, failed=1).says("--saga-plan=shop.place.1=crash-before --saga-crash=real")


def test_the_decorator_and_the_command_ask_for_real_kills_as_well(example: Any) -> None:
    files = {"test_it": TRUSTS_MEMORY.replace("recover=recover", "recover=recover, crash='real'")}
    plan = "shop.place.1=crash-before"
    example(files).run(f"--saga-plan={plan}").came_to(1, failed=1)
    example(files).run(f"--saga-plan={plan}", "--saga-crash=simulated").came_to(0, passed=1)


def test_another_way_to_die_is_refused(example: Any) -> None:
    example({"test_it": ON_DISK}).run("--saga-crash=unreal").says("'simulated' or 'real'")
