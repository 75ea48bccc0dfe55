"""The settings that `sagaproof init` adds: `[tool.sagaproof]`, and where pytest finds the modules.

Only lines are added: what stands in a file stays as it is.
"""

from __future__ import annotations

import configparser
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sagaproof.errors import UsageError

__all__ = ["has_settings", "read_toml", "with_path", "with_settings"]

_INI: Final = {
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
}
_TABLE: Final = "[tool.pytest.ini_options]"


def read_toml(path: Path, text: str) -> dict[str, Any]:
    """A file of settings as data. Raises `UsageError` if it is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} cannot be read: {error}", advice="Mend its syntax.") from error


def has_settings(data: Mapping[str, Any]) -> bool:
    """Whether settings of sagaproof are there already."""
    return "sagaproof" in data.get("tool", {})


def with_settings(path: Path, text: str, hosts: Mapping[str, str]) -> str:
    """The text of pyproject.toml with `[tool.sagaproof]` at its end."""
    lines = ["[tool.sagaproof]", "faults = 2 # up to so many in one run"]
    if hosts:
        pairs = ", ".join(f"{name} = {json.dumps(base)}" for name, base in hosts.items())
        lines.append(f"hosts = {{ {pairs} }} # where your clients expect the fakes")
    return _checked(path, _ended(text) + "\n".join(lines) + "\n")


def with_path(folder: Path, pyproject: str, root: str) -> tuple[Path, str]:
    """The file in which pytest's settings are, with the folder of the modules on its path.

    `pyproject` is the text of pyproject.toml as it is to be, where they go if there are none.
    """
    path, table = folder / "pyproject.toml", _pytest_table(pyproject)
    if not table:
        for name, section in _INI.items():
            ini = folder / name
            if ini.is_file() and (text := _ini_with_path(ini, section, root)):
                return ini, text
    if not table:
        return path, _checked(path, f"{_ended(pyproject)}{_TABLE}\npythonpath = [{json.dumps(root)}]\n")
    if "pythonpath" in _table_of(pyproject, table):  # whoever set it installs the rest, or knows how
        return path, pyproject
    return path, _checked(path, _inserted(pyproject, table, f"pythonpath = [{json.dumps(root)}]"))


def _pytest_table(text: str) -> str:
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    return next((header for header in (_TABLE, "[tool.pytest]") if header in lines), "")


def _table_of(text: str, header: str) -> Mapping[str, Any]:
    table: Any = tomllib.loads(text)
    for name in header.strip("[]").split("."):
        table = table.get(name, {})
    return dict(table)


def _ini_with_path(path: Path, section: str, root: str) -> str:
    """The text of the file with the line; as it was if there is one; empty if it has no such section."""
    text = path.read_text(encoding="utf-8")
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise UsageError(f"{path} cannot be read: {error}", advice="Mend its syntax.") from error
    if not parser.has_section(section):
        return ""
    if parser.has_option(section, "pythonpath"):
        return text
    return _inserted(text, f"[{section}]", f"pythonpath = {root}")


def _inserted(text: str, header: str, line: str) -> str:
    lines = text.splitlines()
    at = next(i for i, one in enumerate(lines) if one.partition("#")[0].strip() == header)
    return "\n".join([*lines[: at + 1], line, *lines[at + 1 :]]) + "\n"


def _ended(text: str) -> str:
    """The text, and an empty line if there is any."""
    return f"{text.rstrip()}\n\n" if text.strip() else ""


def _checked(path: Path, text: str) -> str:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"nothing can be added to {path}: {error}",
            advice="Write its table `tool` with headers such as [tool.sagaproof], or add one yourself.",
        ) from error
    return text
