"""What the values that a saga returns would mean as a claim."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from typing import Final

from sagaproof._doors.init.sources import Function
from sagaproof._model.claim import Claim

__all__ = ["translation"]

_WORDS: Final = {str(claim.value) for claim in Claim}
_STEMS: Final = {
    "compensated": (
        "cancel",
        "compensat",
        "fail",
        "refund",
        "revers",
        "revert",
        "roll",
        "undo",
        "undone",
        "void",
    ),
    "escalated": ("escalat", "manual", "review", "stuck"),
    "refused": ("declin", "denied", "invalid", "refus", "reject"),
}


def translation(function: Function) -> str:
    """The argument `claim=` that the test needs, as source; empty if the saga speaks of itself as we do."""
    returned = [node.value for node in _own(function) if isinstance(node, ast.Return) and node.value]
    constants = [node.value for node in returned if isinstance(node, ast.Constant)]
    if any(isinstance(value, bool) for value in constants):
        return 'claim=lambda result: "completed" if result else "compensated"'
    if any(isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.JoinedStr | ast.Name) for node in returned):
        return 'claim=lambda result: "completed"'
    said = [value for value in constants if value is not None]
    if all(value in _WORDS for value in said):
        return ""
    if not all(isinstance(value, str) for value in said):
        return 'claim=lambda result: "completed"'
    words = sorted({str(value) for value in said})
    return f"claim={json.dumps({word: _meaning(word) for word in words})}.get"


def _meaning(word: str) -> str:
    """The claim that a word is likely to mean, by its stem; any other is taken for *completed*."""
    if word.lower() in _WORDS:
        return word.lower()
    return next((claim for claim, stems in _STEMS.items() if word.lower().startswith(stems)), "completed")


def _own(function: Function) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions inside it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))
