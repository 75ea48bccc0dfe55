"""What a package needs to bring planted bugs of its own: `sagaproof selfcheck` finds them by entry points.

Register a `Planted`, a list of them, or a function that returns one of these in the group
`sagaproof.planted`.
"""

from __future__ import annotations

from sagaproof._search.planted import Planted

__all__ = ["Planted"]
