"""Points and their classes, as they are printed and ordered."""

from __future__ import annotations

import pytest

from sagaproof._model.point import Phase, Point, PointClass


@pytest.mark.parametrize(
    ("point", "text"),
    [
        (Point("mail.send", 1), "mail.send.1"),
        (Point("mail.send", 2, 3), "mail.send.2:3"),
        (Point("mail.send", 1, 1, 1), "mail.send.1@1"),
        (Point("mail.send", 1, 2, 1), "mail.send.1:2@1"),
    ],
)
def test_counts_that_are_the_usual_ones_are_left_out(point: Point, text: str) -> None:
    assert str(point) == text


def test_calls_are_ordered_by_number_not_by_text() -> None:
    assert sorted([Point("a.b", 10), Point("a.b", 9, 2), Point("a.b", 9)]) == [
        Point("a.b", 9),
        Point("a.b", 9, 2),
        Point("a.b", 10),
    ]


def test_a_class_names_operation_phase_attempt_and_place() -> None:
    assert str(PointClass("mail.send", Phase.UNDO, "retry", "pivot")) == "mail.send/undo/retry/pivot"
