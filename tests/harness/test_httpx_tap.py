"""The httpx tap: what clients send arrives at the gate, and what the gate says is what clients see."""

from __future__ import annotations

import asyncio
import importlib
import json
import threading
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import certifi
import httpx
import pytest
import respx
from respx.mocks import HTTPXMocker

from sagaproof._model.event import Called, Event, Told
from sagaproof._model.plan import EMPTY, Plan
from sagaproof._taps import httpx_private
from sagaproof._taps.gate import Gate
from sagaproof._taps.httpx import HttpxTap
from sagaproof._taps.stopped import SagaStopped
from sagaproof._world.operation import operation
from sagaproof._world.system import System
from sagaproof._world.table import Table
from sagaproof._world.world import World
from sagaproof.errors import HostClash, InternalError, UsageError

URL = "https://billing.acme.test"
FOREIGN = "https://models.test/v1"
CREDIT = {"order": "4921", "amount": 250000}


class Billing(System):
    name = "billing"
    hosts = ("billing.acme.test",)

    credits = Table()

    @operation(cls=4, route="POST /credits", status=201, ref="credit_id", amount="amount", traits=("mail",))
    def issue_credit(self, *, order: str, amount: int) -> dict[str, Any]:
        credit = self.ids.next("cr")
        return dict(self.credits.put(credit, {"credit_id": credit, "order": order, "amount": amount}))

    @operation(cls=1, route="GET /credits/{credit_id}")
    def get_credit(self, *, credit_id: str) -> dict[str, Any]:
        return {"credit": MappingProxyType(dict(self.credits.get(credit_id) or {}))}

    @operation(cls=3, route="PUT /notes/{note_id}", status=204, ref="note_id")
    def set_note(self, *, note_id: str) -> None:
        self.credits.put(note_id, {"note": True})

    @operation(cls=1, route="GET /raw")
    def raw(self) -> dict[str, Any]:
        return {"value": object()}


class Stage:
    """A world with billing in it, its tap, and the gate of the present run."""

    def __init__(self) -> None:
        self.billing = Billing()
        self.world = World([self.billing])
        self.gate = Gate(self.world)
        self.tap = HttpxTap(self.world.systems, lambda: self.gate)

    def under(self, plan: str, *, calls_max: int = 500) -> None:
        self.world.reset()
        self.gate = Gate(self.world, Plan.parse(plan) if plan else EMPTY, calls_max=calls_max)

    def events(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.world.log if isinstance(event, kind)]


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    with made.tap:
        yield made


Send = Callable[..., httpx.Response]


def send_sync(method: str, url: str, *, timeout: float | None = 5, **more: Any) -> httpx.Response:
    with httpx.Client(timeout=timeout) as client:
        return client.request(method, url, **more)


def send_async(method: str, url: str, *, timeout: float | None = 5, **more: Any) -> httpx.Response:
    async def call() -> httpx.Response:
        async with httpx.AsyncClient(timeout=timeout) as client:
            return await client.request(method, url, **more)

    return asyncio.run(call())


@pytest.fixture(params=[send_sync, send_async], ids=["sync", "async"])
def send(request: pytest.FixtureRequest) -> Send:
    found: Send = request.param
    return found


# What arrives and what is answered --------------------------------------------------------------------------


def test_a_call_reaches_its_operation_and_its_answer_the_client(stage: Stage, send: Send) -> None:
    answer = send("POST", f"{URL}/credits", json=CREDIT, headers={"Idempotency-Key": "k1"})
    assert answer.status_code == 201
    assert answer.json() == {"credit_id": "cr_1", **CREDIT}
    assert answer.headers["content-type"] == "application/json"
    assert int(answer.headers["content-length"]) == len(answer.content)
    (called,) = stage.events(Called)
    assert (called.point.operation, called.args, called.key) == ("billing.issue_credit", CREDIT, "k1")
    assert called.site.startswith(__file__)
    assert [told.ok for told in stage.events(Told)] == [True]
    assert answer.extensions["sagaproof_call"] == called.call


def test_an_answer_is_a_real_response_with_request_and_elapsed_time(stage: Stage, send: Send) -> None:
    answer = send("GET", f"{URL}/credits/cr_1")
    assert stage.events(Called)
    assert answer.request.url.path == "/credits/cr_1"
    assert answer.is_closed
    assert answer.elapsed.total_seconds() >= 0


def test_an_answer_can_be_streamed(stage: Stage) -> None:
    with httpx.Client() as client, client.stream("GET", f"{URL}/credits/cr_1") as answer:
        assert b"".join(answer.iter_raw()) == b'{"credit":{}}'
    assert len(stage.events(Called)) == 1


