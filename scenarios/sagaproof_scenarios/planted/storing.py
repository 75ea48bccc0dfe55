"""Journals in a file, read after the process died in the middle of a line, or the file went bad (K18).

The lines of the right one are checked one by one. A last line that is torn was never acknowledged: the call
of which it speaks was not sent, or its outcome is asked for by key. Any other that is damaged is said aloud.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sagaproof import Scenario, World, stores
from sagaproof.planted import Planted
from sagaproof_scenarios.planted.reference import Reference
from sagaproof_scenarios.planted.stories import PAIR, SYSTEMS, set_up

__all__ = ["CONTROLS", "PLANTED"]


class Unreadable(Exception):
    """A record is there that is not what was written."""


class Lines:
    """A journal of JSON lines, each with its sum; `append` is what production calls."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, record: dict[str, Any]) -> None:
        """Write a line; a torn one before it is cut off."""
        whole = self.path.read_bytes() if self.path.exists() else b""
        text = json.dumps(record)
        line = f"{text}\t{sum(text.encode())}\n".encode()
        self.path.write_bytes(whole[: whole.rfind(b"\n") + 1] + line)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The records; raises `Unreadable`."""
        lines = self.path.read_bytes().split(b"\n") if self.path.exists() else []
        for line in lines[:-1]:
            text, _, check = line.partition(b"\t")
            if str(sum(text)).encode() != check:
                raise Unreadable(f"{self.path.name} is damaged: look at the saga by hand")
            yield json.loads(text)


class TakesNoneForAll(Lines):
    """Takes a journal that cannot be read for an empty one."""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The records, or none."""
        text = self.path.read_text(encoding="utf-8", errors="replace") if self.path.exists() else ""
        try:
            records = [json.loads(line.partition("\t")[0]) for line in text.splitlines()]
        except ValueError:
            records = []
        return iter(records)


class FromFile(Reference):
    """The right saga, for which a journal without records means that nothing was begun."""

    def __init__(self, world: World, lines: Lines) -> None:
        super().__init__(world, PAIR, [])
        self.lines = lines
        self.write = world.durable(lines.append, name="journal.append", store=stores.file(lines.path))

    def recover(self) -> str:
        """Go on, if anything was begun."""
        self.journal = list(self.lines)
        self.load()
        return super().recover() if self.entries else self.end("refused")


def _story(name: str, story: str, kind: type[Lines]) -> Scenario:
    def body(world: World) -> str:
        set_up(world)
        return FromFile(world, kind(world.path / "journal")).run()

    def recover(world: World) -> str:
        return FromFile(world, kind(world.path / "journal")).recover()

    return Scenario(name, story, SYSTEMS, body=body, recover=recover)


def _planted(name: str, bug: str, story: str, kind: type[Lines], **more: Any) -> Planted:
    return Planted(name, bug, story, _story(name, story, kind), **more)


PLANTED = (
    _planted("damaged-journal", "K18 RECOVERY-GAP",
             "A journal that cannot be read is taken for an empty one.",
             TakesNoneForAll, expect=("corrupt-journal-is-loud",), faults=1),
)  # fmt: skip

CONTROLS = (
    _planted("REF-lines", "control",
             "Reads what is whole, asks by key for what a torn line spoke of, and says what is damaged.",
             Lines, faults=2, families=("store", "crash")),
)  # fmt: skip
