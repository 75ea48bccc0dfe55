"""How often each sometimes property was reached in a campaign, by which run first, and how near it came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sagaproof._checks.protocol import Facts, RunName
from sagaproof._model.history import History
from sagaproof._model.script import OPAQUE
from sagaproof._search.settings import Settings
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof.errors import UsageError, suggest

__all__ = ["Reached", "SometimesCount"]

State: TypeAlias = Literal["reached", "not reached", "too few faults", "not applicable"]

OnBroken = Callable[[str], None]
"""Told in a sentence of a property that broke."""


@dataclass(slots=True)
class SometimesCount:
    """How often a sometimes property was reached.

    `best` is how many of its `stages` the run that got furthest met, and `run` the first that got as far.
    `applies` says whether the saga can get there, `too_few` that this takes more faults than were allowed.
    """

    stages: tuple[str, ...]
    count: int = 0
    best: int = 0
    run: RunName | None = None
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
        self._going = [(one, self.counts[one.slug], len(one.stages)) for one in properties]

    def observe(self, history: History) -> None:
        """Count one run."""
        broken = []
        for entry in self._going:
            one, count, whole = entry
            try:
                met = one.reached(history)
            except Exception as error:  # noqa: BLE001  # one of the user's must not take the findings along
                self._note_broken(one, f"under plan '{history.plan}'", error)
                broken.append(entry)
                continue
            if met == whole:
                count.count += 1
            if met > count.best:
                count.best, count.run = met, (history.script.name, history.plan)
        for entry in broken:
            self._going.remove(entry)

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

    def missed(self) -> Iterator[str]:
        """Those that are required, could have been reached and were not, each in a sentence."""
        for slug, count in self.counts.items():
            if self._is_required(slug) and count.is_missed:
                yield f"sometimes {slug} was never reached: {_how_near(count)}"

    def idle(self) -> Iterator[str]:
        """Those that are required by name and could not be reached here, each in a sentence."""
        if not isinstance(self._settings.require_sometimes, bool):
            for slug in self._settings.require_sometimes:
                count = self.counts[slug]
                if not count.count and not count.is_missed:
                    yield f"sometimes {slug} is required, and was not reached: {count.state}"

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
        self._on_broken(f"sometimes {one.slug} broke {when}: {type(error).__name__}: {error}")


def _how_near(count: SometimesCount) -> str:
    """The best partial: how many stages, what was missing next, and the run that got there."""
    missing = f"no run met '{count.stages[count.best]}'"
    if not count.best or count.run is None:
        return f"0 of {len(count.stages)}, {missing}"
    script, plan = count.run
    where = f"under {str(plan) or 'no fault'}" + ("" if script == OPAQUE.name else f" ({script})")
    met = " and ".join(f"'{words}'" for words in count.stages[: count.best])
    return f"{count.best} of {len(count.stages)}, {met} {where}, but {missing}"