@pytest.mark.usefixtures("stage")
def test_no_content_has_no_body(send: Send) -> None:
    answer = send("PUT", f"{URL}/notes/n1")
    assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.usefixtures("stage")
def test_an_answer_that_is_no_json_is_an_error_of_the_system(send: Send) -> None:
    with pytest.raises(UsageError, match="is no JSON"):
        send("GET", f"{URL}/raw")


@pytest.mark.usefixtures("stage")
def test_what_came_under_a_key_can_be_looked_up_and_undone(send: Send) -> None:
    send("POST", f"{URL}/credits", json=CREDIT, headers={"Idempotency-Key": "k/1"})
    assert send("GET", f"{URL}/operations/issue_credit/k%2F1").json()["state"] == "applied"
    assert send("POST", f"{URL}/operations/issue_credit/k%2F1/undo").json()["undone"] is True
    assert send("POST", f"{URL}/operations/issue_credit/k2/undo").json()["state"] == "fenced"
    late = send("POST", f"{URL}/credits", json=CREDIT, headers={"Idempotency-Key": "k2"})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "fenced")


def test_a_refusal_of_the_system_is_its_status(stage: Stage, send: Send) -> None:
    answer = send("POST", f"{URL}/credits", json={**CREDIT, "amount": 2500.0})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "wrong_type")
    assert [told.ok for told in stage.events(Told)] == [False]


@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    [
        ("GET", "/creditz", {}, 404),
        ("DELETE", "/credits", {}, 405),
        ("POST", "/credits", {"content": b"{"}, 400),
        ("POST", "/credits", {"files": {"f": b"x"}}, 415),
    ],
)
def test_the_service_itself_answers_what_means_no_operation(
    stage: Stage, send: Send, method: str, path: str, more: dict[str, Any], status: int
) -> None:
    answer = send(method, URL + path, **more)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]
    assert answer.headers.get("allow") == ("POST" if status == 405 else None)
    assert stage.events(Called) == []
    (note,) = stage.tap.unrouted
    assert note.startswith(f"{status} {method} {URL}{path} ({__file__}:")


def test_a_saga_that_asks_for_ever_for_what_is_not_there_is_stopped(stage: Stage, send: Send) -> None:
    stage.under("", calls_max=3)
    for _ in range(3):
        send("GET", f"{URL}/nothing")
    with pytest.raises(SagaStopped):
        send("GET", f"{URL}/nothing")
    assert len(stage.tap.unrouted) == 1, "one note for each place in the code"


# Each thing that a caller may learn -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "error", "applied"),
    [
        ("refused", httpx.ConnectError, False),
        ("outage", httpx.ConnectError, False),
        ("timeout", httpx.ReadTimeout, False),
        ("lost", httpx.ReadTimeout, True),
        ("late-end", httpx.ReadTimeout, False),
        ("torn", httpx.RemoteProtocolError, True),
        ("dropped", httpx.ReadError, False),
        ("dropped-after", httpx.ReadError, True),
    ],
)
def test_a_fault_without_answer_is_the_exception_of_httpx(
    stage: Stage, send: Send, fault: str, error: type[httpx.TransportError], applied: bool
) -> None:
    stage.under(f"billing.issue_credit.1={fault}")
    with pytest.raises(error) as caught:
        send("POST", f"{URL}/credits", json=CREDIT)
    assert type(caught.value) is error
    assert caught.value.request.url == f"{URL}/credits"
    assert caught.value.sagaproof_call == 0  # type: ignore[attr-defined]
    assert len(stage.billing.credits) == applied


@pytest.mark.parametrize(
    ("fault", "status", "applied"), [("503", 503, False), ("422", 422, False), ("500-applied", 500, True)]
)
def test_a_fault_with_a_status_is_an_answer(
    stage: Stage, send: Send, fault: str, status: int, applied: bool
) -> None:
    stage.under(f"billing.issue_credit.1={fault}")
    answer = send("POST", f"{URL}/credits", json=CREDIT)
    assert answer.status_code == status
    assert answer.json()["error"]["code"].startswith("injected")
    assert answer.extensions["sagaproof_call"] == 0
    assert len(stage.billing.credits) == applied


def test_garbage_is_a_page_with_200(stage: Stage, send: Send) -> None:
    stage.under("billing.issue_credit.1=garbage")
    answer = send("POST", f"{URL}/credits", json=CREDIT)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    with pytest.raises(json.JSONDecodeError):
        answer.json()
    assert len(stage.billing.credits) == 1


def test_a_soft_error_is_200_with_an_error_inside(stage: Stage, send: Send) -> None:
    stage.under("billing.issue_credit.1=soft-error")
    answer = send("POST", f"{URL}/credits", json=CREDIT)
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, "injected_soft_error")
    assert len(stage.billing.credits) == 0


