"""The source of the one test that `sagaproof init` writes."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from sagaproof._doors.init.arguments import arguments_of
from sagaproof._doors.init.claims import translation
from sagaproof._doors.init.sagas import Saga
from sagaproof._doors.init.services import Service
from sagaproof._doors.init.system_text import class_name, system_text
from sagaproof._doors.init.tool_text import stand_in, wrapped
from sagaproof._taps.arguments import Misfit
from sagaproof._taps.routes import Routes
from sagaproof._world.system import System

__all__ = ["Written", "test_of"]

_HEAD = '''"""Every call of {saga} is broken, alone and in pairs. Written by `sagaproof init`.

What it is called with is made up. First let it end well without a fault:
pytest {file} --saga-plan=
"""
'''


class Written(NamedTuple):
    """A test as source, its name, and the URLs at which bundled systems are to answer."""

    text: str
    name: str
    hosts: Mapping[str, str]


def test_of(saga: Saga, services: list[Service], systems: Mapping[str, System], file: str) -> Written | None:
    """The test of a saga; None if it takes something that cannot be made up."""
    own = [service for service in services if not service.bundled]
    direct = {tool.name: wrapped(tool, saga.tools) for tool in saga.tools if not tool.at}
    values = arguments_of(saga.function, direct)
    if values is None:
        return None
    name = f"test_{saga.function.name.strip('_')}"
    set_up = _set_up(services, systems, values, chain(*_read_in(saga).values()))
    body = [*dict.fromkeys(set_up), *_call(saga, values)]
    parts = [_HEAD.format(saga=saga.name, file=file), _imports(saga, own, values)]
    parts += [f"\n\n{system_text(service, _read_in(saga))}" for service in own]
    parts += [f"\n\n{stand_in(tool)}" for tool in saga.tools]
    parts.append(f"\n\n{_decorator(saga, services)}\n")
    parts.append(f"{'async ' if saga.is_async else ''}def {name}(world):\n")
    parts += [f"    {line}\n" for line in body]
    hosts = {one.name: one.base for one in services if one.bundled and not one.usual}
    return Written("".join(parts), name, hosts)


def _imports(saga: Saga, own: list[Service], values: Mapping[str, str]) -> str:
    names = ["explore", *(["Refusal", "System", "Table", "operation"] if own else [])]
    first = ["from typing import Any\n"] if own else []
    third = [f"from sagaproof import {', '.join(sorted(names, key=lambda n: (not n[0].isupper(), n)))}\n"]
    if any(tool.at for tool in saga.tools):
        third.insert(0, "import pytest\n")
    if any("httpx." in text for text in values.values()):
        third.insert(0, "import httpx\n")
    own_line = f"from {saga.module.name} import {saga.function.name}\n"
    return "\n" + "".join([*first, *(["\n"] if first else []), *third, "\n", own_line])


def _decorator(saga: Saga, services: list[Service]) -> str:
    given = []
    if any(not service.bundled for service in services):
        names = [f'"{s.name}"' if s.bundled else class_name(s) for s in services]
        given.append(f"systems=[{', '.join(names)}]")
    means = translation(saga.function)
    if not means:
        return f"@explore({', '.join(given)})" if given else "@explore"
    lines = "".join(f"    {one},\n" for one in [*given, means])
    note = "    # What it returns, as completed, compensated, escalated or refused: mend it.\n"
    return f"@explore(\n{note}{lines})"


def _set_up(
    services: list[Service], systems: Mapping[str, System], values: Mapping[str, str], read: Iterable[str]
) -> Iterator[str]:
    """What has to be there before: whatever a bundled system has an `add_...` for and is called with."""
    known = {name: text.strip('"') for name, text in values.items()}
    read = set(read)
    seen = set()
    for service in services:
        for thing, value in _things(service, systems, known) if service.bundled else ():
            add = getattr(systems[service.name], f"add_{thing}", None)
            if add is not None and (service.name, thing, value) not in seen:
                seen.add((service.name, thing, value))
                linked = _linked(systems[service.name], add, read)
                yield from (f'world.{service.name}.add_{name}("{name}-1")' for name in linked)
                more = "".join(f', {name}="{name}-1"' for name in linked)
                yield f'world.{service.name}.add_{thing}("{value}"{_rest(add)}{more})'


def _things(
    service: Service, systems: Mapping[str, System], known: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    routes = Routes(systems[service.name])
    for one in service.requests:
        path = re.sub(r"\{(\w+)\}", lambda m: known.get(m[1], m[0]), one.path)
        match = routes.find(one.method, path)
        named = {} if isinstance(match, Misfit) else dict(match.args)
        for name, value in one.values:
            made_up = f"{value.strip('[]')}-1" if value.startswith("[") else value
            named[name] = known.get(value.strip("{}"), made_up)
        for name, value in named.items():
            if value and "{" not in str(value):
                yield name.removesuffix("_id"), str(value)


def _linked(system: System, add: object, read: Collection[str]) -> list[str]:
    """What the saga reads of it, and then calls another service with."""
    params = inspect.signature(add).parameters  # type: ignore[arg-type]
    return [name for name in params if name in read and hasattr(system, f"add_{name}")]


def _rest(add: object) -> str:
    """The other arguments that a set-up method cannot do without."""
    given = list(inspect.signature(add).parameters.values())[1:]  # type: ignore[arg-type]
    return "".join(f', {p.name}="100.00"' for p in given if p.default is p.empty)


def _call(saga: Saga, values: Mapping[str, str]) -> Iterator[str]:
    given = ", ".join(_argument(saga, name, text) for name, text in values.items())
    call = f"return {'await ' if saga.is_async else ''}{saga.function.name}({given})"
    patched = [tool for tool in saga.tools if tool.at]
    if not patched:
        yield call
        return
    yield "with pytest.MonkeyPatch.context() as patch:"
    for tool in patched:
        yield f'    patch.setattr("{tool.at}", {wrapped(tool, saga.tools)})'
    yield f"    {call}"


def _argument(saga: Saga, name: str, text: str) -> str:
    given = saga.function.args
    positional = [arg.arg for arg in (*given.posonlyargs, *given.args)]
    return text if name in positional[: len(positional) - len(given.defaults)] else f"{name}={text}"


def _read_in(saga: Saga) -> dict[str, tuple[str, ...]]:
    """The fields that the module of the saga takes out of answers, by the names of these."""
    found: dict[str, tuple[str, ...]] = {}
    for node in ast.walk(saga.module.tree):
        if not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)):
            continue
        name = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(name, str) and name.isidentifier() and name not in {"id", "status"}:
            of = node.value.id if isinstance(node.value, ast.Name) else ""
            found[of] = tuple(dict.fromkeys((*found.get(of, ()), name)))
    return found
