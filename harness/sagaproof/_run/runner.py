"""The runner: a script under a plan, in one fresh world, driven to rest; out comes a history.

It is set up once for a campaign and used for each run; everything that is patched is restored on exit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from typing import Any, Final, Self

from sagaproof._drivers.claims import read_claim
from sagaproof._drivers.journal import Journals
from sagaproof._drivers.protocol import Driver
from sagaproof._model.claim import Claim, Ending
from sagaproof._model.event import Broke, Called, Ended, Event, Heard, Noted, Rested, Sent, Slept, Wrote
from sagaproof._model.fault import Learnt
from sagaproof._model.faults import FAULTS
from sagaproof._model.history import History
from sagaproof._model.plan import Injection, Plan
from sagaproof._model.script import Script
from sagaproof._run.as_played import Twins
from sagaproof._run.crash_state import crash_state
from sagaproof._run.drive import drive, drive_on, recover_only
from sagaproof._run.loop import LoopReport, run_async
from sagaproof._run.real_crash import Apart, RealCrash
from sagaproof._run.standstill import Standstill
from sagaproof._run.steps import finish_sync
from sagaproof._run.surroundings import Limits, Surroundings
from sagaproof._taps.gate import Gate
from sagaproof._taps.handle import WorldHandle
from sagaproof._taps.stopped import SagaStopped
from sagaproof._taps.whole import Whole
from sagaproof.errors import NotInjected, SagaproofError, UsageError, suggest

__all__ = ["Limits", "Runner"]

_LIMITS: Final = Limits()

Begin = Callable[..., Coroutine[Any, Any, Ending]]
"""Makes the steps of one process: `drive`, or `drive_on`."""


class Runner:
    """Runs scripts under plans. Use as a context manager: taps and virtual time are active inside.

    `invariants` are looked at once all is at rest, `turn_invariants` also after each turn of a script, as the
    world is then. With `real`, the process of a plan that kills it is one of its own, and is killed for real.
    """

    def __init__(
        self,
        world: WorldHandle,
        driver: Driver,
        *,
        claim: Callable[[Any], object] | None = None,
        invariants: Iterable[Callable[[WorldHandle], object]] = (),
        turn_invariants: Iterable[Callable[[WorldHandle], object]] = (),
        limits: Limits = _LIMITS,
        hosts: Mapping[str, tuple[str, ...]] | None = None,
        allow_hosts: Iterable[str] = (),
        sites: bool = True,
        real: bool = False,
    ) -> None:
        self.world = world
        self.driver = driver
        self.limits = limits
        self._claim = claim
        self._invariants = tuple(invariants)
        self._turn_invariants = tuple(turn_invariants)
        self._sites = sites
        self._around = Surroundings(world, limits, hosts, allow_hosts)
        self._crash_state: Hashable = None
        self._twins = Twins()
        self._journals = Journals()
        self._real = RealCrash(world, self._around, self._journals) if real else None
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

    def said(self) -> tuple[Any, ...]:
        """What the notes are made of, to be taken in elsewhere by `hear`."""
        return self._around.said()

    def hear(self, said: tuple[Any, ...]) -> None:
        """Take in what is to be noted of runs that another runner has made, in another process."""
        self._around.hear(said)

    def begin_in_fork(self) -> None:
        """Go on in a process that was forked from the one in which this was set up."""
        self._around.begin_in_fork()

    @property
    def killed(self) -> int:
        """How many processes were killed in earnest so far."""
        return 0 if self._real is None else self._real.killed

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
        gate = self._gate(plan)
        gate.events.listeners.read_claim = self._word
        if self._turn_invariants:
            gate.after_turn = partial(self._look, gate, self._turn_invariants)
        world.begin(gate)
        self._journals.begin()
        self._crash_state = None
        with self._crash(plan) as apart:
            self._live(script, gate, apart)
            self._rest(gate, apart)
        log = world.state.log
        if not plan:
            self._note_errors_of_handlers(log)
        self._around.raise_leak()
        world.require_undos()
        missed = [injection for injection, met in gate.injected.items() if not met]
        if missed:
            raise _not_injected(plan, missed, script, world)
        history = History(
            script,
            plan,
            log,
            operations=world.state.operations,
            tables=world.state.tables,
            injected=gate.injected,
            twin=twin,
            crash_state=self._crash_state,
            killed=self._kills(plan),
        )
        return self._twins.beside(history, self.run) if script.tolerates and twin is not None else history

    def _gate(self, plan: Plan) -> Gate:
        """What the calls of a run go through."""
        return Gate(self.world.state, plan, calls_max=self.limits.calls_max, sites=self._sites)

    def _crash(self, plan: Plan) -> AbstractContextManager[Apart]:
        """Where the processes of a run live: in this one, or each in its own if one is to be killed."""
        return self._real if self._real is not None and self._kills(plan) else nullcontext(self._here)

    def _kills(self, plan: Plan) -> bool:
        """Whether a process is killed in earnest; not where another one stands still in it meanwhile."""
        faults = [FAULTS[one.fault] for one in plan]
        dies = any(fault.learnt is Learnt.DEATH for fault in faults)
        return self._real is not None and dies and not any(fault.pauses for fault in faults)

    def _here(self, gate: Gate, work: Callable[[], None]) -> None:
        gate.process.at_death = self._around.keep_chance
        work()

    def _live(self, script: Script, gate: Gate, apart: Apart) -> None:
        """The saga's part of a run, from its first process to the one that comes to an end."""
        apart(gate, lambda: self._to_the_end(drive, script, gate))
        while gate.process.dead:
            gate.process.restart(self._around.threads_left)
            self._crash_state = crash_state(self.world.state, gate, self._journals.leases())
            apart(gate, lambda: self._to_the_end(drive_on, script, gate))

    def _to_the_end(self, begin: Begin, script: Script, gate: Gate) -> None:
        """One process up to what it says of itself, and what still reaches it then; or up to its death."""
        gate.on_pause = standstill = Standstill(self.driver, gate, partial(self._beside, script, gate))
        ending = self._process(begin(self.driver, self.world, script, self._claim), gate)
        if gate.process.woken:
            self._crash_state = None  # nobody knows what a process that stood still has in memory
        if gate.process.dead:
            return
        gate.harms.settle()
        if self._is_brought_down(ending, gate):
            return
        ending = standstill.heir or ending
        state = self.world.state
        state.log.append(Ended(state.clock.elapsed, ending))
        gate.events.listeners.ended = True
        gate.land_everything()
        self._hear(gate)

    def _is_brought_down(self, ending: Ending, gate: Gate) -> bool:
        """Whether an error of its store has ended the process: whoever watches over it starts it anew."""
        at = gate.refused_at
        if not self.driver.restarts or ending.how != "raised" or at is None:
            return False
        if at.restart != gate.process.restarts:
            return False
        gate.process.fall(at)
        return True

    def _beside(self, script: Script, gate: Gate, driver: Driver) -> Ending:
        """A process that goes on with the saga in the surroundings of another one, which stands still."""
        before = gate.on_pause
        while True:
            gate.on_pause = standstill = Standstill(driver, gate, partial(self._beside, script, gate))
            ending = self._steps(drive_on(driver, self.world, script, self._claim), gate, LoopReport())
            if not gate.process.dead and not self._is_brought_down(ending, gate):
                gate.on_pause = before
                return standstill.heir or ending
            gate.process.restart()

    def _process(self, steps: Coroutine[Any, Any, Ending], gate: Gate) -> Ending:
        """One process of the saga, in its surroundings; if it is dead after it, what it says is void."""
        loop = LoopReport() if self.driver.asynchronous else None
        self._around.begin(self._slept, anew=gate.process.restarts == 0)
        try:
            return self._steps(steps, gate, loop)
        finally:
            self._around.end(loop, died=gate.process.dead)

    def _steps(self, steps: Coroutine[Any, Any, Ending], gate: Gate, loop: LoopReport | None) -> Ending:
        try:
            if not self.driver.asynchronous:
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

    def _slept(self, seconds: float) -> None:
        self.world.gate.process.refuse_the_dead()
        state = self.world.state
        state.log.append(Slept(state.clock.elapsed, seconds))
        if state.outbox and not self.driver.asynchronous:
            self.world.gate.events.hand_out()

    def _rest(self, gate: Gate, apart: Apart) -> None:
        """Ask once more where that is due, then look at invariants that no commit has been followed by."""
        if self.driver.restarts and (gate.process.restarts or gate.unheard or _has_trouble(gate)):
            gate.heal()
            gate.process.restart(self._around.threads_left, at_rest=True)
            apart(gate, lambda: self._ask_once_more(gate))
        gate.close("called after its run had ended")
        state = self.world.state
        at = state.clock.elapsed
        for name in _written_by_others(state.log):
            broken = state.systems[name].broken()
            state.log.extend(Broke(at, name, invariant, detail) for invariant, detail in broken)
        self._look(gate, self._invariants)
        state.log.append(Rested(at))

    def _look(self, gate: Gate, invariants: Iterable[Callable[[WorldHandle], object]]) -> None:
        """Note which of the user's invariants do not hold now."""
        log, at = self.world.state.log, self.world.clock.elapsed
        for check in invariants:
            detail = _user_verdict(check, self.world, gate.plan)
            if detail:
                log.append(Broke(at, "", getattr(check, "__name__", "invariant"), detail))

    def _ask_once_more(self, gate: Gate) -> None:
        """Let a new process, without faults, find what is left to do: nothing, or a case that is due."""
        ending = self._process(recover_only(self.driver, self.world), gate)
        if ending.how != "returned" and not gate.harms.any:
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


def _has_trouble(gate: Gate) -> bool:
    """Whether a store of the saga's own has failed it."""
    return gate.harms.any or gate.refused_at is not None


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
