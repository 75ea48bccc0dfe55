"""The command `sagaproof`: reads arguments, calls, prints.

Exit codes: 0 clean, or as expected; 1 findings, or others than expected; 2 incomplete; 3 the harness, or
what it was told, is at fault.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sagaproof._doors import cli_gates
from sagaproof._doors.cli_comparison import EXAMPLES, SEEDS, comparison
from sagaproof._doors.cli_exit import Finished as _Finished
from sagaproof._doors.cli_explain import print_explained
from sagaproof._doors.cli_init import INIT_EPILOG, init_command
from sagaproof._doors.cli_keep import KEEP_EPILOG, keep_command
from sagaproof._doors.cli_list import inventory, print_inventory
from sagaproof._doors.cli_output import Output
from sagaproof._doors.cli_pytest import is_test, run_tests
from sagaproof._doors.cli_report import REPORT_EPILOG, report_command
from sagaproof._doors.cli_scenarios import all_that_can_run, explore_scenarios, replay_scenario
from sagaproof._doors.cli_selfcheck import checked, put_selfcheck
from sagaproof._doors.closing import Closing
from sagaproof._doors.options import Options, read, required_sometimes
from sagaproof._doors.registry import scenario
from sagaproof._doors.saga_command import saga_app
from sagaproof._report.build import build
from sagaproof._report.console import CARDS_MAX, print_scenario, print_summary
from sagaproof._report.parts import merge_reports
from sagaproof._report.schema import Report
from sagaproof._report.whole import write_reports
from sagaproof.errors import SagaproofError, UsageError

__all__ = ["main"]

_WRONG_USE: Final = 3
_EPILOG: Final = (
    "Exit codes: 0 clean, or as expected. 1 findings, or others than expected. 2 incomplete. "
    "3 a harness error or wrong use."
)
_SELFCHECK_EPILOG: Final = (
    "Exit codes: 0 all as it should be. 1 a bug missed, or seen by a wrong check, or a false alarm. "
    "3 a harness error or wrong use."
)
_EXPLAIN_EPILOG: Final = "Exit codes: 0 explained. 3 no such check, error or fault."

app = typer.Typer(
    name="sagaproof",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog=_EPILOG,
    help="Break every call of a saga, alone and in pairs, also inside the undos, and judge what is left.",
)

app.add_typer(saga_app)
app.command("init", epilog=INIT_EPILOG)(init_command)
app.command("keep", epilog=KEEP_EPILOG)(keep_command)
app.command("report", epilog=REPORT_EPILOG)(report_command)

_Report = Annotated[
    Path | None,
    typer.Option("--report", metavar="DIR", help="Write report.json, .html and console.txt there."),
]
_Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, and nothing else.")]
_Crash = Annotated[
    str | None,
    typer.Option("--crash", metavar="HOW", help="How processes die: simulated, or real, by SIGKILL."),
]
_All = Annotated[bool, typer.Option("--all", help="Print every finding in full, not the first few.")]
_Stable = Annotated[bool, typer.Option("--stable", help="No times, versions or folders in reports.")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        app(list(sys.argv[1:] if arguments is None else arguments), prog_name="sagaproof")
    except _Finished as finished:
        return int(str(finished.code))
    except SystemExit as ended:
        # Typer ends with 2 on wrong use, which here means something else.
        return _WRONG_USE if ended.code == 2 else int(ended.code or 0)
    return 0


@app.callback(invoke_without_command=True)
def _top(
    *,
    shows_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if shows_version:
        typer.echo(f"sagaproof {version('sagaproof')}")
        raise _Finished(0)


@app.command("run", epilog=_EPILOG)
def run_command(
    targets: Annotated[
        list[str] | None,
        typer.Argument(metavar="TARGET", help="Scenarios by name, FILE or FILE::TEST. None: all scenarios."),
    ] = None,
    *,
    faults: Annotated[int | None, typer.Option(metavar="K", help="Up to K faults in one run (2).")] = None,
    statuses: Annotated[
        str | None, typer.Option(metavar="WHICH", help="representative (503, 422) or all.")
    ] = None,
    durations: Annotated[
        str | None, typer.Option(metavar="LIST", help="Of once, twice, all; joined by commas.")
    ] = None,
    runs: Annotated[int | None, typer.Option(metavar="N", help="End each after N runs.")] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="End each after S seconds.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Chooses what is audited.")] = None,
    require_sometimes: Annotated[
        str | None,
        typer.Option(metavar="WHICH", help="States to be reached: all, none, or slugs joined by commas."),
    ] = None,
    crash: _Crash = None,
    coverage: Annotated[
        bool | None, typer.Option("--coverage", help="Tell which undo lines no fault has reached.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="N/OF", help="Count a share of the plans: 3/10 is the third of ten.")
    ] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="Explore in N processes (1).")] = None,
    executor: Annotated[
        str | None, typer.Option(metavar="URL", help="Explore on a cluster: dask://HOST:PORT.")
    ] = None,
    report: _Report = None,
    junit: cli_gates.Junit = None,
    markdown: cli_gates.Markdown = None,
    fail_under: cli_gates.FailUnder = None,
    require: cli_gates.Require = None,
    baseline: cli_gates.Baseline = None,
    write_baseline: cli_gates.WriteBaseline = None,
    accept: Annotated[bool, typer.Option("--accept", help="Make what is found what is expected.")] = False,
    show_all: _All = False,
    as_json: _Json = False,
    stable: _Stable = False,
) -> None:
    """Explore scenarios, or the @explore tests of a file, and say what is left wrong."""
    output = Output(as_json=as_json, show_all=show_all)
    given: dict[str, object] = {"faults": faults, "statuses": statuses, "runs": runs, "seconds": seconds}
    given |= {"seed": seed, "durations": None if durations is None else tuple(durations.split(","))}
    given |= {"crash": crash, "shard": shard, "coverage": coverage, "workers": workers, "executor": executor}
    given["require_sometimes"] = None if require_sometimes is None else required_sometimes(require_sometimes)
    given = {name: value for name, value in given.items() if value is not None}

    def work() -> Report:
        options: Options = read(Options, given, "on the command line")
        closing = Closing.read(
            fail_under=fail_under,
            require=cli_gates.split(require),
            baseline=baseline,
            write_baseline=write_baseline,
            junit=junit,
            markdown=markdown,
        )
        tests = [target for target in targets or () if is_test(target)]
        names = [target for target in targets or () if not is_test(target)]
        if accept and tests:
            raise UsageError("--accept is for scenarios", advice=f"Leave out {tests[0]}.")
        chosen = [scenario(name) for name in names] if targets else all_that_can_run(output)
        if not chosen and not tests:
            raise UsageError(
                "no scenario is registered", advice="Install a package with some, or name a test."
            )
        reports = (
            [run_tests(tests, options, closing=closing, stable=stable, show_all=show_all)] if tests else []
        )
        outcomes = explore_scenarios(chosen, options, output, accept=accept)
        reports += [closing.judged(build(outcomes, stable=stable))] if outcomes else []
        gates = tuple(gate for one in reports for gate in one.gates)
        found = merge_reports(reports).model_copy(update={"gates": gates})
        for line in (*closing.write(found), *closing.summarize(found)):
            output.err.print(line, soft_wrap=True)
        return found

    raise _Finished(_finish(output, work, report, in_full=len(targets or ()) == 1))


@app.command("replay", epilog=_EPILOG)
def replay_command(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The name of a scenario, or FILE::TEST.")],
    plan: Annotated[str, typer.Argument(metavar="PLAN", help="Such as mail.send.1=503; '' is no fault.")],
    *,
    script: Annotated[str | None, typer.Option(metavar="NAME", help="The script of the agent.")] = None,
    crash: _Crash = None,
    report: _Report = None,
    show_all: _All = False,
    as_json: _Json = False,
    stable: _Stable = False,
) -> None:
    """Run one plan, as printed beside a finding, and judge it."""
    output = Output(as_json=as_json, show_all=show_all)

    def work() -> Report:
        given = {} if crash is None else {"crash": crash}
        options: Options = read(Options, given, "on the command line")
        if is_test(target):
            return run_tests([target], options, plan=plan, script=script, stable=stable, show_all=show_all)
        return build([replay_scenario(scenario(target), plan, script, options)], stable=stable)

    raise _Finished(_finish(output, work, report, in_full=True))


@app.command("selfcheck", epilog=_SELFCHECK_EPILOG)
def selfcheck_command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Planted bugs by id, such as M22. None: all.")
    ] = None,
    *,
    with_ablation: Annotated[
        bool, typer.Option("--ablation/--no-ablation", help="Also without each family of faults in turn.")
    ] = True,
    with_baseline: Annotated[
        bool, typer.Option("--baseline", help="Also by single errors and by a plain Hypothesis test.")
    ] = False,
    examples: Annotated[
        list[int], typer.Option("--examples", metavar="N", help="Examples of that test; may be repeated.")
    ] = list(EXAMPLES),  # noqa: B006  # typer makes a new one
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="N", help="So often, with seeds from 0 on.")
    ] = SEEDS,
    as_json: _Json = False,
) -> None:
    """Try every planted bug and every control: whether the checks see what they are for, and nothing else."""
    output = Output(as_json=as_json)
    try:
        with output.guarded():
            result = checked(names or (), output, with_ablation=with_ablation)
            beside = comparison(result, examples, seeds, output) if with_baseline else None
    except SagaproofError as error:
        output.err.print(f"error: {error}", soft_wrap=True)
        raise _Finished(_WRONG_USE) from error
    put_selfcheck(result, output, beside)
    false_alarm = beside is not None and bool(beside.false_alarms)
    raise _Finished(max(result.exit_code, int(false_alarm)))


@app.command("explain", epilog=_EXPLAIN_EPILOG)
def explain_command(
    slug: Annotated[
        str | None,
        typer.Argument(
            metavar="SLUG", help="A check, an error, or a fault as in a plan. None: list all checks."
        ),
    ] = None,
) -> None:
    """Explain a check (its meaning, a bug, the fix, when to turn it off), an error or a fault."""
    output = Output(as_json=False)
    try:
        print_explained(slug, output.out)
    except SagaproofError as error:
        output.err.print(f"error: {error}", soft_wrap=True)
        raise _Finished(_WRONG_USE) from error


@app.command("list")
def list_command(
    *,
    faults: Annotated[bool, typer.Option("--faults", help="Also which fault fits which operation.")] = False,
    as_json: _Json = False,
) -> None:
    """List scenarios with their stories, systems with their operations, and checks."""
    output = Output(as_json=as_json)
    try:
        with output.guarded():
            data = inventory(faults=faults)
    except SagaproofError as error:
        output.err.print(f"error: {error}", soft_wrap=True)
        raise _Finished(_WRONG_USE) from error
    if as_json:
        typer.echo(json.dumps(data, indent=1, ensure_ascii=False))
    else:
        print_inventory(data, output.out)


def _finish(output: Output, work: Any, folder: Path | None, *, in_full: bool) -> int:
    """Do the work, write and print its report, and give the exit code."""
    try:
        with output.guarded():
            report: Report = work()
        if folder is not None:
            for path in write_reports(report, folder):
                output.err.print(f"report: {path}", soft_wrap=True)
    except SagaproofError as error:
        report = Report(problems=(str(error),))
    if output.as_json:
        output.put(report)
    else:
        _print(report, output, in_full=in_full)
    return report.exit_code


def _print(report: Report, output: Output, *, in_full: bool) -> None:
    for one in report.scenarios:
        # Tests were printed by pytest; what is as expected is told in full only if it was asked for alone.
        if not is_test(one.name) and (in_full or (one.findings and not one.expected_met)):
            cards = len(one.findings) if output.show_all else CARDS_MAX
            print_scenario(one, output.out, cards=cards, see="--all")
            output.out.print()
    if not report.scenarios:
        for problem in report.problems:
            output.err.print(f"error: {problem}", soft_wrap=True)
        return
    print_summary(report, output.out)
