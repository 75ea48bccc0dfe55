"""How often each sometimes property was reached in a campaign, by which run first, and how near it came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sagaproof._checks.protocol import Facts, RunName
from sagaproof._model.history import History
from sagaproof._model.script import OPAQUE
from sagaproof._search.gaps import Gap
from sagaproof._search.settings import Settings
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof.errors import UsageError, suggest

__all__ = ["Reached", "SometimesCount", "never_reached"]

State: TypeAlias = Literal["reached", "not reached", "too few faults", "not applicable"]

OnBroken = Callable[[str, str], None]
"""Told in a sentence of a property that broke, and by what name that is told only once."""


@dataclass(slots=True)
class SometimesCount:
    """How often a sometimes property was reached.

    `best` is how many of its `stages` the run that got furthest met, and `run` the first that got as far,
    the `number`-th of the campaign.
    `applies` says whether the saga can get there, `too_few` that this takes more faults than were allowed.
    """

    stages: tuple[str, ...]
    count: int = 0
    best: int = 0
    run: RunName | None = None
    number: int = 0
    applies: bool = True
    too_few: bool = False

    @property
    def state(self) -> State:
        """Reached, or why not."""
        if self.count:
            return "reached"
        if not self.applies:
            return "not applicable"
        return "too few faults" if self.too_few else "not reached"

    @property
    def is_missed(self) -> bool:
        """Whether the campaign should have reached it, and did not."""
        return self.state == "not reached"


class Reached:
    """The counts of one campaign. A property that breaks is told to `on_broken`, and asked no more.

    Raises `UsageError` if the settings require one that is not there.
    """

    def __init__(self, properties: Sequence[Sometimes], settings: Settings, on_broken: OnBroken) -> None:
        self._settings = settings
        self._on_broken = on_broken
        self._known = tuple(properties)
        self.counts = {one.slug: SometimesCount(one.words) for one in properties}
        self._require_known()
        self._wholes = [len(one.stages) for one in self._known]
        self._broken: set[str] = set()

    def observe(self, history: History, number: int = 0) -> None:
        """Count one run, the `number`-th."""
        self.count(self.met(history), (history.script.name, history.plan), number)

    def met(self, history: History) -> tuple[int, ...]:
        """How many stages of each property a run has met, in the order of `counts`."""
        return tuple(self._met(one, history) for one in self._known)

    def _met(self, one: Sometimes, history: History) -> int:
        """The stages that it has met; -1 for one that has broken."""
        if one.slug in self._broken:
            return -1
        try:
            return one.reached(history)
        except Exception as error:  # noqa: BLE001  # one of the user's must not take the findings along
            self._note_broken(one, f"under plan '{history.plan}'", error)
            return -1

    def count(self, met: Sequence[int], run: RunName, number: int = 0) -> None:
        """Count what the `number`-th run has met."""
        for stages, (slug, count), whole in zip(met, self.counts.items(), self._wholes, strict=True):
            if stages < 0:
                self._broken.add(slug)
            if slug in self._broken:
                continue
            if stages == whole:
                count.count += 1
            if stages > count.best:
                count.best, count.run, count.number = stages, run, number

    def conclude(self, facts: Facts) -> dict[str, SometimesCount]:
        """All counts, with what is said of each: whether this campaign could have reached it."""
        for one in self._known:
            count = self.counts[one.slug]
            count.too_few = self._settings.faults < one.faults_needed
            try:
                count.applies = bool(one.applies(facts))
            except Exception as error:  # noqa: BLE001  # as above
                self._note_broken(one, "when asked whether it applies", error)
        return self.counts

    def missed(self) -> Iterator[Gap]:
        """Those that are required, could have been reached and were not, each in a sentence."""
        for slug, count in self.counts.items():
            if self._is_required(slug) and count.is_missed:
                yield Gap("sometimes", slug, never_reached(slug, count), spoils=True)

    def idle(self) -> Iterator[Gap]:
        """Those that are required by name and could not be reached here, each in a sentence."""
        if not isinstance(self._settings.require_sometimes, bool):
            for slug in self._settings.require_sometimes:
                count = self.counts[slug]
                if not count.count and not count.is_missed:
                    text = f"sometimes {slug} is required, and was not reached: {count.state}"
                    yield Gap("sometimes", slug, text, spoils=False)

    def _is_required(self, slug: str) -> bool:
        required = self._settings.require_sometimes
        return required if isinstance(required, bool) else slug in required

    def _require_known(self) -> None:
        required = self._settings.require_sometimes
        for slug in () if isinstance(required, bool) else required:
            if slug not in self.counts:
                raise UsageError(
                    f"require_sometimes names {slug!r}, which is no sometimes property",
                    advice=suggest(slug, self.counts),
                )

    def _note_broken(self, one: Sometimes, when: str, error: Exception) -> None:
        self._broken.add(one.slug)
        text = f"sometimes {one.slug} broke {when}: {type(error).__name__}: {error}"
        self._on_broken(text, f"sometimes {one.slug}")


def never_reached(slug: str, count: SometimesCount) -> str:
    """One line on a state that should have been reached."""
    return f"sometimes {slug} was never reached: {_how_near(count)}"


def _how_near(count: SometimesCount) -> str:
    """The best partial: how many stages, what was missing next, and the run that got there."""
    missing = f"no run met '{count.stages[count.best]}'"
    if not count.best or count.run is None:
        return f"0 of {len(count.stages)}, {missing}"
    script, plan = count.run
    where = f"under {str(plan) or 'no fault'}" + ("" if script == OPAQUE.name else f" ({script})")
    met = " and ".join(f"'{words}'" for words in count.stages[: count.best])
    return f"{count.best} of {len(count.stages)}, {met} {where}, but {missing}"
