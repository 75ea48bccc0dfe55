"""What the mail service promises: what is out stays out, and what is not out can be called off."""

from __future__ import annotations

import re
from typing import Any

import pytest

import sagaproof_fakes.mail
from sagaproof._taps.direct import ToolError
from sagaproof._taps.handle import WorldHandle
from sagaproof.errors import UsageError
from sagaproof.testing import check_system
from sagaproof_fakes.mail import Mail

MAIL = {"to": "ada@example.com", "subject": "Your credit", "body": "It is on its way."}
AT_TEN = "2026-01-05T10:00:00Z"  # runs begin at nine

EXAMPLES: dict[str, dict[str, Any]] = {
    "create_draft": MAIL,
    "get_draft": {"draft_id": "d"},
    "list_drafts": {},
    "send_draft": {"draft_id": "d"},
    "schedule_send": {**MAIL, "send_at": AT_TEN},
    "get_scheduled": {"scheduled_id": "s"},
    "list_scheduled": {},
    "send": {**MAIL, "corrects": "m"},
    "send_many": {"recipients": ["a@example.com", "nobody", "b@example.com"], "subject": "s", "body": "b"},
    "get_message": {"message_id": "m"},
    "list_messages": {"to": "ada@example.com", "corrects": "m"},
    "list_bounces": {},
}

REFUSED: dict[str, list[dict[str, Any]]] = {
    "send": [{**MAIL, "to": to} for to in ("", "ada", "@example.com", "ada@", "a b@example.com")]
    + [{**MAIL, "corrects": "m2"}, {**MAIL, "corrects": "s"}],
    "create_draft": [{**MAIL, "to": "ada"}, {**MAIL, "corrects": "m2"}],
    "schedule_send": [
        {**MAIL, "send_at": at} for at in ("soon", "2026-01-05T09:00:00Z", "2026-01-05T10:00+02")
    ],
    "delete_draft": [{"draft_id": "sent"}],
    "send_draft": [{"draft_id": "sent"}],
    "cancel_scheduled": [{"scheduled_id": "off"}],
}


def fill(mail: Mail) -> None:
    mail.add_draft("d", **MAIL)
    mail.add_draft("sent", **MAIL)
    mail.drafts.patch("sent", status="sent")
    mail.messages.put("m", {"id": "m", **MAIL, "corrects": None, "status": "sent"})
    scheduled = {**MAIL, "corrects": None, "send_at": AT_TEN}
    mail.scheduled.put("s", {"id": "s", **scheduled, "status": "scheduled"})
    mail.scheduled.put("off", {"id": "off", **scheduled, "status": "cancelled"})


@pytest.fixture
def world() -> WorldHandle:
    return WorldHandle({"mail": Mail()})


def test_the_mail_service_keeps_the_contract() -> None:
    report = check_system(Mail, examples=EXAMPLES, setup=fill, refused=REFUSED)
    assert report.exercised == tuple(sorted(Mail().operations()))


def test_the_table_in_the_docstring_is_the_api() -> None:
    rows = re.findall(
        r"^\| (\w+) \| ([A-Z]+ \S+) \| (\d) \|", sagaproof_fakes.mail.__doc__ or "", re.MULTILINE
    )
    declared = {n: d for n, d in Mail().declarations().items() if d.route and n != "lookup"}
    assert {(n, r, int(c)) for n, r, c in rows} == {
        (n, d.route, d.operation.cls) for n, d in declared.items()
    }


# Sending -------------------------------------------------------------------------------------------------


def test_a_mail_that_is_sent_again_without_key_is_a_second_mail(world: WorldHandle) -> None:
    for key in (None, None, "k", "k"):
        world.direct.mail.send(**MAIL, key=key)
    assert len(world.mail.messages) == 3


@pytest.mark.parametrize("operation", ["send", "send_draft"])
def test_what_is_out_cannot_be_taken_back(world: WorldHandle, operation: str) -> None:
    args = MAIL if operation == "send" else {"draft_id": world.direct.mail.create_draft(**MAIL)["id"]}
    getattr(world.direct.mail, operation)(**args, key="k")
    with pytest.raises(ToolError, match="409 irreversible"):
        world.direct.mail.undo_by_key(operation, "k")
    assert len(world.mail.messages) == 1


def test_only_the_sending_operations_are_marked_as_mail() -> None:
    marked = {name for name, op in Mail().operations().items() if "mail" in op.traits}
    assert marked == {"send", "send_draft", "send_many"}


