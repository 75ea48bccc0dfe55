"""A file of tests that keeps what was found: tests are put at its end, what they import at its head.

What stands in the file already is left as it is, unless the replacing of one test is asked for by its name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path

from sagaproof.errors import UsageError

__all__ = ["keep_in", "with_test"]

Function = ast.FunctionDef | ast.AsyncFunctionDef


def keep_in(file: Path, programs: Iterable[str], *, name: str = "", force: bool = False) -> list[str]:
    """Put the test of each program into a file, made if it is not there; the names that they got.

    A test that is in it already, by whatever name, is left out. Raises `UsageError`, and writes nothing, if
    the file is no Python, or has a test called `name` and `force` is not given.
    """
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    names = []
    for program in programs:
        text, kept = with_test(text, program, where=str(file), name=name, force=force)
        names += [kept] if kept else []
    if names:
        file.write_text(text, encoding="utf-8")
    return names


def with_test(
    text: str, program: str, *, where: str = "", name: str = "", force: bool = False
) -> tuple[str, str]:
    """The text of a file with the one test of a program in it, and its name there; empty if it was there."""
    there = _parsed(text, where)
    (test,) = _functions(ast.parse(program))
    known = {one.name: one for one in _functions(there)}
    if any(_does_the_same(test, one) for one in known.values()):
        return text, ""
    wanted = name or _free(test.name, known)
    if wanted in known and not force:
        raise UsageError(
            f"there is a test {wanted} already",
            where=where,
            advice="Give another --name, or --force to replace it.",
        )
    if wanted in known:
        text = _without(text, known[wanted])
    source = (ast.get_source_segment(program, test) or "").replace(f"def {test.name}(", f"def {wanted}(", 1)
    text = _with_imports(text, _imports(program))
    return f"{text.rstrip()}\n\n\n{source.rstrip()}\n", wanted


def _parsed(text: str, where: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise UsageError(
            f"the file is no Python, from line {error.lineno} on: {error.msg}",
            where=where,
            advice="Mend it, or name another one with --into.",
        ) from error


def _functions(module: ast.Module) -> Iterator[Function]:
    return (one for one in module.body if isinstance(one, Function))


def _does_the_same(one: Function, other: Function) -> bool:
    return list(map(ast.dump, one.body)) == list(map(ast.dump, other.body))


def _free(name: str, known: Iterable[str]) -> str:
    taken = set(known)
    return next(one for n in count(1) if (one := name if n == 1 else f"{name}_{n}") not in taken)


def _without(text: str, test: Function) -> str:
    first = min([test.lineno, *(one.lineno for one in test.decorator_list)])
    lines = text.splitlines(keepends=True)
    return "".join(lines[: first - 1]).rstrip() + "\n\n\n" + "".join(lines[test.end_lineno :]).lstrip("\n")


def _imports(program: str) -> list[str]:
    found = ast.parse(program).body
    return [ast.unparse(one) for one in found if isinstance(one, ast.Import | ast.ImportFrom)]


def _with_imports(text: str, imports: Iterable[str]) -> str:
    """The text with what it does not import yet, behind the imports at its head, or its docstring."""
    body = ast.parse(text).body
    head = 0
    known = set()
    for one in body:
        is_docstring = isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)
        if not is_docstring and not isinstance(one, ast.Import | ast.ImportFrom):
            break
        head = one.end_lineno or head
        known |= _names(one)
    new = [line for line in imports if not _names(ast.parse(line).body[0]) <= known]
    if not new:
        return text
    lines = text.splitlines()
    gap = [""] if head and not known else []
    return "\n".join([*lines[:head], *gap, *new, *lines[head:]])


def _names(statement: ast.stmt) -> set[tuple[str, str, str | None]]:
    """What a statement imports: module, name in it, and what it is called."""
    if isinstance(statement, ast.Import):
        return {("", one.name, one.asname) for one in statement.names}
    if isinstance(statement, ast.ImportFrom):
        return {(statement.module or "", one.name, one.asname) for one in statement.names}
    return set()
