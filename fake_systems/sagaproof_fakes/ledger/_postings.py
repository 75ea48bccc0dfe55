"""Postings, pure: reading them from a call, checking that they balance, turning them round, summing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sagaproof import Refusal

__all__ = ["Balance", "Posting", "amount_of", "as_json", "check", "from_json", "simple", "turned_round"]


class Posting(NamedTuple):
    """One line of an entry: `amount` minor units on the debit or the credit side of an account."""

    account: str
    direction: str
    amount: int
    currency: str


class Balance(NamedTuple):
    """The sums of one account, in minor units: posted, and held by pending transfers."""

    debits: int = 0
    credits: int = 0
    pending_debits: int = 0
    pending_credits: int = 0

    def posted(self, posting: Posting) -> Balance:
        """With one more posting."""
        if posting.direction == "debit":
            return self._replace(debits=self.debits + posting.amount)
        return self._replace(credits=self.credits + posting.amount)

    def held(self, posting: Posting, sign: int = 1) -> Balance:
        """With one more posting pending, or with `sign` -1 one less."""
        amount = sign * posting.amount
        if posting.direction == "debit":
            return self._replace(pending_debits=self.pending_debits + amount)
        return self._replace(pending_credits=self.pending_credits + amount)


def simple(debit: str, credit: str, amount: int, currency: str) -> tuple[Posting, ...]:
    """The two postings that move an amount from one account to another."""
    return Posting(debit, "debit", amount, currency), Posting(credit, "credit", amount, currency)


def from_json(lines: Sequence[Any], currencies: Mapping[str, str]) -> tuple[Posting, ...]:
    """Read what a call brought; the currency of a line is that of its account if it names none."""
    return tuple(_read(line, currencies) for line in lines)


def _read(line: Any, currencies: Mapping[str, str]) -> Posting:
    if not isinstance(line, Mapping) or not {"account", "direction", "amount"} <= line.keys():
        raise Refusal(400, "invalid_posting", f"a posting has account, direction and amount, not {line!r}")
    account, amount = line["account"], line["amount"]
    if amount.__class__ is not int:
        raise Refusal(400, "invalid_posting", f"the amount of a posting is {amount!r}, wanted minor units")
    currency = str(line.get("currency") or currencies.get(account, "")).lower()
    return Posting(str(account), str(line["direction"]), amount, currency)


def as_json(postings: Iterable[Posting]) -> list[dict[str, Any]]:
    """The postings as rows and answers hold them."""
    return [posting._asdict() for posting in postings]


def check(postings: Sequence[Posting]) -> None:
    """Refuse (422) what is no double entry: too few lines, a bad amount, sides that differ in a currency."""
    if len(postings) < 2:
        raise Refusal(422, "too_few_postings", f"an entry has at least 2 postings, not {len(postings)}")
    sides: dict[str, str] = {}
    sums: Counter[str] = Counter()
    for account, direction, amount, currency in postings:
        if direction not in {"debit", "credit"}:
            raise Refusal(422, "invalid_posting", f"direction is debit or credit, not {direction!r}")
        if amount <= 0:
            raise Refusal(422, "invalid_amount", f"an amount is at least 1 minor unit, not {amount}")
        if sides.setdefault(account, direction) != direction:
            raise Refusal(422, "same_account", f"{account} is on both sides of one entry")
        sums[currency] += amount if direction == "debit" else -amount
    for currency, rest in sums.items():
        if rest:
            raise Refusal(422, "unbalanced", f"debits and credits differ by {abs(rest)} {currency}")


def turned_round(postings: Iterable[Posting]) -> tuple[Posting, ...]:
    """The counter-entry: the same amounts on the other sides."""
    return tuple(p._replace(direction="credit" if p.direction == "debit" else "debit") for p in postings)


def amount_of(postings: Iterable[Posting]) -> int | None:
    """What is moved, if it is in one currency."""
    debits: Counter[str] = Counter()
    for posting in postings:
        if posting.direction == "debit":
            debits[posting.currency] += posting.amount
    return next(iter(debits.values())) if len(debits) == 1 else None
