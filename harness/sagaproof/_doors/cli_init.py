"""`sagaproof init`: settings and one running test for what a repository holds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from sagaproof._doors.cli_exit import Finished

__all__ = ["INIT_EPILOG", "init_command"]

_WRONG_USE: Final = 3
INIT_EPILOG: Final = (
    "Exit codes: 0 done, or nothing to do. 3 wrong use: no folder, one that cannot be written, no such saga."
)


def init_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The repository.")] = Path(),
    *,
    saga: Annotated[
        str,
        typer.Option(metavar="NAME", help="This function, such as shop.orders.checkout.", show_default=False),
    ] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace the test if it is there.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be written; write nothing.")
    ] = False,
) -> None:
    """Write settings and one running test, for the function of a repository that looks most like a saga."""
    from sagaproof.errors import SagaproofError  # noqa: PLC0415  # loaded when it is asked for

    try:
        _init(folder, saga, force=force, dry_run=dry_run)
    except SagaproofError as error:
        typer.echo(f"error: {error}", err=True)
        raise Finished(_WRONG_USE) from error


def _init(folder: Path, saga: str, *, force: bool, dry_run: bool) -> None:
    from sagaproof._doors.init.outline import outline_of  # noqa: PLC0415
    from sagaproof._doors.registry import systems  # noqa: PLC0415
    from sagaproof._report.whole import write_whole  # noqa: PLC0415
    from sagaproof.errors import UsageError  # noqa: PLC0415

    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder}", advice="Make it, or name another one.")
    root = folder.resolve()
    outline = outline_of(root, systems(), force=force, only=saga)
    if not dry_run:
        write_whole(outline.files, "Make its folder writable, or name another one: sagaproof init DIR.")
    for line in outline.seen:
        typer.echo(f"found    {line}")
    for path in outline.files:
        typer.echo(f"{'would be' if dry_run else 'wrote   '} {path.relative_to(root).as_posix()}")
    for line in outline.kept:
        typer.echo(f"kept     {line}")
    if dry_run:
        for path, text in outline.files.items():
            typer.echo(f"\n--- {path.relative_to(root).as_posix()}\n{text}", nl=False)
    typer.echo(_next(folder, outline.test, outline.todo, is_example=outline.is_example))


def _next(folder: Path, test: str, todo: list[str], *, is_example: bool) -> str:
    """What to do now, as commands."""
    file = test.partition("::")[0]
    steps = [(f"pytest {file}", "every fault, alone and in pairs: expect findings")]
    if not is_example:
        steps.insert(0, (f"pytest {file} --saga-plan=", "one run without a fault: it should end well"))
    steps.append(("sagaproof explain SLUG", "what the check of a finding means"))
    width = max(len(command) for command, _ in steps)
    read = [] if is_example else [f"read {file}: arguments, effect classes and stand-ins are guesses"]
    commands = [f"{command:{width}}  {says}" for command, says in steps]
    here = [] if folder.resolve() == Path.cwd() else [f"cd {folder}"]
    return "\n  ".join(["", *todo, *read, *here, *commands]).replace("\n", "\nnext\n", 1)