def test_a_correction_names_the_mail_that_it_puts_right(world: WorldHandle) -> None:
    original = world.direct.mail.send(**MAIL)["id"]
    correction = world.direct.mail.send(**MAIL, corrects=original)
    assert world.direct.mail.list_messages(corrects=original)["data"] == [correction]


def test_a_scheduled_mail_can_be_corrected_once_it_is_out(world: WorldHandle) -> None:
    scheduled = world.direct.mail.schedule_send(**MAIL, send_at=AT_TEN)["id"]
    with pytest.raises(ToolError, match="422 unknown_original"):
        world.direct.mail.send(**MAIL, corrects=scheduled)
    world.clock.advance(3600)
    assert world.direct.mail.send(**MAIL, corrects=scheduled)["corrects"] == scheduled


# Drafts and scheduled mails ------------------------------------------------------------------------------


def test_a_draft_is_sent_once_and_then_stays(world: WorldHandle) -> None:
    draft = world.direct.mail.create_draft(**MAIL)["id"]
    sent = world.direct.mail.send_draft(draft_id=draft)
    assert {field: sent[field] for field in MAIL} == MAIL
    for call in (world.direct.mail.send_draft, world.direct.mail.delete_draft):
        with pytest.raises(ToolError, match="409 already_sent"):
            call(draft_id=draft)
    assert len(world.mail.messages) == 1


def test_a_scheduled_mail_can_be_called_off_up_to_its_moment(world: WorldHandle) -> None:
    scheduled = world.direct.mail.schedule_send(**MAIL, send_at=AT_TEN)["id"]
    world.clock.elapsed = 3599.9
    assert world.direct.mail.get_scheduled(scheduled_id=scheduled)["status"] == "scheduled"
    world.clock.elapsed = 3599.9
    assert world.direct.mail.cancel_scheduled(scheduled_id=scheduled)["status"] == "cancelled"


def test_a_scheduled_mail_is_out_from_its_moment_on(world: WorldHandle) -> None:
    scheduled = world.direct.mail.schedule_send(**MAIL, send_at=AT_TEN)["id"]
    world.clock.elapsed = 3600.0
    assert world.direct.mail.list_scheduled()["data"][0]["status"] == "sent"
    with pytest.raises(ToolError, match="409 already_sent"):
        world.direct.mail.cancel_scheduled(scheduled_id=scheduled)


def test_a_called_off_mail_never_goes_out(world: WorldHandle) -> None:
    scheduled = world.direct.mail.schedule_send(**MAIL, send_at=AT_TEN)["id"]
    world.direct.mail.cancel_scheduled(scheduled_id=scheduled)
    world.clock.advance(7200)
    assert world.direct.mail.get_scheduled(scheduled_id=scheduled)["status"] == "cancelled"
    with pytest.raises(ToolError, match="409 already_cancelled"):
        world.direct.mail.cancel_scheduled(scheduled_id=scheduled)


@pytest.mark.parametrize("send_at", ["2026-01-05T10:00:00", "2026-01-05T12:00:00+02:00", AT_TEN])
def test_a_moment_is_kept_in_utc(world: WorldHandle, send_at: str) -> None:
    assert world.direct.mail.schedule_send(**MAIL, send_at=send_at)["send_at"] == AT_TEN


# Bounces -------------------------------------------------------------------------------------------------


def test_a_mail_that_was_accepted_can_bounce_later_once(world: WorldHandle) -> None:
    sent = world.direct.mail.send(**MAIL)["id"]
    first = world.mail.bounce(sent, "no such mailbox")
    assert world.mail.bounce(sent) == first
    assert world.direct.mail.get_message(message_id=sent)["status"] == "bounced"
    assert [b["reason"] for b in world.direct.mail.list_bounces()["data"]] == ["no such mailbox"]


def test_what_was_not_sent_cannot_bounce(world: WorldHandle) -> None:
    with pytest.raises(UsageError, match="no mail 'msg_9' was sent"):
        world.mail.bounce("msg_9")


@pytest.mark.parametrize(("table", "row"), [("messages", {"corrects": "x"}), ("bounces", {"message": "x"})])
def test_the_invariant_sees_what_refers_to_nowhere(
    world: WorldHandle, table: str, row: dict[str, str]
) -> None:
    getattr(world.mail, table).put("1", {"id": "1", **row})
    assert "'x', which is not there" in world.mail.nothing_refers_to_nowhere()
