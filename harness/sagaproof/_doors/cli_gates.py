"""Gates, baseline and other forms of the report, as options of `sagaproof run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

__all__ = ["Baseline", "FailUnder", "Junit", "Markdown", "Require", "WriteBaseline", "split"]

_PANEL = "Gates and reports"

Junit: TypeAlias = Annotated[
    Path | None,
    typer.Option("--junit", metavar="FILE", help="Write a JUnit XML.", rich_help_panel=_PANEL),
]
Markdown: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--markdown", metavar="FILE", help="Write a summary for a pull request.", rich_help_panel=_PANEL
    ),
]
FailUnder: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        metavar="PCT",
        help="2 if fewer of the cells that can be covered are.",
        rich_help_panel=_PANEL,
    ),
]
Require: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--require",
        metavar="LIST",
        help="2 unless these phases and families are covered: undo,crash.",
        rich_help_panel=_PANEL,
    ),
]
Baseline: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--baseline",
        metavar="FILE",
        help="Let known findings pass, till their last day.",
        rich_help_panel=_PANEL,
    ),
]
WriteBaseline: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--write-baseline",
        metavar="FILE",
        help="Write what is found as a baseline.",
        rich_help_panel=_PANEL,
    ),
]


def split(names: str | None) -> tuple[str, ...]:
    """The names in a list joined by commas."""
    return () if names is None else tuple(name.strip() for name in names.split(","))