def test_a_torn_answer_begins_well_when_streamed(stage: Stage) -> None:
    stage.under("billing.issue_credit.1=torn")
    with httpx.Client() as client, client.stream("POST", f"{URL}/credits", json=CREDIT) as answer:
        assert answer.status_code == 200
        parts = answer.iter_raw()
        first = next(parts)
        assert first.startswith(b'{"credit_id"')
        assert len(first) < int(answer.headers["content-length"])
        with pytest.raises(httpx.RemoteProtocolError, match="without sending complete message body"):
            next(parts)


def test_an_answer_is_not_torn_before_the_effect_is_told(stage: Stage, send: Send) -> None:
    stage.under("billing.issue_credit.1=torn")
    with pytest.raises(httpx.RemoteProtocolError):
        send("POST", f"{URL}/credits", json=CREDIT)
    assert [(told.ok, told.learnt) for told in stage.events(Told)] == [(False, "answer torn off")]


def test_a_client_waits_its_own_timeout_in_virtual_time(stage: Stage, send: Send) -> None:
    stage.under("billing.issue_credit.1=lost")
    with pytest.raises(httpx.ReadTimeout):
        send("POST", f"{URL}/credits", json=CREDIT, timeout=7)
    assert stage.world.clock.elapsed == pytest.approx(7)
    assert stage.tap.would_hang == []


def test_a_client_without_timeout_would_hang_and_is_noted_once(stage: Stage, send: Send) -> None:
    for _ in range(2):
        stage.under("billing.issue_credit.1=timeout")
        with pytest.raises(httpx.ReadTimeout):
            send("POST", f"{URL}/credits", json=CREDIT, timeout=None)
    (site,) = stage.tap.would_hang
    assert site.startswith(__file__)


def test_parallel_calls_of_one_turn_overlap(stage: Stage) -> None:
    async def turn() -> None:
        async with httpx.AsyncClient() as client:
            await asyncio.gather(*(client.get(f"{URL}/credits/cr_{n}") for n in range(3)))

    asyncio.run(turn())
    assert [type(event) for event in stage.world.log] == [Called] * 3 + [Told] * 3


def test_threads_may_call_at_once(stage: Stage) -> None:
    def work() -> None:
        for _ in range(20):
            assert send_sync("GET", f"{URL}/credits/cr_1").status_code == 200

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stage.events(Told)) == 80


# Hosts ------------------------------------------------------------------------------------------------------


def test_hosts_can_be_given_with_scheme_and_prefix(send: Send) -> None:
    stage = Stage()
    hosts = {"billing": ("https://acme.test/api", "localhost:8001")}
    with HttpxTap(stage.world.systems, lambda: stage.gate, hosts):
        assert send("GET", "https://acme.test/api/credits/cr_1").status_code == 200
        assert send("GET", "https://acme.test/credits/cr_1").status_code == 404
        assert send("GET", "http://localhost:8001/credits/cr_1").status_code == 200


def test_two_systems_on_one_host_clash() -> None:
    class Other(Billing):
        name = "other"

    with pytest.raises(HostClash, match=r"'billing\.acme\.test' belongs to both"):
        HttpxTap({"billing": Billing(), "other": Other()}, lambda: Gate(World([])))


# Beside what else the user has ------------------------------------------------------------------------------


def test_an_unknown_host_goes_to_the_transport_of_the_client(stage: Stage) -> None:
    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(299))) as client:
        assert client.get(FOREIGN).status_code == 299
        assert client.get(f"{URL}/credits/cr_1").status_code == 200
    assert stage.tap.passed["models.test"].startswith(__file__)


Scope = MutableMapping[str, Any]


async def app(_scope: Scope, _receive: object, answer: Callable[[dict[str, Any]], Any]) -> None:
    await answer({"type": "http.response.start", "status": 299, "headers": []})
    await answer({"type": "http.response.body", "body": b"app"})


@pytest.mark.usefixtures("stage")
def test_a_client_of_an_asgi_app_is_left_alone() -> None:
    async def call() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://app") as client:
            return await client.get("/")

    assert asyncio.run(call()).text == "app"


def routes_of_the_user(router: respx.MockRouter) -> None:
    router.get(FOREIGN).respond(299)
    router.get(url__startswith=URL).respond(298)


@pytest.mark.parametrize("using", ["httpx", "httpcore"])
@pytest.mark.parametrize("strict", [True, False])
def test_a_router_of_the_user_entered_first_keeps_what_is_not_ours(
    send: Send, using: str, strict: bool
) -> None:
    stage = Stage()
    with respx.MockRouter(using=using, assert_all_called=False, assert_all_mocked=strict) as router:
        routes_of_the_user(router)
        with stage.tap:
            assert send("GET", FOREIGN).status_code == 299
            assert send("GET", f"{URL}/credits/cr_1").status_code == 200
        assert send("GET", f"{URL}/credits/cr_1").status_code == 298
        assert router.calls.call_count == 2


