"""The fold of a journal: what balances and transfers must be, worked out from the entries alone. Pure.

It judges each entry as it takes it: by its seal, as a double entry, and by what came before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sagaproof import Refusal
from sagaproof_fakes.ledger._chain import GENESIS, digest
from sagaproof_fakes.ledger._postings import Balance, Posting, check, turned_round

__all__ = ["Fold"]


class Fold:
    """What the entries taken so far add up to.

    `statuses` has each transfer by id (a reversal is `reversal`), `faults` the first broken rule of each
    kind: chain, entry, pending or reversal.
    """

    def __init__(self) -> None:
        self.taken: list[Mapping[str, Any]] = []
        self.balances: dict[str, Balance] = {}
        self.statuses: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self._postings: dict[str, tuple[Posting, ...]] = {}

    def has_taken(self, entries: list[Mapping[str, Any]]) -> bool:
        """Whether these begin with exactly the entries taken so far: the very same objects."""
        taken = self.taken
        return len(taken) <= len(entries) and all(a is b for a, b in zip(taken, entries, strict=False))

    def take(self, entry: Mapping[str, Any]) -> None:
        """Add the next entry; a broken rule is noted, and the entry counts all the same."""
        self._check_seal(entry)
        self.taken.append(entry)
        postings = tuple(Posting(**line) for line in entry["postings"])
        try:
            check(postings)
        except Refusal as refusal:
            self._fault("entry", f"entry {entry['seq']}: {refusal.message}")
        {
            "transfer": self._transfer,
            "pending": self._pending,
            "post": self._post,
            "void": self._void,
            "reversal": self._reversal,
        }[entry["kind"]](entry, postings)

    def _check_seal(self, entry: Mapping[str, Any]) -> None:
        seq, before = len(self.taken) + 1, self.taken[-1]["hash"] if self.taken else GENESIS
        if entry["seq"] != seq:
            self._fault("chain", f"entry {entry['seq']} stands where {seq} belongs")
        elif entry["previous"] != before or entry["hash"] != digest(before, entry):
            self._fault("chain", f"entry {seq} does not have the hash that follows from it and those before")

    def _transfer(self, entry: Mapping[str, Any], postings: tuple[Posting, ...]) -> None:
        self._add(postings)
        self._postings[entry["transfer"]] = postings
        self.statuses[entry["transfer"]] = "posted"

    def _pending(self, entry: Mapping[str, Any], postings: tuple[Posting, ...]) -> None:
        self._hold(postings, 1)
        self._postings[entry["transfer"]] = postings
        self.statuses[entry["transfer"]] = "pending"

    def _post(self, entry: Mapping[str, Any], postings: tuple[Posting, ...]) -> None:
        held = self._resolve(entry, "settled")
        if any(p.amount > h.amount for p, h in zip(postings, held, strict=False)):
            self._fault("pending", f"entry {entry['seq']} posts more than {entry['of']} holds")
        self._transfer(entry, postings)

    def _void(self, entry: Mapping[str, Any], postings: tuple[Posting, ...]) -> None:
        if postings != self._resolve(entry, "void"):
            self._fault("pending", f"entry {entry['seq']} does not void all of {entry['of']}")

    def _reversal(self, entry: Mapping[str, Any], postings: tuple[Posting, ...]) -> None:
        target = entry["of"]
        if self.statuses.get(target) != "posted":
            self._fault("reversal", f"entry {entry['seq']} reverses {target}, which is not posted")
        elif postings != turned_round(self._postings[target]):
            self._fault("reversal", f"entry {entry['seq']} is not the counter-entry of {target}")
        self._add(postings)
        self.statuses[target] = "reversed"
        self.statuses[entry["transfer"]] = "reversal"

    def _resolve(self, entry: Mapping[str, Any], status: str) -> tuple[Posting, ...]:
        """Release what a pending transfer holds, which can be done once."""
        target = entry["of"]
        held = self._postings.get(target, ())
        if self.statuses.get(target) != "pending":
            self._fault("pending", f"entry {entry['seq']} resolves {target}, which is not pending")
        else:
            self._hold(held, -1)
        self.statuses[target] = status
        return held

    def _add(self, postings: tuple[Posting, ...]) -> None:
        for posting in postings:
            before = self.balances.get(posting.account, Balance())
            self.balances[posting.account] = before.posted(posting)

    def _hold(self, postings: tuple[Posting, ...], sign: int) -> None:
        for posting in postings:
            before = self.balances.get(posting.account, Balance())
            self.balances[posting.account] = before.held(posting, sign)

    def _fault(self, kind: str, sentence: str) -> None:
        self.faults.setdefault(kind, sentence)
