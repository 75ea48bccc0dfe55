"""The runtime is killed in earnest at its durable boundaries, and nothing is lost or done twice.

A thousand kills take a minute or more: `./dev exec python tests/bench/kills.py`.
"""

from __future__ import annotations

import pytest
from tests.bench.kills import kill


@pytest.mark.slow
def test_wherever_the_runtime_is_killed_it_goes_on_where_it_was() -> None:
    tally = kill(90, names=("order-runtime", "goodwill-parallel"))
    assert tally.findings == []
    assert tally.kills >= 90
    assert len(tally.boundaries) >= 60
    killed = {boundary.split(" ", 1)[1] for boundary in tally.boundaries}
    assert "journal.append intent journal crash-after process 1" in killed
    assert any(one.endswith("crash-before process 2") for one in killed)
