"""The chain of hashes that makes the journal append-only: each entry seals the one before it. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["GENESIS", "digest", "sealed"]

GENESIS: Final = "0" * 64
"""What the first entry names as the hash before it."""


def sealed(previous: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """An entry with its place in the chain: `previous`, and a `hash` over that and its content."""
    return {**content, "previous": previous, "hash": digest(previous, content)}


def digest(previous: str, content: Mapping[str, Any]) -> str:
    """SHA-256, in hex, over the previous hash and the content as JSON with sorted keys and no spaces.

    `previous` and `hash` in the content are left out, so that a whole entry can be given.
    """
    bare = {key: value for key, value in content.items() if key not in {"previous", "hash"}}
    text = json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{previous}{text}".encode()).hexdigest()
