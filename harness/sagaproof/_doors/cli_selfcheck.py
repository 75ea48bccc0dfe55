"""The self-check on the command line: planted bugs tried one after the other, then family by family."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sagaproof._doors.cli_output import Output
from sagaproof._doors.registry import planted
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._machine.comparison import Comparison
from sagaproof._report import comparison_data
from sagaproof._report.comparison_text import print_comparison
from sagaproof._report.selfcheck_data import as_data
from sagaproof._report.selfcheck_text import print_selfcheck
from sagaproof._search.ablation import SelfCheck, ablation
from sagaproof._search.planted import Planted
from sagaproof._search.selfcheck import Fate, Trial, tried
from sagaproof._search.subject import Subject
from sagaproof.errors import UsageError

__all__ = ["checked", "put_selfcheck"]


def checked(names: Sequence[str], output: Output, *, with_ablation: bool = True) -> SelfCheck:
    """Try these planted bugs, or all. Raises `UsageError` if there are none."""
    chosen = planted(names)
    if not chosen:
        raise UsageError(
            "no planted bug is registered",
            advice="Install a package that has some, such as sagaproof itself.",
        )
    trials = [_trial(one, output) for one in chosen]
    return SelfCheck(trials, ablation(trials, _subject) if with_ablation else ())


def put_selfcheck(result: SelfCheck, output: Output, beside: Comparison | None = None) -> None:
    """Print it, and what was compared with it; as one JSON object if that is asked for."""
    if output.as_json:
        data = as_data(result)
        if beside is not None:
            data["baseline"] = comparison_data.as_data(beside)
        output.put_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
        return
    print_selfcheck(result, output.out)
    if beside is not None:
        output.out.print()
        print_comparison(beside, output.out)


def _trial(one: Planted, output: Output) -> Trial:
    if one.deferred:
        return Trial(one, Fate.DEFERRED, {})
    if output.err.is_terminal:
        output.err.print(f"{one.id}: {one.story}", soft_wrap=True)
    return tried(one, _subject(one))


def _subject(one: Planted) -> Subject:
    assert one.scenario is not None
    return subject_of_scenario(one.scenario)
