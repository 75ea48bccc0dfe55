"""A script and a plan as a program: what is printed of a failure can be pasted into a test, and runs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Any

from sagaproof._model.plan import Plan
from sagaproof._model.script import (
    AfterRestart,
    Answer,
    IfFailed,
    OtherWrite,
    Script,
    ToolCall,
    Turn,
    Wait,
    calls_of,
)

__all__ = ["as_replay", "as_test", "imports_of", "source_of", "test_name"]

_INDENT = "    "


def as_test(machine: type, script: Script, plan: Plan, name: str = "test_found") -> str:
    """A whole module of pytest with one test, that replays a script under a plan."""
    return _test(
        [*imports_of(script), f"from {machine.__module__} import {machine.__qualname__}"],
        f"def {name}() -> None:",
        script,
        f"{machine.__qualname__}.replay(script, {str(plan)!r})",
    )


def as_replay(
    what: str, script: Script, plan: Plan, name: str, *, module: str = "", fixtures: Sequence[str] = ()
) -> str:
    """The same for an explored test of a module, with the other fixtures that it asks for, or a scenario."""
    imports = [f"import {module}"] if module else []
    needs = ", ".join(f"{one}: Any" for one in fixtures)
    given = "".join(f", {one}={one}" for one in fixtures)
    called = f"{module}.{what}" if module else repr(what)
    machine = ["from sagaproof.machine import replay"]
    scripted = "" if script.opaque else ", script"
    return _test(
        [
            *(["from typing import Any"] if fixtures else []),
            *imports,
            *([] if script.opaque else imports_of(script)),
            *machine,
        ],
        f"def {name}({needs}) -> None:",
        script,
        f"replay({called}, {str(plan)!r}{scripted}{given})",
    )


def test_name(*words: str) -> str:
    """The name of a test made of words; empty ones count for nothing."""
    return "test_" + re.sub(r"[^a-z0-9]+", "_", "_".join(filter(None, words)).lower())


def _test(imports: Sequence[str], head: str, script: Script, call: str) -> str:
    made = [] if script.opaque else [indent(f"script = {source_of(script)}", _INDENT)]
    return "\n".join([*imports, "", "", head, *made, f"{_INDENT}{call}"]) + "\n"


def imports_of(script: Script) -> list[str]:
    """The import lines that the source of a script needs."""
    text = source_of(script)
    facade = [name for name in ("AfterRestart", "Answer") if f"{name}(" in text or f"{name}." in text]
    facade += ["Script", "ToolCall"] if "ToolCall(" in text else ["Script"]
    words = ("IfFailed", "OtherWrite", "Wait")
    machine = [name for name in words if f"{name}(" in text or f"{name}." in text]
    lines = [f"from sagaproof import {', '.join(facade)}"]
    return [*lines, f"from sagaproof.machine import {', '.join(machine)}"] if machine else lines


def source_of(script: Script) -> str:
    """A script as the expression that makes it."""
    calls = "".join(f"{_INDENT * 2}{_turn(turn)},\n" for turn in script.calls)
    parts = [f"{_INDENT}{script.name!r},\n", f"{_INDENT}(\n{calls}{_INDENT}),\n"]
    if script.give_up_after is not None:
        parts.append(f"{_INDENT}give_up_after={script.give_up_after},\n")
    after = script.after_restart
    if isinstance(after, tuple):
        parts.append(f"{_INDENT}after_restart={_together(after)},\n")
    elif after is not AfterRestart.GO_ON:
        parts.append(f"{_INDENT}after_restart=AfterRestart.{after.name},\n")
    if script.afterwards:
        parts.append(f"{_INDENT}afterwards={_together(script.afterwards)},\n")
    return f"Script(\n{''.join(parts)})"


def _turn(turn: Turn) -> str:
    if isinstance(turn, Wait):
        return f"Wait({turn.seconds!r})"
    if isinstance(turn, OtherWrite):
        return f"OtherWrite({turn.operation!r}, {_args(turn.args)})"
    return _call(turn) if isinstance(turn, ToolCall) else _together(calls_of(turn))


def _together(calls: tuple[ToolCall, ...]) -> str:
    return f"({', '.join(map(_call, calls))}{',' if len(calls) == 1 else ''})"


def _call(call: ToolCall) -> str:
    then = call.if_failed
    if isinstance(then, tuple):
        said = f", if_failed={_together(then)}"
    else:
        said = "" if then is IfFailed.GIVE_UP else f", if_failed=IfFailed.{then.name}"
    return f"ToolCall({call.tool!r}, {_args(call.args)}, {call.call_id!r}{said})"


def _args(args: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{name!r}: {_value(value)}" for name, value in args.items()) + "}"


def _value(value: Any) -> str:
    return f"Answer({value.step!r}, {value.field!r})" if isinstance(value, Answer) else repr(value)
