"""What a test needs for sometimes properties of its own: `@explore(sometimes=[Sometimes(...)])`.

A `Sometimes` is a state that at least one run of a campaign should reach, in stages; each stage is a
sentence with a function of the history that says whether a run got there. The built-in ones are made of the
same.
"""

from __future__ import annotations

from sagaproof._sometimes.sometimes import Sometimes, Stage

__all__ = ["Sometimes", "Stage"]
