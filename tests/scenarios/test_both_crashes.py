"""A simulated crash and a real one give the same history and the same verdicts, whatever is killed where."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Final

import httpx
import pytest

from sagaproof._checks.catalogue import checks
from sagaproof._checks.protocol import RunCheck, State
from sagaproof._doors.registry import scenario, systems
from sagaproof._doors.subjects import subject_of_scenario
from sagaproof._drivers.callable import CallableDriver
from sagaproof._model.event import Called, Died, Noted
from sagaproof._model.fault import Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.plan import EMPTY, Injection, Plan
from sagaproof._model.point import Phase
from sagaproof._model.script import Script
from sagaproof._run.runner import Runner
from sagaproof._search.candidates import Candidates
from sagaproof._search.running import runner_of
from sagaproof._search.settings import Settings
from sagaproof._search.subject import Subject
from sagaproof._taps.handle import WorldHandle

SEED: Final = 20260105


def deadly(injection: Injection) -> bool:
    return FAULTS[injection.fault].learnt is Learnt.DEATH


def running(subject: Subject, crash: str) -> AbstractContextManager[Runner]:
    return runner_of(subject, Settings(crash=crash), sites=False)  # those of this file differ


class Sample:
    """Seeded plans with one or two faults, of which one at least kills; each with its simulated history."""

    def __init__(self, subject: Subject, runner: Runner, settings: Settings, seed: object) -> None:
        self._runner = runner
        self._random = random.Random(f"{SEED} {seed}")
        self._candidates = Candidates(
            settings, restarts=subject.driver.restarts, cancels=subject.driver.asynchronous
        )
        self._scripts = tuple(subject.all_scripts())
        self._twins: dict[str, History] = {}

    def draw(self, size: int) -> Iterator[History]:
        """As many as `size`, none twice."""
        seen: set[tuple[str, Plan]] = set()
        while len(seen) < size:
            history = self._one(self._random.choice(self._scripts))
            if (history.script.name, history.plan) not in seen:
                seen.add((history.script.name, history.plan))
                yield history

    def twin(self, script: Script) -> History:
        if script.name not in self._twins:
            self._twins[script.name] = self._runner.run(script, EMPTY)
        return self._twins[script.name]

    def _one(self, script: Script) -> History:
        """A crash and perhaps a fault after it, often another crash; or a fault and a crash after it."""
        history = self._extended(self.twin(script), crash=self._random.random() < 0.7)
        kills = any(map(deadly, history.plan))
        if not kills or self._random.random() < 0.7:
            return self._extended(history, crash=not kills or self._random.random() < 0.6)
        return history

    def _extended(self, history: History, *, crash: bool) -> History:
        found = [one for one in self._candidates.of(history) if deadly(one) or not crash]
        found = [one for one in found if not FAULTS[one.fault].pauses]
        if not found:
            return history
        plan = history.plan.plus(self._random.choice(found))
        return self._runner.run(history.script, plan, self.twin(history.script))


def compare(subject: Subject, settings: Settings, size: int, seed: object) -> None:
    """Run a sample in both ways."""
    with running(subject, "simulated") as simulated:
        sample = Sample(subject, simulated, settings, seed)
        histories = [h for h in sample.draw(size) if any(map(deadly, h.plan))]
        simulated.world.close()
    assert len(histories) > size * 0.8
    with running(subject, "real") as real:
        for history in histories:
            require_same(subject, real, history)


def require_same(subject: Subject, real: Runner, history: History) -> None:
    """Fail unless a real crash comes to the same, event by event and check by check."""
    killed = real.run(history.script, history.plan, history.twin)
    assert killed.killed
    where = f"{history.script.name}, {history.plan}"
    for ours, theirs in zip(history.events, killed.events, strict=False):
        assert ours == theirs, where
    assert len(history.events) == len(killed.events), where
    assert history.injected == killed.injected, where
    assert history.crash_state == killed.crash_state, where
    assert verdicts(subject, history) == verdicts(subject, killed), where


def verdicts(subject: Subject, history: History) -> dict[str, object]:
    return {check.slug: check.judge(history) for check in subject.checks if isinstance(check, RunCheck)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("credit-runtime", 35),
        ("order-runtime", 35),
        ("reply-runtime", 30),
        ("goodwill-parallel", 40),
    ],
)
def test_the_sagas_on_the_runtime_are_killed_alike(name: str, size: int) -> None:
    one = scenario(name)
    compare(subject_of_scenario(one), one.settings, size, name)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["crash-before", "crash-after", "crash-late"])
def test_a_retry_of_an_undo_is_killed_alike_and_undone_once(fault: str) -> None:
    subject = subject_of_scenario(scenario("credit-runtime"))
    script = next(iter(subject.all_scripts()))
    with running(subject, "simulated") as simulated:
        twin = simulated.run(script, EMPTY)
        unwound = simulated.run(script, Plan.parse("mail.send.1=422"), twin)
        undone = [e.point for e in unwound.of(Called) if e.phase is Phase.UNDO]
        assert len(undone) == 2
        plans = [
            unwound.plan.plus(Injection(point, "503")).plus(Injection(point._replace(attempt=2), fault))
            for point in undone
        ]
        histories = [simulated.run(script, plan, twin) for plan in plans]
    with running(subject, "real") as real:
        for history in histories:
            require_same(subject, real, history)
            assert not violated(subject, history)


@pytest.mark.slow
@pytest.mark.parametrize("deaths", [2, 3, 4])
def test_recoveries_of_the_runtime_are_killed_one_after_the_other(deaths: int) -> None:
    subject = subject_of_scenario(scenario("order-runtime"))
    script = next(iter(subject.all_scripts()))
    with running(subject, "simulated") as simulated:
        twin = history = simulated.run(script, EMPTY)
        for number in range(deaths):
            points = [e.point for e in history.events if isinstance(e, Called | Noted)]
            new = [point for point in points if point.restart == number]
            plan = history.plan.plus(Injection(new[len(new) // 2], "crash-after"))
            history = simulated.run(script, plan, twin)
    assert len(list(history.of(Died))) == deaths
    with running(subject, "real") as real:
        require_same(subject, real, history)
        assert real.killed == deaths
    assert not violated(subject, history)


def violated(subject: Subject, history: History) -> list[str]:
    judged: Any = verdicts(subject, history)
    return [slug for slug, verdict in judged.items() if verdict.state is State.VIOLATED]


# Sagas of their own -----------------------------------------------------------------------------------------


class Lines:
    """A file of the saga's own: what it writes down, it reads again in another process."""

    def __init__(self, world: WorldHandle) -> None:
        self._path = world.path / "lines"
        self.add = world.durable(self._append, name="lines.add")

    def _append(self, line: str) -> None:
        with self._path.open("a") as file:
            file.write(line + "\n")

    def all(self) -> list[str]:
        return self._path.read_text().splitlines() if self._path.exists() else []


