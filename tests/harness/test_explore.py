"""Every reachable plan is run once, the reduction loses no finding, and the counts are honest."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from sagaproof._checks.campaign_check import CampaignCheck, Check
from sagaproof._checks.catalogue import checks
from sagaproof._checks.protocol import HELD, NOT_REACHED, Facts, RunCheck, Verdict, violated
from sagaproof._doors.registry import scenarios
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.event import Called
from sagaproof._model.fault import applicable
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.plan import ALL, EMPTY, Injection, Plan
from sagaproof._model.point import Phase
from sagaproof._model.script import OPAQUE, Script
from sagaproof._run.runner import Runner
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.explore import Explorer, explore, replay
from sagaproof._search.settings import Exclusion, Settings
from sagaproof._search.subject import Subject
from sagaproof._search.sweep import Progress
from sagaproof._tally.rows import rows
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof._world.system import System
from sagaproof.errors import NotInjected, UsageError

Saga = Callable[[Any], object]
FAILED = (ToolError, OSError)
CANCELS = {"cancel-before", "cancel", "cancel-next", "cancel-twice"}


# Sagas ------------------------------------------------------------------------------------------------------


def tried(call: Callable[[], Any], attempts: int) -> Any:
    """The answer, or None after so many failures."""
    for _ in range(attempts):
        try:
            return call()
        except FAILED:
            pass
    return None


def buys_and_sends(world: Any) -> str | None:
    """Two steps, no retries; the undo is tried once, and nobody is told if it fails."""
    shop = world.direct.shop
    order = shop.buy(item="tea")
    try:
        shop.send(order=order.get("id"))
    except FAILED:
        shop.cancel(order=order.get("id"))
        return "compensated"
    return None


def tries_again(world: Any) -> str:
    """Each step is tried twice, with a key; what may have happened is undone by key, twice tried too."""
    shop = world.direct.shop
    if tried(lambda: shop.buy(item="tea", key="k"), 2) and tried(lambda: shop.send(order="o_1"), 2):
        return "completed"
    undone = tried(lambda: shop.undo_by_key("buy", "k"), 2)
    return "compensated" if undone else "escalated"


def holds_first(world: Any) -> str | None:
    """Two systems, two undos in reverse order, the second of which depends on the first."""
    shop, bank = world.direct.shop, world.direct.bank
    hold = bank.hold(amount=5)["id"]
    try:
        order = shop.buy(item="tea")["id"]
        shop.set_place(order=order, place="there")
    except (*FAILED, KeyError):
        bank.release(hold=hold)
        return "compensated"
    return None


SAGAS: tuple[Saga, ...] = (buys_and_sends, tries_again, holds_first)
a_saga = pytest.mark.parametrize("saga", SAGAS, ids=lambda saga: saga.__name__)
FEW = Settings(families=("outage", "lost answer"), reduce=False)


@pytest.fixture
def subject(shop: System, bank: System) -> Callable[..., Subject]:
    """`subject(saga)`: it in the world of shop and bank, judged by every check unless others are given."""

    def subject(
        saga: Saga, judges: Sequence[Check] | None = None, *, recover: Saga | None = None, **more: Any
    ) -> Subject:
        found = checks() if judges is None else tuple(judges)
        return Subject("toy", CallableDriver(saga, recover), {"shop": shop, "bank": bank}, found, **more)

    return subject


class Watched(Runner):
    """A runner that remembers the plan of each run, and can be stopped by Ctrl-C at one."""

    def __init__(self, subject: Subject, interrupt_at: int = -1) -> None:
        super().__init__(WorldHandle(subject.systems), subject.driver, invariants=subject.invariants)
        self.plans: list[Plan] = []
        self._interrupt_at = interrupt_at

    def run(self, script: Script, plan: Plan, twin: History | None = None) -> History:
        if len(self.plans) == self._interrupt_at:
            raise KeyboardInterrupt
        self.plans.append(plan)
        return super().run(script, plan, twin)


def watched(subject: Subject, settings: Settings, interrupt_at: int = -1) -> tuple[Campaign, list[Plan]]:
    """The campaign and, without the second fault-free run, the plans in the order they were run."""
    with Watched(subject, interrupt_at) as runner:
        campaign = Explorer(subject, settings, runner).explore()
    return campaign, runner.plans[1:]


# Complete ---------------------------------------------------------------------------------------------------


def options(settings: Settings, called: Called, history: History) -> Iterator[Injection]:
    """Every fault that can be put on an arrival of a saga that cannot be cancelled."""
    operation = history.operations[called.point.operation]
    for fault in FAULTS.values():
        wanted = fault.family in settings.families if settings.families else not fault.opt_in
        here = fault.family != "cancel" and (called.key is not None or not fault.needs_key)
        if wanted and here and fault.representative is None and applicable(fault, operation, called.phase):
            for times in (1, ALL) if fault.spans else (1,):
                yield Injection(called.point, fault.name, times)


def overlap(one: Injection, other: Injection) -> bool:
    """Whether two faults meet on one arrival: the later begins while the earlier still lasts."""
    if one.point._replace(attempt=1) != other.point._replace(attempt=1):
        return False
    first, second = sorted((one, other))
    return first.times == ALL or second.point.attempt - first.point.attempt < first.times


def all_plans(subject: Subject, settings: Settings) -> set[Plan]:
    """By force: try all faults, alone and in pairs, at all points that any run shows, until none is new."""
    universe: set[Injection] = set()
    reachable: set[Plan] = set()
    tested: set[Plan] = set()
    with Watched(subject) as runner:
        while True:
            pairs = itertools.combinations(sorted(universe), 2)
            found = [EMPTY, *(Plan.of(i) for i in universe), *(Plan.of(*p) for p in pairs if not overlap(*p))]
            plans = [plan for plan in found if plan not in tested]
            if not plans:
                return reachable
            for plan in plans:
                tested.add(plan)
                if len({injection.point for injection in plan}) < len(plan):
                    continue
                try:
                    history = runner.run(OPAQUE, plan)
                except NotInjected:
                    continue
                reachable.add(plan)
                if len(plan) < 2:
                    for called in history.of(Called):
                        universe.update(options(settings, called, history))


@a_saga
@pytest.mark.slow
def test_every_reachable_plan_is_run_and_each_once(subject: Callable[..., Subject], saga: Saga) -> None:
    expected = all_plans(subject(saga, ()), FEW)
    campaign, plans = watched(subject(saga, ()), FEW)
    assert {plan: n for plan, n in Counter(plans).items() if n > 1} == {}
    assert set(plans) == expected
    assert [level.bound for level in campaign.levels] == ["exact", "exact", "exact", "lower"]
    assert campaign.runs == len(expected)


@pytest.mark.slow
def test_every_kind_of_fault_is_put_wherever_it_applies(subject: Callable[..., Subject]) -> None:
    settings = Settings(reduce=False, faults=1)

    def killed() -> Subject:
        return subject(tries_again, (), recover=lambda _: "raised")

    expected = {plan for plan in all_plans(killed(), settings) if len(plan) < 2}
    assert set(watched(killed(), settings)[1]) == expected
    put = {fault for plan in expected for _, fault, _ in plan}
    at_calls = [f for f in FAULTS.values() if f.phases != {Phase.JOURNAL}]  # this saga keeps no journal
    fitting = {
        f.name
        for f in at_calls
        if f.representative is None and not f.opt_in and not f.reads_only and f.trait in {None, "mail"}
    }
    assert put == fitting - CANCELS - {"again"}, (
        "all but that of an undo that succeeds, to which this saga comes only under a fault"
    )


def test_a_saga_that_waits_is_cancelled_as_well(subject: Callable[..., Subject]) -> None:
    async def waits(world: Any) -> str | None:
        try:
            return buys_and_sends(world)
        except asyncio.CancelledError:
            return "compensated"

    campaign, plans = watched(subject(waits, ()), Settings(faults=1, families=("cancel",), reduce=False))
    assert {plan[0].fault for plan in plans if plan} == CANCELS
    assert ("*", "cancel*") not in campaign.excluded


def test_lies_are_told_only_if_asked_for(subject: Callable[..., Subject]) -> None:
    lies = {"other-ref", "other-amount", "rounded"}
    _, plans = watched(subject(buys_and_sends, ()), Settings(faults=1, reduce=False))
    assert not {plan[0].fault for plan in plans if plan} & lies
    _, plans = watched(subject(buys_and_sends, ()), Settings(faults=1, reduce=False, families=("lie",)))
    assert {plan[0].fault for plan in plans if plan} == lies


def test_only_a_call_with_a_key_can_have_trouble_with_it(subject: Callable[..., Subject]) -> None:
    keys = Settings(faults=1, reduce=False, families=("keys",))
    assert watched(subject(buys_and_sends, ()), keys)[1] == [EMPTY]
    _, plans = watched(subject(tries_again, ()), keys)
    assert {plan[0].fault for plan in plans if plan} == {"in-flight", "stored-500", "key-expired"}


def test_points_that_only_a_fault_makes_are_found(subject: Callable[..., Subject]) -> None:
    _, plans = watched(subject(tries_again, ()), FEW)
    texts = set(map(str, plans))
    assert "shop.buy.1=503,shop.buy.1:2=503" in texts, "a fault at the retry"
    assert "shop.cancel.1:2=lost,shop.send.1=503/all" not in texts, (
        "the retry of the undo takes a third fault"
    )
    assert "shop.cancel.1=lost,shop.send.1=503/all" in texts, "a fault at the undo"


@a_saga
def test_all_statuses_and_durations_are_used_if_asked_for(
    subject: Callable[..., Subject], saga: Saga
) -> None:
    settings = Settings(
        faults=1, statuses="all", durations=("once", "twice"), families=("outage", "rejection")
    )
    _, plans = watched(subject(saga, ()), settings)
    known = {"503", "500", "502", "504", "422", "403", "409", "404", "refused", "outage", "outage-30s"}
    assert known == {plan[0].fault for plan in plans if plan}
    assert {1, 2} == {plan[0].times for plan in plans if plan}


def test_an_exclusion_leaves_out_its_cells_and_is_named(subject: Callable[..., Subject]) -> None:
    cell = Exclusion("shop.s*", "503", "there is a queue in between")
    campaign, plans = watched(subject(buys_and_sends, ()), Settings(faults=1, exclude=(cell,)))
    faults = {(i.point.operation, i.fault) for plan in plans for i in plan}
    assert ("shop.send", "503") not in faults
    assert {("shop.send", "422"), ("shop.buy", "503")} <= faults
    assert campaign.excluded == {
        ("shop.send", "503"): "there is a queue in between",
        ("shop.send", "503/all"): "there is a queue in between",
        ("*", "crash-*"): "nothing says what a new process does: pass recover=",
        ("*", "cancel*"): "a saga that is not asynchronous cannot be cancelled",
    }


# Reduced ----------------------------------------------------------------------------------------------------


def keys(campaign: Campaign) -> set[str]:
    assert not campaign.errors
    return {str(finding.key) for finding in campaign.findings}


def same_findings(subject: Callable[[], Subject], **settings: Any) -> tuple[Campaign, Campaign]:
    full = explore(subject(), Settings(reduce=False, **settings))
    reduced = explore(subject(), Settings(audit=0.0, **settings))
    assert keys(reduced) == keys(full) != set()
    assert reduced.runs < full.runs
    return full, reduced


@a_saga
@pytest.mark.slow
def test_the_reduction_loses_no_finding(subject: Callable[..., Subject], saga: Saga) -> None:
    full, reduced = same_findings(lambda: subject(saga))
    assert [row.reachable for row in rows(reduced)[:3]] == [row.reachable for row in rows(full)[:3]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "families"),
    [("order-pairs", ("outage", "lost answer")), ("credit-mail-first", ("outage", "lost answer"))],
)
def test_the_reduction_loses_no_finding_of_a_bundled_scenario(name: str, families: tuple[str, ...]) -> None:
    scenario = scenarios()[name]
    same_findings(lambda: subject_of_scenario(scenario), families=families)


def forgets_after_a_timeout(world: Any) -> str:
    """Looks the same after a 503 and after a timeout of the hold, and then behaves otherwise."""
    bank, shop = world.direct.bank, world.direct.shop
    silent = False
    try:
        bank.hold(amount=5)
    except TimeoutError:
        silent = True
    except FAILED:
        pass
    try:
        order = shop.buy(item="tea")
    except FAILED:
        return "refused"
    try:
        shop.send(order=order.get("id"))
    except FAILED:
        if not silent:
            shop.cancel(order=order.get("id"))
        return "compensated"
    return "completed"


def test_the_audit_finds_a_wrong_reduction_and_what_it_left_out_is_run(
    subject: Callable[..., Subject],
) -> None:
    families = ("outage", "silence")
    audited = explore(subject(forgets_after_a_timeout), Settings(audit=1.0, families=families))
    level = audited.levels[2]
    assert level.mismatched > 0
    assert any("the reduction was wrong for 'bank.hold.1=timeout'" in note for note in audited.notes)
    full = explore(subject(forgets_after_a_timeout), Settings(reduce=False, families=families))
    assert keys(audited) == keys(full)
    blind = explore(subject(forgets_after_a_timeout), Settings(audit=0.0, families=families))
    assert keys(blind) < keys(full), "without the audit the reduction would have lost it"
    assert level.reachable == full.levels[2].reachable


def test_what_is_run_after_the_audit_is_explored_further(subject: Callable[..., Subject]) -> None:
    settings = Settings(faults=3, audit=1.0, families=("silence",), statuses="all")
    campaign, plans = watched(subject(forgets_after_a_timeout, ()), settings)
    full, everything = watched(
        subject(forgets_after_a_timeout, ()), Settings(faults=3, reduce=False, families=("silence",))
    )
    assert [level.reachable for level in campaign.levels[:4]] == [
        level.reachable for level in full.levels[:4]
    ]
    assert set(plans) <= set(everything)


@a_saga
@pytest.mark.slow
def test_plans_left_out_are_counted_at_every_size(subject: Callable[..., Subject], saga: Saga) -> None:
    families = ("lost answer",)
    full = explore(subject(saga, ()), Settings(faults=3, reduce=False, families=families))
    reduced = explore(subject(saga, ()), Settings(faults=3, audit=0.0, families=families))
    assert [row.reachable for row in rows(reduced)[:4]] == [row.reachable for row in rows(full)[:4]]
    assert [row.bound for row in rows(reduced)] == ["exact", "exact", "by_rule", "by_rule", "lower"]
    assert reduced.runs < full.runs


# Counted ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        Settings(families=("outage",)),
        Settings(families=("outage",), reduce=False),
        Settings(families=("outage",), audit=1.0),
        Settings(families=("outage",), runs_max=20),
        Settings(families=("outage",), runs_max=3),
        Settings(faults=0),
        Settings(faults=1),
    ],
    ids=str,
)
def test_the_tally_adds_up(subject: Callable[..., Subject], settings: Settings) -> None:
    campaign = explore(subject(tries_again), settings)
    tally = rows(campaign)  # raises if a row does not add up
    assert [row.k for row in tally] == [*range(settings.faults + 2)]
    assert not tally[-1].attempted
    assert tally[-1].bound == "lower"
    assert sum(row.run for row in tally) == campaign.runs <= settings.runs_max
    for check in checks():
        counts = campaign.checks[check.slug]
        judged = campaign.runs * isinstance(check, RunCheck) + isinstance(check, CampaignCheck)
        assert counts.held + counts.violated + counts.not_reached == judged


def test_a_budget_of_runs_is_kept_and_what_it_cut_off_is_counted(subject: Callable[..., Subject]) -> None:
    full = explore(subject(buys_and_sends, ()), FEW)
    campaign, plans = watched(
        subject(buys_and_sends, ()), Settings(families=FEW.families, reduce=False, runs_max=30)
    )
    assert len(plans) == campaign.runs == 30
    one, two = campaign.levels[1], campaign.levels[2]
    assert (one.complete, one.reachable) == (True, full.levels[1].reachable)
    assert (two.complete, two.bound, two.reachable) == (False, "lower", full.levels[2].reachable)
    assert campaign.status is Status.INCOMPLETE
    assert f"{two.skipped} plans were skipped: the budget was used up" in campaign.incomplete


def test_a_budget_that_ends_early_leaves_no_size_complete(subject: Callable[..., Subject]) -> None:
    campaign = explore(subject(buys_and_sends, ()), Settings(runs_max=5))
    assert [level.complete for level in campaign.levels] == [True, False, False, False]
    assert campaign.levels[1].skipped > 0


def test_a_budget_of_time_that_is_used_up_skips_the_rest(subject: Callable[..., Subject]) -> None:
    campaign = explore(subject(buys_and_sends, ()), Settings(seconds_max=0.0))
    assert campaign.runs == 1
    assert campaign.levels[1].skipped > 0
    assert campaign.status is Status.INCOMPLETE


def test_single_faults_of_every_script_come_before_pairs_of_any(subject: Callable[..., Subject]) -> None:
    both = subject(
        buys_and_sends, (), scripts=(Script("one", opaque=True), Script("two", opaque=True, is_cut=False))
    )
    single = explore(both, replace(FEW, faults=1))
    campaign, plans = watched(both, replace(FEW, runs_max=single.runs + 10))
    assert single.levels[1].run > 10
    assert [level.complete for level in campaign.levels] == [True, True, False, False]
    assert campaign.levels[1].run == single.levels[1].run
    assert [len(plan) for plan in plans] == sorted(map(len, plans))


def test_a_short_budget_goes_to_the_undos_first(subject: Callable[..., Subject]) -> None:
    _, plans = watched(
        subject(buys_and_sends, ()), Settings(families=FEW.families, reduce=False, runs_max=40)
    )
    pairs = [plan for plan in plans if len(plan) == 2]
    assert pairs
    assert all(any(i.point.operation == "shop.cancel" for i in plan) for plan in pairs)


def interrupted(subject: Callable[..., Subject], after: int) -> Campaign:
    return watched(subject(buys_and_sends), Settings(families=FEW.families, reduce=False), after)[0]


def test_ctrl_c_keeps_what_was_found_and_counts_the_rest(subject: Callable[..., Subject]) -> None:
    class Once(Watched):
        def run(self, script: Script, plan: Plan, twin: History | None = None) -> History:
            if len(plan) == 2 and not any(len(p) == 2 for p in self.plans):
                self.plans.append(plan)
                raise KeyboardInterrupt
            return super().run(script, plan, twin)

    one = subject(buys_and_sends)
    with Once(one) as runner:
        campaign = Explorer(one, Settings(families=FEW.families), runner).explore()
    assert campaign.incomplete[0] == "interrupted"
    assert campaign.findings
    assert all(finding.history is not None for finding in campaign.findings)
    assert campaign.status is Status.FINDINGS
    assert [level.complete for level in campaign.levels] == [True, True, False, False]
    assert campaign.levels[2].run == 0 < campaign.levels[2].skipped


def test_ctrl_c_in_the_first_size_leaves_the_next_one_incomplete(subject: Callable[..., Subject]) -> None:
    campaign = interrupted(subject, after=6)
    assert "interrupted" in campaign.incomplete
    assert [level.complete for level in campaign.levels] == [True, False, False, False]
    assert campaign.levels[1].run == 4


def test_scripts_that_were_not_begun_leave_every_size_incomplete(subject: Callable[..., Subject]) -> None:
    scripts = (Script("one", opaque=True), Script("two", opaque=True))
    one = subject(buys_and_sends, (), scripts=scripts)
    campaign, _ = watched(one, Settings(families=FEW.families), interrupt_at=1)
    assert [level.complete for level in campaign.levels] == [False] * 4


def test_an_error_leaves_nothing_complete_that_it_cut_off(subject: Callable[..., Subject]) -> None:
    def drifts(world: Any) -> str | None:
        if world.direct.shop.send(order="a").get("error"):
            raise UsageError("set-up is wrong")
        world.direct.shop.send(order="b")
        return None

    campaign = explore(subject(drifts, ()), Settings())
    assert campaign.errors == ["usage: set-up is wrong"]
    assert campaign.status is Status.ERROR
    assert [level.complete for level in campaign.levels] == [True, False, False, False]
    assert campaign.levels[1].skipped > 0


def test_progress_is_told_now_and_then(subject: Callable[..., Subject]) -> None:
    told: list[Progress] = []
    explore(subject(tries_again, ()), FEW, on_progress=told.append)
    assert [progress.runs % 50 for progress in told] == [0] * len(told)
    assert len(told) >= 2
    assert [progress.left for progress in told if progress.k == 2] == sorted(
        (progress.left for progress in told if progress.k == 2), reverse=True
    )


# Trusted ----------------------------------------------------------------------------------------------------


def test_a_saga_that_is_not_deterministic_is_told_at_which_event(subject: Callable[..., Subject]) -> None:
    numbers = itertools.count(1)

    def counts(world: Any) -> None:
        world.direct.shop.send(order="same")
        world.direct.shop.send(order=str(next(numbers)))

    campaign = explore(subject(counts, ()), Settings())
    (error,) = campaign.errors
    assert error.startswith("not-deterministic: two runs without a fault differ at event 3: Called(")
    assert "'order': '1'" in error
    assert "'order': '2'" in error
    assert "Inject clock, ids and randomness" in error
    assert campaign.status is Status.ERROR


def test_a_run_that_goes_on_longer_than_the_first_is_not_deterministic(
    subject: Callable[..., Subject],
) -> None:
    numbers = itertools.count(1)

    def grows(world: Any) -> None:
        for i in range(next(numbers)):
            world.direct.shop.send(order=str(i))

    campaign = explore(subject(grows, ()), Settings())
    assert "two runs without a fault differ" in campaign.errors[0]


def test_a_point_that_is_gone_is_an_error_and_the_findings_are_kept(subject: Callable[..., Subject]) -> None:
    runs = itertools.count(1)

    def fades(world: Any) -> str | None:
        fresh = next(runs) < 20
        buys_and_sends(world)
        if fresh:
            world.direct.bank.hold(amount=1)
        return None

    campaign = explore(subject(fades), Settings(families=("outage",)))
    assert any(error.startswith("not-injected: bank.hold.1=") for error in campaign.errors)
    assert campaign.findings
    assert campaign.status is Status.ERROR


def test_a_saga_without_calls_is_incomplete_and_never_clean(subject: Callable[..., Subject]) -> None:
    campaign = explore(subject(lambda _: None), Settings())
    assert campaign.status is Status.INCOMPLETE
    assert "made no call that any tap saw" in campaign.incomplete[0]
    assert campaign.runs == 1


class Broken:
    """A check that breaks."""

    def __init__(self, slug: str, *, in_applies: bool = False) -> None:
        self.slug = slug
        self._in_applies = in_applies

    def applies(self, facts: Facts) -> bool:
        if self._in_applies:
            raise ZeroDivisionError(str(sorted(facts.called)[:0]))
        return True

    def judge(self, history: History) -> Verdict:
        if self._in_applies:
            return NOT_REACHED
        raise LookupError(f"no {history.plan}")


class SendsNothing:
    """Violated by every run that sends a parcel."""

    slug = "sends-nothing"

    def applies(self, facts: Facts) -> bool:
        return "shop.send" in facts.called

    def judge(self, history: History) -> Verdict:
        sent = any(effect.operation == "send" for effect in history.effects)
        return violated("a parcel was sent") if sent else HELD


@pytest.mark.parametrize("in_applies", [False, True])
def test_a_check_that_raises_is_an_error_and_the_findings_are_kept(
    subject: Callable[..., Subject], *, in_applies: bool
) -> None:
    judges = (Broken("one", in_applies=in_applies), SendsNothing(), Broken("other", in_applies=in_applies))
    campaign = explore(subject(buys_and_sends, judges), Settings(faults=1, families=("outage",)))
    assert campaign.status is Status.ERROR
    word = "ZeroDivisionError" if in_applies else "LookupError"
    assert all(word in error for error in campaign.errors)
    for slug in ("one", "other"):
        assert any(error.startswith(f"check {slug} broke") for error in campaign.errors)
    assert [finding.check for finding in campaign.findings] == ["sends-nothing"]


def test_a_check_that_applies_and_was_never_reached_makes_it_incomplete(
    subject: Callable[..., Subject],
) -> None:
    class Idle:
        def __init__(self, slug: str, *, applying: bool) -> None:
            self.slug = slug
            self._applying = applying

        def applies(self, facts: Facts) -> bool:
            assert "shop.buy" in facts.called
            return self._applying

        def judge(self, history: History) -> Verdict:
            assert history.calls
            return NOT_REACHED

    judges = (Idle("idle", applying=True), Idle("elsewhere", applying=False))
    campaign = explore(subject(buys_and_sends, judges), Settings(faults=1))
    assert campaign.incomplete == ["check idle applies and was never reached"]
    assert (campaign.checks["idle"].applies, campaign.checks["elsewhere"].applies) == (True, False)


# Findings ---------------------------------------------------------------------------------------------------


def test_a_finding_has_the_smallest_plan_and_no_superset_shows_it_again(
    subject: Callable[..., Subject],
) -> None:
    campaign = explore(subject(buys_and_sends, (SendsNothing(),)), FEW)
    (finding,) = campaign.findings
    assert (finding.plan, finding.twin is not None, finding.plans) == (EMPTY, True, 1)
    assert campaign.checks["sends-nothing"].violated > 1


class CancelsNothing:
    """Violated by every run in which an order was cancelled."""

    slug = "cancels-nothing"

    def applies(self, facts: Facts) -> bool:
        return bool(facts.called)

    def judge(self, history: History) -> Verdict:
        undone = [e for e in history.effects if e.operation == "cancel"]
        return violated("an order was cancelled", calls=[undone[0].call]) if undone else HELD


def test_of_many_plans_that_show_the_same_the_simplest_is_kept(subject: Callable[..., Subject]) -> None:
    campaign = explore(subject(buys_and_sends, (CancelsNothing(),)), FEW)
    assert [str(finding.plan) for finding in campaign.findings] == ["shop.send.1=503"]
    (finding,) = campaign.findings
    assert finding.plans > 1
    assert finding.history is not None
    assert finding.history.plan == finding.plan
    assert (finding.says, len(finding.calls)) == ("an order was cancelled", 1)


def test_the_twin_of_a_finding_comes_with_the_history_of_a_run_that_passed(
    subject: Callable[..., Subject],
) -> None:
    campaign = explore(subject(buys_and_sends, (CancelsNothing(),)), FEW)
    (finding,) = campaign.findings
    assert finding.twin == EMPTY
    assert finding.twin_history is not None
    assert CancelsNothing().judge(finding.twin_history) is HELD


class CancelSucceeds:
    """Violated by every run in which a cancellation failed; without one it holds, or is not reached."""

    slug = "cancel-succeeds"

    def __init__(self, without: Verdict) -> None:
        self._without = without

    def applies(self, facts: Facts) -> bool:
        return bool(facts.called)

    def judge(self, history: History) -> Verdict:
        undo = [call for call in history.calls if call.operation.name == "cancel"]
        if not undo:
            return self._without
        return HELD if undo[0].ok else violated("the undo failed")


@pytest.mark.parametrize(("without", "twin_of_outage"), [(HELD, ""), (NOT_REACHED, "shop.send.1=503")])
def test_a_twin_is_as_near_as_a_passing_plan_can_be(
    subject: Callable[..., Subject], without: Verdict, twin_of_outage: str
) -> None:
    campaign = explore(subject(buys_and_sends, (CancelSucceeds(without),)), FEW)
    assert [(str(f.plan), str(f.twin)) for f in campaign.findings] == [
        ("shop.send.1=outage", twin_of_outage),
        ("shop.cancel.1=503,shop.send.1=503", "shop.send.1=503"),
    ]


def test_a_finding_is_told_apart_by_check_place_and_claim(subject: Callable[..., Subject]) -> None:
    campaign = explore(subject(tries_again), FEW)
    assert len({finding.key for finding in campaign.findings}) == len(campaign.findings)
    sizes = [len(finding.plan) for finding in campaign.findings]
    assert sizes == sorted(sizes), "smallest plans first"


def seen(campaign: Campaign) -> object:
    return (
        [(str(f.key), str(f.plan), str(f.twin), f.says, f.because, f.plans) for f in campaign.findings],
        campaign.levels,
        campaign.checks,
        campaign.cells,
        campaign.notes,
    )


def test_the_same_campaign_gives_the_same_result(subject: Callable[..., Subject]) -> None:
    settings = Settings(families=("outage",), audit=0.3)
    assert seen(explore(subject(tries_again), settings)) == seen(explore(subject(tries_again), settings))


def test_another_seed_changes_the_sample_of_the_audit_and_nothing_else(
    subject: Callable[..., Subject],
) -> None:
    one, other = (
        explore(subject(tries_again), Settings(families=("lost answer",), audit=0.3, seed=seed))
        for seed in (0, 1)
    )
    assert keys(one) == keys(other)
    assert one.levels[2].audited != other.levels[2].audited


# Replayed ---------------------------------------------------------------------------------------------------


def test_every_finding_comes_again_when_its_plan_is_replayed(subject: Callable[..., Subject]) -> None:
    found = explore(subject(buys_and_sends), FEW).findings
    assert found
    for finding in found:
        again = replay(subject(buys_and_sends), FEW, finding.plan, finding.script)
        assert finding.key in {other.key for other in again.findings}
        assert again.status is Status.FINDINGS


def test_a_replayed_plan_that_meets_nothing_is_an_error(subject: Callable[..., Subject]) -> None:
    campaign = replay(subject(buys_and_sends), FEW, Plan.parse("shop.send.7=503"), OPAQUE)
    assert campaign.status is Status.ERROR
    assert campaign.errors[0].startswith("not-injected: shop.send.7=503 was planned and never met its point")
