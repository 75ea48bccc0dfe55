"""The strategies of one machine: calls, faults and what others do, each from a list that is known before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st

from sagaproof._machine.trials import Trials
from sagaproof._machine.vocabulary import Vocabulary, Words

__all__ = ["Choices"]

Asked = tuple[str, Mapping[str, Any]]

_WAITS: Final = (1.0, 60.0, 3600.0, 6 * 3600.0)

_ALWAYS: Final[Mapping[str, st.SearchStrategy[Any]]] = {
    "back": st.integers(0, 3),
    "nth": st.sampled_from((0, 0, 0, 1, 1, 2, 3, 5)),
    "anew": st.sampled_from((True, True, False)),
    "coin": st.booleans(),
    "seconds": st.sampled_from(_WAITS),
}
"""Choices that are the same in every machine."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Simplest first in each, for that is where Hypothesis shrinks to. Without anything to choose: `nothing`.

    `turns` of a script that is known, if there is one. `tolerant` is said of several calls in one turn, where
    these come to the same every time.
    """

    turns: st.SearchStrategy[int]
    call: st.SearchStrategy[Asked]
    irreversible: st.SearchStrategy[Asked]
    write: st.SearchStrategy[Asked]
    fault: st.SearchStrategy[tuple[str, int]]
    crash: st.SearchStrategy[tuple[str, int]]
    cancel: st.SearchStrategy[tuple[str, int]]
    tolerant: st.SearchStrategy[bool]

    def values(self, names: Sequence[str]) -> st.SearchStrategy[tuple[Any, ...]]:
        """One of each of these choices, as rules name them; `nothing` if one of them is."""
        return st.tuples(*(_ALWAYS[name] if name in _ALWAYS else getattr(self, name) for name in names))

    @classmethod
    def of(cls, vocabulary: Vocabulary, trials: Trials) -> Choices:
        """The choices that a vocabulary and the faults of a campaign leave."""
        kinds = trials.kinds
        final = {name: args for name, args in vocabulary.tools.items() if name in vocabulary.irreversible}
        return cls(
            st.integers(1, 4) if vocabulary.scripts else st.nothing(),
            _asked(vocabulary.tools),
            _asked(final),
            _asked(vocabulary.writes),
            st.one_of(
                _one_of(trials.core_kinds),
                _one_of(trials.core_kinds),
                _one_of(trials.plain_kinds),
                _one_of(kinds),
            ),
            _one_of([kind for kind in kinds if trials.kills(kind[0])]),
            _one_of([kind for kind in kinds if trials.cancels(kind[0])]),
            st.booleans() if trials.is_orderly else st.nothing(),
        )


def _one_of(these: Sequence[tuple[str, int]]) -> st.SearchStrategy[tuple[str, int]]:
    return st.sampled_from(these) if these else st.nothing()


def _asked(words: Words) -> st.SearchStrategy[Asked]:
    """One draw for a whole call: each tool as likely, and half of its calls as sensible as can be."""
    calls = [list(_calls(name, args)) for name, args in words.items()]
    most = max(map(len, calls), default=0)
    evenly = [found[n % len(found)] for n in range(most) for found in calls if found]
    return st.sampled_from(evenly) if evenly else st.nothing()


def _calls(name: str, args: Mapping[str, Sequence[Any]]) -> Iterator[Asked]:
    """With the first value of each argument, by turns with each other value of one or two neighbours.

    With several at random hardly any call would go through.
    """
    usual = {arg: values[0] for arg, values in args.items()}
    yield name, usual
    names = list(args)
    for i, arg in enumerate(names):
        for n, value in enumerate(args[arg][1:], start=1):
            yield name, {**usual, arg: value}
            yield name, usual
            follower = names[(i + 1) % len(names)]
            if follower != arg and len(args[follower]) > 1:
                others = args[follower]
                yield name, {**usual, arg: value, follower: others[1 + n % (len(others) - 1)]}
                yield name, usual
