"""How much a machine tries, by the profile of Hypothesis that is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hypothesis import HealthCheck, settings
from hypothesis.errors import InvalidArgument

__all__ = ["PROFILES", "promoted_at_most", "register", "usual"]

_ALL: Final = tuple(HealthCheck)

PROFILES: Final[Mapping[str, Mapping[str, Any]]] = {
    "default": {"max_examples": 200, "stateful_step_count": 12},
    "ci": {"max_examples": 400, "stateful_step_count": 12, "derandomize": True},
    "nightly": {"max_examples": 5000, "stateful_step_count": 20},
}
"""How much a machine tries, by the profile of Hypothesis that is loaded; others count as `default`."""

_PROMOTED: Final = {"nightly": 40}
"""How many scripts that reached something new are explored with all single faults; elsewhere none."""


def register() -> None:
    """Make the names of all profiles known to Hypothesis. One that is known already stays as it is.

    What a name stands for is for machines alone: to other tests these are the default profile.
    """
    for name in PROFILES:
        try:
            settings.get_profile(name)
        except InvalidArgument:
            settings.register_profile(name, settings.get_profile("default"))


def usual() -> settings:
    """The settings of the profile that is loaded, with what a machine needs."""
    name = settings.get_current_profile_name()
    kept = PROFILES.get(name, PROFILES["default"])
    return settings(settings.get_profile(name), **kept, deadline=None, suppress_health_check=_ALL)


def promoted_at_most() -> int:
    """How many scripts are promoted under the profile that is loaded."""
    return _PROMOTED.get(settings.get_current_profile_name(), 0)
