"""Which lines of the undo code ran under which plans: what is told of it, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from coverage import Coverage

from sagaproof._checks.catalogue import checks
from sagaproof._coverage.foreign import collector_of
from sagaproof._coverage.found import CodeFound, UndoFunction
from sagaproof._coverage.measurement import Measurement
from sagaproof._coverage.regions import regions
from sagaproof._drivers.callable import CallableDriver
from sagaproof._report.code import code_part
from sagaproof._report.code_merge import merged_code
from sagaproof._report.code_text import code_lines, ranges
from sagaproof._report.code_view import code_view
from sagaproof._report.sites import Sites
from sagaproof._search.campaign import Campaign
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError
from sagaproof._world.system import System
from sagaproof.errors import InternalError, UsageError

HERE = Path(__file__)
FAILED = (ToolError, OSError)
STATUS = ("rejection",)
NOTES: list[str] = []
Saga = Callable[[Any], object]


# Sagas ------------------------------------------------------------------------------------------------------


def undoes_in_place(world: Any) -> str | None:
    shop = world.direct.shop
    order = shop.buy(item="tea")
    try:
        shop.send(order=order.get("id"))
    except FAILED:
        if order is world:
            NOTES.append("never in place")
        shop.cancel(order=order.get("id"))
        return "compensated"
    return None


def takes_back(shop: Any, order: str) -> None:
    try:
        shop.cancel(order=order)
    except ToolError as error:
        raise OSError(order) from error
    if order == "o_99":
        NOTES.append("never on its own")  # pragma: no mark


def undoes_in_a_function(world: Any) -> str | None:
    shop = world.direct.shop
    order = shop.buy(item="tea")
    try:
        shop.send(order=order.get("id"))
    except FAILED:
        takes_back(shop, order.get("id"))
        return "compensated"
    return None


def goes_on_after_a_crash(world: Any) -> None:
    world.direct.shop.buy(item="tea", key="k")


def takes_back_after_a_crash(world: Any) -> str:
    shop = world.direct.shop
    for order in world.shop.orders.rows:
        shop.cancel(order=order)
    return "compensated"


def never_called(order: str) -> None:
    NOTES.append(order or "nobody calls it")


class Registered:
    """A saga that is fed, whose tool has an undo that no run calls."""

    tools: Sequence[Any] = (SimpleNamespace(name="buy", undo=never_called),)


def line_of(text: str) -> int:
    """Where a text stands first."""
    lines = enumerate(HERE.read_text("utf-8").splitlines(), start=1)
    return next(number for number, line in lines if f'"{text}"' in line)


@pytest.fixture
def campaign(shop: System, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Campaign]:
    """`campaign(body)`: explored with coverage, not counted in what measures these tests themselves."""
    outer = Coverage.current()

    def inner() -> Coverage | None:
        found = instances[-1] if instances else None
        return None if found is outer else found

    instances: list[Coverage] = Coverage._instances
    monkeypatch.setattr(Coverage, "current", inner)

    def run(body: Saga, recover: Saga | None = None, **options: Any) -> Campaign:
        settings = Settings(**{"faults": 1, "coverage": True, **options})
        driver = CallableDriver(body, cast("Any", recover))
        made = explore(Subject("shop", driver, {"shop": shop}, checks()), settings)
        assert not made.errors
        return made

    return run


def undo(found: Campaign, name: str) -> UndoFunction:
    assert found.code is not None
    (one,) = [function for function in found.code.functions if function.name == name]
    return one


# What undo code is ------------------------------------------------------------------------------------------

SOURCE = textwrap.dedent("""\
    def handle(api):
        credit = api.issue()
        try:
            api.mail()
        except OSError:
            log(credit)
            api.reverse(credit)
            return "compensated"
        return "completed"

    class Undo:
        def credit(self, api):
            if api:
                return api.reverse(1)
            return None

        def idle(self):
            return 1

    def send(api, path):
        return api.post(path)

    async def mixed(api):
        await api.issue()
        await api.reverse(1)
    """)


@pytest.mark.parametrize(
    ("called", "forward", "defined", "expected"),
    [
        pytest.param([7], [2, 4], [], [("handle", 6, 8)], id="the handler of a function that does both"),
        pytest.param([14], [2], [], [("Undo.credit", 13, 15)], id="the whole of a function that only undoes"),
        pytest.param([21], [21], [], [], id="nothing of a place that does both"),
        pytest.param([25], [24], [], [("mixed", 25, 25)], id="the line alone in a block that does both"),
        pytest.param([], [2], [17], [("Undo.idle", 18, 18)], id="a registered undo that nobody called"),
        pytest.param([14], [], [12], [("Undo.credit", 13, 15)], id="both ways to the same are one"),
    ],
)
def test_undo_code_reaches_as_far_out_as_nothing_goes_forward(
    called: list[int], forward: list[int], defined: list[int], expected: list[tuple[str, int, int]]
) -> None:
    assert [tuple(region) for region in regions(SOURCE, called, forward, defined)] == expected


def test_a_file_that_is_no_python_has_no_undo_code() -> None:
    assert regions("<html>", [1], [], []) == []


# What a campaign tells --------------------------------------------------------------------------------------


def test_the_line_of_an_undo_in_place_that_no_fault_reaches_is_named(campaign: Any) -> None:
    found = undo(campaign(undoes_in_place), "undoes_in_place")

    assert found.missing == (line_of("never in place"),)
    assert found.file == str(HERE)
    ran = found.lines[line_of("never in place") + 1]
    assert ran.runs > 1
    assert ran.plan.startswith("shop."), "one fault is enough"
    assert "," not in ran.plan
    assert "503" in ran.faults


def test_a_line_that_never_ran_comes_with_the_branch_to_it(campaign: Any) -> None:
    found = undo(campaign(undoes_in_a_function), "takes_back")

    assert line_of("never on its own") in found.missing
    assert (line_of("never on its own") - 1, line_of("never on its own")) in found.missing_branches


def test_a_second_fault_reaches_the_error_path_of_an_undo(campaign: Any) -> None:
    raising = line_of("never on its own") - 2
    one = undo(campaign(undoes_in_a_function, families=STATUS), "takes_back")
    two = undo(campaign(undoes_in_a_function, families=STATUS, faults=2), "takes_back")

    assert raising in one.missing
    assert raising not in two.missing
    assert two.lines[raising].plan.count(",") == 1, "two faults are needed"


def test_what_a_killed_process_ran_is_known(campaign: Any) -> None:
    found = campaign(
        goes_on_after_a_crash, takes_back_after_a_crash, families=("crash",), crash="real", runs_max=4
    )

    function = undo(found, "takes_back_after_a_crash")
    assert function.missing == ()
    assert any("crash" in fault for under in function.lines.values() for fault in under.faults)


def test_an_undo_that_is_registered_and_never_called_is_not_reached(campaign: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(CallableDriver, "tools", Registered.tools, raising=False)

    found = undo(campaign(undoes_in_place), "never_called")

    assert found.missing == (line_of("nobody calls it"),)
    assert found.lines == {}


def test_a_saga_that_undoes_nothing_has_no_undo_code(campaign: Any) -> None:
    found = campaign(goes_on_after_a_crash)

    assert found.code == CodeFound((), (), branch=True)
    assert code_lines([code_part(found.code, Sites(stable=True))]) == [
        "undo code: none was seen, as no run called to undo and no undo is registered"
    ]


# Beside the user's own measurement --------------------------------------------------------------------------


OF_SAGAS = line_of("nobody calls it")


def contexts(measured: Coverage) -> Mapping[str, list[tuple[int, int]]]:
    data = measured.get_data()
    found = {}
    for context in sorted(data.measured_contexts()):
        data.set_query_context(context)
        arcs = data.arcs(str(HERE))
        pairs = arcs or [(0, line) for line in data.lines(str(HERE)) or []]
        found[context] = sorted(pair for pair in pairs if all(abs(line) <= OF_SAGAS for line in pair))
    return found


@pytest.mark.parametrize("branch", [True, False], ids=["branches", "lines"])
def test_the_data_of_the_user_are_what_they_would_have_been(campaign: Any, branch: bool) -> None:
    measured = {}
    for joined in (False, True):
        theirs = Coverage(data_file=None, branch=branch, config_file=False, include=[str(HERE)])
        with theirs.collect():
            theirs.switch_context("test_it|run")
            found = campaign(undoes_in_place, coverage=joined)
            theirs.switch_context("test_it|teardown")
        measured[joined] = contexts(theirs)

    assert "test_it|run" in measured[True]
    assert len(measured[True]["test_it|run"]) > 5
    assert measured[True] == measured[False]
    assert undo(found, "undoes_in_place").missing == (line_of("never in place"),)
    assert bool(undo(found, "undoes_in_place").branches) is branch


def test_a_file_that_the_user_leaves_out_is_named_and_not_guessed(campaign: Any) -> None:
    theirs = Coverage(data_file=None, config_file=False, omit=[str(HERE)], messages=False)
    with theirs.collect():
        found = campaign(undoes_in_place)

    assert found.code == CodeFound((), (str(HERE),), branch=False)
    assert code_lines([code_part(found.code, Sites(stable=True))]) == [
        f"undo code not measured, as coverage.py leaves it out: {HERE.name}"
    ]


def test_lines_that_the_user_excludes_are_excluded(campaign: Any) -> None:
    theirs = Coverage(data_file=None, branch=True, config_file=False, include=[str(HERE)])
    theirs.exclude("pragma: no mark")
    with theirs.collect():
        found = campaign(undoes_in_a_function)

    assert line_of("never on its own") not in undo(found, "takes_back").missing


def test_a_measurement_is_theirs_again_after_an_error() -> None:
    theirs = Coverage(data_file=None, config_file=False, include=[str(HERE)])

    def fail() -> None:
        with Measurement():
            assert collector_of(theirs).covdata is not before
            raise OSError("halfway")

    with theirs.collect():
        before = collector_of(theirs).covdata
        with pytest.raises(OSError, match="halfway"):
            fail()
        assert collector_of(theirs).covdata is before


def test_sys_monitoring_is_refused_with_advice() -> None:
    collector = SimpleNamespace(covdata=None, branch=False, flush_data=None, tracer_name=lambda: "SysMonitor")

    with pytest.raises(UsageError, match="COVERAGE_CORE=ctrace"):
        collector_of(cast("Any", SimpleNamespace(_collector=collector)))


def test_another_coverage_inside_is_said_to_be_one() -> None:
    with pytest.raises(InternalError, match=r"coverage>=7\.6"):
        collector_of(cast("Any", SimpleNamespace(_collector=object())))


@pytest.mark.slow
def test_nothing_of_coverage_is_loaded_where_nobody_asks() -> None:
    code = (
        "import sagaproof._doors.pytest_session\n"
        "from sagaproof._doors.cli import main; main(['run', 'order-by-hand', '--faults', '0'])\n"
    )
    code = f"try:\n exec({code!r})\nexcept SystemExit:\n import sys; sys.exit('coverage' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


# What is told of it -----------------------------------------------------------------------------------------


def told(*functions: UndoFunction, branch: bool = True) -> list[str]:
    return code_lines([code_part(CodeFound(functions, (), branch), Sites(stable=True))])


def test_lines_are_joined_over_what_is_no_statement() -> None:
    assert ranges([41, 43, 44, 52], between=[40, 48, 60]) == "41-44, 52"
    assert ranges([], between=[1]) == ""


def test_what_one_test_reaches_is_not_missed_by_another(campaign: Any) -> None:
    one, two = (
        code_part(campaign(undoes_in_a_function, families=STATUS, faults=k).code, Sites(stable=True))
        for k in (1, 2)
    )
    raising, never = line_of("never on its own") - 2, line_of("never on its own")

    assert code_lines([one])[0] == f"undo code not reached: {HERE.name}:{raising - 1}-{raising}, {never}"
    assert code_lines([one, two])[0] == f"undo code not reached: {HERE.name}:{never}"
    assert code_lines([None, two]) == code_lines([two])
    assert code_lines([None]) == []


def test_the_page_has_a_row_for_each_function(campaign: Any) -> None:
    view = code_view(code_part(campaign(undoes_in_place).code, Sites(stable=True)))

    assert view is not None
    (row,) = view["rows"]
    assert (row["function"], row["missing"]) == ("undoes_in_place", str(line_of("never in place")))
    assert row["ran"] == row["statements"] - 1
    assert code_view(None) is None


def test_reports_laid_over_each_other_have_reached_what_any_of_them_has(campaign: Any) -> None:
    small, large = (
        code_part(campaign(undoes_in_a_function, families=STATUS, faults=k).code, Sites(stable=True))
        for k in (1, 2)
    )
    both = merged_code([small, None, large])

    assert both is not None
    assert large is not None
    assert code_lines([both]) == code_lines([large])
    for found, expected in zip(both.undos, large.undos, strict=True):
        assert found == expected, "the larger one has all of the smaller one"
    assert merged_code([None]) is None
