"""From seconds to the figures that are published, each with its unit in its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tests.bench.crashes import PROCESSES


class Figures(NamedTuple):
    """`rates` are absolute and speak of one machine only; `ratios` compare what was timed side by side."""

    rates: dict[str, float]
    ratios: dict[str, float]


class Memory(NamedTuple):
    """Megabytes: the most that a recovery holds, and what a campaign holds per ten thousand runs."""

    recover_peak_mb: float
    campaign_mb_per_10000_runs: float


def figures(seconds: Mapping[str, float], campaign_runs: int, memory: Memory) -> Figures:
    """The figures; `campaign_runs` is how many runs the timed campaign made."""
    per_s = {name: 1 / taken for name, taken in seconds.items()}
    rates = {
        "floor_runs_per_s": per_s["floor"],
        "httpx_runs_per_s": per_s["ours"],
        "direct_runs_per_s": per_s["direct"],
        "respx_4_routes_runs_per_s": per_s["respx_4_routes"],
        "respx_20_routes_runs_per_s": per_s["respx_20_routes"],
        "respx_60_routes_runs_per_s": per_s["respx_60_routes"],
        "checks_us_per_run": seconds["judged"] * 1e6,
        "client_in_world_ms": seconds["client_in_world"] * 1e3,
        "snapshot_us": seconds["snapshot"] * 1e6,
        "restore_us": seconds["restore"] * 1e6,
        "compare_us": seconds["compare"] * 1e6,
        "runtime_us_per_call_memory": (seconds["runtime_memory"] - seconds["bare_tool"]) * 1e6,
        "runtime_ms_per_call_file": (seconds["runtime_file"] - seconds["bare_tool"]) * 1e3,
        "journal_us_per_append_memory": seconds["journal_append"] * 1e6,
        **memory._asdict(),
        "real_kill_ms": seconds["run_killed"] / PROCESSES * 1e3,
        "credit_k2_seconds": seconds["credit"],
        "credit_k2_runs_per_s": campaign_runs / seconds["credit"],
        "report_10000_runs_s": seconds["report"],
        "pytest_without_plugin_ms": seconds["pytest"] * 1e3,
        "plugin_start_ms": (seconds["pytest_with_plugin"] - seconds["pytest"]) * 1e3,
    }
    ratios = {
        "ours_over_floor": per_s["ours"] / per_s["floor"],
        "respx_4_routes_over_floor": per_s["respx_4_routes"] / per_s["floor"],
        "respx_20_routes_over_floor": per_s["respx_20_routes"] / per_s["floor"],
        "respx_60_routes_over_floor": per_s["respx_60_routes"] / per_s["floor"],
        "ours_over_respx_60_routes": per_s["ours"] / per_s["respx_60_routes"],
        "recover_over_commits": seconds["recover"] / seconds["recover_commits"],
        "crash_over_plain": seconds["run_crashed"] / seconds["run_plain"],
        "machine_over_bare": seconds["machine"] / seconds["bare_machine"],
    }
    return Figures(rates, ratios)
