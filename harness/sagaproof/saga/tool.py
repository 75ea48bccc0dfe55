"""Tools: what an agent can call, with all that is needed to try again, to find out and to undo."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from pydantic import BaseModel

from sagaproof.saga.classify import Verdict
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.errors import ToolMistake
from sagaproof.saga.retry import Retry
from sagaproof.saga.schema import KEY, Schema, takes_key

__all__ = ["Hook", "Tool", "tool"]

DAY_S: Final = 24 * 3600.0
"""How long a key can be relied on where nothing else is said: what Stripe documents for its v1 API."""

Hook: TypeAlias = Callable[..., Any]
"""A function of a `Step`, sync or async as the tool is."""


class Tool:
    """One operation that the agent can call.

    `undo(step)` takes an effect back (classes 3 and 4, required). `lookup(step)` returns `Found(answer)`,
    `ABSENT` or `IN_FLIGHT`. `fence(step)` makes the service refuse a call that has not arrived: it returns
    None if so, `Found(answer)` if the call had been applied. `still_stands(step)` reads whether the effect
    is there: with it an undo is believed only once that says no; it is asked too where `step.ref` is not
    known. `before(args)` reads what the undo will need. `ref` names the field of the answer that holds the
    reference.

    `keyed`: the service applies calls with one key once (default: the function takes `key`), and remembers a
    key for `key_lifetime_s` (None: for good); a call is not sent again after that. `undo_by_key`:
    the undo needs the key alone and fences a call that has not arrived. `undo_repeatable`: an undo that is
    sent twice acts once. `forward_only`: allowed past the pivot, since nobody will want it undone.
    `approval`: whether a person has to let each call pass (class 5; None: as the runtime says).
    `errors(error)` returns a `Verdict`, or None for the usual one. Raises `ToolMistake` for what cannot work.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        *,
        cls: int,
        name: str | None = None,
        schema: type[BaseModel] | None = None,
        undo: Hook | None = None,
        lookup: Hook | None = None,
        fence: Hook | None = None,
        still_stands: Hook | None = None,
        before: Callable[[Mapping[str, Any]], Any] | None = None,
        ref: str | None = None,
        retry: Retry | None = None,
        undo_retry: Retry | None = None,
        keyed: bool | None = None,
        key_lifetime_s: float | None = DAY_S,
        undo_by_key: bool = False,
        undo_repeatable: bool | None = None,
        forward_only: bool = False,
        approval: bool | None = None,
        errors: Callable[[Exception], Verdict | None] | None = None,
    ) -> None:
        self.call = call
        self.name: str = name or str(getattr(call, "__name__", type(call).__name__))
        self.cls = _class(self.name, cls)
        self.schema = Schema.of(call, self.name, schema)
        self.undo, self.lookup, self.fence = undo, lookup, fence
        self.still_stands, self.before, self.ref = still_stands, before, ref
        self.retry = retry or Retry()
        self.undo_retry = undo_retry or self.retry.for_undo()
        self.takes_key = takes_key(call)
        self.keyed = self.takes_key if keyed is None else keyed
        self.key_lifetime_s = key_lifetime_s
        self.undo_by_key = undo_by_key
        self.undo_takes_key = undo is not None and takes_key(undo)
        self.undo_repeatable = (
            self.cls is not EffectClass.COMPENSABLE or undo_by_key or self.undo_takes_key
            if undo_repeatable is None
            else undo_repeatable
        )
        self.forward_only = forward_only
        self.approval = approval
        self.errors = errors
        self.is_repeatable = self.keyed or self.cls <= EffectClass.CONVERGENT
        _check(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the bare function, outside any saga: nothing is journalled or retried."""
        return self.call(*args, **kwargs)

    def __repr__(self) -> str:
        return f"Tool({self.name}, cls={int(self.cls)})"

    def json_schema(self) -> dict[str, Any]:
        """What the tool takes, as JSON schema, for handing to a model."""
        return self.schema.json()

    @property
    def description(self) -> str:
        """The docstring of the function, for handing to a model."""
        return inspect.getdoc(self.call) or ""

    def named(self, what: str) -> str | None:
        """What to call the undo or another hook before a person; None if there is none."""
        hook = getattr(self, what)
        if hook is None:
            return None
        name = str(getattr(hook, "__name__", "<"))
        return f"{what} of {self.name}" if name.startswith("<") else name

    def hooks(self) -> dict[str, Callable[..., Any]]:
        """The functions of this tool that there are, by what they are for."""
        names = ("call", "undo", "lookup", "fence", "still_stands", "before")
        return {name: found for name in names if (found := getattr(self, name)) is not None}


def tool(*, cls: int, **options: Any) -> Callable[[Callable[..., Any]], Tool]:
    """Make a `Tool` of the decorated function; the options are those of `Tool`."""

    def make(call: Callable[..., Any]) -> Tool:
        return Tool(call, cls=cls, **options)

    return make


def _class(name: str, cls: int) -> EffectClass:
    try:
        return EffectClass(cls)
    except ValueError:
        known = ", ".join(f"{int(c)} {c.name.lower()}" for c in EffectClass)
        raise ToolMistake(f"tool {name!r}: there is no effect class {cls!r}. There are: {known}") from None


def _takes_one(hook: Callable[..., Any]) -> bool:
    """Whether a hook can be called with one value, and with a key where it names one."""
    try:
        signature = inspect.signature(hook)
    except (TypeError, ValueError):
        return True  # nothing can be said of it
    try:
        signature.bind(None, **({KEY: ""} if takes_key(hook) else {}))
    except TypeError:
        return False
    return True


def _check(made: Tool) -> None:
    where = f"tool {made.name!r} of class {int(made.cls)}"
    if made.cls.is_undone and made.undo is None:
        raise ToolMistake(f"{where} has no undo. Pass undo=..., or declare class 5 if nothing takes it back")
    if not made.cls.is_undone and made.undo is not None:
        raise ToolMistake(f"{where} has an undo that would never run. Declare class 3 or 4, or leave it out")
    if made.approval and made.cls is not EffectClass.IRREVERSIBLE:
        raise ToolMistake(f"{where}: approval=True is for class 5: what can be undone needs none")
    for name, hook in made.hooks().items():
        if name != "call" and not _takes_one(hook):
            given = "the arguments" if name == "before" else "a Step"
            raise ToolMistake(f"{where}: {name} is called with {given}, which {hook} does not take")
    longest = (made.retry.attempts - 1) * (made.retry.wait_max_s + made.retry.jitter_s)
    if made.keyed and made.key_lifetime_s is not None and longest >= made.key_lifetime_s:
        raise ToolMistake(
            f"{where}: its last attempt may come {longest:g} s after the first, and the service forgets keys "
            f"after {made.key_lifetime_s:g} s, so it might be applied twice. Wait less, or try less often"
        )
    if made.undo_retry.attempts < made.retry.attempts:
        raise ToolMistake(
            f"{where}: its undo gets {made.undo_retry.attempts} attempts, the call {made.retry.attempts}. "
            "Give the undo at least as many"
        )
