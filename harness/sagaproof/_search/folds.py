"""The checks that compare the runs of a campaign: fed each history once, asked for a verdict at the end."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping

from sagaproof._checks.campaign_check import CampaignCheck, Check, Fold, JoinedFold
from sagaproof._checks.protocol import Verdict, verdict_of
from sagaproof._model.finding import Finding, FindingKey
from sagaproof._model.history import History
from sagaproof._model.script import Script
from sagaproof._search.record import Book

__all__ = ["Folds", "finding_over_runs"]

OnBroken = Callable[[Check, str, Exception], None]
"""Told of a check that broke, when, and by what."""


class Folds:
    """What one campaign comes to for each of its checks that compare runs.

    One that breaks is told to `on_broken` and left out from then on: it has missed a run.
    """

    def __init__(self, checks: Iterable[Check], on_broken: OnBroken) -> None:
        self._on_broken = on_broken
        self._going: dict[str, tuple[CampaignCheck, Fold]] = {}
        for check in checks:
            if isinstance(check, CampaignCheck):
                try:
                    self._going[check.slug] = (check, check.begin())
                except Exception as error:  # noqa: BLE001  # a check that breaks must not take the findings along
                    on_broken(check, "at its beginning", error)

    @property
    def checks(self) -> tuple[CampaignCheck, ...]:
        """Those that are going."""
        return tuple(check for check, _ in self._going.values())

    def observe(self, history: History) -> None:
        """Let each take in one run."""
        self._observe(history, tuple(self._going))

    def _observe(self, history: History, slugs: Iterable[str]) -> None:
        for slug in slugs:
            check, fold = self._going[slug]
            try:
                fold.observe(history)
            except Exception as error:  # noqa: BLE001  # as above
                del self._going[slug]
                self._on_broken(check, f"over plan '{history.plan}'", error)

    def hand_over(self) -> tuple[dict[str, Fold], frozenset[str]]:
        """Those that can be joined to what was seen before, by slug, and the names of the others."""
        joinable = {slug: fold for slug, (_, fold) in self._going.items() if isinstance(fold, JoinedFold)}
        return dict(joinable), frozenset(self._going.keys() - joinable.keys())

    def join(self, later: Mapping[str, Fold], histories: Iterable[History], going: Container[str]) -> None:
        """Take in what was seen elsewhere of the runs that came next.

        That is what `hand_over` gave there, the histories for those that can only be fed, and which of them
        were still `going`.
        """
        for slug in [slug for slug in self._going if slug not in going]:
            del self._going[slug]
        for slug, fold in later.items():
            known = self._going[slug][1] if slug in self._going else None
            if isinstance(known, JoinedFold):
                known.join(fold)
        for history in histories:
            self._observe(history, [slug for slug in self._going if slug not in later])

    def conclude(self) -> Iterator[tuple[CampaignCheck, Verdict]]:
        """The verdict of each."""
        for check, fold in self._going.values():
            try:
                verdict = verdict_of(fold.conclude())
            except Exception as error:  # noqa: BLE001  # as above
                self._on_broken(check, "at the end", error)
            else:
                yield check, verdict


def finding_over_runs(
    slug: str, verdict: Verdict, books: Mapping[str, Book], scripts: Mapping[str, Script]
) -> Finding:
    """The finding of a check that compares runs. Raises `LookupError` if it names none that was made."""
    if verdict.run is None:
        msg = "violated() was given no run="
        raise LookupError(msg)
    name, plan = verdict.run
    record = books[name].by_plan[plan]
    finding = Finding(
        FindingKey(slug, tuple(where for where, _ in record.cells), record.claim),
        plan,
        scripts[name],
        verdict.claim,
        verdict.because,
        verdict.calls,
        over_runs=True,
    )
    if verdict.beside is not None:
        name, finding.twin = verdict.beside
        finding.twin_script = scripts[name]
    return finding
