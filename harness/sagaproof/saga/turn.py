"""One turn of the agent: a call, or several at once."""

from __future__ import annotations

from collections.abc import Sequence

from sagaproof.saga.admission import Call, admit
from sagaproof.saga.call import carry_out
from sagaproof.saga.core import Core
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.flight import Flight
from sagaproof.saga.result import Result

__all__ = ["call", "call_all"]


async def call(core: Core, asked: Call) -> Result:
    """Make one call."""
    flight = await admit(core, asked, alone=True)
    return _kept(core, asked, flight, await carry_out(core, flight) if isinstance(flight, Flight) else flight)


async def call_all(core: Core, asked: Sequence[Call]) -> list[Result]:
    """Make the calls of one turn at the same time; results come in the order of the calls.

    All intents are written before the first call is sent, in the order given: that is the order in which
    they count as made, and its reverse the one in which they are undone.
    """
    alone = sum(_is_write(core, one) for one in asked) < 2
    admitted: list[Flight | Result] = []
    try:
        for one in asked:
            admitted.append(await admit(core, one, alone=alone))  # noqa: PERF401 - kept if one fails
    except BaseException:
        # None of them will be sent now, so nobody is to wait for them.
        for flight in admitted:
            if isinstance(flight, Flight) and flight.step is not None:
                core.land(flight.step.call_id)
        raise
    flights = [flight for flight in admitted if isinstance(flight, Flight)]
    results = iter(await core.setup.port.gather([carry_out(core, flight) for flight in flights]))
    told = [next(results) if isinstance(one, Flight) else one for one in admitted]
    return [_kept(core, *one) for one in zip(asked, admitted, told, strict=True)]


def _kept(core: Core, asked: Call, flight: Flight | Result, result: Result) -> Result:
    """The result, of which the saga remembers what failed last: that is why its agent may give up now."""
    step = flight.step if isinstance(flight, Flight) else None
    call_id = asked.call_id if step is None else step.call_id
    name = asked.tool if call_id is None else f"{asked.tool} ({call_id})"
    core.last_failure = None if result.ok else f"{name}: {result.error}"
    return result


def _is_write(core: Core, asked: Call) -> bool:
    tool = core.setup.tools.get(asked.tool)
    return tool is not None and tool.cls is not EffectClass.READ
