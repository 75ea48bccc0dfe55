"""The report as data: versioned, frozen, JSON all the way down. How it is made stands in `build`."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sagaproof._report.code_schema import CodePart

__all__ = [
    "SCHEMA",
    "Case",
    "CellsPart",
    "CheckPart",
    "ConflictPart",
    "ErrorPart",
    "ExclusionPart",
    "FaultPart",
    "FindingPart",
    "GapPart",
    "GatePart",
    "GridCellPart",
    "GridPart",
    "GridRowPart",
    "PrunedPart",
    "ReplayPart",
    "Report",
    "Residue",
    "ScenarioPart",
    "SettingsPart",
    "ShardPart",
    "SometimesPart",
    "Step",
    "TallyPart",
    "ToldPart",
    "TwinPart",
    "WorldRow",
]

SCHEMA: Final = "sagaproof-report/2"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PrunedPart(_Part):
    """How many plans a rule left out, and whether it is known, or only likely, that they show nothing new."""

    rule: str
    plans: int
    certainty: Literal["sound", "heuristic"]


class TallyPart(_Part):
    """The plans with k faults: reachable = run + pruned + skipped; `text` is the same as one line."""

    k: int
    reachable: int
    bound: Literal["exact", "by_rule", "lower"]
    run: int
    pruned: int
    skipped: int
    audited: int
    mismatched: int
    complete: bool
    attempted: bool
    pruned_by: tuple[PrunedPart, ...] = ()
    text: str


class CheckPart(_Part):
    """A check over all runs: in how many it held, was violated, or was not reached.

    One that compares runs is judged, and counted, once for all of them: `over_runs` is that verdict.
    """

    check: str
    state: Literal["held", "violated", "not reached", "not applicable"]
    held: int
    violated: int
    not_reached: int
    over_runs: Literal["held", "violated", "not reached"] | None = None


class SometimesPart(_Part):
    """A state that a campaign should reach: in how many runs, and how far the best of them got.

    `best` of the `stages` were met by the run of `script` under `plan`, the first that got as far; the two
    are None if no run met any. It was the `number`-th plan of the campaign.
    """

    sometimes: str
    state: Literal["reached", "not reached", "too few faults", "not applicable"]
    count: int
    best: int
    stages: tuple[str, ...]
    script: str | None
    plan: str | None
    number: int = 0


class GridCellPart(_Part):
    """A kind of fault at a class of points, in exactly one state; "not applicable" is room between cells.

    `runs` had the fault there, of which `violated` violated a check and `inert` were as without it;
    `pruned` plans were left out. `reason` says why a cell is excluded, unreachable or skipped. `plan`, of
    `script`, is the smallest plan counted of the state; of a pruned one `rule` says why it was left out, and
    `representative` is the plan that was run in its stead.
    """

    state: Literal[
        "held",
        "violated",
        "pruned",
        "inert",
        "excluded",
        "unreachable",
        "skipped",
        "not applicable",
    ]
    glyph: str
    runs: int
    violated: int
    reason: str
    inert: int = 0
    pruned: int = 0
    plan: str | None = None
    script: str | None = None
    rule: str | None = None
    representative: str | None = None


class CellsPart(_Part):
    """How many cells of the grid are in each state: total = the sum of all states.

    `covered` = held + violated + inert + pruned, of `coverable` = covered + skipped.
    """

    total: int = 0
    held: int = 0
    violated: int = 0
    inert: int = 0
    pruned: int = 0
    excluded: int = 0
    unreachable: int = 0
    skipped: int = 0
    covered: int = 0
    coverable: int = 0


class GridRowPart(_Part):
    """A class of points, with one cell for each fault of the grid.

    `step` is the place of its operation among those of the fault-free run; those that are not in it are last.
    """

    operation: str
    phase: str
    attempt: str
    position: str
    cells: tuple[GridCellPart, ...]
    step: int = 0


class GridPart(_Part):
    """Steps and phases down, kinds of fault across."""

    faults: tuple[str, ...]
    rows: tuple[GridRowPart, ...]


class ExclusionPart(_Part):
    """A fault that was left out at an operation, and why."""

    operation: str
    fault: str
    reason: str


class FaultPart(_Part):
    """A fault of a plan: its number in the plan from 1, where it is put, what it does in words."""

    number: int
    point: str
    fault: str
    text: str


class Step(_Part):
    """A row of a timeline.

    `kind` is call, landed (late), slept, wrote (by no call), broke (an invariant) or ended. A call carries
    those attempts that came in a row; `attempt` is the first of them, `number` counts logical calls from 1.
    `told` is what its client saw, `happened` what became of the effect, `remark` the same in a word or two.
    `undoes` is the number of the call that it means to take back, `faults` the numbers of the faults that it
    met, `about` whether the finding speaks of it. `at` is virtual time in seconds.

    Of a saga that can be killed there are also noted, died, spoiled and restarted: `attempts` writes into a
    store of its own that came in a row, from the `n`-th, with `remark` what they are known by; where its
    process died; a record that came to harm; a new process, the `n`-th. Of a saga that is fed, asked is the
    `n`-th call of its agent, and `told` what the agent was told of it. Of one that listens, event is what a
    system sends, and what came of that.
    """

    kind: Literal[
        "call",
        "landed",
        "slept",
        "wrote",
        "broke",
        "noted",
        "died",
        "spoiled",
        "restarted",
        "asked",
        "event",
        "ended",
    ]
    at: float
    what: str
    number: int | None = None
    operation: str = ""
    n: int = 0
    phase: str = ""
    args: str = ""
    brief: str = ""
    key: str | None = None
    attempt: int = 1
    attempts: int = 0
    told: str = ""
    ok: bool = False
    happened: str = ""
    applied: int = 0
    remark: str = ""
    undoes: int | None = None
    undoes_certain: bool = True
    faults: tuple[int, ...] = ()
    about: bool = False
    site: str = ""


class WorldRow(_Part):
    """A field (or, with field "", a whole row) that is not as it was, or not as without faults.

    `changed` means: other than at the start, so that somebody would have to take it back. `differs` means:
    other than at the end of the fault-free run.
    """

    system: str
    table: str
    key: str
    field: str
    before: JsonValue
    after: JsonValue
    fault_free: JsonValue
    changed: bool
    differs: bool


class Residue(_Part):
    """An effect that still stands and that somebody would have to take back. `amount` is in minor units.

    `number` is the call that made it; `named` says whether an open case names it.
    """

    number: int
    operation: str
    ref: str | None
    amount: int | None
    key: str | None
    effect_class: int
    named: bool
    text: str


class ErrorPart(_Part):
    """An exception of the chain that reached the caller; `number` is the call whose failure it is."""

    type: str
    text: str
    number: int | None


class Case(_Part):
    """What a person was told: the call that told it and its arguments."""

    number: int
    operation: str
    ref: str | None
    args: JsonValue


class ToldPart(_Part):
    """What the saga told: its claim, how it ended, the errors its caller got, the cases it opened."""

    claim: str | None
    how: str
    where: str
    errors: tuple[ErrorPart, ...]
    cases: tuple[Case, ...]


class TwinPart(_Part):
    """The nearest plan under which the check held, and the first step where the two runs differ.

    Where the check compares runs, it is the run to hold against this one, and `script` names its script.
    """

    plan: str
    script: str | None = None
    step: str
    here: str
    there: str


class FindingPart(_Part):
    """A violated check with the smallest plan that shows it; `plans` counts all plans that do.

    `help` is the command that explains the check, empty for one that the user brought. `known` is the reason
    that the baseline gives for it; None if the finding is not in one, or no longer.
    """

    check: str
    claim: str | None
    where: tuple[str, ...]
    says: str
    because: str
    plan: str
    script: str
    replay: str
    snippet: str
    help: str = ""
    over_runs: bool = False
    plans: int
    faults: tuple[FaultPart, ...]
    timeline: tuple[Step, ...]
    world_diff: tuple[WorldRow, ...]
    residue: tuple[Residue, ...]
    told: ToldPart | None
    twin: TwinPart | None
    known: str | None = None


class ReplayPart(_Part):
    """The run of a plan that was replayed, whatever came of it."""

    faults: tuple[FaultPart, ...]
    timeline: tuple[Step, ...]


class SettingsPart(_Part):
    """What decides which plans there are. `exclude` and `when` are as texts.

    `require_sometimes` are the states to be reached; None stands for all of them.
    """

    faults: int
    statuses: str
    durations: tuple[str, ...]
    families: tuple[str, ...]
    exclude: tuple[str, ...]
    when: tuple[str, ...]
    reduce: bool
    audit: float
    seed: int
    crash: str
    require_sometimes: tuple[str, ...] | None = None


class ShardPart(_Part):
    """Which shards of a campaign, of how many, are counted here."""

    parts: tuple[int, ...]
    of: int


class GapPart(_Part):
    """What no run of a shard showed: a gap, or worth a note, unless another shard did."""

    kind: Literal["check", "sometimes", "undo", "taken back", "called", "when", "idle", "expected"]
    about: str
    text: str
    spoils: bool


class ScenarioPart(_Part):
    """One explored saga. `expected_met` is None where nothing was expected; `seconds` is real time.

    `replayed` is there if it was not explored, but one plan of it replayed. `shard` is there if only a share
    of its plans was counted, and `gaps` has what only all shards together can tell. `fault_free` is a digest
    of the run without faults: where it differs, the saga or its set-up does. `revision` is that of the code,
    where the environment names one.
    """

    name: str
    status: Literal["clean", "findings", "incomplete", "error"]
    exit_code: int
    expected_met: bool | None
    missing: tuple[str, ...]
    surplus: tuple[str, ...]
    scripts: tuple[str, ...]
    runs: int
    findings: tuple[FindingPart, ...]
    tally: tuple[TallyPart, ...]
    checks: tuple[CheckPart, ...]
    sometimes: tuple[SometimesPart, ...] = ()
    grid: GridPart
    code: CodePart | None = None
    cells: CellsPart = CellsPart()
    excluded: tuple[ExclusionPart, ...]
    notes: tuple[str, ...]
    incomplete: tuple[str, ...]
    errors: tuple[str, ...]
    seconds: float | None = None
    replayed: ReplayPart | None = None
    settings: SettingsPart | None = None
    shard: ShardPart | None = None
    gaps: tuple[GapPart, ...] = ()
    fault_free: str | None = None
    revision: str | None = None


class ConflictPart(_Part):
    """Where two reports that were merged say different things of a scenario, and what was kept of them."""

    scenario: str
    what: Literal["cell", "settings", "code", "shards", "tally"]
    where: str
    text: str

    @property
    def line(self) -> str:
        """All of it, for a list."""
        return f"{self.scenario}, {self.what}{' ' if self.where else ''}{self.where}: {self.text}"


class GatePart(_Part):
    """What was asked of the report as a whole, and whether it is so. `text` has both figures."""

    gate: Literal["fail-under", "require", "baseline"]
    passed: bool
    text: str


class Report(_Part):
    """All scenarios of a run. `problems` says what of it is missing, such as a part that cannot be read.

    `conflicts` are those that were met when it was merged of others.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    schema_: Literal["sagaproof-report/2"] = Field(default=SCHEMA, alias="schema")
    version: str | None = None
    scenarios: tuple[ScenarioPart, ...] = ()
    problems: tuple[str, ...] = ()
    conflicts: tuple[ConflictPart, ...] = ()
    gates: tuple[GatePart, ...] = ()

    @property
    def exit_code(self) -> int:
        """The worst of its scenarios: harness error (or a problem) 3, findings 1, incomplete 2, clean 0.

        A gate that was not passed makes it incomplete.
        """
        codes = {scenario.exit_code for scenario in self.scenarios}
        if not all(gate.passed for gate in self.gates):
            codes.add(2)
        if self.problems:
            codes.add(3)
        return next((code for code in (3, 1, 2) if code in codes), 0)