def by_direct_calls(world: WorldHandle) -> str:
    world.billing.add_customer("cus_7")
    return go_on_directly(world)


def go_on_directly(world: WorldHandle) -> str:
    """Credit, letter; if the letter does not go out, the credit is taken back, with retries."""
    lines, billing, mail = Lines(world), world.direct.billing, world.direct.mail
    if "intent" not in lines.all():
        lines.add("intent")
    if "undo" not in lines.all():
        try:
            tried(lambda: billing.issue_credit(customer="cus_7", amount=3, reason="x", key="credit-1"))
            lines.add("credited")
            mail.send(to="ann@acme.test", subject="credit", body="you have one")
        except Exception:  # noqa: BLE001  # whatever came of it is taken back
            lines.add("undo")
        else:
            return "completed"
    tried(lambda: billing.undo_by_key("issue_credit", "credit-1"))
    return "compensated"


def tried(call: Callable[[], Any]) -> Any:
    for _ in range(2):
        try:
            return call()
        except Exception:  # noqa: BLE001  # once more, whatever it was
            continue
    return call()


async def over_httpx(world: WorldHandle) -> str:
    world.billing.add_customer("cus_7")
    return await go_on_over_httpx(world)


async def go_on_over_httpx(world: WorldHandle) -> str:
    """The same by an asynchronous client, and with keys that are drawn by chance before they are kept."""
    lines = Lines(world)
    if not lines.all():
        lines.add(f"{random.getrandbits(64):x}")
    key = lines.all()[0]
    body = {"customer": "cus_7", "amount": 3, "reason": "x"}
    async with httpx.AsyncClient(timeout=5) as http:

        async def post(url: str, body: dict[str, Any], suffix: str) -> None:
            headers = {"Idempotency-Key": key + suffix}
            (await http.post(url, json=body, headers=headers)).raise_for_status()

        try:
            await again(lambda: post("https://billing.test/credits", body, "-1"))
        except httpx.HTTPError:
            return "refused"
        lines.add("credited")
    return "completed"


async def again(call: Callable[[], Awaitable[None]]) -> None:
    try:
        await call()
    except httpx.HTTPError:
        await call()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "recover"), [(by_direct_calls, go_on_directly), (over_httpx, go_on_over_httpx)]
)
def test_sagas_with_files_of_their_own_are_killed_alike(body: Any, recover: Any) -> None:
    subject = Subject(
        body.__name__, CallableDriver(body, recover), systems(["billing", "mail"]), tuple(checks())
    )
    compare(subject, Settings(), 30, body.__name__)
