"""Planted bugs: one right saga, and for each class of saga bug a variant that has it.

A variant changes one thing of `Reference`; its class says in a sentence what. `sagaproof selfcheck` tries
them all, and the controls, which are right and must not be complained of.
"""

from __future__ import annotations

from sagaproof_scenarios.planted import (
    cancelling,
    controls,
    keys,
    landing,
    leasing,
    lodging,
    pivots,
    recovering,
    registering,
    replaying,
    second_thoughts,
    selling,
    storing,
    telling,
    undoing,
)

__all__ = ["PLANTED"]

PLANTED = [
    *keys.PLANTED,
    *replaying.PLANTED,
    *registering.PLANTED,
    *undoing.PLANTED,
    *recovering.PLANTED,
    *landing.PLANTED,
    *leasing.PLANTED,
    *pivots.PLANTED,
    *lodging.PLANTED,
    *selling.PLANTED,
    *cancelling.PLANTED,
    *storing.PLANTED,
    *telling.PLANTED,
    *second_thoughts.PLANTED,
    *controls.CONTROLS,
    *leasing.CONTROLS,
    *storing.CONTROLS,
    *second_thoughts.CONTROLS,
]
