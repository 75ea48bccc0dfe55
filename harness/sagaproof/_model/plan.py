"""A plan: which fault meets which point, and its one text form.

    mail.send.1=503,billing.reverse_credit.1=503/all

OPERATION.N[:ATTEMPT][@RESTART]=FAULT[/TIMES|/all], joined by commas. N counts the logical calls of the
operation from 1, ATTEMPT the arrivals of that call, RESTART the restarts before it. No character of it
means anything to a shell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Final, NamedTuple

from sagaproof._model.faults import FAULTS, simplicity
from sagaproof._model.point import Point
from sagaproof.errors import PlanError, suggest

__all__ = ["ALL", "EMPTY", "Injection", "Plan"]

ALL: Final = -1
"""The duration 'until the caller gives up'."""

_POINT = re.compile(r"(?P<operation>[\w-]+\.[\w-]+)\.(?P<n>\d+)(?::(?P<attempt>\d+))?(?:@(?P<restart>\d+))?")
_FAULT = re.compile(r"(?P<fault>[\w-]+?)(?:/(?P<times>\d+|all))?")


class Injection(NamedTuple):
    """One fault at one point, for `times` arrivals in a row of that logical call (ALL: every one)."""

    point: Point
    fault: str
    times: int = 1

    def __str__(self) -> str:
        times = "" if self.times == 1 else "/all" if self.times == ALL else f"/{self.times}"
        return f"{self.point}={self.fault}{times}"

    @property
    def cost(self) -> tuple[int, int, int]:
        """Orders injections by simplicity: earlier attempts, simpler faults, shorter durations first."""
        return (self.point.attempt, simplicity(self.fault), 10**6 if self.times == ALL else self.times)


class Plan(tuple[Injection, ...]):
    """A sorted tuple of injections; `str` gives the text, `Plan.parse` reads it back."""

    __slots__ = ()

    def __str__(self) -> str:
        return ",".join(map(str, self))

    def __repr__(self) -> str:
        return f"Plan({str(self)!r})"

    @classmethod
    def of(cls, *injections: Injection) -> Plan:
        """The plan of these injections, in canonical order."""
        return cls(sorted(injections))

    def plus(self, injection: Injection) -> Plan:
        """This plan with one injection more."""
        return Plan.of(*self, injection)

    def proper_subsets(self) -> Iterator[Plan]:
        """Every smaller plan made of some of these injections, smallest first."""
        for size in range(len(self)):
            for part in combinations(self, size):
                yield Plan(part)

    @classmethod
    def parse(cls, text: str, operations: Collection[str] = ()) -> Plan:
        """Read a plan text. Raises `PlanError` with the column and the nearest known name.

        `operations` are the full names that may be used; empty means any.
        """
        injections: dict[Point, Injection] = {}
        column = 1
        for part in text.split(",") if text.strip() else ():
            begins = column + len(part) - len(part.lstrip())
            injection = _injection(part.strip(), text, begins, operations)
            if injection.point in injections:
                raise PlanError(
                    f"point {injection.point} is given twice",
                    text=text,
                    column=begins,
                    advice="Put one fault at each point.",
                )
            injections[injection.point] = injection
            column += len(part) + 1
        return cls.of(*injections.values())


EMPTY: Final = Plan()


def _injection(part: str, text: str, column: int, operations: Collection[str]) -> Injection:
    place, equals, rest = part.partition("=")
    if not equals:
        raise PlanError(f"{part!r} has no '='", text=text, column=column, advice="Write POINT=FAULT.")
    point = _point(place, text, column, operations)
    match = _FAULT.fullmatch(rest)
    at = column + len(place) + 1
    if not match:
        raise PlanError(
            f"{rest!r} is not a fault", text=text, column=at, advice="Write FAULT, FAULT/3 or FAULT/all."
        )
    if match["fault"] not in FAULTS:
        raise PlanError(
            f"there is no fault {match['fault']!r}",
            text=text,
            column=at,
            advice=suggest(match["fault"], FAULTS),
        )
    times = ALL if match["times"] == "all" else int(match["times"] or 1)
    if times == 0:
        raise PlanError("a fault cannot happen 0 times", text=text, column=at, advice="Leave it out.")
    if times != 1 and not FAULTS[match["fault"]].spans:
        raise PlanError(
            f"{match['fault']} has no duration",
            text=text,
            column=at,
            advice=f"Write {match['fault']}: it happens once, or lasts by itself.",
        )
    return Injection(point, match["fault"], times)


def _point(place: str, text: str, column: int, operations: Collection[str]) -> Point:
    match = _POINT.fullmatch(place)
    if not match:
        raise PlanError(
            f"{place!r} is not a point",
            text=text,
            column=column,
            advice="Write SYSTEM.OPERATION.N, as in mail.send.1 (with :2 for the second attempt).",
        )
    if operations and match["operation"] not in operations:
        raise PlanError(
            f"there is no operation {match['operation']!r}",
            text=text,
            column=column,
            advice=suggest(match["operation"], operations),
        )
    point = Point(match["operation"], int(match["n"]), int(match["attempt"] or 1), int(match["restart"] or 0))
    if point.n == 0 or point.attempt == 0:
        raise PlanError(f"{place!r} counts from 0", text=text, column=column, advice="Count from 1.")
    return point
