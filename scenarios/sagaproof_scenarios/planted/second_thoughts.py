"""The bugs of `deciding.py` as the explorer sees them: each beside a script in which the agent decides so.

A machine draws these decisions; here they are given, the least that each bug takes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sagaproof import Script, ToolCall
from sagaproof.machine import IfFailed
from sagaproof.planted import Planted
from sagaproof_scenarios.planted.deciding import DECIDING

__all__ = ["CONTROLS", "PLANTED"]

_CUSTOMER: Final = ToolCall(
    "customer", {"name": "Kim", "email": "kim@example.test", "reference": "4921"}, "call_1"
)
_BOOK: Final = ToolCall(
    "book", {"debit": "receivables", "credit": "sales", "amount": 250000, "reference": "4921"}, "call_2"
)
_MAIL: Final = ToolCall(
    "mail", {"to": "kim@example.test", "subject": "Order 4921", "body": "Ready."}, "call_3"
)

_ASKS_AGAIN: Final = Script(
    "asks again under a new id", (_CUSTOMER._replace(if_failed=(_CUSTOMER._replace(call_id="call_9"),)),)
)
_GOES_ON: Final = Script(
    "goes on after a failure", (_CUSTOMER, _BOOK._replace(if_failed=IfFailed.GO_ON), _MAIL)
)
_MAILS_EARLY: Final = Script("mails in the middle", (_CUSTOMER, _MAIL, _BOOK))
_DECIDES_OTHERWISE: Final = Script("decides otherwise after a restart", (_CUSTOMER,), after_restart=(_BOOK,))
_PLANS_ANEW: Final = Script(
    "plans anew after a restart", (_CUSTOMER,), after_restart=(_CUSTOMER._replace(call_id="call_9"),)
)

_SCRIPTS: Final = {
    "A01": (_ASKS_AGAIN,),
    "A02": (_ASKS_AGAIN,),
    "A03": (_GOES_ON,),
    "A04": (_GOES_ON,),
    "A05": (_MAILS_EARLY,),
    "A06": (_DECIDES_OTHERWISE,),
    "A00": (_ASKS_AGAIN, _GOES_ON, _DECIDES_OTHERWISE, _PLANS_ANEW),
}


_FAMILIES: Final = ("crash", "lost answer", "rejection")
"""What leaves the agent of the control in the dark, or refuses it; all families would take minutes."""


def _given(planted: Planted) -> Planted:
    """The bug with the script that it takes; A07 has it from the first."""
    if planted.id not in _SCRIPTS:
        return planted
    assert planted.scenario is not None
    scenario = replace(planted.scenario, scripts=_SCRIPTS[planted.id])
    # What A05 does wrong is all the agent's decision: it takes no fault.
    faults = 0 if planted.id == "A05" else planted.faults
    return replace(
        planted, scenario=scenario, faults=faults, families=_FAMILIES if planted.is_control else ()
    )


PLANTED = tuple(_given(planted) for planted in DECIDING if not planted.is_control)
CONTROLS = tuple(_given(planted) for planted in DECIDING if planted.is_control)
