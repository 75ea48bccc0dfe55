"""What `sagaproof init` would write into a repository, as a value: looked at first, written at once."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from importlib.metadata import packages_distributions
from pathlib import Path

from sagaproof._doors.init.example import EXAMPLE, EXAMPLE_FILE
from sagaproof._doors.init.sagas import Saga, named, sagas_of
from sagaproof._doors.init.services import services_of
from sagaproof._doors.init.settings_text import has_settings, read_toml, with_path, with_settings
from sagaproof._doors.init.sources import modules
from sagaproof._doors.init.text_of_test import Written, test_of
from sagaproof._doors.init.urls import constants
from sagaproof._world.system import System
from sagaproof.errors import UsageError

__all__ = ["Outline", "outline_of"]


@dataclass
class Outline:
    """The files as they are to be, what is left as it is, and what was seen, in sentences."""

    files: dict[Path, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)
    test: str = ""
    is_example: bool = False


def outline_of(folder: Path, systems: Mapping[str, System], *, force: bool, only: str = "") -> Outline:
    """Look at the repository, for the likeliest saga or the one that is named.

    Raises `UsageError` if a file of settings cannot be read, or no test can be written for that name.
    """
    outline = Outline()
    toml = folder / "pyproject.toml"
    text = toml.read_text(encoding="utf-8") if toml.is_file() else ""
    data = read_toml(toml, text)
    saga, written, file = _test(folder, systems, outline, only)
    outline.test = f"{file.relative_to(folder).as_posix()}::{written.name}"
    if file.exists() and not force:
        outline.kept.append(f"{file.relative_to(folder).as_posix()} (--force replaces it)")
    else:
        outline.files[file] = written.text
    if has_settings(data):
        outline.kept.append("[tool.sagaproof] in pyproject.toml")
        outline.todo += _missing_hosts(data, written)
    else:
        text = outline.files[toml] = with_settings(toml, text, written.hosts)
    if saga is not None and not _can_import(saga, file.parent, folder):
        path, changed = with_path(folder, text, saga.module.root)
        if not path.is_file() or changed != path.read_text(encoding="utf-8"):
            outline.files[path] = changed
    return outline


def _test(
    folder: Path, systems: Mapping[str, System], outline: Outline, only: str
) -> tuple[Saga | None, Written, Path]:
    """The test to be written, of the likeliest saga whose arguments can be made up, and its place."""
    found, unreadable = modules(folder)
    outline.seen.append(f"{len(found)} module{'' if len(found) == 1 else 's'} that may hold a saga")
    outline.seen += [f"{name} cannot be read as Python" for name in unreadable]
    known = constants(module.tree for module in found)
    sagas = sagas_of(found, known)
    home = _home(folder, flat=all(module.path.parent == folder for module in found))
    for saga in named(only, sagas) if only else sagas:
        services = services_of(saga.requests, systems)
        file = home / f"test_saga_{saga.function.name}.py"
        written = test_of(saga, services, systems, file.relative_to(folder).as_posix())
        if written is not None:
            others = [other.name for other in sagas if other is not saga]
            outline.seen.append(_of_saga(saga))
            outline.seen += [f"also like a saga (--saga NAME): {', '.join(others[:5])}"] if others else []
            outline.seen += [_of_service(one.name, one.base, bundled=one.bundled) for one in services]
            return saga, written, file
    if only:
        raise UsageError(f"the arguments of {only} cannot be made up", advice="Write its test by hand.")
    outline.is_example = True
    outline.seen.append("no function that looks like a saga (two writes or more): an example is written")
    return None, Written(EXAMPLE, "test_refund", {}), home / EXAMPLE_FILE


def _of_saga(saga: Saga) -> str:
    kind = "async saga" if saga.is_async else "saga"
    calls = f"{len(saga.requests)} requests" if saga.requests else f"{len(saga.tools)} callables"
    return f"{kind} {saga.name} (line {saga.function.lineno}): {calls}"


def _of_service(name: str, base: str, *, bundled: bool) -> str:
    who = f"the bundled system {name} answers" if bundled else "a system is written from its requests"
    return f"{base}: {who}"


def _home(folder: Path, *, flat: bool) -> Path:
    """Where tests are; beside the modules if all is in one folder."""
    for name in ("tests", "test"):
        if (folder / name).is_dir():
            return folder / name
    return folder if flat and not (folder / "src").is_dir() else folder / "tests"


def _can_import(saga: Saga, home: Path, folder: Path) -> bool:
    """Whether a test finds the saga: installed, or beside it."""
    top = saga.module.name.partition(".")[0]
    elsewhere = [entry for entry in sys.path if entry and Path(entry).resolve() != folder]
    spec = PathFinder.find_spec(top, elsewhere)
    is_found = spec is not None and spec.origin is not None and folder in Path(spec.origin).resolve().parents
    return is_found or top in packages_distributions() or (saga.module.root == "." and home == folder)


def _missing_hosts(data: Mapping[str, object], written: Written) -> list[str]:
    tool: object = data["tool"]
    assert isinstance(tool, Mapping)
    hosts = {**tool["sagaproof"].get("hosts", {})}
    return [
        f'add to [tool.sagaproof]: hosts.{name} = "{base}"'
        for name, base in written.hosts.items()
        if name not in hosts
    ]
