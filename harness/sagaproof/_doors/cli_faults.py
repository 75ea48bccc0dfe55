"""The faults in `sagaproof list --faults`: by family, when each is tried, and which operations each fits."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sagaproof._model.fault import Fault, applicable
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import Operation
from sagaproof._model.point import Phase

__all__ = ["fault_data", "fitting", "print_faults"]


def fault_data() -> list[dict[str, Any]]:
    """Every kind of fault as data, simplest first."""
    return [
        {
            "fault": fault.name,
            "number": fault.number,
            "family": fault.family,
            "means": fault.meaning,
            "lasts": fault.spans,
            "reaches": fault.scope.value,
            "stands_for_it": fault.representative,
            "opt_in": fault.opt_in,
            "tried": _tried(fault),
        }
        for fault in FAULTS.values()
    ]


def fitting(operation: Operation, phase: Phase) -> list[str]:
    """The names of the faults that can be put on a call of this operation in this phase."""
    return [name for name, fault in FAULTS.items() if applicable(fault, operation, phase)]


def _tried(fault: Fault) -> str:
    """When a campaign uses it."""
    if fault.opt_in:
        return f'only with families=["{fault.family}"]'
    if fault.may_kill and fault.representative is None:
        return "with recover="
    if fault.family == "cancel":
        return "if the saga is asynchronous"
    return "always" if fault.representative is None else "with statuses=all"


def print_faults(
    faults: Sequence[Mapping[str, Any]], broken: Iterable[Mapping[str, Any]], out: Console
) -> None:
    """The families with their faults, then the operations that have the same faults together."""
    families: dict[str, list[Mapping[str, Any]]] = {}
    for one in faults:
        families.setdefault(one["family"], []).append(one)
    for family, kinds in families.items():
        _print_family(family, kinds, out)
    for phase, alike in _alike(broken).items():
        out.print(Text(f"which faults fit which operations, {phase}", style="bold"))
        for fits, operations in alike.items():
            out.print(_wrapped(", ".join(operations), 2, out.width))
            out.print(_wrapped(", ".join(_in_words(fits, families)) or "none", 6, out.width))
            out.print()


def _print_family(family: str, kinds: Sequence[Mapping[str, Any]], out: Console) -> None:
    """The faults of a family; what holds of all of them stands beside its name."""
    tried = {one["tried"] for one in kinds}
    common = tried.pop() if len(tried) == 1 else ""
    rows = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    rows.add_column(no_wrap=True)
    rows.add_column(overflow="fold")
    for one in kinds:
        note = "" if common or one["tried"] == "always" else f" ({one['tried']})"
        rows.add_row(Text(f"  {one['fault']}"), Text(one["means"] + note))
    said = "" if common in {"", "always"} else f": {common}"
    out.print(Text(f"faults, {family}{said}", style="bold"))
    out.print(rows)
    out.print()


def _alike(broken: Iterable[Mapping[str, Any]]) -> dict[str, dict[tuple[str, ...], list[str]]]:
    """The operations that can be called in each phase, by the faults that fit them then."""
    found: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for one in broken:
        for phase, names in one["faults"].items():
            found.setdefault(phase, {}).setdefault(tuple(names), []).append(one["operation"])
    return found


def _wrapped(text: str, indent: int, width: int) -> Text:
    margin = " " * indent
    return Text(
        textwrap.fill(text, width, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)
    )


def _in_words(fits: Sequence[str], families: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str]:
    """The families that fit; of one that does not fit as a whole, its faults that do."""
    for family, kinds in families.items():
        here = [one["fault"] for one in kinds if one["fault"] in fits]
        if len(here) == len(kinds):
            yield family
        elif here:
            yield f"{family} ({' '.join(here)})"
