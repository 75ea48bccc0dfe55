"""One undo: written down before and after, tried on its own terms, believed when the effect is gone."""

from __future__ import annotations

from functools import partial

from sagaproof.saga.classify import Verdict
from sagaproof.saga.core import Core, described
from sagaproof.saga.errors import NothingToUndo
from sagaproof.saga.resolve import ask, resolve
from sagaproof.saga.result import Outcome
from sagaproof.saga.schema import KEY
from sagaproof.saga.state import StepState, UndoState
from sagaproof.saga.tool import Tool
from sagaproof.saga.trial import Trial

__all__ = ["undo"]


class _StillStands(Exception):
    """The undo reported success, and a look shows the effect where it was."""


class _NotVerified(Exception):
    """The undo reported success, and whether the effect is gone could not be read."""


class _Contradiction(Exception):
    """The service knows nothing of an effect that it has acknowledged: a wrong address looks the same."""


async def undo(core: Core, step: StepState) -> None:
    """Undo a step, or write down why it is not undone. Safe to repeat after a crash at any moment."""
    tool = core.tool(step)
    if tool is None or tool.undo is None:
        return _give_up(core, step, f"no tool {step.tool!r} with an undo is registered", 0, unclear=False)
    was_sent = step.undo_state is UndoState.UNDOING
    if was_sent and not _may_be_sent_again(core, tool, step):
        return await _look_after_crash(core, tool, step)
    if not was_sent:
        if not await _is_there(core, tool, step):
            return None
        core.write("undoing", {"call_id": step.call_id, "at": core.setup.clock()})
    return await _try(core, tool, step, was_sent=was_sent)


def _may_be_sent_again(core: Core, tool: Tool, step: StepState) -> bool:
    if not tool.undo_repeatable:
        return False
    return not tool.undo_takes_key or core.is_remembered(tool, step.undoing_at)


async def _is_there(core: Core, tool: Tool, step: StepState) -> bool:
    """Whether there is an effect, or may be one that the undo by its key would fence off."""
    cannot_look = tool.still_stands is None or step.is_unsettled
    if tool.undo_by_key and not core.is_remembered(tool, step.at) and cannot_look:
        _give_up(core, step, "the service may have forgotten its key, by which it would be undone", 0)
        return False
    if (
        not step.is_unsettled
        or tool.undo_by_key
        or (step.partial and (step.ref is not None or tool.ref is None))
    ):
        return True
    await resolve(core, step, fence=True)
    if step.is_unsettled:
        why = step.error or "nothing was heard of it"
        _give_up(core, step, f"whether it was applied cannot be found out ({why})", 0)
    return step.outcome is Outcome.OK


async def _try(core: Core, tool: Tool, step: StepState, *, was_sent: bool) -> None:
    usual = core.judge(tool, undo=True)

    def is_first() -> bool:
        """Whether the effect is known to be there, and no undo can have reached it yet."""
        return step.outcome is Outcome.OK and trial.count == 1 and not was_sent

    async def once() -> str:
        how = "undone"
        try:
            await core.send(_call_of(core, tool, step))
        except Exception as error:
            if usual(error) is not Verdict.NOTHING:
                raise
            if is_first() and not isinstance(error, NothingToUndo) and tool.still_stands is None:
                raise _Contradiction(
                    f"it was applied, yet its undo found nothing ({described(error)})"
                ) from error
            how = f"nothing to undo ({described(error)})"
        await _check_gone(core, tool, step)
        return how

    def judge(error: Exception) -> Verdict:
        if isinstance(error, _NotVerified | _Contradiction):
            return Verdict.DEFINITE
        return Verdict.AMBIGUOUS if isinstance(error, _StillStands) else usual(error)

    trial = Trial(
        once,
        tool.undo_retry,
        judge,
        core.setup.clock,
        repeatable=tool.undo_repeatable,
        remembered=lambda: _may_be_sent_again(core, tool, step),
    )
    trial.doubtful = was_sent
    # A person may have it tried again sooner than the service asked for when it was given up.
    asked = step.undo_key
    await trial.run(core.setup.port, not_before=core.again_at.pop(asked, 0.0))
    if trial.again_at:
        core.again_at[asked] = trial.again_at
    await _record(core, tool, step, trial)


def _call_of(core: Core, tool: Tool, step: StepState) -> partial[object]:
    assert tool.undo is not None
    view = core.view(step)
    keyed = {KEY: view.undo_key} if tool.undo_takes_key else {}
    return partial(tool.undo, view, **keyed)


async def _check_gone(core: Core, tool: Tool, step: StepState) -> None:
    stands = await _stands(core, tool, step)
    if stands is True:
        raise _StillStands("the undo was answered with success, but the effect still stands")
    if stands is not False and tool.still_stands is not None:
        raise _NotVerified(f"the undo was answered with success, but it could not be verified: {stands}")


async def _stands(core: Core, tool: Tool, step: StepState) -> bool | str | None:
    """Whether the effect is there; None if nobody can look, text if looking failed."""
    if tool.still_stands is None:
        return None
    seen = await ask(core, tool, tool.still_stands, step)
    if seen.error is not None:
        return described(seen.error)
    return seen.answer if isinstance(seen.answer, bool) else f"still_stands returned {seen.answer!r}"


async def _record(core: Core, tool: Tool, step: StepState, trial: Trial) -> None:
    error = trial.error
    if error is None:
        return _undone(core, step, trial.answer, trial.count)
    has_looked = isinstance(error, _StillStands | _NotVerified) or step.is_unsettled
    if not has_looked and await _stands(core, tool, step) is False:
        return _undone(
            core, step, f"no longer there, although the undo ended with {described(error)}", trial.count
        )
    unclear = isinstance(error, _NotVerified | _Contradiction) or (
        trial.doubtful and not isinstance(error, _StillStands)
    )
    return _give_up(core, step, described(error), trial.count, unclear=unclear)


async def _look_after_crash(core: Core, tool: Tool, step: StepState) -> None:
    """The process died while the undo was sent, and a second one might act twice: only a look can tell."""
    if not step.is_unsettled and await _stands(core, tool, step) is False:
        return _undone(core, step, "no longer there after a restart", 0)
    why = "the process ended while it was undone; sent again it might be undone twice"
    return _give_up(core, step, why, 0)


def _undone(core: Core, step: StepState, how: str, attempts: int) -> None:
    core.write("undone", {"call_id": step.call_id, "how": how, "attempts": attempts})


def _give_up(core: Core, step: StepState, error: str, attempts: int, *, unclear: bool = True) -> None:
    core.write(
        "undo-failed",
        {"call_id": step.call_id, "error": error, "attempts": attempts, "unknown": unclear},
    )
