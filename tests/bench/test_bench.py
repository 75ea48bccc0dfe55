"""`./dev bench --json` gives one object with the promised keys; no figure of it depends on a fast machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = Path(__file__).with_name("main.py")
RATES = {
    "floor_runs_per_s",
    "httpx_runs_per_s",
    "direct_runs_per_s",
    "respx_4_routes_runs_per_s",
    "respx_20_routes_runs_per_s",
    "respx_60_routes_runs_per_s",
    "checks_us_per_run",
    "client_in_world_ms",
    "snapshot_us",
    "restore_us",
    "compare_us",
    "runtime_us_per_call_memory",
    "runtime_ms_per_call_file",
    "journal_us_per_append_memory",
    "real_kill_ms",
    "recover_peak_mb",
    "campaign_mb_per_10000_runs",
    "report_10000_runs_s",
    "credit_k2_seconds",
    "credit_k2_runs_per_s",
    "pytest_without_plugin_ms",
    "plugin_start_ms",
}
RATIOS = {
    "ours_over_floor",
    "respx_4_routes_over_floor",
    "respx_20_routes_over_floor",
    "respx_60_routes_over_floor",
    "ours_over_respx_60_routes",
    "recover_over_commits",
    "crash_over_plain",
    "machine_over_bare",
}


@pytest.mark.slow
def test_the_json_has_every_figure_and_none_is_absurd() -> None:
    command = [sys.executable, str(MAIN), "--json", "--quick"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.keys() == {"rates", "ratios"}
    assert found["rates"].keys() == RATES
    assert found["ratios"].keys() == RATIOS
    # A difference of two sessions: it may drown in their noise.
    assert all(rate > 0 for name, rate in found["rates"].items() if name != "plugin_start_ms")
    assert found["ratios"]["ours_over_floor"] > 0.3
    assert found["rates"]["direct_runs_per_s"] > found["rates"]["httpx_runs_per_s"]
