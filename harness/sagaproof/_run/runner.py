"""The runner: a script under a plan, in one fresh world, driven to rest; out comes a history.

It is set up once for a campaign and used for each run; everything that is patched is restored on exit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, Self

from sagaproof._drivers.claims import read_claim
from sagaproof._drivers.journal import Journals
from sagaproof._drivers.protocol import Driver
from sagaproof._model.claim import Claim, Ending
from sagaproof._model.event import Broke, Called, Ended, Event, Heard, Noted, Rested, Sent, Slept, Wrote
from sagaproof._model.history import History
from sagaproof._model.plan import Injection, Plan
from sagaproof._model.script import Script
from sagaproof._run.crash_state import crash_state
from sagaproof._run.drive import drive, drive_on, recover_only
from sagaproof._run.loop import LoopReport, run_async
from sagaproof._run.steps import finish_sync
from sagaproof._run.surroundings import Limits, Surroundings
from sagaproof._taps.gate import Gate
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import SagaStopped
from sagaproof._taps.whole import Whole
from sagaproof.errors import NotInjected, SagaproofError, UsageError, suggest

__all__ = ["Limits", "Runner"]

_LIMITS: Final = Limits()


class Runner:
    """Runs scripts under plans. Use as a context manager: taps and virtual time are active inside."""

    def __init__(
        self,
        world: WorldHandle,
        driver: Driver,
        *,
        claim: Callable[[Any], object] | None = None,
        invariants: Iterable[Callable[[WorldHandle], object]] = (),
        limits: Limits = _LIMITS,
        hosts: Mapping[str, tuple[str, ...]] | None = None,
        allow_hosts: Iterable[str] = (),
        sites: bool = True,
    ) -> None:
        self.world = world
        self.driver = driver
        self.limits = limits
        self._claim = claim
        self._invariants = tuple(invariants)
        self._sites = sites
        self._around = Surroundings(world, limits, hosts, allow_hosts)
        self._crash_state: Hashable = None
        self._journals = Journals()
        world.provide("journal", self._journals)

    def __enter__(self) -> Self:
        self._around.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._around.__exit__(*exc_info)
        self._journals.close()

    def notes(self) -> list[str]:
        """What a user should know of the runs so far although no check judges it."""
        return self._around.notes()

    @contextmanager
    def aloud(self) -> Iterator[None]:
        """Let what the saga prints and logs be seen; a campaign would repeat it, and keeps it quiet."""
        self._around.quiet.aloud = True
        try:
            yield
        finally:
            self._around.quiet.aloud = False

    def run(self, script: Script, plan: Plan, twin: History | None = None) -> History:
        """One run. Raises `NotInjected` if a planned fault never met its point."""
        world = self.world
        gate = Gate(world.state, plan, calls_max=self.limits.calls_max, sites=self._sites)
        gate.events.listeners.read_claim = self._word
        world.begin(gate)
        self._crash_state = None
        ending = self._live(script, gate)
        log, clock = world.state.log, world.state.clock
        log.append(Ended(clock.elapsed, ending))
        self._rest(gate)
        if not plan:
            self._note_errors_of_handlers(log)
        self._around.raise_leak()
        world.require_undos()
        missed = [injection for injection, met in gate.injected.items() if not met]
        if missed:
            raise _not_injected(plan, missed, script, world)
        return History(
            script,
            plan,
            log,
            operations=world.state.operations,
            tables=world.state.tables,
            injected=gate.injected,
            twin=twin,
            crash_state=self._crash_state,
        )

    def _live(self, script: Script, gate: Gate) -> Ending:
        """The saga's part of a run, from its first process to the one that comes to an end."""
        ending = self._process(drive(self.driver, self.world, script, self._claim), gate)
        while gate.process.dead:
            gate.process.restart(self._around.threads_left)
            self._crash_state = crash_state(self.world.state, gate)
            ending = self._process(drive_on(self.driver, self.world, script, self._claim), gate)
        return ending

    def _process(self, steps: Coroutine[Any, Any, Ending], gate: Gate) -> Ending:
        """One process of the saga, in its surroundings; if it is dead after it, what it says is void."""
        loop = LoopReport() if self.driver.asynchronous else None
        self._around.begin(self._slept, anew=gate.process.restarts == 0)
        try:
            if loop is None:
                return finish_sync(_told_of_events(steps, gate))
            return run_async(
                _as_root(steps, gate),
                self.world.clock,
                self._slept,
                seconds_max=self.limits.virtual_s_max,
                report=loop,
                on_stop=lambda stop: None if gate.process.dead else gate.close(stop.why),
            )
        except SagaStopped as stop:
            return Ending("hung", None, where=stop.why)
        finally:
            self._around.end(loop, died=gate.process.dead)

    def _slept(self, seconds: float) -> None:
        self.world.gate.process.refuse_the_dead()
        state = self.world.state
        state.log.append(Slept(state.clock.elapsed, seconds))
        if state.outbox and not self.driver.asynchronous:
            self.world.gate.events.hand_out()

    def _rest(self, gate: Gate) -> None:
        """Let everything late land, then look at the invariants that no commit has been followed by."""
        gate.events.listeners.ended = True
        gate.land_everything()
        self._hear(gate)
        if self.driver.restarts and (gate.process.restarts or gate.unheard):
            self._ask_once_more(gate)
        gate.close("called after its run had ended")
        state = self.world.state
        at = state.clock.elapsed
        for name in _written_by_others(state.log):
            broken = state.systems[name].broken()
            state.log.extend(Broke(at, name, invariant, detail) for invariant, detail in broken)
        for check in self._invariants:
            detail = _user_verdict(check, self.world, gate.plan)
            if detail:
                state.log.append(Broke(at, "", getattr(check, "__name__", "invariant"), detail))
        state.log.append(Rested(at))

    def _ask_once_more(self, gate: Gate) -> None:
        """Let a new process, without faults, find what is left to do: nothing, or a case that is due."""
        gate.heal()
        gate.process.restart(self._around.threads_left, at_rest=True)
        ending = self._process(recover_only(self.driver, self.world), gate)
        if ending.how != "returned":
            why = ending.errors[0] if ending.errors else ending.where
            self._around.note(f"the recovery of a saga that had ended did not return ({ending.how}: {why})")
        gate.land_everything()
        self._hear(gate)

    def _hear(self, gate: Gate) -> None:
        """Let events come that are late; what the saga makes of them is its doing, and meets no faults."""
        if gate.closed or not gate.events.waiting():
            return
        gate.heal()
        ending = self._process(_late_events(gate), gate)
        if ending.how == "hung":
            self._around.note(f"a saga that had ended was told of an event, and did not stop: {ending.where}")
        gate.land_everything()

    def _note_errors_of_handlers(self, log: Sequence[Event]) -> None:
        """An error in a handler reaches nobody; without any fault it is hardly meant."""
        for event in log:
            if isinstance(event, Heard) and event.error:
                self._around.note(f"a handler of events raised, without any fault: {event.error}")

    def _word(self, said: Any) -> Claim | None:
        """What a handler of events says of the saga, if anything: it may return whatever it likes."""
        if said is None:
            return None
        try:
            return read_claim(said, self._claim)
        except Exception:  # noqa: BLE001  # the user's translation may not know what handlers return
            return None


