"""`books-balance` finds broken books."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagaproof._checks.protocol import State, Verdict
from sagaproof._taps.direct import ToolError

Judged = Callable[..., dict[str, Verdict]]
SLUG = "books-balance"


def reverses(amount: int | None) -> Callable[[Any], str | None]:
    def saga(world: Any) -> str | None:
        credit = world.direct.bank.issue(to="ann", amount=5, key="k1")
        try:
            world.direct.mail.send(to="ann")
        except (ToolError, OSError):
            world.direct.bank.reverse(credit=credit["id"], amount=amount)
            return "compensated"
        return None

    return saga


def test_a_broken_invariant_of_a_system_is_found(judged: Judged) -> None:
    verdict = judged(reverses(7), "mail.send.1=503")[SLUG]

    assert verdict.state is State.VIOLATED
    assert verdict.claim == "bank.nothing_below_zero broke: cr_1 has -2 left"
    assert verdict.because.startswith("bank.reverse.1 (asked for at")
    assert verdict.calls == (2,)


def test_a_part_that_is_called_compensated_is_found(judged: Judged) -> None:
    verdict = judged(reverses(4), "mail.send.1=503")[SLUG]

    assert verdict.claim == "said 'compensated', but of bank.issue cr_1 (5) 4 was taken back"


def test_all_of_it_holds(judged: Judged) -> None:
    for amount in (5, None):
        assert judged(reverses(amount), "mail.send.1=503")[SLUG].state is State.HELD


def test_what_another_writer_has_broken_is_not_laid_at_the_sagas_door(judged: Judged) -> None:
    def saga(overdraws: bool) -> Callable[[Any], None]:
        def run(world: Any) -> None:
            credit = world.direct.bank.issue(to="ann", amount=5, key="k1")["id"]
            world.bank.credits.put("cr_9", {"id": "cr_9", "amount": 1, "left": 0 if overdraws else -1})
            world.direct.bank.issue(to="ben", amount=5, key="k2")
            if overdraws:
                world.direct.bank.reverse(credit=credit, amount=7)

        return run

    assert judged(saga(overdraws=False))[SLUG].state is State.HELD
    assert judged(saga(overdraws=True))[SLUG].claim == "bank.nothing_below_zero broke: cr_1 has -2 left"


def test_a_part_that_another_writer_has_taken_back_need_not_be_taken_back_again(judged: Judged) -> None:
    def saga(world: Any) -> str:
        credit = world.direct.bank.issue(to="ann", amount=5, key="k1")["id"]
        world.bank.credits.patch(credit, left=4)
        world.direct.bank.reverse(credit=credit)
        return "compensated"

    assert judged(saga)[SLUG].state is State.HELD


def test_an_invariant_of_the_user_is_not_its_business(judged: Judged) -> None:
    assert judged(reverses(5), invariants=[lambda _world: "broken"])[SLUG].state is State.HELD


def test_without_an_amount_it_is_not_reached(judged: Judged) -> None:
    assert judged(lambda world: world.direct.mail.send(to="ann") and None)[SLUG].state is State.NOT_REACHED
