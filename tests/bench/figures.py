"""From seconds to the figures that are published, each with its unit in its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Figures(NamedTuple):
    """`rates` are absolute and speak of one machine only; `ratios` compare what was timed side by side."""

    rates: dict[str, float]
    ratios: dict[str, float]


def figures(seconds: Mapping[str, float], campaign_runs: int) -> Figures:
    """The figures; `campaign_runs` is how many runs the timed campaign made."""
    per_s = {name: 1 / taken for name, taken in seconds.items()}
    rates = {
        "floor_runs_per_s": per_s["floor"],
        "httpx_runs_per_s": per_s["ours"],
        "direct_runs_per_s": per_s["direct"],
        "respx_4_routes_runs_per_s": per_s["respx_4_routes"],
        "respx_60_routes_runs_per_s": per_s["respx_60_routes"],
        "client_in_world_ms": seconds["client_in_world"] * 1e3,
        "snapshot_us": seconds["snapshot"] * 1e6,
        "restore_us": seconds["restore"] * 1e6,
        "runtime_us_per_call_memory": (seconds["runtime_memory"] - seconds["bare_tool"]) * 1e6,
        "runtime_ms_per_call_file": (seconds["runtime_file"] - seconds["bare_tool"]) * 1e3,
        "journal_us_per_append_memory": seconds["journal_append"] * 1e6,
        "credit_k2_seconds": seconds["credit"],
        "credit_k2_runs_per_s": campaign_runs / seconds["credit"],
        "pytest_without_plugin_ms": seconds["pytest"] * 1e3,
        "plugin_start_ms": (seconds["pytest_with_plugin"] - seconds["pytest"]) * 1e3,
    }
    ratios = {
        "ours_over_floor": per_s["ours"] / per_s["floor"],
        "respx_4_routes_over_floor": per_s["respx_4_routes"] / per_s["floor"],
        "respx_60_routes_over_floor": per_s["respx_60_routes"] / per_s["floor"],
        "ours_over_respx_60_routes": per_s["ours"] / per_s["respx_60_routes"],
    }
    return Figures(rates, ratios)
