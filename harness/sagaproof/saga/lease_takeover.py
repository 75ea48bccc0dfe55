"""Taking a saga up: claimed, read, gone on with; or parked, if it cannot be read or has failed too often."""

from __future__ import annotations

import gc
import logging
from collections.abc import MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from sagaproof.saga.core import Core, Setup, described
from sagaproof.saga.journal import Journal, JournalError, Leased, Parked, UnreadableJournal
from sagaproof.saga.lease import Lease, LeasedJournal
from sagaproof.saga.parking import tell
from sagaproof.saga.recover import pursue
from sagaproof.saga.state import SagaState

__all__ = ["Takeover", "readable"]

_LOG: Final = logging.getLogger("sagaproof.saga")


def readable(journal: Journal, saga: str) -> tuple[SagaState, UnreadableJournal | None]:
    """The state after the records that can be read, and what is wrong with the next one."""
    state = SagaState(saga)
    try:
        records, broken = journal.read(saga), None
    except UnreadableJournal as error:
        records, broken = error.readable, error
    try:
        for record in records:
            state.apply(record)
    except UnreadableJournal as error:
        return state, error
    if broken is None and not records:
        broken = UnreadableJournal(f"none of the records of saga {saga!r} is left")
    return state, broken


@dataclass(slots=True)
class Takeover:
    """Takes up sagas one after the other.

    Each is counted in the journal before it is tried. That the one before went well is noted with the next
    claim, so that one which kills the process has no others counted with it, and no commit is made for it.
    """

    setup: Setup
    leases: LeasedJournal
    done: list[Lease] = field(default_factory=list)
    is_swept: bool = False

    async def take(
        self, saga: str, live: Core | None, held: MutableMapping[str, Core], *, parked: bool = False
    ) -> Core:
        """The saga, gone on with as far as its journal says, and put among those that are `held`.

        Raises `Leased`, `Parked`, and what went wrong; with the last attempt that is a reason to park it.
        """
        lease = self._claim(saga, None if live is None else live.lease, parked=parked)
        try:
            core = await self._read(lease, live)
            core.is_recovering = True
            held[saga] = core
            try:
                await self._pursue(core, lease)
            finally:
                core.is_recovering = False
        except BaseException:
            lease.abandon()  # nobody drives it, whatever keeps the error and with it all that it met
            raise
        return core

    async def _read(self, lease: Lease, live: Core | None) -> Core:
        state, broken = readable(self.setup.journal, lease.saga)
        if broken is not None:
            raise await self._park(lease, state, str(broken))
        if lease.attempts > self.setup.attempts_max:
            times = self.setup.attempts_max
            raise await self._park(lease, state, f"recovery failed {times} times: the process ended in it")
        core = live if live is not None and live.state.number == state.number else Core(self.setup, state)
        core.lease, core.stopped = lease, None
        return core

    def note(self) -> None:
        """Write down that the last one went well."""
        done, self.done = self.done, []
        try:
            self.leases.settle(done)
        except JournalError as error:  # it went well all the same, and will again
            _LOG.warning("that a saga was taken up well was not noted: %s", error)

    def _claim(self, saga: str, own: Lease | None, *, parked: bool) -> Lease:
        ask = partial(self.leases.claim, saga, self.setup.lease_s, attempt=True, parked=parked, own=own)
        try:
            lease = ask(settled=self.done)
        except Leased:
            if self.is_swept:
                raise
            self.is_swept = True
            gc.collect()  # perhaps nobody has it any more, and it is only not cleared away
            lease = ask(settled=self.done)
        self.done = []
        return lease

    async def _pursue(self, core: Core, lease: Lease) -> None:
        try:
            await pursue(core)
        except JournalError:
            with suppress(JournalError):
                self.leases.settle([lease])  # it says nothing of the saga
            raise
        except Exception as error:
            if lease.attempts < self.setup.attempts_max:
                raise
            why = f"recovery failed {lease.attempts} times: {described(error)}"
            raise await self._park(lease, core.state, why) from error
        if core.lease is not None and core.state.is_closed:
            core.let_go()
        elif core.lease is not None:
            self.done.append(core.lease)

    async def _park(self, lease: Lease, state: SagaState, reason: str) -> Parked:
        parked = self.leases.park(lease, reason)
        _LOG.error("the saga %r is parked: %s", lease.saga, reason)
        if await tell(self.setup, state, reason, parked.key):
            self.leases.told(parked)
        return Parked(lease.saga, reason)
