"""What a saga cannot reach is not missed: when each state of the catalogue applies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sagaproof import Facts
from sagaproof._model.faults import FAULTS
from sagaproof._sometimes.catalogue import sometimes

NONE = Facts(
    called=frozenset(),
    undos=frozenset(),
    classes=frozenset(),
    claims=frozenset(),
    faults=frozenset(),
    escalates=False,
    amounts=False,
    keys=False,
    retried=False,
)
ALL = Facts(
    called=frozenset({"bank.issue", "crm.set", "mail.send"}),
    undos=frozenset({"bank.reverse", "crm.set"}),
    classes=frozenset({1, 3, 4, 5}),
    claims=frozenset({"completed", "compensated"}),
    faults=frozenset(FAULTS),
    escalates=True,
    amounts=True,
    keys=True,
    retried=True,
    undone=frozenset({"bank.issue", "crm.set"}),
    undone_by_key=True,
    undone_in_order=True,
    past_pivot=True,
    steps=True,
    durable=True,
)
OPAQUE = {one.slug: one for one in sometimes()}
BY_SCRIPT = {"replanned-after-recovery"}


@pytest.mark.parametrize("slug", OPAQUE)
def test_it_never_applies_to_a_saga_that_does_nothing(slug: str) -> None:
    assert not OPAQUE[slug].applies(NONE)


@pytest.mark.parametrize("slug", sorted(OPAQUE.keys() - BY_SCRIPT))
def test_it_applies_to_a_saga_that_does_everything(slug: str) -> None:
    assert OPAQUE[slug].applies(ALL)


@pytest.mark.parametrize(
    ("slug", "without"),
    [
        ("completed-through-a-fault", {"claims": frozenset({"raised"})}),
        ("undo-retried", {"undos": frozenset()}),
        ("undo-given-up-and-told", {"escalates": False}),
        ("two-undos-fail", {"undone": frozenset({"bank.issue"})}),
        ("full-unwind", {"undone": frozenset()}),
        ("empty-rollback", {"undone_by_key": False}),
        ("late-call-fenced", {"undone_by_key": False}),
        ("duplicate-absorbed", {"keys": False}),
        ("key-expired", {"keys": False}),
        ("pivot-rejected", {"classes": frozenset({1, 3})}),
        ("pivot-in-doubt-then-yes", {"keys": False}),
        ("pivot-in-doubt-then-no", {"keys": False}),
        ("pivot-in-doubt-to-the-end", {"faults": frozenset({"503"})}),
        ("retried-past-pivot", {"past_pivot": False}),
        ("told-past-pivot", {"escalates": False}),
        ("crash-between-effect-and-journal", {"durable": False}),
        ("crash-inside-undo", {"undos": frozenset()}),
        ("crash-during-recovery", {"faults": frozenset({"503"})}),
        ("rate-limit-honoured", {"called": frozenset({"tools.send"})}),
        ("signed-in-again-mid-unwind", {"faults": frozenset({"503"})}),
        ("other-write-preserved", {"faults": frozenset({"503"})}),
        ("mail-taken-unheard", {"faults": frozenset({"503"})}),
    ],
)
def test_it_does_not_apply_without_what_it_speaks_of(slug: str, without: dict[str, Any]) -> None:
    assert not OPAQUE[slug].applies(replace(ALL, **without))