@pytest.mark.parametrize("using", ["httpx", "httpcore"])
@pytest.mark.parametrize("strict", [True, False])
def test_a_router_of_the_user_entered_later_keeps_what_is_not_ours(
    stage: Stage, send: Send, using: str, strict: bool
) -> None:
    with respx.MockRouter(using=using, assert_all_called=False, assert_all_mocked=strict) as router:
        routes_of_the_user(router)
        assert send("GET", FOREIGN).status_code == 299
        assert send("GET", f"{URL}/credits/cr_1").status_code == 200
        assert router.calls.call_count == 1
    assert send("GET", f"{URL}/credits/cr_1").status_code == 200
    assert len(stage.events(Called)) == 2


@pytest.mark.usefixtures("stage")
def test_a_strict_router_of_the_user_still_refuses_what_it_does_not_know(send: Send) -> None:
    with (
        respx.MockRouter(using="httpx", assert_all_called=False),
        pytest.raises(AssertionError, match="not mocked"),
    ):
        send("GET", FOREIGN)


def test_nothing_is_left_of_the_tap_when_it_is_left() -> None:
    before = httpx.Client._transport_for_url, vars(httpx_private.transports)["create_ssl_context"]
    stage = Stage()
    for _ in range(2):
        with stage.tap:
            assert send_sync("GET", f"{URL}/credits/cr_1").status_code == 200
    after = httpx.Client._transport_for_url, vars(httpx_private.transports)["create_ssl_context"]
    assert after == before
    assert HTTPXMocker.routers == []


def test_the_tap_is_left_as_well_when_the_body_raises() -> None:
    stage = Stage()
    with pytest.raises(ZeroDivisionError), stage.tap:
        _ = 1 / 0
    with stage.tap:
        assert send_sync("GET", f"{URL}/credits/cr_1").status_code == 200


def test_calls_are_not_piled_up_by_the_router(stage: Stage) -> None:
    for _ in range(5):
        send_sync("GET", f"{URL}/credits/cr_1")
    assert HTTPXMocker.routers[0].calls.call_count == 0
    assert len(stage.events(Called)) == 5


@pytest.mark.usefixtures("stage")
def test_a_second_tap_is_refused_and_the_first_stays() -> None:
    with pytest.raises(UsageError, match="one world per process"):
        Stage().tap.__enter__()
    assert send_sync("GET", f"{URL}/credits/cr_1").status_code == 200


# The SSL context --------------------------------------------------------------------------------------------


def context_of(client: httpx.Client | httpx.AsyncClient) -> object:
    transport: Any = client._transport
    return transport._pool._ssl_context


@pytest.mark.usefixtures("stage")
def test_clients_share_one_default_ssl_context() -> None:
    first, second, other = httpx.Client(), httpx.AsyncClient(), httpx.Client(verify=False)
    assert context_of(first) is context_of(second)
    assert context_of(other) is not context_of(first)
    assert context_of(httpx.Client(verify=False)) is context_of(other)


@pytest.mark.usefixtures("stage")
def test_a_context_of_the_users_own_is_used_as_it_is() -> None:
    own = httpx.create_ssl_context()
    assert context_of(httpx.Client(verify=own)) is own


@pytest.mark.usefixtures("stage")
def test_another_certificate_file_gets_another_context(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    usual = context_of(httpx.Client())
    copy = tmp_path / "own.pem"
    copy.write_bytes(Path(certifi.where()).read_bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(copy))
    assert context_of(httpx.Client()) is not usual


def test_outside_of_the_tap_each_client_has_its_own_context() -> None:
    assert context_of(httpx.Client()) is not context_of(httpx.Client())


# Names that are not promised --------------------------------------------------------------------------------


def test_a_respx_without_its_mocker_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("respx.mocks.HTTPXMocker")
    try:
        with pytest.raises(InternalError, match=r"changed inside.*HTTPXMocker.*Install respx"):
            importlib.reload(httpx_private)
    finally:
        monkeypatch.undo()
        importlib.reload(httpx_private)


@pytest.mark.parametrize(
    "name", ["respx.mocks.HTTPXMocker.routers", "httpx._transports.default.create_ssl_context"]
)
def test_a_name_that_has_gone_is_reported_before_anything_is_patched(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delattr(name)
    with pytest.raises(InternalError, match=f"{name} is not there"):
        Stage().tap.__enter__()
    monkeypatch.undo()
    with Stage().tap:
        assert send_sync("GET", f"{URL}/credits/cr_1").status_code == 200
