"""The story on DBOS over a SQLite file: each variant has the findings that it is known to have."""

from __future__ import annotations

import pytest
from tests.scenarios.expected import campaign_of, require_expected

from sagaproof._doors.registry import scenario
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._model.plan import Plan
from sagaproof._model.script import OPAQUE
from sagaproof._search.explore import replay

pytest.importorskip("dbos", reason="needs dbos")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["order-dbos", "order-dbos-keyless", "order-dbos-naive"])
def test_a_variant_has_the_findings_that_it_is_known_to_have(name: str) -> None:
    require_expected(scenario(name), campaign_of(name), faults=1)


@pytest.mark.slow
def test_the_right_one_is_killed_at_each_call_and_each_write_of_dbos() -> None:
    campaign = campaign_of("order-dbos")
    killed = {where.operation for where, fault in campaign.cells if fault == "crash-before"}
    assert killed >= {"dbos.step", "dbos.outcome", "crm.get_order", "mail.send"}
    assert killed == {where.operation for where, _ in campaign.cells}
    assert not any(note.startswith(("waits in real time", "thread")) for note in campaign.notes)


@pytest.mark.slow
def test_a_step_without_a_key_is_done_twice_and_the_card_says_where_it_was_run_again() -> None:
    findings = {
        (finding.check, str(finding.plan)): finding for finding in campaign_of("order-dbos-keyless").findings
    }
    twice = findings["applied-once", "dbos.step.2=crash-before"]
    assert "was applied twice" in twice.says
    assert ("no-silent-residue", "dbos.step.2=crash-before") not in findings


@pytest.mark.slow
@pytest.mark.parametrize(
    "plan",
    [
        "crm.get_contact.1=crash-before,dbos.step.3@1=crash-after",
        "billing.create_invoice.1=crash-after,mail.send.1@1=crash-before",
        "mail.send.1=503/all,billing.delete_invoice.1=crash-after",
        "mail.send.1=503/all,dbos.step.6=crash-after",
        "mail.send.1=422,dbos.step.6=crash-after",
        "billing.create_invoice.1=lost/all,dbos.step.5=crash-before",
        "mail.send.1=503/all,mail.undo_send.1=503/all,desk.open_case.1=crash-after",
    ],
)
def test_the_right_one_stands_crashes_of_a_recovery_and_of_an_unwind(plan: str) -> None:
    subject, known = subject_of_scenario(scenario("order-dbos")), scenario("order-dbos")
    campaign = replay(subject, known.settings, Plan.parse(plan), OPAQUE)
    assert ([finding.says for finding in campaign.findings], campaign.errors) == ([], [])


def test_an_undo_that_is_tried_once_leaves_what_nobody_is_told_of() -> None:
    subject, known = subject_of_scenario(scenario("order-dbos-naive")), scenario("order-dbos-naive")
    plan = Plan.parse("mail.send.1=503/all,billing.delete_invoice.1=503")
    found = {finding.check for finding in replay(subject, known.settings, plan, OPAQUE).findings}
    assert "no-silent-undo-failure" in found
