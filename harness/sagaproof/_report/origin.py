"""Where the figures of a scenario come from: the settings, the code, and its runs without faults."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Final

from sagaproof._model.event import Called, Ended, Told
from sagaproof._model.history import History
from sagaproof._report.schema import SettingsPart
from sagaproof._search.settings import Settings

__all__ = ["REVISION_NAMES", "fault_free_of", "revision", "settings_part"]

REVISION_NAMES: Final = ("SAGAPROOF_REVISION", "GITHUB_SHA", "CI_COMMIT_SHA")
"""The environment variables that may name the revision of the code; the first that is set counts."""


def settings_part(settings: Settings) -> SettingsPart:
    """The settings that decide which plans there are."""
    return SettingsPart(
        faults=settings.faults,
        statuses=settings.statuses,
        durations=settings.durations,
        families=settings.families,
        exclude=tuple(f"{one.operation}={one.fault}" for one in settings.exclude),
        when=tuple(one.cell for one in settings.when),
        reduce=settings.reduce,
        audit=settings.audit,
        seed=settings.seed,
        crash=settings.crash,
        require_sometimes=_required(settings.require_sometimes),
    )


def _required(required: bool | tuple[str, ...]) -> tuple[str, ...] | None:  # noqa: FBT001  # as it is set
    return required if isinstance(required, tuple) else None if required else ()


def revision() -> str | None:
    """The revision of the code, as the environment names it."""
    return next((os.environ[name] for name in REVISION_NAMES if os.environ.get(name)), None)


def fault_free_of(history: History | None) -> str | None:
    """A digest of what a run called and was told; None without a run."""
    if history is None:
        return None
    said: list[object] = []
    for event in history.events:
        if isinstance(event, Called):
            said.append((str(event.point), event.phase.value, event.key, event.args))
        elif isinstance(event, Told):
            said.append((str(event.point), str(event.learnt), event.status, event.body))
        elif isinstance(event, Ended):
            said.append((event.ending.how, event.ending.claim))
    text = json.dumps(said, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
