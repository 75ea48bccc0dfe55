"""The first irreversible call: let through only when all that could be undone is settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sagaproof.saga.core import Core, copied, described
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.resolve import resolve
from sagaproof.saga.result import Outcome
from sagaproof.saga.state import SagaState, StepState
from sagaproof.saga.step import Step
from sagaproof.saga.tool import Tool

__all__ = ["PivotView", "left_open", "made_good", "refusal", "unsettled", "view_of", "went_well"]


@dataclass(frozen=True, slots=True)
class PivotView:
    """What `before_pivot` is shown: the irreversible call that is asked for, and what was done so far."""

    saga: str
    goal: str | None
    tool: str
    args: dict[str, Any]
    done: tuple[Step, ...]


async def refusal(core: Core, tool: Tool, args: dict[str, Any], *, alone: bool) -> str | None:
    """Why an irreversible call is not let through now; None if it is."""
    if not alone:
        return f"{tool.name} is irreversible: call it alone, when the other calls of this turn have ended"
    if core.flying:
        return unsettled(core)
    open_before = left_open(core.state)
    for step in open_before:
        await resolve(core, step, fence=True)
    return unsettled(core) or _news(open_before) or await _objection(core, tool, args)


def unsettled(core: Core) -> str | None:
    """What keeps an irreversible call back: calls in flight, calls of unknown outcome."""
    if core.flying:
        return f"still in flight: {', '.join(sorted(core.flying))}. Wait for their results"
    names = [f"{step.tool} ({step.call_id})" for step in left_open(core.state)]
    if not names:
        return None
    return f"it is unknown whether these were applied: {', '.join(names)}. Nothing irreversible before that"


def _news(steps: list[StepState]) -> str | None:
    """What the agent has to know first: calls that it took for possible turn out not to be there."""
    names = [f"{step.tool} ({step.call_id})" for step in steps if step.outcome is Outcome.FAILED]
    return f"first of all: these were not applied after all: {', '.join(names)}" if names else None


def left_open(state: SagaState) -> list[StepState]:
    """The steps of unknown outcome, but for convergent ones that were repeated with success."""
    return [
        step
        for step in state.unsettled.values()
        if step.cls is not EffectClass.CONVERGENT or not made_good(state, step)
    ]


def made_good(state: SagaState, step: StepState) -> bool:
    """Whether the same call went well later."""
    later = False
    for other in state.steps.values():
        if later and went_well(other, step.tool, step.args):
            return True
        later = later or other is step
    return False


def went_well(step: StepState, tool: str, args: dict[str, Any]) -> bool:
    """Whether a step is this call and was applied."""
    return step.tool == tool and step.outcome is Outcome.OK and step.args == args


def view_of(core: Core, tool: Tool, args: dict[str, Any]) -> PivotView:
    """What the user's checks are shown of a call that is asked for."""
    done = tuple(core.view(s) for s in core.state.steps.values() if s.outcome is Outcome.OK)
    return PivotView(core.state.id, core.state.goal, tool.name, copied(args), done)


async def _objection(core: Core, tool: Tool, args: dict[str, Any]) -> str | None:
    """What the user's own check says."""
    check = core.setup.before_pivot
    if check is None:
        return None
    view = view_of(core, tool, args)
    try:
        said = await core.setup.port.call(check, view)
    except Exception as error:  # noqa: BLE001 - a check that fails has not said yes
        return f"{tool.name} was held back: {described(error)}"
    if said is None:
        return None
    return f"{tool.name} was held back: {said}"
