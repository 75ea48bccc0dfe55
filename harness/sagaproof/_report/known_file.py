"""A baseline as a file: TOML that people read, review and write reasons into."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sagaproof._report.known import Known
from sagaproof._report.plain import one_line
from sagaproof._report.schema import Report
from sagaproof._report.standing import counting
from sagaproof._report.whole import write_whole
from sagaproof.errors import UsageError, suggest

__all__ = ["read_known", "write_known"]

_HEAD: Final = """\
# Findings that are known and let pass: each with a reason, and the last day on which it holds.
"""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    check: str = Field(min_length=1)
    reason: str = Field(min_length=1)
    expires: date
    scenario: str | None = None
    plan: str | None = None
    where: str | None = None
    claim: str | None = None


def read_known(path: Path) -> list[Known]:
    """The entries of a baseline. Raises `UsageError` that names the entry and what it lacks."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageError(
            f"there is no baseline {path}", advice="Name another file, or write one with --write-baseline."
        ) from error
    except (OSError, ValueError) as error:
        raise UsageError(f"baseline {path} cannot be read: {error}", advice="Mend its syntax.") from error
    unknown = [key for key in table if key != "known"]
    if unknown:
        raise UsageError(
            f"there is no key {unknown[0]!r} in a baseline", where=str(path), advice="Entries are [[known]]."
        )
    entries = table.get("known", [])
    if not isinstance(entries, list):
        raise UsageError("known is no list", where=str(path), advice="Entries are [[known]].")
    return [_entry(values, f"entry {number} in {path}") for number, values in enumerate(entries, start=1)]


def _entry(values: object, where: str) -> Known:
    try:
        entry = _Entry.model_validate(values)
    except ValidationError as error:
        raise _usage_error(error, where) from error
    if not entry.reason.strip():
        raise UsageError("there is no reason", where=where, advice="Say why it is let pass.")
    return Known(**entry.model_dump())


def _usage_error(error: ValidationError, where: str) -> UsageError:
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return UsageError(
            f"there is no key {key!r}", where=where, advice=suggest(key, sorted(_Entry.model_fields))
        )
    if key == "reason":
        return UsageError("there is no reason", where=where, advice="Say why it is let pass.")
    if key == "expires":
        advice = "Give the last day on which it is let pass: expires = 2030-12-31."
        return UsageError("there is no day on which it expires", where=where, advice=advice)
    return UsageError(f"{key} = {first['input']!r} will not do", where=where, advice=f"{first['msg']}.")


def write_known(path: Path, report: Report, before: Sequence[Known], expires: date) -> int:
    """Write a baseline of what was in it `before` and of each finding that counts; the number of new ones.

    A new entry has no reason, and is not read before somebody has given one; a comment above it says what was
    found, and with which plan. Comments that were in the file are lost.
    """
    new = list(_new(report, expires))
    texts = [*(_text(one) for one in before), *(f"# {about}\n{_text(one)}" for one, about in new)]
    write_whole({path: "\n".join([_HEAD, *texts])})
    return len(new)


def _new(report: Report, expires: date) -> Iterator[tuple[Known, str]]:
    for scenario in report.scenarios:
        for one in counting(scenario):
            where = " + ".join(one.where)
            about = one_line(f"{one.plan or 'no fault'}: {one.says}")
            yield Known(one.check, "", expires, scenario.name, None, where, one.claim or ""), about


def _text(known: Known) -> str:
    values: dict[str, Any] = {"scenario": known.scenario, **known._asdict()}
    lines = ["[[known]]"]
    for name, value in values.items():
        if value is not None:
            shown = value.isoformat() if isinstance(value, date) else json.dumps(value, ensure_ascii=False)
            lines.append(f"{name} = {shown}")
    return "\n".join(lines).replace("\x7f", "\\u007f") + "\n"
