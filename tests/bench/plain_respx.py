"""respx as one uses it without us: a route for each URL, stateless answers, nothing noted or judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import httpx
import respx
from tests.bench.rounds import Once
from tests.bench.saga import ANSWER, over_http


def plain_respx(routes: int) -> Callable[[], AbstractContextManager[Once]]:
    """The eight calls against this many routes, of which the last one matches."""

    @contextmanager
    def ready() -> Iterator[Once]:
        with respx.mock(assert_all_called=False, using="httpx") as router, httpx.Client() as client:
            for number in range(routes - 1):
                router.post(f"https://other.test/things/{number}")
            router.route().respond(json=ANSWER)

            def once() -> None:
                over_http(client)
                router.reset()  # else the log of calls grows by 3.6 KiB with each

            yield once

    return ready
