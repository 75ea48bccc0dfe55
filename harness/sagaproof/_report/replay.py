"""How a finding is seen again: the command line, and a test to keep."""

from __future__ import annotations

import re
from typing import Final

from sagaproof._model.plan import Plan
from sagaproof._model.script import Script

__all__ = ["replay_line", "snippet", "snippet_over_runs"]

_SAFE: Final = re.compile(r"[\w@%+=:,./-]+")


def replay_line(name: str, plan: Plan, script: Script, *, real: bool = False) -> str:
    """The command that runs this plan again: pytest for a node id, `sagaproof replay` for a scenario.

    `real` says that its processes were killed in earnest.
    """
    if "::" in name:
        chosen = "" if script.opaque else f" --saga-script={_quoted(script.name)}"
        chosen += " --saga-crash=real" if real else ""
        return f"pytest {_quoted(name, always=True)} --saga-plan={_quoted(str(plan))}{chosen}"
    chosen = "" if script.opaque else f" --script {_quoted(script.name)}"
    chosen += " --crash real" if real else ""
    return f"sagaproof replay {_quoted(name)} {_quoted(str(plan))}{chosen}"


def snippet(name: str, check: str, plan: Plan, script: Script) -> str:
    """A test that runs this one plan and fails as long as it shows a finding."""
    command = ["replay", name, str(plan)]
    if not script.opaque:
        command += ["--script", script.name]
    return _test(name, check, _docstring(plan), command)


def snippet_over_runs(name: str, check: str) -> str:
    """A test that explores it all again: what compares runs is not shown by one plan."""
    return _test(name, check, "Holds over all runs.", ["run", name])


def _test(name: str, check: str, says: str, command: list[str]) -> str:
    title = _identifier(f"{name.rpartition('::')[2]}_{check}")
    return "\n".join(
        (
            "import subprocess",
            "",
            "",
            f"def test_{title}():",
            f'    """{says}"""',
            f"    command = {['sagaproof', *command]!r}",
            "    subprocess.run(command, check=True)",
        )
    )


def _docstring(plan: Plan) -> str:
    return f"Holds under {plan}." if plan else "Holds without a fault."


def _identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text.removeprefix("test_"), flags=re.ASCII).strip("_").lower()


def _quoted(text: str, *, always: bool = False) -> str:
    if _SAFE.fullmatch(text) and not always:
        return text
    return "'" + text.replace("'", "'\"'\"'") + "'"
