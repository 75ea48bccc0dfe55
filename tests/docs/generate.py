"""Fills in the generated parts of docs/: `./dev exec python tests/docs/generate.py`.

A part stands between `<!-- generated: NAME -->` and `<!-- end -->`; all around it is written by hand. Pages
in docs/checks/ are generated whole.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, get_overloads

import typer

import _sagaproof_pytest
from sagaproof import explore
from sagaproof._doors.cli import app
from sagaproof._doors.cli_explain import page_of
from sagaproof._doors.options import FileOptions
from sagaproof._doors.registry import planted, systems
from sagaproof._model.fault import Applied, Fault, Harm, Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.operation import STORE_HOOKS
from sagaproof._model.point import Phase
from sagaproof._report.explanation import error_pages, explanations
from sagaproof._search.settings import Settings
from sagaproof._sometimes.catalogue import sometimes
from sagaproof._world.operation import Declared
from sagaproof._world.system import System

DOCS: Final = Path(__file__).parents[2] / "docs"
CHECKS: Final = DOCS / "checks"
COMMAND: Final = "./dev exec python tests/docs/generate.py"

_PART = re.compile(r"(<!-- generated: (?P<name>[\w -]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_SETTING: Final = {"runs": "runs_max", "seconds": "seconds_max"}


def filled(text: str) -> str:
    """The text of a page with all its generated parts made anew."""
    return _PART.sub(lambda part: f"{part[1]}\n{_made(part['name'])}\n\n{part[3]}", text)


def stale() -> Iterator[tuple[Path, str]]:
    """Each page that is not up to date, with the text that it should have."""
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if filled(text) != text:
            yield path, filled(text)
    for path, text in check_pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text


def _made(name: str) -> str:
    kind, _, argument = name.partition(" ")
    return _PARTS[kind](argument)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


# Faults -------------------------------------------------------------------------------------------------


def _faults(family: str) -> str:
    kinds = [fault for fault in FAULTS.values() if fault.family == family]
    rows = [[f"`{f.name}`", _applied(f), _learnt(f), _where(f), _stands_for(f), str(f.number)] for f in kinds]
    return table(["in plans", "effect", "the caller sees", "where", "tried", "no."], rows)


def _applied(fault: Fault) -> str:
    said = f"{fault.applied}, {fault.lands}" if fault.applied is Applied.LATE else fault.applied.value
    return "; ".join([said, *_wake(fault)])


def _wake(fault: Fault) -> Iterator[str]:
    """What comes of it later."""
    if fault.meanwhile is not None:
        yield f"{fault.lands}, {_OTHERS[fault.meanwhile]}"
    if fault.jump_s:
        yield fault.meaning
    if fault.stored:
        yield "the service keeps the error for the key"
    if fault.outlasts_key:
        yield "the service has forgotten the key by then"
    if fault.harm is not None:
        yield f"then it is {fault.harm}"
    if fault.errno is not None and fault.macro:
        yield "so is all that is written into the store, until the next restart"
    elif fault.macro:
        for_s = "from here on" if fault.lasts_s is None else f"for {fault.lasts_s:.0f} s"
        yield f"so are all calls of the {fault.scope} {for_s}"


def _learnt(fault: Fault) -> str:
    said = _seen_at_a_store(fault) if fault.family == "store" else _seen(fault)
    again = "again" if fault.learnt is Learnt.CANCELLED else "it is cancelled"
    if fault.pauses:
        return f"{said}, an hour later"
    return f"{said}, and {again} where it next waits" if fault.cancels_next else said


def _seen(fault: Fault) -> str:
    if fault.learnt is Learnt.DEATH:
        return "nothing: it dies"
    if Phase.EVENT in fault.phases:
        return "nothing: it made no call"
    if fault.slow:
        return "answer, just before it would give up"
    if fault.family == "rate limit":
        return fault.meaning.partition(", ")[2]
    if fault.status is None or fault.learnt is Learnt.ACCEPTED:
        return fault.learnt.value
    return f"status {fault.status}"


def _seen_at_a_store(fault: Fault) -> str:
    if fault.errno is not None:
        return f"an error of the store: {os.strerror(fault.errno).lower()}"
    at_once = fault.harm in {Harm.TORN, Harm.FOREIGN}
    return "nothing: it dies" if at_once else "that it is kept; it dies soon after"


def _where(fault: Fault) -> str:
    """At which calls it can be put."""
    words = [] if fault.family == "store" else [_calls(fault)]
    if fault.family == "store":
        return f"writes into a store{_HOOKS.get(fault.trait or '', '')}"
    if Phase.JOURNAL in fault.phases:
        words = [f"{words[0]}, also writes into a store of the saga's own"]
    if fault.phases == {Phase.UNDO}:
        words.append("undos only")
    elif fault.phases == {Phase.FORWARD}:
        words.append("on the way there")
    elif fault.phases == {Phase.FORWARD, Phase.UNDO}:
        words.append("there and back")
    elif Phase.ESCALATE not in fault.phases and Phase.UNDO in fault.phases:
        words.append("not at the desk")
    elif fault.name.startswith("duplicate") or (Phase.UNDO not in fault.phases and fault.trait is None):
        words.append("not undos")
    return ", ".join(words)


def _calls(fault: Fault) -> str:
    if fault.trait is not None:
        return _TRAITS[fault.trait]
    if fault.needs_key:
        return "writes with a key"
    return "writes" if fault.writes_only else "reads" if fault.reads_only else "every call"


def _stands_for(fault: Fault) -> str:
    if fault.learnt is Learnt.DEATH or (fault.family == "store" and fault.representative is None):
        return "with `recover=`"
    if fault.family == "cancel":
        return "if the saga is asynchronous"
    if fault.opt_in:
        return f'with `families=["{fault.family}"]`'
    return "always" if fault.representative is None else f"for all statuses; else `{fault.representative}`"


_OTHERS: Final = {
    "meddled": "somebody else changes it",
    "consumed": "somebody else uses it up",
    "bounced": "it comes back",
}
_HOOKS: Final = {hook: f" that has a hook `{hook}=`" for hook in STORE_HOOKS}
_TRAITS: Final = {
    "amount": "writes with an `amount=`",
    "bounced": "writes with `meanwhile=` for it",
    "bulk": "writes with a list of items (`bulk=`)",
    "consumed": "writes with `meanwhile=` for it",
    "event": "events that a handler is told of",
    "mail": "calls that hand over mail",
    "meddled": "writes with `meanwhile=` for it, or `restores=`",
    "sink": "calls of a function behind `world.sink`",
}


# Checks -------------------------------------------------------------------------------------------------


def _checks(_argument: str) -> str:
    rows = [[f"[`{one.slug}`](checks/{one.slug}.md)", one.effect] for one in explanations().values()]
    return table(["check", "says"], rows)


def check_pages() -> dict[Path, str]:
    """The page of each check, by its path: what `sagaproof explain` prints, and a way back."""
    return {
        CHECKS / f"{slug}.md": f"<!-- generated from harness/sagaproof/_explain/{slug}.md -->\n\n"
        f"{page_of(slug)}\n[All checks](../checks.md)\n"
        for slug in explanations()
    }


def _sometimes(_argument: str) -> str:
    rows = [[f"`{one.slug}`", "; ".join(one.words), str(one.faults_needed)] for one in sometimes()]
    return table(["state", "stages", "faults"], rows)


# Fakes --------------------------------------------------------------------------------------------------


def _fake(name: str) -> str:
    """The set-up methods of a bundled system, then its operations with their routes and arguments."""
    system = systems([name])[name]
    rows = [
        [
            f"`{declared.route}`" if declared.route else "",
            f"`{short}`",
            str(int(declared.operation.cls)),
            ", ".join(_argument(declared, one) for one in declared.types),
            ", ".join(f"`{one}`" for one in declared.operation.undoes),
        ]
        for short, declared in sorted(system.declarations().items(), key=_by_route)
        if declared.route
    ]
    parts = [*_set_up(system), table(["route", "operation", "class", "arguments", "undoes"], rows)]
    return "\n\n".join(parts)


def _by_route(item: tuple[str, Declared]) -> tuple[str, str]:
    method, _, path = item[1].route.partition(" ")
    return path, method


def _argument(declared: Declared, name: str) -> str:
    kinds = [kind.__name__ for kind in declared.types[name] if kind is not type(None)]
    kind = f" {' or '.join(kinds)}" if kinds else ""
    return f"`{name}`{kind}{'' if name in declared.required else ', optional'}"


def _set_up(system: System) -> Iterator[str]:
    """Each set-up method by its signature: what is public and no operation, and not of the base."""
    for name, method in inspect.getmembers(type(system), inspect.isfunction):
        if name.startswith("_") or name in system.operations() or hasattr(System, name):
            continue
        if hasattr(method, "__sagaproof_invariant__"):
            continue
        params = [
            str(p).replace("'", "") for n, p in inspect.signature(method).parameters.items() if n != "self"
        ]
        says = " ".join((inspect.getdoc(method) or "").partition("\n\n")[0].split())
        yield _wrapped(f"`world.{system.name}.{name}({', '.join(params)})`: {says}")


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 110, break_on_hyphens=False)


# Planted bugs -------------------------------------------------------------------------------------------


def _planted(_argument: str) -> str:
    rows = [
        [one.id, one.bug, one.story, f"deferred: {one.deferred}" if one.deferred else ", ".join(one.expect)]
        for one in planted()
        if not one.is_control
    ]
    return table(["bug", "class", "story", "has to be seen by one of"], rows)


# Options ------------------------------------------------------------------------------------------------


def explore_defaults() -> dict[str, str]:
    """The options of `@explore` with what holds if they are not given, as code."""
    settings = Settings()
    (signature,) = [inspect.signature(o) for o in _overloads() if "faults" in inspect.signature(o).parameters]
    found = {}
    for name, parameter in signature.parameters.items():
        value = getattr(settings, _SETTING.get(name, name), parameter.default)
        found[name] = repr(() if name == "exclude" else value)
    return found


def _overloads() -> Sequence[Callable[..., Any]]:
    return get_overloads(explore)


def _pyproject(_argument: str) -> str:
    rows = [[f"`{name}`", f"`{_type(field.annotation)}`"] for name, field in FileOptions.model_fields.items()]
    return table(["key", "value"], rows)


def _type(annotation: Any) -> str:
    text = str(annotation).replace("typing.", "").replace(" | None", "").replace("'", '"')
    text = re.sub(r"Literal\[(.*?)\]", lambda words: words[1].replace(", ", " or "), text)
    text = re.sub(r"<class \"(\w+)\">", r"\1", text)
    return re.sub(r"Optional\[(.*)\]$", r"\1", text).replace("tuple[str, ...]", "list of strings")


def _pytest(_argument: str) -> str:
    rows = [[f"`{flag}={metavar}`", text] for flag, metavar, _, text in _sagaproof_pytest._OPTIONS]
    return table(["option", "effect"], [*rows, ["`--saga-stable`", _stable()]])


def _stable() -> str:
    source = inspect.getsource(_sagaproof_pytest.pytest_addoption)
    match = re.search(r'"--saga-stable".*?help="(?P<text>[^"]+)"', source, re.DOTALL)
    assert match is not None
    return match["text"]


def _command_line(name: str) -> str:
    group: Any = typer.main.get_command(app)
    command = group
    for word in name.split():
        command = command.commands[word]
    rows = []
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            rows.append([f"`{parameter.metavar}`", parameter.help or ""])
        elif "--help" not in parameter.opts:
            value = f" {parameter.metavar}" if parameter.metavar else ""
            rows.append([f"`{parameter.opts[0]}{value}`", parameter.help or ""])
    return table([f"`sagaproof {name}`", ""], rows)


def _errors(_: str) -> str:
    """A section for each error, as `sagaproof explain` prints it."""
    return "\n".join(f"### {slug}\n\n{text}" for slug, text in error_pages().items()).strip()


_PARTS: Final[dict[str, Callable[[str], str]]] = {
    "checks": _checks,
    "command-line": _command_line,
    "errors": _errors,
    "fake": _fake,
    "faults": _faults,
    "planted": _planted,
    "pyproject": _pyproject,
    "pytest": _pytest,
    "sometimes": _sometimes,
}

if __name__ == "__main__":
    CHECKS.mkdir(exist_ok=True)
    for path, text in stale():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path} is up to date again\n")
