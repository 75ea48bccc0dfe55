"""From a request to the delivery that it means: hosts, paths, headers, arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sagaproof._taps.arguments import Misfit
from sagaproof._taps.hosts import Hosts
from sagaproof._taps.routes import Match, Routes, delivery
from sagaproof._world.delivery import Delivery
from sagaproof._world.operation import operation
from sagaproof._world.system import System
from sagaproof._world.table import Table
from sagaproof.errors import HostClash, UsageError

NO_HEADERS: list[tuple[bytes, bytes]] = []


class Shop(System):
    name = "shop"
    hosts = ("shop.acme.test",)

    orders = Table()

    @operation(cls=3, route="POST /orders", ref="order_id")
    def place(self, *, order_id: str, items: int = 1, gift: bool = False) -> dict[str, Any]:
        return dict(self.orders.put(order_id, {"order_id": order_id, "items": items, "gift": gift}))

    @operation(cls=1, route="GET /orders/{order_id}")
    def get_order(self, *, order_id: str) -> dict[str, Any]:
        return dict(self.orders[order_id])

    @operation(cls=1, route="POST /orders/search")
    def search(self, *, tags: list[str] | None = None, limit: int | None = None) -> dict[str, Any]:
        return {"found": [], "tags": tags, "limit": limit}

    @operation(cls=2, route="PUT /orders/{order_id}/lines/{line}", ref="order_id")
    def set_line(self, *, order_id: str, line: int, note: str = "") -> None:
        self.orders.patch(order_id, **{f"line{line}": note})

    @operation(cls=5)
    def ship(self, *, order_id: str) -> None:
        """Has no route."""


ROUTES = Routes(Shop())


def call(
    request: str, body: object = None, headers: Mapping[str, str] | None = None, query: str = ""
) -> Delivery | Misfit:
    method, _, path = request.partition(" ")
    match = ROUTES.find(method, path)
    if isinstance(match, Misfit):
        return match
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    raw = [(name.encode(), value.encode()) for name, value in (headers or {}).items()]
    return delivery(match, query, raw, content)


def status(found: object) -> int:
    assert isinstance(found, Misfit)
    return found.status


def test_path_and_body_together_are_the_arguments() -> None:
    assert call("POST /orders", {"order_id": "7", "items": 2}) == Delivery(
        "place", {"order_id": "7", "items": 2}
    )
    assert call("PUT /orders/7/lines/3", {"note": "x"}) == Delivery(
        "set_line", {"order_id": "7", "line": 3, "note": "x"}
    )


def test_a_segment_is_decoded_after_the_path_is_split() -> None:
    assert call("GET /orders/a%2Fb%20c") == Delivery("get_order", {"order_id": "a/b c"})


def test_a_literal_segment_wins_over_a_parameter_but_does_not_hide_its_methods() -> None:
    assert call("POST /orders/search") == Delivery("search", {})
    assert call("GET /orders/search") == Delivery("get_order", {"order_id": "search"})


def test_texts_of_path_and_query_become_what_is_declared() -> None:
    assert call("PUT /orders/7/lines/-12") == Delivery("set_line", {"order_id": "7", "line": -12})
    found = call("POST /orders/search", query="limit=5&tags=a&tags=b")
    assert found == Delivery("search", {"limit": 5, "tags": ["a", "b"]})
    found = call("POST /orders", query="order_id=7&gift=true&items=")
    assert found == Delivery("place", {"order_id": "7", "gift": True, "items": ""})


@pytest.mark.parametrize("text", ["3.0", "three", "\u0663", "9" * 5000])
def test_a_text_that_is_no_integer_is_left_for_the_system_to_refuse(text: str) -> None:
    found = call(f"PUT /orders/7/lines/{text}")
    assert isinstance(found, Delivery)
    assert found.args["line"] == text
    assert Shop().handle(found).status == 400


def test_a_form_is_read_like_a_query() -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
    found = call("POST /orders", b"order_id=a+b&items=3&gift=false", headers)
    assert found == Delivery("place", {"order_id": "a b", "items": 3, "gift": False})


@pytest.mark.parametrize("body", [b'{"order_id":', b"\xff", b'{"items": NaN}', b"[" * 100_000, b"[1]", b"3"])
def test_a_body_that_is_no_json_object_is_a_400_of_the_service(body: bytes) -> None:
    assert status(call("POST /orders", body)) == 400


def test_other_content_types_are_a_415() -> None:
    assert status(call("POST /orders", b"<order/>", {"Content-Type": "application/xml"})) == 415


def test_a_parameter_that_says_two_things_is_refused() -> None:
    same = call("PUT /orders/7/lines/1", {"order_id": "7"})
    assert same == Delivery("set_line", {"order_id": "7", "line": 1})
    assert status(call("PUT /orders/7/lines/1", {"order_id": "8"})) == 400


@pytest.mark.parametrize("written", ["k1", '"k1"', " k1 "])
def test_key_and_condition_come_from_their_headers(written: str) -> None:
    found = call("GET /orders/7", headers={"idempotency-KEY": written, "If-Match": 'W/"3"'})
    assert found == Delivery("get_order", {"order_id": "7"}, key="k1", if_match="3")
    assert call("GET /orders/7", headers={"Idempotency-Key": "", "If-Match": "3"}) == Delivery(
        "get_order", {"order_id": "7"}, if_match="3"
    )


def test_unknown_paths_are_404_with_the_nearest_route() -> None:
    found = call("GET /order/7")
    assert status(found) == 404
    assert "GET /orders/{order_id}" in str(found)
    assert status(call("GET /orders/")) == 404
    assert status(call("GET /orders//lines/1")) == 404
    assert status(call("GET /")) == 404


def test_a_known_path_with_another_method_is_405_and_names_those_there_are() -> None:
    found = call("DELETE /orders/search")
    assert isinstance(found, Misfit)
    assert (found.status, found.allow) == (405, "GET, POST")


def test_every_system_has_lookup_and_undo_by_key() -> None:
    assert call("GET /operations/place/k%2F1") == Delivery("lookup", {"operation": "place", "key": "k/1"})
    assert call("POST /operations/place/k%2F1/undo") == Delivery("undo_place", {}, target_key="k/1")
    assert call("POST /operations/ship/k/undo") == Delivery("undo_ship", {}, target_key="k")


@pytest.mark.parametrize("name", ["get_order", "set_line", "nothing"])
def test_what_cannot_be_undone_has_no_undo_by_key(name: str) -> None:
    found = call(f"POST /operations/{name}/k/undo")
    assert status(found) == 404
    assert name in str(found)


def test_the_arguments_of_one_delivery_are_not_those_of_the_next() -> None:
    match = ROUTES.find("GET", "/orders/7")
    assert isinstance(match, Match)
    first = delivery(match, "", NO_HEADERS, b"")
    assert isinstance(first, Delivery)
    assert first.args is not match.args


@pytest.mark.parametrize("route", ["/orders", "GET orders", "get /orders", "GET /or ders", "GET /a/{b-c}"])
def test_an_unreadable_route_is_an_error_of_the_system(route: str) -> None:
    class Odd(System):
        name = "odd"

        @operation(cls=1, route=route)
        def look(self) -> None:
            pass

    with pytest.raises(UsageError, match=r"odd\.look cannot be read"):
        Routes(Odd())


def test_a_route_may_name_only_parameters_of_its_operation_and_each_once() -> None:
    class Odd(System):
        name = "odd"

        @operation(cls=1, route="GET /orders/{oder_id}")
        def look(self, *, order_id: str) -> None:
            pass

    class Twice(System):
        name = "twice"

        @operation(cls=1, route="GET /orders/{order_id}/{order_id}")
        def look(self, *, order_id: str) -> None:
            pass

    with pytest.raises(UsageError, match=r"no parameter of it.*Did you mean 'order_id'"):
        Routes(Odd())
    with pytest.raises(UsageError, match="twice"):
        Routes(Twice())


def test_two_operations_cannot_share_a_route() -> None:
    class Odd(System):
        name = "odd"

        @operation(cls=1, route="GET /orders/{a}")
        def one(self, *, a: str) -> None:
            pass

        @operation(cls=1, route="GET /orders/{b}")
        def two(self, *, b: str) -> None:
            pass

    with pytest.raises(UsageError, match="one route for two operations"):
        Routes(Odd())


# Hosts ------------------------------------------------------------------------------------------------------


class Other(Shop):
    name = "other"
    hosts = ("other.acme.test",)


def reached(hosts: Hosts, host: str, path: str, port: int = 443) -> tuple[str, str | int] | None:
    found = hosts.find(host, port, "GET", path)
    if found is None:
        return None
    match = found.match
    return found.system.name, match.status if isinstance(match, Misfit) else match.args["order_id"]


@pytest.mark.parametrize("written", ["acme.test/shop", "https://acme.test/shop", "http://ACME.test:80/shop/"])
def test_a_host_may_carry_a_prefix_that_ends_at_a_segment(written: str) -> None:
    hosts = Hosts({"shop": Shop()}, {"shop": [written]})
    assert reached(hosts, "acme.test", "/shop/orders/7") == ("shop", "7")
    assert reached(hosts, "acme.test", "/shopping/orders/7") == ("shop", 404)
    assert reached(hosts, "acme.test", "/orders/7") == ("shop", 404)
    assert reached(hosts, "shop.acme.test", "/orders/7") is None


def test_the_longest_prefix_wins() -> None:
    hosts = Hosts({"shop": Shop(), "other": Other()}, {"shop": ["acme.test"], "other": ["acme.test/v2"]})
    assert reached(hosts, "acme.test", "/orders/7") == ("shop", "7")
    assert reached(hosts, "acme.test", "/v2/orders/7") == ("other", "7")


def test_ports_tell_systems_on_one_host_apart_and_others_are_not_ours() -> None:
    hosts = Hosts(
        {"shop": Shop(), "other": Other()}, {"shop": ["localhost:8001"], "other": ["localhost:8002"]}
    )
    assert reached(hosts, "localhost", "/orders/7", 8001) == ("shop", "7")
    assert reached(hosts, "localhost", "/orders/7", 8002) == ("other", "7")
    assert reached(hosts, "localhost", "/orders/7", 5432) is None


@pytest.mark.parametrize("second", ["acme.test", "https://acme.test/", "ACME.test:443"])
def test_two_systems_cannot_have_one_place(second: str) -> None:
    with pytest.raises(HostClash, match="both 'shop' and 'other'"):
        Hosts({"shop": Shop(), "other": Other()}, {"shop": ["acme.test"], "other": [second]})


def test_hosts_of_a_system_that_is_not_there_are_an_error() -> None:
    with pytest.raises(UsageError, match="Did you mean 'shop'"):
        Hosts({"shop": Shop()}, {"shpo": ["acme.test"]})


@pytest.mark.parametrize(
    "written", ["", "https://", "acme.test:port", "*.acme.test", "acme.test?x=1", "u@acme.test"]
)
def test_an_unreadable_host_is_an_error(written: str) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        Hosts({"shop": Shop()}, {"shop": [written]})
