"""What `@explore` keeps of a test: its body and the options that stand in its decorator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sagaproof._checks.campaign_check import CampaignCheck, Check
from sagaproof._checks.protocol import RunCheck
from sagaproof._checks.retry_budgets import RetryBudgets
from sagaproof._doors.conditions import conditions_of
from sagaproof._doors.options import Options, settings_of
from sagaproof._doors.registry import SystemSpec
from sagaproof._drivers.fed import FedSaga
from sagaproof._model.event import Called
from sagaproof._model.script import Script
from sagaproof._search.settings import Settings
from sagaproof._sometimes.sometimes import Sometimes
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import UsageError

__all__ = ["MARK", "Exploration", "exploration_of"]

MARK = "sagaproof_exploration"
"""The attribute by which the plugin knows an explored test without importing anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exploration:
    """A body and its options; see `explore` for what they mean."""

    body: Callable[..., Any]
    options: Options = field(default_factory=Options)
    claim: Callable[[Any], object] | None = None
    invariants: tuple[Callable[[WorldHandle], object], ...] = ()
    independent: tuple[tuple[str, str], ...] = ()
    attempts: Mapping[str, int] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    sometimes: tuple[Sometimes, ...] = ()
    skip_checks: Mapping[str, str] = field(default_factory=dict)
    systems: Sequence[SystemSpec] | None = None
    hosts: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    allow_hosts: tuple[str, ...] = ()
    allow_fixtures: bool | frozenset[str] = False
    when: Mapping[str, Callable[[Called], bool]] = field(default_factory=dict)
    agent: Callable[..., FedSaga] | None = None
    recover: Callable[..., Any] | None = None
    scripts: tuple[Script, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.scripts) != (self.agent is not None):
            raise UsageError(
                "scripts= and agent= belong together",
                where=self.name,
                advice="agent= makes what is fed the calls of scripts=. Without both, the body is the saga.",
            )
        if self.agent is not None and inspect.iscoroutinefunction(self.body):
            raise UsageError(
                "the body is only the set-up of each run, and cannot be async",
                where=self.name,
                advice="Write it with `def`; the agent itself may be async.",
            )
        for check in self.checks:
            if not isinstance(check, RunCheck | CampaignCheck):
                raise UsageError(
                    f"checks= holds {check!r}, which is no check",
                    where=self.name,
                    advice="A check has a slug, applies(facts) and judge(history); see sagaproof.RunCheck. "
                    "One that compares runs has begin() instead; see sagaproof.CampaignCheck.",
                )
        for one in self.sometimes:
            if not isinstance(one, Sometimes):
                raise UsageError(
                    f"sometimes= holds {one!r}, which is no sometimes property",
                    where=self.name,
                    advice="Make it with sagaproof.sometimes.Sometimes.",
                )
        self.conditioned(settings_of([self.options]))  # whatever is wrong with them shows here
        RetryBudgets(self.attempts)

    @property
    def name(self) -> str:
        """The module and name of the body."""
        return f"{self.body.__module__}::{self.body.__qualname__}"

    def conditioned(self, settings: Settings) -> Settings:
        """These settings, with faults on certain calls only as `when=` says."""
        return replace(settings, when=conditions_of(self.when)) if self.when else settings

    @property
    def notes(self) -> list[str]:
        """What a report must not keep to itself: the checks that are left out."""
        return [f"check {slug} is skipped: {reason}" for slug, reason in self.skip_checks.items()]

    @property
    def site(self) -> tuple[str, int]:
        """The file and line (from 1) of the body."""
        code = self.body.__code__
        return code.co_filename, code.co_firstlineno


def exploration_of(function: object) -> Exploration | None:
    """What `@explore` kept of a test, a bound one too; None for any other."""
    found = getattr(function, MARK, None)
    return found if isinstance(found, Exploration) else None
