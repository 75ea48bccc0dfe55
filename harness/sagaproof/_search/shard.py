"""A share of the plans of a campaign, so that several machines explore it together.

Every shard runs all plans but the largest ones, for they decide what goes on like what. Of the largest it
runs those whose parent falls to it. Whatever size, each plan is counted by one shard alone: the counts of all
shards add up to those of the whole.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final, NamedTuple

from sagaproof._model.plan import Plan
from sagaproof.errors import UsageError

__all__ = ["Shard"]

_TEXT: Final = re.compile(r"(\d+)/(\d+)")


class Shard(NamedTuple):
    """The `number`-th of `of` shards, from 1. `Shard.parse` reads `3/10`."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read a text such as `3/10`. Raises `UsageError` for any other."""
        match = _TEXT.fullmatch(text.strip())
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise UsageError(
                f"{text!r} is no shard", advice="Write NUMBER/OF, from 1 on: 3/10 is the third of ten."
            )
        return cls(int(match[1]), int(match[2]))

    def owns(self, script: str, parent: Plan) -> bool:
        """Whether the plans of a script that extend `parent` are counted here: the same on each machine."""
        digest = hashlib.sha256(f"{script}\0{parent}".encode()).digest()
        return int.from_bytes(digest[:8]) % self.of == self.number - 1
