"""The options that can be set in three places, and how they become the settings of a campaign."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sagaproof._model.faults import FAULTS
from sagaproof._search.settings import Exclusion, Settings
from sagaproof._search.shard import Shard
from sagaproof.errors import UsageError, suggest

__all__ = [
    "FileOptions",
    "Options",
    "cell_of",
    "file_options",
    "hosts_for",
    "read",
    "required_as_text",
    "required_sometimes",
    "settings_of",
]


class Options(BaseModel):
    """What a campaign explores, and how far. None: not set here."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    faults: int | None = Field(default=None, ge=0, le=5, strict=True)
    statuses: Literal["representative", "all"] | None = None
    durations: tuple[str, ...] | None = Field(default=None, min_length=1)
    families: tuple[str, ...] | None = Field(default=None, min_length=1)
    runs: int | None = Field(default=None, ge=1, strict=True)
    seconds: float | None = Field(default=None, gt=0)
    seed: int | None = Field(default=None, strict=True)
    require_sometimes: bool | tuple[str, ...] | None = None
    crash: Literal["simulated", "real"] | None = None
    shard: str | None = None
    coverage: bool | None = None
    workers: int | None = Field(default=None, ge=1, strict=True)
    executor: str | None = None
    exclude: dict[str, str] = {}


class FileOptions(Options):
    """The keys of `[tool.sagaproof]` in pyproject.toml."""

    systems: tuple[str, ...] | None = None
    hosts: dict[str, str | tuple[str, ...]] = {}
    allow_hosts: tuple[str, ...] = ()
    report: str | None = None
    fail_under: float | None = None
    require: tuple[str, ...] = ()
    baseline: str | None = None


def read(model: type[Options], values: Mapping[str, Any], where: str) -> Any:
    """The options in `values`. Raises `UsageError` that names the key and `where` it stands."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise _usage_error(error, model, where) from error


def _usage_error(error: ValidationError, model: type[Options], where: str) -> UsageError:
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return UsageError(
            f"there is no option {key!r}", where=where, advice=suggest(key, sorted(model.model_fields))
        )
    return UsageError(f"{key} = {first['input']!r} will not do", where=where, advice=f"{first['msg']}.")


def required_sometimes(text: str) -> bool | tuple[str, ...]:
    """What `all`, `none` or a list of slugs joined by commas, as on a command line, stands for."""
    words = tuple(word.strip() for word in text.split(","))
    return words == ("all",) or (words != ("none",) and words)


def required_as_text(required: object) -> str:
    """The text for the command line that `required_sometimes` reads back."""
    if isinstance(required, tuple):
        return ",".join(required)
    return "all" if required else "none"


def file_options(folder: Path) -> FileOptions:
    """The options in the pyproject.toml of a folder; none if there is none."""
    path = folder / "pyproject.toml"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return FileOptions()
    try:
        table = tomllib.loads(text).get("tool", {}).get("sagaproof", {})
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} cannot be read: {error}", advice="Mend its syntax.") from error
    found: FileOptions = read(FileOptions, table, f"[tool.sagaproof] in {path}")
    settings_of([found])  # whatever else is wrong with it
    return found


def settings_of(layers: Iterable[Options], *, base: Settings | None = None) -> Settings:
    """The settings of layers of options over `base`: later ones win, and exclusions add up."""
    base = Settings() if base is None else base
    values: dict[str, Any] = {}
    exclude: list[Exclusion] = list(base.exclude)
    for layer in layers:
        for name, value in _set_in(layer):
            values[_NAMES.get(name, name)] = value
        exclude.extend(_exclusion(cell, reason) for cell, reason in layer.exclude.items())
    kept = {name: getattr(base, name) for name in _FIELDS if name not in values}
    return Settings(**values, **kept, exclude=tuple(exclude))


def hosts_for(
    systems: Iterable[str], *layers: Mapping[str, str | Iterable[str]]
) -> dict[str, tuple[str, ...]]:
    """Where each system is to be reached, as far as these layers say so; later ones win."""
    given = {name: hosts for layer in layers for name, hosts in layer.items()}
    known = set(systems)
    return {
        name: (hosts,) if isinstance(hosts, str) else tuple(hosts)
        for name, hosts in given.items()
        if name in known
    }


_NAMES = {"runs": "runs_max", "seconds": "seconds_max"}
_FIELDS = tuple(name for name in Settings.__dataclass_fields__ if name != "exclude")


def _set_in(layer: Options) -> Iterable[tuple[str, Any]]:
    for name in Options.model_fields:
        value = getattr(layer, name)
        if name != "exclude" and value is not None:
            yield name, Shard.parse(value) if name == "shard" else value


_GLOB = re.compile(r"[*?\[]")


def cell_of(cell: str, complaint: str = "excludes no known fault") -> tuple[str, str]:
    """The two globs in `mail.send=503`, `mail.send` (every fault there) or `*=503`."""
    operation, _, fault = cell.partition("=")
    if fault and fault not in FAULTS and not _GLOB.search(fault):
        raise UsageError(f"{cell!r} {complaint}", advice=suggest(fault, FAULTS))
    return operation or "*", fault or "*"


def _exclusion(cell: str, reason: str) -> Exclusion:
    if not reason.strip():
        raise UsageError(
            f"{cell!r} is excluded without a reason",
            advice='Say why it need not be tested: exclude={"mail.send=503": "retried by our gateway"}.',
        )
    return Exclusion(*cell_of(cell), reason)
