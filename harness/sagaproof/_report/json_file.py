"""The report as JSON, to be read by other programs and read back by this one."""

from __future__ import annotations

import json
from typing import Any

from pydantic import ValidationError

from sagaproof._report.schema import SCHEMA, Report
from sagaproof.errors import UsageError

__all__ = ["as_json", "from_json", "json_schema"]


def as_json(report: Report) -> str:
    """The report as text, one field a line, so that two of them can be compared by lines."""
    return json.dumps(report.model_dump(mode="json", by_alias=True), indent=1, ensure_ascii=False) + "\n"


def json_schema() -> dict[str, Any]:
    """The JSON schema of a report, as it is published beside this module in `report.schema.json`."""
    found = Report.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **found}


def from_json(text: str, *, where: str = "") -> Report:
    """Read a report back; `where` names its file in errors. Raises `UsageError` on any other text."""
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise UsageError(f"no JSON: {error}", where=where, advice="It is torn: make it again.") from error
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        newer = isinstance(schema, str) and _number(schema) > _number(SCHEMA)
        advice = "Read it with a newer sagaproof." if newer else "Make the report again with this version."
        raise UsageError(f"the schema is {schema!r} and not {SCHEMA!r}", where=where, advice=advice)
    try:
        return Report.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError(
            f"{place}: {first['msg']}", where=where, advice="Make the report again with this version."
        ) from error


def _number(schema: str) -> int:
    """The version in the name of a schema; -1 in any other text."""
    name, _, number = schema.rpartition("/")
    return int(number) if name == SCHEMA.rpartition("/")[0] and number.isdecimal() else -1
