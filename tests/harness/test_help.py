"""What `--help` says of each command, as kept, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import typer.main
from tests.snapshot import FOLDER, require_kept
from typer.core import TyperGroup

from sagaproof._doors import cli


def commands(command: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words by which each command is called, those that have others below them too."""
    yield path
    if isinstance(command, TyperGroup):
        for name, below in command.commands.items():
            yield from commands(below, (*path, name))


EVERY = tuple(commands(typer.main.get_command(cli.app)))


def name_of(path: tuple[str, ...]) -> str:
    return "-".join(("sagaproof", *path))


@pytest.mark.parametrize("path", EVERY, ids=name_of)
def test_help_is_as_kept_and_fits_in_80_columns(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main([*path, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    require_kept(f"help/{name_of(path)}", shown)


def test_no_help_is_kept_of_a_command_that_is_gone() -> None:
    assert {path.stem for path in (FOLDER / "help").iterdir()} == set(map(name_of, EVERY))
