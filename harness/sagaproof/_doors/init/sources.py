"""The modules of a repository as syntax trees; nothing of them is imported or run."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["Function", "Module", "functions", "modules"]

_FILES_MAX: Final = 2000
_NOT_OURS: Final = {
    *("build", "dist", "docs", "examples", "node_modules", "site-packages", "venv", "migrations"),
    *("test", "tests", "testing", "__pycache__"),
}
_NO_SAGA: Final = {"conftest.py", "setup.py", "noxfile.py", "manage.py", "__main__.py"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A file, the name by which it is imported, and the folder that has to be on the path for that."""

    path: Path
    name: str
    root: str
    tree: ast.Module


def modules(folder: Path) -> tuple[list[Module], list[str]]:
    """The modules below a folder that may hold a saga, and the files that cannot be read as Python."""
    found, unreadable = [], []
    for path in _files(folder):
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError):
            unreadable.append(path.relative_to(folder).as_posix())
            continue
        parts = path.relative_to(folder).with_suffix("").parts
        root, parts = ("src", parts[1:]) if parts[0] == "src" and len(parts) > 1 else (".", parts)
        names = parts[:-1] if parts[-1] == "__init__" else parts
        if names and all(name.isidentifier() for name in names):
            found.append(Module(path, ".".join(names), root, tree))
    return found, unreadable


def functions(tree: ast.Module) -> list[Function]:
    """The functions at the top of a module, in order."""
    return [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def _files(folder: Path) -> Iterator[Path]:
    count = 0
    for where, folders, names in os.walk(folder):
        here = Path(where)
        folders[:] = sorted(name for name in folders if not _is_foreign(here / name))
        for name in sorted(names):
            if name.endswith(".py") and not name.startswith("test_") and name not in _NO_SAGA:
                count += 1
                if count > _FILES_MAX:
                    return
                yield here / name


def _is_foreign(folder: Path) -> bool:
    """Whether a folder holds tests, tools or somebody else's code."""
    name = folder.name
    return name.startswith(".") or name in _NOT_OURS or (folder / "pyvenv.cfg").exists()
