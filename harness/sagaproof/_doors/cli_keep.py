"""`sagaproof keep`: a failing case as an ordinary test of pytest, with its script and plan pinned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sagaproof._doors.cli_exit import Finished
from sagaproof._doors.cli_output import Output
from sagaproof.errors import SagaproofError, UsageError

__all__ = ["KEEP_EPILOG", "keep_command"]

KEEP_EPILOG = "Exit codes: 0 kept, or there already. 3 nothing to keep, the name is taken, or wrong use."

_INTO = Path("test_kept.py")


def keep_command(
    target: Annotated[
        str,
        typer.Argument(
            metavar="TARGET",
            help="DIR/machines.json, the FILE::TEST of a machine (its saved examples), or with --plan "
            "a scenario or FILE::TEST.",
        ),
    ],
    *,
    plan: Annotated[
        str | None, typer.Option(metavar="PLAN", help="Such as mail.send.1=503; '' is no fault.")
    ] = None,
    script: Annotated[str | None, typer.Option(metavar="NAME", help="The script of the agent.")] = None,
    into: Annotated[Path, typer.Option(metavar="FILE", help="Where the test is put, at the end.")] = _INTO,
    name: Annotated[str, typer.Option(metavar="NAME", help="What the test is called.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace the test of that name.")] = False,
) -> None:
    """Write a failing case as an ordinary test, after what is in the file already."""
    from sagaproof._doors.keeping import programs_of  # noqa: PLC0415  # it loads pytest
    from sagaproof._doors.kept_tests import keep_in  # noqa: PLC0415

    output = Output(as_json=True)  # what pytest prints is not what the command says
    try:
        if name and not name.isidentifier():
            raise UsageError(f"--name {name!r} is no name of a function", advice="Such as test_lost_mail.")
        with output.guarded():
            programs = programs_of(target, plan, script)
        if name and len(programs) > 1:
            raise UsageError(f"{len(programs)} findings cannot all be {name}", advice="Choose by --plan.")
        names = keep_in(into, programs, name=name, force=force)
    except SagaproofError as error:
        output.err.print(f"error: {error}", soft_wrap=True)
        raise Finished(3) from error
    for one in names:
        output.out.print(f"kept: {into}::{one}", soft_wrap=True)
    if not names:
        output.out.print(f"it is in {into} already", soft_wrap=True)
