"""A report is read back as it was written, and nothing else is taken for one."""

from __future__ import annotations

import json

import pytest

from sagaproof._report.json_file import as_json, from_json
from sagaproof._report.schema import Report
from sagaproof.errors import UsageError


def test_a_report_comes_back_as_it_was(report: Report) -> None:
    assert from_json(as_json(report)) == report


def test_the_schema_is_named_first(report: Report) -> None:
    assert next(iter(json.loads(as_json(report)))) == "schema"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON"),
        ("[]", "the schema is None"),
        ('{"schema": "sagaproof-report/0"}', "'sagaproof-report/0'"),
        ('{"schema": "sagaproof-report/2", "scenarios": [{"name": 1}]}', "scenarios.0.name"),
        ('{"schema": "sagaproof-report/2", "extra": 1}', "extra"),
    ],
)
def test_other_text_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as caught:
        from_json(text, where="part a")
    assert "(part a)" in str(caught.value)


def test_a_torn_report_is_refused(report: Report) -> None:
    with pytest.raises(UsageError, match="torn"):
        from_json(as_json(report)[:-100])
