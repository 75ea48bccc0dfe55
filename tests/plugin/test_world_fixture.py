"""The fixture `world` in tests that explore nothing."""

from __future__ import annotations

from typing import Any

import pytest

PROJECT = '[tool.sagaproof]\nsystems = ["shop:Shop"]\n'


def files(body: str, toml: str = PROJECT) -> dict[str, str]:
    return {"pyproject.toml": toml, "test_it": "import pytest\nfrom shop import *\n" + body}


def test_calls_reach_the_systems_and_no_fault_is_injected(example: Any) -> None:
    body = """
def test_it(world: str) -> None:
    send("POST", "/orders", {"amount": 5})
    assert [row["amount"] for row in world.shop.orders.rows.values()] == [5]

def test_that_the_next_world_is_empty(world: str) -> None:
    assert send("GET", "/orders") == {"data": []}
"""
    example(files(body)).run().came_to(0, passed=2)


def test_checks_of_explorations_are_not_applied(example: Any) -> None:
    example(files("def test_it(world):\n    send('POST', '/orders', {'amount': 5})\n")).run().came_to(
        0, passed=1
    )


def test_another_fixture_may_set_the_world_up(example: Any) -> None:
    body = """
@pytest.fixture
def one_order(world):
    return send("POST", "/orders", {"amount": 5})

def test_it(world: str, one_order: str) -> None:
    assert one_order["id"] in world.shop.orders
"""
    example(files(body)).run().came_to(0, passed=1)


@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_async_tests_can_use_it(example: Any, mode: str) -> None:
    body = "@pytest.mark.asyncio\nasync def test_it(world):\n    assert await send_async('GET', '/orders')\n"
    ini = f"[pytest]\nasyncio_mode = {mode}\nasyncio_default_fixture_loop_scope = function\n"

    example({**files(body), "pytest.ini": ini}).run("-p", "pytest_asyncio.plugin").came_to(0, passed=1)


def test_a_leak_fails_where_it_happens(example: Any) -> None:
    ran = example(files("def test_it(world):\n    httpx.get('https://example.com/')\n")).run()

    ran.came_to(1, failed=1).says("LeakError", "example.com:443", "test_it.py:4")


def test_a_leak_that_is_swallowed_fails_all_the_same(example: Any) -> None:
    body = "def test_it(world):\n    try: httpx.get('https://example.com/')\n    except Exception: pass\n"

    example(files(body)).run().came_to(1, failed=1).says(
        "leak: the test tried to reach example.com", "allow_hosts"
    )


def test_all_registered_systems_are_there_by_default(example: Any) -> None:
    body = "def test_it(world):\n    assert {'billing', 'crm', 'desk', 'ledger', 'mail'} <= set(dir(world))\n"

    example(files(body, "")).run().came_to(0, passed=1)


def test_an_unknown_system_is_named_with_those_there_are(example: Any) -> None:
    ran = example(files("def test_it(world):\n    world.shp\n")).run()

    ran.came_to(1, failed=1).says("the world has no system 'shp'. Did you mean 'shop'?")


def test_a_system_that_cannot_be_loaded_is_a_harness_error(example: Any) -> None:
    ran = example(files("def test_it(world): pass\n", '[tool.sagaproof]\nsystems = ["shop:Shp"]\n')).run()

    ran.came_to(1, errors=1).says("harness error: usage: system 'shop:Shp' cannot be loaded")


def test_fixtures_lists_it_with_a_docstring(example: Any) -> None:
    example(files("")).run("--fixtures").says(
        "world -- ",
        "The fake systems of this test: `world.crm`, `world.billing`, `world.mail`, ..., all empty.",
    )
