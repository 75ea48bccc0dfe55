"""Whatever a plan holds, its text gives it back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sagaproof._model.faults import FAULTS
from sagaproof._model.plan import ALL, EMPTY, Injection, Plan
from sagaproof._model.point import Point
from sagaproof.errors import PlanError

same_every_time = settings(max_examples=80, deadline=None, derandomize=True, database=None)

names = st.from_regex(r"[a-z_][a-z0-9_-]{0,6}\.[a-z_][a-z0-9_-]{0,6}", fullmatch=True)
counts = st.integers(1, 10**6)
points = st.builds(Point, names, counts, counts, st.integers(0, 10**6))
lasting = st.sampled_from(sorted(name for name, fault in FAULTS.items() if fault.spans))
passing = st.sampled_from(sorted(name for name, fault in FAULTS.items() if not fault.spans))
injections = st.builds(Injection, points, lasting, counts | st.just(ALL)) | st.builds(
    Injection, points, passing, st.just(1)
)
plans = st.lists(injections, max_size=6, unique_by=lambda injection: injection.point).map(
    lambda i: Plan.of(*i)
)


@pytest.mark.slow
@same_every_time
@given(plans)
def test_the_text_of_a_plan_gives_the_plan_back(plan: Plan) -> None:
    assert Plan.parse(str(plan)) == plan


@pytest.mark.slow
@same_every_time
@given(plans, st.randoms())
def test_the_order_of_its_parts_does_not_matter(plan: Plan, random: object) -> None:
    parts = str(plan).split(",")
    random.shuffle(parts)  # type: ignore[attr-defined]  # of a Random
    assert str(Plan.parse(", ".join(parts))) == str(plan)


@pytest.mark.slow
@same_every_time
@given(plans)
def test_the_text_is_one_word_to_a_shell(plan: Plan) -> None:
    assert not set(str(plan)) & set(" \t\n'\"`$&|;<>()[]{}*?!#~\\^%")


@same_every_time
@given(st.text(alphabet="ab.1=:@/,503-all \n٣", max_size=24))
def test_what_is_no_plan_is_refused_at_a_column_of_its_text(text: str) -> None:
    plan, column = read(text)
    assert 1 <= column <= len(text) + 1
    assert Plan.parse(str(plan)) == plan


def read(text: str) -> tuple[Plan, int]:
    """The plan, or the column at which there is none."""
    try:
        return Plan.parse(text), 1
    except PlanError as error:
        return EMPTY, error.column
