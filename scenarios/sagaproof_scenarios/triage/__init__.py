"""Triage.

An agent goes through three tickets and sets the priority that each should have. Every write says how things
shall be, whatever they were: to repeat it does no harm, and there is nothing to undo. All that is needed is
to go on trying, and a person where that does not help. A saga adds nothing but the record of what was asked
for; sagaproof says so.

- `triage-convergent` is that story on the runtime.
"""

from __future__ import annotations

from sagaproof_scenarios.triage.scenarios import SCENARIOS

__all__ = ["SCENARIOS"]
