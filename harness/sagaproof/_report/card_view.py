"""The findings as the page shows them: a card for each run, with anchors, lanes, what it is filtered by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from sagaproof._report.argument import Argument, argument
from sagaproof._report.contrast import Marked, contrast
from sagaproof._report.group import Group, grouped, rank, varied
from sagaproof._report.lanes import Lanes, lanes
from sagaproof._report.schema import FindingPart, ScenarioPart
from sagaproof._report.standing import counts

__all__ = ["CardView", "anchors", "cards", "worst"]

_WORST_MAX: Final = 5


class CardView(NamedTuple):
    """A run that violates checks. `anchor` is that of its most telling finding, `also` has the others.

    `standing` is known (in the baseline), expected (of its scenario) or, where it counts, new.
    """

    anchor: str
    lead: FindingPart
    also: tuple[tuple[str, FindingPart], ...]
    scenario: str
    standing: str
    argument: Argument
    lanes: Lanes
    here: Marked
    there: Marked

    @property
    def checks(self) -> list[str]:
        """The slugs of all checks that it violates."""
        return [self.lead.check, *(finding.check for _, finding in self.also)]


def anchors(scenarios: Iterable[ScenarioPart]) -> list[dict[str, FindingPart]]:
    """The findings of each scenario by their anchors, which count through the whole report."""
    number = 0
    found: list[dict[str, FindingPart]] = []
    for scenario in scenarios:
        found.append({f"f{number + n}": one for n, one in enumerate(scenario.findings, start=1)})
        number += len(scenario.findings)
    return found


def cards(scenario: ScenarioPart, findings: Mapping[str, FindingPart]) -> list[CardView]:
    """The cards of a scenario, whose findings are by their anchors."""
    anchor_of = {id(finding): anchor for anchor, finding in findings.items()}
    return [_card(group, scenario, anchor_of) for group in grouped(findings.values())]


def worst(found: Iterable[CardView]) -> list[CardView]:
    """What to read first: what counts, and of that what takes the fewest faults and has the gravest check.

    Each check comes once before any comes again.
    """
    ordered = sorted(found, key=_gravity)
    by_lead = {id(card.lead): card for card in ordered}
    chosen = varied(tuple(Group(card.lead) for card in ordered if card.standing == "new")) + varied(
        tuple(Group(card.lead) for card in ordered if card.standing != "new")
    )
    return [by_lead[id(group.lead)] for group in chosen[:_WORST_MAX]]


def _gravity(card: CardView) -> tuple[int, tuple[int, str], int]:
    return (len(card.lead.faults), rank(card.lead), -card.lead.plans)


def _card(group: Group, scenario: ScenarioPart, anchor_of: Mapping[int, str]) -> CardView:
    lead = group.lead
    here, there = contrast(lead.twin.here, lead.twin.there) if lead.twin else contrast("", "")
    return CardView(
        anchor=anchor_of[id(lead)],
        lead=lead,
        also=tuple((anchor_of[id(finding)], finding) for finding in group.also),
        scenario=scenario.name,
        standing=_standing([lead, *group.also], scenario),
        argument=argument(lead),
        lanes=lanes(lead),
        here=here,
        there=there,
    )


def _standing(findings: list[FindingPart], scenario: ScenarioPart) -> str:
    """One that counts makes the card count."""
    if any(counts(finding, scenario) for finding in findings):
        return "new"
    return "known" if any(finding.known is not None for finding in findings) else "expected"
