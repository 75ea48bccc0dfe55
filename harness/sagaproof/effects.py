"""What a system is told of a call: its effect, and the rows that it changed.

The methods that `meanwhile=` of an operation names are called with an `Effect`.
"""

from __future__ import annotations

from sagaproof._model.effect import Change, Effect

__all__ = ["Change", "Effect"]
