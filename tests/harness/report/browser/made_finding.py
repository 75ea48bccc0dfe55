"""A finding with all its parts, made by hand."""

from __future__ import annotations

from typing import Final

from pydantic import JsonValue

from sagaproof._report.schema import (
    Case,
    ErrorPart,
    FaultPart,
    FindingPart,
    Residue,
    Step,
    ToldPart,
    TwinPart,
    WorldRow,
)

__all__ = ["CHECKS", "CLAIMS", "SYSTEMS", "finding"]

CHECKS: Final = ("no-silent-undo-failure", "applied-once", "rest-is-rest", "books-balance", "own-check")
CLAIMS: Final = ("compensated", "completed", "raised")
SYSTEMS: Final = ("crm", "billing", "ledger", "mail", "desk")


def finding(scenario: int, number: int, plan: str) -> FindingPart:
    """The finding of that number in a scenario, with that smallest plan."""
    points = [one.rpartition("=") for one in plan.split(",")]
    return FindingPart(
        check=CHECKS[number % len(CHECKS)],
        claim=CLAIMS[number % len(CLAIMS)],
        where=tuple(f"{point.rpartition('.')[0]}/forward/first/before-pivot" for point, _, _ in points),
        says=f"said 'compensated', but credit cr_{scenario}_{number} (2500.00 usd) still stands",
        because=f"the error of step 6 (asked for at support.py:{88 + number}) reached nobody",
        plan=plan,
        script="opaque",
        replay=f"sagaproof replay story-{scenario} {plan}",
        snippet=f"def test_story_{scenario}_{number}():\n    assert True",
        help="sagaproof explain applied-once",
        plans=5,
        faults=tuple(
            FaultPart(number=n, point=point, fault=fault, text="not applied, 503")
            for n, (point, _, fault) in enumerate(points, start=1)
        ),
        timeline=_timeline(),
        world_diff=tuple(_world_row(n) for n in range(4)),
        residue=(
            Residue(
                number=2,
                operation="billing.issue_credit",
                ref="cr_1",
                amount=250_000,
                key=None,
                effect_class=4,
                named=False,
                text="billing.issue_credit cr_1 (2500.00 usd)",
            ),
        ),
        told=ToldPart(
            claim="compensated",
            how="returned",
            where="support.py:90",
            errors=(ErrorPart(type="ReadTimeout", text="no answer", number=4),),
            cases=(Case(number=5, operation="desk.open_case", ref="case_1", args={"text": "help"}),),
        ),
        twin=TwinPart(
            plan="mail.send.1=lost",
            step="4 mail.send c4",
            here="told 503; not applied",
            there="told ok; applied",
        ),
    )


def _timeline() -> tuple[Step, ...]:
    calls = [_call(number) for number in range(1, 15)]
    died = Step(kind="died", at=1.0, what="the process died at mail.send.1")
    restarted = Step(kind="restarted", at=1.0, what="restart 1: a new process recovers", n=1)
    landed = Step(
        kind="landed",
        at=2.0,
        what="mail.send of step 4 arrives late",
        operation="mail.send",
        happened="applied",
    )
    ended = Step(kind="ended", at=3.0, what="said 'compensated'")
    return (*calls[:8], died, restarted, *calls[8:], landed, ended)


def _call(number: int) -> Step:
    system = SYSTEMS[number % len(SYSTEMS)]
    operation = "mail.send" if number == 4 else f"{system}.step_{number}"
    return Step(
        kind="call",
        at=number / 100,
        what=f"{operation} c{number}",
        number=number,
        operation=operation,
        n=1,
        phase="undo" if number > 10 else "forward",
        args=f"customer=cus_7 amount=250000 reference={number}",
        brief=f"c{number}",
        attempts=1,
        told="503" if number == 4 else "ok",
        ok=number != 4,
        happened=f"applied: credits cr_{number} added",
        applied=1,
        undoes=number - 10 if number > 10 else None,
        faults=(1,) if number == 4 else (),
        about=number == 4,
        site=f"src/shop/agents/services.py:{60 + number} < src/shop/agents/support.py:{20 + number}",
    )


def _world_row(number: int) -> WorldRow:
    row: dict[str, JsonValue] = {
        "id": f"cr_{number}",
        "status": "issued",
        "customer": "cus_7",
        "amount": 250_000,
        "currency": "usd",
    }
    return WorldRow(
        system="billing",
        table="credits",
        key=f"cr_{number}",
        field="",
        before=None,
        after=dict(row),
        fault_free=row | {"status": "paid"},
        changed=True,
        differs=True,
    )
