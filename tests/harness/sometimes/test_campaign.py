"""A campaign counts what it reached, says how near it came to the rest, and misses what is required of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from sagaproof import Facts, History
from sagaproof import explore as explored
from sagaproof._checks.protocol import RunCheck
from sagaproof._doors.failure import CampaignFailed
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.plan import Plan
from sagaproof._report.build import build_scenario
from sagaproof._report.console import sometimes_lines
from sagaproof._report.html import as_html
from sagaproof._report.json_file import as_json, from_json
from sagaproof._report.schema import Report
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.expected import Outcome
from sagaproof._search.explore import explore, replay
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.direct import ToolError
from sagaproof._world.operation import operation
from sagaproof._world.system import System
from sagaproof._world.table import Table
from sagaproof.errors import UsageError
from sagaproof.sometimes import Sometimes

NO_CHECKS: tuple[RunCheck, ...] = ()


class Shop(System):
    """Teas that are bought."""

    name = "shop"
    sold = Table()

    @operation(cls=2, ref="id")
    def buy(self, *, item: str) -> Any:
        """Buy one."""
        key = self.ids.next("tea")
        return self.sold.put(key, {"id": key, "item": item})


def buys(world: Any) -> str:
    """Tries to buy up to three times."""
    for _ in range(3):
        try:
            world.direct.shop.buy(item="tea")
        except (ToolError, OSError):
            continue
        return "completed"
    return "refused"


def attempts(history: History) -> int:
    return sum(len(call.arrivals) for call in history.calls)


def tries(*counts: int, applies: Callable[[Facts], bool] | None = None, needs: int = 1) -> Sometimes:
    """Reached with the last of so many attempts; the ones before are its stages."""
    stages = tuple((f"tried {n} times", lambda history, n=n: attempts(history) >= n) for n in counts)
    more = {} if applies is None else {"applies": applies}
    return Sometimes("tries", stages, faults_needed=needs, **more)


def campaign(*properties: Sometimes, **settings: Any) -> Campaign:
    few = Settings(
        **{"faults": 1, "families": ("outage",), "durations": ("once", "twice", "all"), **settings}
    )
    return explore(
        Subject("buys", CallableDriver(buys), {"shop": Shop()}, NO_CHECKS, sometimes=properties), few
    )


def test_it_is_counted_with_the_first_plan_that_reached_it() -> None:
    found = campaign(tries(2)).sometimes["tries"]

    assert (found.state, found.best) == ("reached", 1)
    assert found.run == ("opaque", Plan.parse("shop.buy.1=503"))
    assert found.count > 1


def test_the_best_partial_is_kept_with_the_run_that_got_furthest() -> None:
    found = campaign(tries(1, 2, 3, 4)).sometimes["tries"]

    assert (found.state, found.count, found.best, len(found.stages)) == ("not reached", 0, 3, 4)
    assert found.run is not None
    assert str(found.run[1]) == "shop.buy.1=503/2"


def test_a_later_stage_does_not_count_without_the_earlier() -> None:
    stages = (("never", lambda _: False), ("always", lambda _: True))
    assert campaign(Sometimes("never", stages)).sometimes["never"].best == 0


def test_without_being_required_it_is_not_missed() -> None:
    assert campaign(tries(1, 9)).status is Status.CLEAN


@pytest.mark.parametrize("required", [True, ("tries",)])
def test_one_that_is_required_and_was_not_reached_makes_a_campaign_incomplete(required: Any) -> None:
    found = campaign(tries(1, 2, 9), require_sometimes=required)

    assert (found.status, found.status.exit_code) == (Status.INCOMPLETE, 2)
    (said,) = found.incomplete
    assert said.startswith("sometimes tries was never reached: 2 of 3, 'tried 1 times' and 'tried 2 times' ")
    assert said.endswith(" under shop.buy.1=503, but no run met 'tried 9 times'")


def test_one_that_met_no_stage_says_so() -> None:
    found = campaign(tries(9), require_sometimes=True)
    assert found.incomplete == ["sometimes tries was never reached: 0 of 1, no run met 'tried 9 times'"]


@pytest.mark.parametrize("required", [False, ("other",)])
def test_what_is_not_required_is_not_missed(required: Any) -> None:
    other = Sometimes("other", (("anything", bool),))
    assert campaign(tries(9), other, require_sometimes=required).status is Status.CLEAN


def test_what_does_not_apply_is_not_missed_but_noted_if_it_was_named() -> None:
    one = tries(9, applies=lambda facts: "shop.sell" in facts.called)
    found = campaign(one, require_sometimes=("tries",))

    assert (found.status, found.sometimes["tries"].state) == (Status.CLEAN, "not applicable")
    assert "sometimes tries is required, and was not reached: not applicable" in found.notes
    assert not any("sometimes" in note for note in campaign(one, require_sometimes=True).notes)


def test_what_takes_more_faults_is_not_missed() -> None:
    found = campaign(tries(9, needs=2), require_sometimes=True)
    assert (found.status, found.sometimes["tries"].state) == (Status.CLEAN, "too few faults")


def test_what_was_reached_applies_whatever_it_says() -> None:
    assert campaign(tries(1, applies=lambda _: False, needs=9)).sometimes["tries"].state == "reached"


def test_one_that_breaks_is_told_once_and_takes_nothing_along() -> None:
    broken = Sometimes("broken", (("breaks", lambda history: history.nothing),))  # type: ignore[attr-defined]
    found = campaign(broken, tries(2))

    assert found.errors == [
        "sometimes broken broke under plan '': AttributeError: 'History' object has no attribute 'nothing'"
    ]
    assert found.sometimes["tries"].state == "reached"


def test_one_that_cannot_say_whether_it_applies_is_told() -> None:
    found = campaign(tries(1, applies=lambda facts: facts.nothing))  # type: ignore[attr-defined]
    assert found.status is Status.ERROR
    assert found.errors[0].startswith("sometimes tries broke when asked whether it applies: AttributeError")


def test_a_name_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'trees', which is no sometimes property.*'tries'"):
        campaign(tries(1), require_sometimes=("trees",))


def test_a_replay_counts_none_and_misses_none() -> None:
    subject = Subject("buys", CallableDriver(buys), {"shop": Shop()}, NO_CHECKS, sometimes=(tries(9),))
    settings = Settings(require_sometimes=True)
    found = replay(subject, settings, Plan.parse("shop.buy.1=503"), subject.scripts[0])

    assert (found.status, found.sometimes) == (Status.CLEAN, {})


@pytest.mark.parametrize(
    ("slug", "stages", "says"),
    [("Two Credits", (("any", bool),), "is called 'Two Credits'"), ("two-credits", (), "has no stages")],
)
def test_one_that_cannot_be_named_or_reached_is_refused(slug: str, stages: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        Sometimes(slug, stages)


# In reports ---------------------------------------------------------------------------------------------


def test_reports_tell_of_it_and_of_its_best_partial() -> None:
    other = Sometimes("tried-again", (("tried twice", lambda history: attempts(history) > 1),))
    part = build_scenario(Outcome(campaign(tries(1, 2, 9), other)), stable=True)
    report = Report(scenarios=(part,))

    assert sometimes_lines(part) == ["sometimes 1 of 2 reached; not: tries (2/3)"]
    assert from_json(as_json(report)) == report
    assert [(one.sometimes, one.best, one.plan) for one in part.sometimes] == [
        ("tries", 2, "shop.buy.1=503"),
        ("tried-again", 1, "shop.buy.1=503"),
    ]
    page = as_html(report)
    assert "What was reached at least once" in page
    assert "2/3" in page


def test_a_report_without_any_has_no_line_of_them() -> None:
    part = build_scenario(Outcome(campaign()), stable=True)
    assert sometimes_lines(part) == []
    assert "at least once" not in as_html(Report(scenarios=(part,)))


# In a test ----------------------------------------------------------------------------------------------


def reach(properties: Iterable[Sometimes] = (), required: Any = None) -> None:
    """An explored test of `buys`, called as a function."""

    @explored(
        faults=1,
        families=["outage"],
        systems=[Shop],
        sometimes=properties,
        require_sometimes=required,
    )
    def body(world: Any) -> str:
        return buys(world)

    body(None)  # a world is made for it


def test_one_of_the_users_is_required_by_its_name() -> None:
    reach([tries(1, 2)], ["tries"])
    with pytest.raises(CampaignFailed, match="sometimes tries was never reached: 1 of 2"):
        reach([tries(1, 9)], ["tries"])


def test_a_built_in_one_is_required_by_its_name() -> None:
    reach(required=["completed-through-a-fault"])


@pytest.mark.parametrize(
    ("properties", "required", "says"),
    [
        (["tries"], None, "sometimes= holds 'tries', which is no sometimes property"),
        ([Sometimes("full-unwind", (("any", bool),))], None, "there is a sometimes property 'full-unwind'"),
        ([], "tries", "require_sometimes= is the text 'tries'"),
        ([], ["full-unwinds"], "'full-unwinds', which is no sometimes property"),
    ],
)
def test_what_is_no_property_is_refused(properties: Any, required: Any, says: str) -> None:
    with pytest.raises((UsageError, CampaignFailed), match=says):
        reach(properties, required)
