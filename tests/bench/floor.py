"""The floor: eight calls of an httpx client to a transport that answers at once, always the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import httpx
from tests.bench.rounds import Once
from tests.bench.saga import ANSWER, over_http


@contextmanager
def floor() -> Iterator[Once]:
    """What httpx itself takes: nothing over httpx can be faster."""
    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json=ANSWER))) as client:
        yield partial(over_http, client)
