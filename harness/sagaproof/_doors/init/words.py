"""What names give away: whether a call reads, moves money, cannot be taken back, or takes something back."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["UNDO_WORDS", "effect_class", "is_undo", "noun_of", "singular"]

_READ: Final = {"get", "list", "find", "fetch", "look", "lookup", "read", "search", "load", "query", "check"}
_SET: Final = {"set", "update", "put", "upsert", "mark"}
_MONEY: Final = {
    *("capture", "charge", "charges", "credit", "credits", "debit", "invoice", "invoices", "pay"),
    *("payment", "payments", "payout", "payouts", "transfer", "transfers"),
}
_FINAL: Final = {
    *("send", "mail", "email", "emails", "message", "messages", "notify", "notifications", "sms", "publish"),
    *("ship", "shipments", "reply", "replies", "dispatch"),
}
UNDO_WORDS: Final = {
    *("cancel", "compensate", "delete", "refund", "release", "remove", "restore", "reverse", "revert"),
    *("revoke", "rollback", "undo", "unbook", "unassign", "void", "withdraw"),
}


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[_\W]+", name.lower()) if word]


def is_undo(name: str) -> bool:
    """Whether a name says that something is taken back."""
    return bool(_words(name)) and _words(name)[0] in UNDO_WORDS


def noun_of(name: str) -> str:
    """What follows the verb, in the singular: `release_room` is about a room."""
    return singular("_".join(_words(name)[1:]))


def singular(word: str) -> str:
    """A plural without its ending, as far as that can be told."""
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def effect_class(name: str) -> int:
    """The class that a call of this name is likely to have, 1 to 5; a guess that its reader may mend."""
    words = _words(name)
    if not words or words[0] in _READ:
        return 1
    if words[0] in _SET:
        return 2
    if _FINAL & {words[0], words[-1]}:
        return 5
    return 4 if _MONEY & set(words) else 3