async def _as_root(steps: Coroutine[Any, Any, Ending], gate: Gate) -> Ending:
    """The task that is cancelled if the saga is; a cancellation that comes after its end is none."""
    gate.whole = Whole()
    ending = await steps
    gate.whole = None
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)
    await gate.events.come_to_rest()
    return ending


async def _told_of_events(steps: Coroutine[Any, Any, Ending], gate: Gate) -> Ending:
    """The ending, once all has been handed over that was sent before it."""
    ending = await steps
    await gate.events.come_to_rest()
    return ending


async def _late_events(gate: Gate) -> Ending:
    await gate.events.come_late()
    return Ending("returned", None)


def _written_by_others(log: Sequence[Event]) -> list[str]:
    """The systems into which something was written during the run, but by none of its calls."""
    began = next((i for i, event in enumerate(log) if event.__class__ is Called), len(log))
    return sorted({event.system for event in log[began:] if isinstance(event, Wrote)})


def _user_verdict(check: Callable[[WorldHandle], object], world: WorldHandle, plan: Plan) -> str:
    """What a user's invariant says: empty where it holds. It may return a bool, a sentence, or assert."""
    name = getattr(check, "__name__", "invariant")
    try:
        said = check(world)
    except AssertionError as error:
        return str(error) or "the assertion failed"
    except SagaproofError:
        raise
    except (Exception, SagaStopped) as error:
        raise UsageError(
            f"the invariant {name} broke: {type(error).__name__}: {error}",
            where=f"plan {plan}",
            advice="Read the tables of world.<system>: they may lack any row, and calls are over by then.",
        ) from error
    if isinstance(said, str):
        return said
    return "" if said is None or said else "returned False"


def _not_injected(plan: Plan, missed: list[Injection], script: Script, world: WorldHandle) -> NotInjected:
    operation, state = missed[0].point.operation, world.state
    points = [event.point for event in state.log if isinstance(event, Called | Noted | Sent)]
    met = [str(point) for point in points if point.operation == operation]
    known = f"This run came to {', '.join(met[:8])}" if met else f"This run never called {operation}"
    if operation not in state.operations:
        known += f" (there is no such operation. {suggest(operation, state.operations)})"
    return NotInjected(
        f"{', '.join(map(str, missed))} was planned and never met its point",
        where=f"plan {plan}, script {script.name}",
        advice=f"{known}. Either there is no such point under this plan, or the saga is not deterministic.",
    )
