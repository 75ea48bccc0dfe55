"""The desk: cases for a person, from open to resolved."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, ClassVar

from sagaproof import Refusal, Table, invariant, operation
from sagaproof_fakes._records import STAMPS, Records, Row

__all__ = ["Desk"]

_STATUSES = ("open", "acknowledged", "resolved")


class Desk(Records):
    """Where a saga that can do no more tells a person. A case holds the full picture in its `package`."""

    name: ClassVar[str] = "desk"
    hosts: ClassVar[tuple[str, ...]] = ("desk.test",)
    sends: ClassVar[tuple[str, ...]] = ("case.resolved",)

    cases = Table(volatile=STAMPS)

    def __init__(self) -> None:
        super().__init__()
        self._answers: tuple[str, ...] = ()

    def add_case(self, case_id: str, *, title: str, package: Mapping[str, Any] | None = None) -> Row:
        """Set up a case that is open before the run begins, and return its row."""
        return self._open(self._new_id(self.cases, "case", case_id), title, package or {})

    def answer_cases(self, *resolutions: str) -> None:
        """Have a person answer each case from now on, right after it was opened, and then perhaps otherwise.

        Each answer is an event of its own, `case.resolved`; the last one stands.
        """
        self._answers = resolutions

    def reset(self) -> None:
        """Be empty, with nobody who answers."""
        self._answers = ()
        super().reset()

    @operation(cls=2, route="POST /cases", status=201, ref="id", escalates=True)
    def open_case(self, title: str, package: dict[str, Any]) -> Row:
        """Tell a person: a case with a title and, as free JSON, all that the person needs to know.

        The state that this asks for is 'somebody has been told just this', so it is a convergent write,
        class 2: nobody takes it back, and as long as a case with the same title and package is not
        resolved, opening it again answers that case and changes nothing. Class 3 or 4 would make a case
        something to be undone, class 5 would make the call for help the point of no return.
        """
        if not title.strip():
            raise Refusal(422, "no_title", "a case needs a title")
        for row in self.cases.where(title=title, package=package):
            if row["status"] != "resolved":
                return row
        opened = self._open(self._new_id(self.cases, "case", None), title, package)
        row = opened
        for resolution in self._answers:
            row = self._update(self.cases, row, {"status": "resolved", "resolution": resolution})
            self.emit("case.resolved", row)
        return opened

    @operation(cls=2, route="POST /cases/{case_id}/acknowledge", ref="case_id")
    def acknowledge(self, case_id: str, by: str | None = None) -> Row:
        """Say that somebody works on a case; a resolved one is refused (409)."""
        row = self._find(self.cases, case_id)
        if row["status"] == "resolved":
            raise Refusal(409, "already_resolved", f"case {case_id} is resolved")
        return self._write(row, status="acknowledged", by=by or row["by"])

    @operation(cls=2, route="POST /cases/{case_id}/resolve", ref="case_id")
    def resolve(self, case_id: str, resolution: str = "") -> Row:
        """Close a case with what was decided; another decision afterwards is refused (409)."""
        row = self._find(self.cases, case_id)
        if row["status"] == "resolved" and row["resolution"] != resolution:
            raise Refusal(409, "already_resolved", f"case {case_id} was resolved with {row['resolution']!r}")
        after = self._write(row, status="resolved", resolution=resolution)
        if after is not row:
            self.emit("case.resolved", after)
        return after

    @operation(cls=1, route="GET /cases/{case_id}")
    def get_case(self, case_id: str) -> Row:
        """Read one case."""
        return self._find(self.cases, case_id)

    @operation(cls=1, route="GET /cases")
    def list_cases(self, status: str | None = None) -> Row:
        """Read all cases, or those with a status."""
        return {"data": list(self.cases.rows.values()) if status is None else self.cases.where(status=status)}

    @invariant
    def cases_make_sense(self) -> str:
        """Every case has a title and a known status."""
        for row in self.cases.rows.values():
            if not row["title"].strip() or row["status"] not in _STATUSES:
                return f"case {row['id']}, {row['title']!r}, is {row['status']!r}"
        return ""

    def _open(self, key: str, title: str, package: Mapping[str, Any]) -> Row:
        row = {
            "id": key,
            "title": title,
            "package": copy.deepcopy(dict(package)),  # the caller may go on with its own
            "status": "open",
            "by": None,
            "resolution": "",
        }
        return self._insert(self.cases, row)

    def _write(self, row: Row, **fields: Any) -> Row:
        if all(row[field] == value for field, value in fields.items()):
            return row
        return self._update(self.cases, row, fields)
