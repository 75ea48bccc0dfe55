"""A finding as data: what is said, how it came about, what is left, and how to see it again."""

from __future__ import annotations

from sagaproof._checks.say import effect_text
from sagaproof._model.effect import Effect
from sagaproof._model.finding import Finding
from sagaproof._model.history import History
from sagaproof._report.explanation import explain_command
from sagaproof._report.fault_words import fault_parts
from sagaproof._report.plain import one_line, plain, printable
from sagaproof._report.replay import replay_line, snippet, snippet_over_runs
from sagaproof._report.schema import Case, ErrorPart, FindingPart, Residue, Step, ToldPart, TwinPart
from sagaproof._report.sites import Sites
from sagaproof._report.timeline import timeline
from sagaproof._report.world_rows import world_rows

__all__ = ["finding_part"]


def finding_part(finding: Finding, name: str, sites: Sites) -> FindingPart:
    """The finding of the scenario `name`. Where its runs are missing, so are timeline and world."""
    history = finding.history
    steps = () if history is None else timeline(history, sites, finding.calls)
    return FindingPart(
        check=finding.check,
        claim=None if finding.claim is None else finding.claim.value,
        where=tuple(map(str, finding.key.classes)),
        says=sites.short(one_line(finding.says)),
        because=sites.short(one_line(finding.because)),
        plan=str(finding.plan),
        script=finding.script.name,
        replay=replay_line(name, finding.plan, finding.script, real=history is not None and history.killed),
        snippet=snippet_over_runs(name, finding.check)
        if finding.over_runs
        else snippet(name, finding.check, finding.plan, finding.script),
        help=explain_command(finding.check),
        over_runs=finding.over_runs,
        plans=finding.plans,
        faults=fault_parts(finding.plan, history),
        timeline=steps,
        world_diff=() if history is None else world_rows(history),
        residue=() if history is None else tuple(_residue(e, history) for e in history.residue),
        told=None if history is None else _told(history, sites),
        twin=_twin(finding, sites),
    )


def _residue(effect: Effect, history: History) -> Residue:
    return Residue(
        number=effect.call + 1,
        operation=effect.full,
        ref=effect.ref,
        amount=effect.amount,
        key=effect.key,
        effect_class=int(effect.cls),
        named=history.is_named(effect),
        text=one_line(effect_text(effect)),
    )


def _told(history: History, sites: Sites) -> ToldPart:
    ending = history.ending
    return ToldPart(
        claim=None if ending.claim is None else ending.claim.value,
        how=ending.how,
        where=sites.short(ending.where),
        errors=tuple(
            ErrorPart(
                type=error.type,
                text=sites.short(printable(error.text)),
                number=None if error.call is None else error.call + 1,
            )
            for error in ending.errors
        ),
        cases=tuple(
            Case(number=case.call + 1, operation=case.full, ref=case.ref, args=plain(case.args))
            for case in history.cases
        ),
    )


def _twin(finding: Finding, sites: Sites) -> TwinPart | None:
    if finding.twin is None:
        return None
    plan = str(finding.twin)
    script = None if finding.twin_script is None else finding.twin_script.name
    if finding.history is None or finding.twin_history is None:
        return TwinPart(plan=plan, script=script, step="", here="", there="")
    steps = timeline(finding.history, sites, fold=False)
    others = timeline(finding.twin_history, sites, fold=False)
    for position in range(max(len(steps), len(others))):
        here = steps[position] if position < len(steps) else None
        there = others[position] if position < len(others) else None
        if _gist(here) != _gist(there):
            named = here is None or there is None or here.what != there.what
            return TwinPart(
                plan=plan,
                script=script,
                step=_name(here or there),
                here=_gist(here, named=named),
                there=_gist(there, named=named),
            )
    return TwinPart(plan=plan, script=script, step="", here="", there="")


def _gist(step: Step | None, *, named: bool = True) -> str:
    if step is None:
        return "nothing more"
    told = f"told {step.told}; {step.happened}" if step.kind == "call" else step.happened
    return ": ".join(filter(None, (step.what if named or not told else "", told)))


def _name(step: Step | None) -> str:
    assert step is not None
    return step.what if step.number is None else f"{step.number} {step.what}"
