"""An order on the runtime: no finding over pairs of faults; all of them with SAGAPROOF_WHOLE=1."""

from __future__ import annotations

import pytest
from tests.scenarios.expected import require_clean_in_pairs


@pytest.mark.slow
def test_it_is_clean_under_pairs_of_faults() -> None:
    require_clean_in_pairs("order-runtime")
