"""The page of a fault, by its name or as it stands in a plan: `lost`, `503/all`, `mail.send.1=lost`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sagaproof._doors.cli_faults import fault_data
from sagaproof._model.faults import FAULTS

__all__ = ["fault_pages"]

_REACH: Final = {
    "call": "the call that is named",
    "operation": "every call of that operation from there on",
    "system": "every call to that system from there on",
}


def fault_pages(text: str) -> str:
    """What the faults in `text` mean, in Markdown, each once; empty if one of them is none."""
    names = list(dict.fromkeys(_name(part) for part in text.split(",")))
    if not all(name in FAULTS for name in names):
        return ""
    known = {one["fault"]: one for one in fault_data()}
    return "\n".join(_page(known[name]) for name in names)


def _name(part: str) -> str:
    """The fault of one `POINT=FAULT/DURATION`, of which only the fault has to be there."""
    return part.rpartition("=")[2].partition("/")[0].strip()


def _page(one: Mapping[str, Any]) -> str:
    name = one["fault"]
    lines = [f"# {name}", "", f"**{one['means']}** (a fault of the family {one['family']})", ""]
    lines.append(f"- It meets {_REACH[one['reaches']]}.")
    lines.append(f"- Tried: {one['tried']}.")
    if one["stands_for_it"] is not None:
        lines.append(f"- Without it, `{one['stands_for_it']}` stands for it.")
    if one["lasts"]:
        lines.append(f"- `{name}` is once, `{name}/3` three times, `{name}/all` until the caller gives up.")
    lines += ["", f'To leave it out: `@explore(exclude={{"SYSTEM.OPERATION={name}": "the reason"}})`.']
    lines.append("All faults: `sagaproof list --faults`.")
    return "\n".join(lines) + "\n"
