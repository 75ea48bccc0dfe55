"""How far a scenario is explored: `Scenario(settings=Settings(faults=1))`; `@explore` takes it by name."""

from __future__ import annotations

from sagaproof._search.settings import Exclusion, Settings

__all__ = ["Exclusion", "Settings"]
