"""`sagaproof saga`: the sagas of a journal file, listed, shown, retried and resolved."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final, NoReturn, TypeVar

import typer

from sagaproof._doors.cli_exit import Finished

__all__ = ["saga_app"]

T = TypeVar("T")

_EPILOG: Final = (
    "Exit codes: 0 done. 1 the decision was refused. 2 it is written down, and a case is still open. "
    "3 wrong use: no such file or saga, or no journal."
)

saga_app = typer.Typer(
    name="saga",
    no_args_is_help=True,
    epilog=_EPILOG,
    help="Look at the sagas of a journal, and decide about those that need a person.",
)

_Journal = Annotated[Path, typer.Argument(metavar="JOURNAL", help="The file of a SqliteJournal.")]
_Saga = Annotated[str, typer.Argument(metavar="SAGA", help="The id of the saga.")]
_Json = Annotated[bool, typer.Option("--json", help="One JSON value on standard output, and nothing else.")]
_By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides: it is kept in the journal.")]
_Id = Annotated[
    str | None,
    typer.Option("--id", metavar="ID", help="Of the decision: given again, nothing is done twice."),
]


@saga_app.command("list", epilog=_EPILOG)
def list_sagas(journal: _Journal, *, as_json: _Json = False) -> None:
    """List the sagas that are not settled: how each stands, its age, its pivot, what is due."""
    from sagaproof._doors.saga_print import one_line  # noqa: PLC0415  # the runtime is loaded when asked for
    from sagaproof._doors.saga_work import listed  # noqa: PLC0415

    found = _done(lambda: listed(journal))
    if as_json:
        typer.echo(json.dumps([{**one.to_json(), "case": None, "records": []} for one in found], indent=1))
    else:
        typer.echo("\n".join(map(one_line, found)) or "every saga is settled")


@saga_app.command("show", epilog=_EPILOG)
def show_saga(journal: _Journal, saga: _Saga, *, as_json: _Json = False) -> None:
    """Show one saga: its records in order, and the case that is open."""
    from sagaproof._doors.saga_print import in_full  # noqa: PLC0415
    from sagaproof._doors.saga_work import shown  # noqa: PLC0415

    found = _done(lambda: shown(journal, saga))
    typer.echo(json.dumps(found.to_json(), indent=1) if as_json else in_full(found))


@saga_app.command("resolve", epilog=_EPILOG)
def resolve_saga(
    journal: _Journal,
    saga: _Saga,
    *,
    choice: Annotated[
        str, typer.Option("--as", metavar="WHAT", help="accept or handled; of a question approve or reject.")
    ],
    by: _By,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, or what was done.")] = "",
    steps: Annotated[
        list[str] | None,
        typer.Option("--step", metavar="CALL=TEXT", help="What was done by hand about one call; repeatable."),
    ] = None,
    call: Annotated[
        str | None, typer.Option("--call", metavar="CALL", help="Which call is approved or rejected.")
    ] = None,
    name: _Id = None,
) -> None:
    """Settle a saga without calling anything: as it is, or done by hand. Or answer a question."""
    from sagaproof._doors.saga_work import resolved, settling  # noqa: PLC0415

    _end(_done(lambda: resolved(journal, saga, settling(choice, reason, steps or [], call), by, name)))


@saga_app.command("retry", epilog=_EPILOG)
def retry_saga(
    journal: _Journal,
    saga: _Saga,
    *,
    runtime: Annotated[
        str,
        typer.Option("--runtime", metavar="MODULE:FACTORY", help="Takes the journal, gives the runtime."),
    ],
    by: _By,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why.")] = "",
    forward: Annotated[
        bool, typer.Option("--go-on", help="Make the calls that are owed, instead of undoing.")
    ] = False,
    anyway: Annotated[bool, typer.Option("--anyway", help="Undo although the pivot has passed.")] = False,
    name: _Id = None,
) -> None:
    """Have the undos of an escalated saga tried again, or take up one that is parked."""
    from sagaproof._doors.saga_work import retried, retrying  # noqa: PLC0415

    decision = retrying(reason, forward=forward, anyway=anyway)
    _end(_done(lambda: retried(journal, saga, decision, by, name, factory=runtime)))


def _end(result: tuple[str, bool]) -> NoReturn:
    """Say how the saga stands, and whether that is its end."""
    text, is_settled = result
    typer.echo(text)
    raise Finished(0 if is_settled else 2)


def _done(work: Callable[[], T]) -> T:
    from sagaproof._doors.saga_work import MISTAKES, REFUSED  # noqa: PLC0415

    try:
        return work()
    except REFUSED as error:
        typer.echo(f"refused: {error}", err=True)
        raise Finished(1) from error
    except MISTAKES as error:
        typer.echo(f"error: {error}", err=True)
        raise Finished(3) from error
