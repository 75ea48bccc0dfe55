"""The end of a campaign: what all its runs come to, what was never met, and the histories of its findings."""

from __future__ import annotations

from collections.abc import Mapping

from sagaproof._checks.campaign_check import Check
from sagaproof._checks.protocol import Facts
from sagaproof._drivers.advice import advice_for
from sagaproof._model.finding import Finding
from sagaproof._model.history import History
from sagaproof._model.plan import Plan
from sagaproof._run.runner import Runner
from sagaproof._search.campaign import Campaign
from sagaproof._search.gaps import Gap
from sagaproof._search.record import Book
from sagaproof._search.subject import Subject
from sagaproof._search.watch import Watch
from sagaproof.errors import SagaproofError

__all__ = ["Conclusion"]


class Conclusion:
    """Brings a campaign to its end; `books` and `baselines` (the fault-free runs) are by name of script."""

    def __init__(  # noqa: PLR0917  # all that a campaign leaves behind
        self,
        subject: Subject,
        watch: Watch,
        campaign: Campaign,
        runner: Runner,
        books: Mapping[str, Book],
        baselines: Mapping[str, History],
    ) -> None:
        self._subject = subject
        self._watch = watch
        self._judge = watch.judge
        self._campaign = campaign
        self._runner = runner
        self._books = books
        self._baselines = baselines

    def conclude(self) -> None:
        """Write into the campaign what holds of all its runs together."""
        campaign, watch = self._campaign, self._watch
        campaign.facts = facts = watch.facts.facts()
        campaign.excluded = watch.candidates.excluded
        self._judge.conclude(self._books, {script.name: script for script in self._subject.all_scripts()})
        campaign.findings = self._judge.findings()
        self._illustrate_all()
        for gap in watch.candidates.gaps():
            campaign.miss(gap)
        campaign.notes += [f"advice: {said}" for said in advice_for(self._baselines.values())]
        self._note_unreached(facts)
        self._judge.conclude_sometimes(facts)
        self._note_skipped()

    def conclude_replay(self, plan: Plan) -> None:
        """The same where one plan alone was run: nothing is complete."""
        self._campaign.findings = self._judge.findings()
        if plan and not self._campaign.findings:
            self._campaign.notes += filter(None, [self._judge.leaves_out()])
        self._illustrate_all()

    # What was not met -----------------------------------------------------------------------------------

    def _note_unreached(self, facts: Facts) -> None:
        for check in self._subject.checks:
            count = self._campaign.checks[check.slug]
            reached = bool(count.held or count.violated)
            count.applies = self._judge.applies(check, facts) or reached
            if count.applies and not reached:
                self._campaign.miss(self._unreached(check))

    def _unreached(self, check: Check) -> Gap:
        """A check that applies and was never reached is a gap, unless so few faults cannot reach it."""
        needed = getattr(check, "faults_needed", 1)
        enough = self._campaign.settings.faults >= needed
        why = "applies and was never reached" if enough else f"is only reached with {needed} faults or more"
        return Gap("check", check.slug, f"check {check.slug} {why}", spoils=enough)

    def _note_skipped(self) -> None:
        campaign = self._campaign
        skipped = sum(level.skipped for level in campaign.levels if level.attempted)
        if skipped:
            why = "it ended before them" if campaign.errors else "the budget was used up"
            campaign.incomplete.append(f"{skipped} plans were skipped: {why}")
        elif campaign.settings.faults and not campaign.errors:
            self._note_untested()

    def _note_untested(self) -> None:
        """An undo that was declared and never run is a gap; that others are not known to work, a note."""
        for gap in self._watch.coverage.gaps(getattr(self._subject.driver, "tools", ())):
            self._campaign.miss(gap)

    # Histories ------------------------------------------------------------------------------------------

    def _illustrate_all(self) -> None:
        """Get the histories of the findings; one that does not come again keeps its words all the same."""
        for finding in self._campaign.findings:
            try:
                self._illustrate(finding)
            except SagaproofError as error:
                self._campaign.errors.append(f"{error.slug}: {error}")

    def _illustrate(self, finding: Finding) -> None:
        """Run the smallest plan and its passing twin once more, to have their histories."""
        book = self._books[finding.script.name]
        baseline = self._baselines[finding.script.name]
        finding.history = self._runner.run(finding.script, finding.plan, baseline)
        if finding.twin is None:
            finding.twin = book.nearest_held(finding.plan, finding.check)
        if finding.twin is not None:
            script = finding.twin_script or finding.script
            finding.twin_history = self._runner.run(script, finding.twin, self._baselines[script.name])
