"""`undo-commutes` finds a saga for which it matters whether a call lands before or after its undo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.undo_commutes import UndoCommutes
from sagaproof._drivers.callable import CallableDriver
from sagaproof._search.campaign import Campaign, Status
from sagaproof._search.explore import explore
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject

Systems = Callable[[], dict[str, Any]]
SLUG = "undo-commutes"


def saga(undo: Callable[[Any], object]) -> Callable[[Any], str]:
    """Sets a status; if it hears nothing, it takes that back as given."""

    def run(world: Any) -> str:
        world.crm.add_ticket("t1")
        try:
            world.direct.crm.set_status(ticket="t1", status="solved", key="k1")
        except TimeoutError:
            undo(world)
            world.direct.crm.get_ticket(ticket="t1")
            return "compensated"
        return "completed"

    return run


def by_key(world: Any) -> None:
    """Right: what has not come yet is shut out."""
    world.direct.crm.undo_by_key("set_status", "k1")


def issues(world: Any) -> str:
    """A credit under a key that its service forgets at once, so that the fence does not last."""
    try:
        world.direct.bank.issue(to="ann", amount=3, key="k1")
    except TimeoutError:
        world.direct.bank.undo_by_key("issue", "k1")
        world.bank.keys.entries.clear()
        return "compensated"
    return "completed"


def explored(body: Callable[[Any], str], systems: Systems, *families: str) -> Campaign:
    settings = Settings(faults=1, families=families or ("lost answer", "late effect"))
    return explore(Subject("toy", CallableDriver(body), systems(), (UndoCommutes(),)), settings)


def test_a_call_that_stands_if_it_lands_after_its_undo_is_found(systems: Systems) -> None:
    campaign = explored(issues, systems)

    (finding,) = campaign.findings
    assert finding.check == SLUG
    assert finding.says == "what is left depends on whether bank.issue.1 lands before its undo or after it"
    assert finding.because == (
        "bank.credits[cr_1] is not the same as under plan 'bank.issue.1=lost', "
        "where it landed before the undo"
    )
    assert str(finding.plan) == "bank.issue.1=late-end"
    assert str(finding.twin) == "bank.issue.1=lost"
    assert (campaign.checks[SLUG].violated, campaign.checks[SLUG].held) == (1, 0)


def test_an_undo_that_shuts_out_what_comes_late_holds(systems: Systems) -> None:
    campaign = explored(saga(by_key), systems)

    assert campaign.findings == []
    assert (campaign.checks[SLUG].violated, campaign.checks[SLUG].held) == (0, 1)


def test_without_a_late_landing_or_an_undo_there_is_nothing_to_compare(systems: Systems) -> None:
    for body, families in ((saga(by_key), ("lost answer",)), (saga(lambda _: None), ())):
        campaign = explored(body, systems, *families)
        assert campaign.checks[SLUG].held == campaign.checks[SLUG].violated == 0
        assert campaign.status is Status.CLEAN


def test_what_a_person_was_told_of_is_left_out(systems: Systems) -> None:
    def tells(world: Any) -> str:
        claim = issues(world)
        if claim == "compensated":
            world.direct.desk.open_case(text="bank.issue k1 may still come")
            return "escalated"
        return claim

    assert explored(tells, systems).findings == []
