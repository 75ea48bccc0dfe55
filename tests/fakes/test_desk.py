"""What the desk promises: a person is told once, and holds to what was decided."""

from __future__ import annotations

import re
from typing import Any

import pytest

import sagaproof_fakes.desk
from sagaproof._model.operation import EffectClass
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof.testing import check_system
from sagaproof_fakes.desk import Desk

CASE: dict[str, Any] = {"title": "Credit cr_1 stands", "package": {"left": ["cr_1"], "tries": 3}}

EXAMPLES: dict[str, dict[str, Any]] = {
    "open_case": CASE,
    "acknowledge": {"case_id": "c", "by": "kim"},
    "resolve": {"case_id": "c", "resolution": "reversed by hand"},
    "get_case": {"case_id": "c"},
    "list_cases": {"status": "open"},
}

REFUSED: dict[str, list[dict[str, Any]]] = {
    "open_case": [{"title": " ", "package": {}}, {"title": "t"}, {"title": "t", "package": "cr_1"}],
    "acknowledge": [{"case_id": "done"}],
    "resolve": [{"case_id": "done", "resolution": "something else"}],
}


def fill(desk: Desk) -> None:
    desk.add_case("c", title="Old")
    desk.add_case("done", title="Older")
    desk.cases.patch("done", status="resolved", resolution="nothing to do")


@pytest.fixture
def world() -> WorldHandle:
    return WorldHandle({"desk": Desk()})


def test_the_desk_keeps_the_contract() -> None:
    report = check_system(Desk, examples=EXAMPLES, setup=fill, refused=REFUSED)
    assert report.exercised == tuple(sorted(Desk().operations()))


def test_the_table_in_the_docstring_is_the_api() -> None:
    rows = re.findall(
        r"^\| (\w+) \| ([A-Z]+ \S+) \| (\d) \|", sagaproof_fakes.desk.__doc__ or "", re.MULTILINE
    )
    declared = {n: d for n, d in Desk().declarations().items() if d.route and n != "lookup"}
    assert {(n, r, int(c)) for n, r, c in rows} == {
        (n, d.route, d.operation.cls) for n, d in declared.items()
    }


def test_to_open_a_case_tells_a_person_and_is_neither_undone_nor_a_pivot() -> None:
    operations = Desk().operations()
    assert [name for name, op in operations.items() if op.escalates] == ["open_case"]
    assert operations["open_case"].cls is EffectClass.CONVERGENT
    assert not any(op.undoes for op in operations.values())


def test_a_case_that_is_opened_again_while_it_is_not_resolved_is_the_same_case(world: WorldHandle) -> None:
    first = world.direct.desk.open_case(**CASE)
    assert world.direct.desk.open_case(**CASE, key="k") == first
    world.direct.desk.acknowledge(case_id=first["id"])
    assert world.direct.desk.open_case(**CASE)["id"] == first["id"]
    world.direct.desk.resolve(case_id=first["id"])
    assert world.direct.desk.open_case(**CASE)["id"] != first["id"]


def test_another_picture_is_another_case(world: WorldHandle) -> None:
    first = world.direct.desk.open_case(**CASE)
    second = world.direct.desk.open_case(title=CASE["title"], package={"left": ["cr_1", "cr_2"]})
    assert world.direct.desk.list_cases()["data"] == [first, second]


def test_a_caller_who_goes_on_with_its_package_does_not_change_the_case(world: WorldHandle) -> None:
    package: dict[str, Any] = {"left": ["cr_1"]}
    answer = world.direct.desk.open_case(title="t", package=package)
    package["left"].clear()
    answer["package"]["left"].append("cr_9")
    assert world.direct.desk.get_case(case_id=answer["id"])["package"] == {"left": ["cr_1"]}


def test_a_case_is_acknowledged_by_name_and_then_resolved(world: WorldHandle) -> None:
    case = world.direct.desk.open_case(**CASE)["id"]
    assert world.direct.desk.acknowledge(case_id=case, by="kim")["status"] == "acknowledged"
    assert world.direct.desk.acknowledge(case_id=case)["by"] == "kim"
    resolved = world.direct.desk.resolve(case_id=case, resolution="reversed by hand")
    assert (resolved["status"], resolved["by"]) == ("resolved", "kim")


def test_the_first_decision_holds(world: WorldHandle) -> None:
    case = world.direct.desk.open_case(**CASE)["id"]
    first = world.direct.desk.resolve(case_id=case, resolution="pay")
    assert world.direct.desk.resolve(case_id=case, resolution="pay") == first
    with pytest.raises(ToolError, match="409 already_resolved"):
        world.direct.desk.resolve(case_id=case, resolution="do not pay")
    with pytest.raises(ToolError, match="409 already_resolved"):
        world.direct.desk.acknowledge(case_id=case)


@pytest.mark.parametrize("broken", [{"title": " "}, {"status": "lost"}])
def test_the_invariant_sees_a_broken_case(world: WorldHandle, broken: dict[str, str]) -> None:
    world.desk.add_case("c", title="t")
    world.desk.cases.patch("c", **broken)
    assert world.desk.cases_make_sense().startswith("case c")
