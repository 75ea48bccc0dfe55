"""Which lines of a source file are undo code: whole functions, or the blocks of them that only undo.

From each place that called to undo, as far out as no call went forward: an `except` around the undo of a
function that does both, the whole of one that does nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

__all__ = ["Region", "regions"]

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Region(NamedTuple):
    """Lines of a function, both ends included."""

    function: str
    first: int
    last: int


class _Block(NamedTuple):
    function: str
    body: list[ast.stmt]

    @property
    def region(self) -> Region:
        return Region(self.function, _first(self.body[0]), self.body[-1].end_lineno or 0)

    def has(self, line: int) -> bool:
        return self.region.first <= line <= self.region.last


def regions(source: str, undo: Iterable[int], forward: Iterable[int], defined: Iterable[int]) -> list[Region]:
    """The undo code of a file, by the lines that called to undo or forward, and where undos are `defined`.

    A text that is no Python has none.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    going = frozenset(forward)
    found = {region for line in undo if line not in going for region in _around(tree, line, going)}
    wanted = frozenset(defined)
    for function, name in _functions(tree):
        if _first(function) in wanted:
            found.add(_Block(name, function.body).region)
    return sorted(r for r in found if not any(_within(r, other) for other in found))


def _within(inner: Region, outer: Region) -> bool:
    same = inner.function == outer.function and inner != outer
    return same and outer.first <= inner.first and inner.last <= outer.last


def _around(tree: ast.Module, line: int, forward: frozenset[int]) -> Iterator[Region]:
    """The outermost block around a line, up to its function, from which nothing went forward."""
    for block in _blocks_at(tree, line):
        found = block.region
        if not any(found.first <= other <= found.last for other in forward):
            yield found
            return
    for block in [*_blocks_at(tree, line)][-1:]:
        for statement in block.body:
            yield from _alone(_Block(block.function, [statement]), line)


def _alone(block: _Block, line: int) -> Iterator[Region]:
    if block.has(line):
        yield Region(block.function, line, line)


def _blocks_at(tree: ast.Module, line: int) -> list[_Block]:
    """The blocks around a line in the innermost function that it is in, outermost first."""
    chain: list[_Block] = []
    for function, name in _functions(tree):
        block = _Block(name, function.body)
        if block.has(line):
            chain = [block, *_inner(function.body, name, line)]
    return chain


def _inner(body: list[ast.stmt], name: str, line: int) -> Iterator[_Block]:
    """The blocks within a block that a line is in, functions and classes left out."""
    for statement in body:
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            continue
        for inner in _bodies(statement):
            block = _Block(name, inner)
            if block.has(line):
                yield block
                yield from _inner(inner, name, line)


def _bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        body = getattr(statement, field, None)
        if body:
            yield body
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[_Function, str]]:
    """Each function with its qualified name, an inner one after the one around it."""
    for child in ast.iter_child_nodes(node):
        name = prefix
        if isinstance(child, _FUNCTIONS):
            name = f"{prefix}{child.name}"
            yield child, name
            name += ".<locals>."
        elif isinstance(child, ast.ClassDef):
            name = f"{prefix}{child.name}."
        yield from _functions(child, name)


def _first(node: ast.stmt) -> int:
    """The first line of a statement, its decorators included, as code objects count."""
    decorators = getattr(node, "decorator_list", ())
    first: int = min([node.lineno, *(one.lineno for one in decorators)])
    return first
