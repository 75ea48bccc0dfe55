"""The source of a system that stands for a service, from the requests that were found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sagaproof._doors.init.arguments import is_number
from sagaproof._doors.init.routes import Route, routes_of
from sagaproof._doors.init.services import Service
from sagaproof._doors.init.words import singular

__all__ = ["class_name", "system_text"]

_TAIL = """
    def _make(self, kind: str, **fields: Any) -> Any:
        key = self.ids.next(kind)
        return self.rows.put(key, {"id": key, "status": "done", **fields})

    def _undo(self, key: str) -> Any:
        row = self.rows.get(key)
        if row is None:
            raise Refusal(404, "not_found", f"there is no {key}")
        if row["status"] == "undone":
            raise Refusal(409, "undone", f"{key} is undone already")
        return self.rows.patch(key, status="undone")
"""


def class_name(service: Service) -> str:
    """The name of its class."""
    return "".join(word.capitalize() for word in service.name.split("_")) or "Service"


def system_text(service: Service, read: Mapping[str, tuple[str, ...]]) -> str:
    """A class with an operation for each route. `read`: the fields that are taken out of answers, by name."""
    lines = [
        f"class {class_name(service)}(System):",
        f'    """Stands for {service.base}, as its requests show it. Mend what is guessed."""',
        "",
        f'    name = "{service.name}"',
        f'    hosts = ("{service.base}",)',
        "",
        '    rows = Table(gone={"status": ("undone",)})',
    ]
    routes = routes_of(service.requests)
    things = {_thing(route) for route in routes}
    anywhere = tuple(field for name, fields in read.items() if name not in things for field in fields)
    for route in routes:
        lines += ["", *_operation(route, (*read.get(_thing(route), ()), *anywhere))]
    return "\n".join(lines) + "\n" + _TAIL


def _operation(route: Route, read: tuple[str, ...]) -> Iterator[str]:
    facts = [f"cls={route.cls}", f'route="{route.method} {route.path}"']
    if route.creates:
        facts += ["status=201", 'ref="id"']
        facts += ['amount="amount"'] if "amount" in route.fields and route.cls == 4 else []
    elif route.cls > 1 and route.params:
        facts.append(f'ref="{route.params[-1]}"')
    if route.undoes:
        facts.append(f'undoes="{route.undoes}"')
    params = ["self", *(f"{name}: str" for name in route.params)]
    params += [f"{name}: Any = None" for name in route.fields]
    yield f"    @operation({', '.join(facts)})"
    yield f"    def {route.name}({', '.join(params)}) -> Any:"
    yield f"        return {_body(route, read)}"


def _body(route: Route, read: tuple[str, ...]) -> str:
    given = "".join(f", {name}={name}" for name in (*route.params, *route.fields))
    key = route.params[-1] if route.params else f'"{route.name}"'
    if route.creates:
        return f'self._make("{_thing(route)}"{given}{_made_up(route, read, ", {}={}")})'
    if route.undoes:
        return f"self._undo({key})"
    if route.cls > 1:
        fields = "".join(f', "{name}": {name}' for name in route.fields)
        return f'self.rows.put({key}, {{"id": {key}, "status": "done"{fields}}})'
    made_up = _made_up(route, read, ', "{}": {}')
    return f'self.rows.get({key}) or {{"id": {key}{made_up}}}'


def _thing(route: Route) -> str:
    return singular(route.name.partition("_")[2] or route.name)


def _made_up(route: Route, read: tuple[str, ...], form: str) -> str:
    """Values for the fields that nobody gave and somebody reads."""
    names = dict.fromkeys(name for name in read if name not in {*route.params, *route.fields})
    return "".join(form.format(name, 100 if is_number(name) else f'"{name}-1"') for name in names)
