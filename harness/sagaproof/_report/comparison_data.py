"""The planted bugs by other means as plain data: `baseline` in `sagaproof selfcheck --json`."""

from __future__ import annotations

from typing import Any

from sagaproof._machine.comparison import Comparison, Row

__all__ = ["as_data"]


def as_data(result: Comparison) -> dict[str, Any]:
    """Counts first, then a row for each bug and control: the first run that showed it, null if none did."""
    return {
        "compared": len(result.bugs),
        "not_compared": list(result.left_out),
        "explored": {"killed": result.explored},
        "single_errors": {"killed": result.errors},
        "machine": [_machine(result, examples) for examples in result.examples],
        "false_alarms": result.false_alarms,
        "bugs": [_row(row) for row in result.bugs],
        "controls": [_row(row) for row in result.controls],
    }


def _machine(result: Comparison, examples: int) -> dict[str, Any]:
    spread = result.spread(examples)
    return {
        "examples": examples,
        "seeds": list(result.seeds),
        "killed": {"min": spread.least, "median": spread.median, "max": spread.most},
        "killed_by_seed": result.by_seed(examples),
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row.planted.id,
        "explored": row.explored,
        "single_errors": row.errors,
        "machine": {str(examples): list(by_seed) for examples, by_seed in row.machine.items()},
    }
