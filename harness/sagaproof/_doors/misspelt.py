"""Options of ours that are misspelt: pytest only says that it does not know them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from sagaproof.errors import suggest

__all__ = ["refuse_misspelt"]


def refuse_misspelt(parser: pytest.Parser, args: Sequence[str], flags: Iterable[str]) -> None:
    """Raise a usage error, with the nearest of `flags`, for what begins like them and nobody has declared."""
    _, unknown = parser.parse_known_and_unknown_args(list(args))
    for one in unknown:
        if one.startswith("--saga"):
            name = one.partition("=")[0]
            raise pytest.UsageError(f"there is no option {name}. {suggest(name, flags)}")
