"""Attempts at one thing under a retry policy, and what they leave known."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tenacity import RetryCallState, retry_if_result, stop_after_attempt, wait_exponential, wait_random
from tenacity.asyncio import AsyncRetrying

from sagaproof.saga.classify import Verdict, retry_after
from sagaproof.saga.port import Port
from sagaproof.saga.retry import Retry

__all__ = ["Trial"]


def _for_ever() -> bool:
    return True


class Trial:
    """Tries something until it succeeds, is refused, must not be repeated or has been tried often enough.

    Afterwards `error` is that of the last attempt, None after a success with its `answer`. `doubtful` says
    that some attempt may have been applied although it failed: a refusal after that one proves nothing, and
    it is repeated only as long as `remembered` says that the service still knows the key.
    """

    __slots__ = (
        "_attempt", "_clock", "_judge", "_remembered", "_repeatable", "_retry",
        "answer", "asked_wait", "count", "doubtful", "error", "verdict",
    )  # fmt: skip

    def __init__(
        self,
        attempt: Callable[[], Awaitable[Any]],
        retry: Retry,
        judge: Callable[[Exception], Verdict],
        clock: Callable[[], float],
        *,
        repeatable: bool = True,
        remembered: Callable[[], bool] = _for_ever,
    ) -> None:
        self._attempt = attempt
        self._retry = retry
        self._judge = judge
        self._clock = clock
        self._repeatable = repeatable
        self._remembered = remembered
        self.answer: Any = None
        self.error: Exception | None = None
        self.verdict: Verdict | None = None
        self.doubtful = False
        self.count = 0
        self.asked_wait: float | None = None

    async def run(self, port: Port, *, not_before: float = 0.0) -> Trial:
        """Make the first attempt, and the others if they are called for.

        `not_before`: what was asked for when the same thing was tried last, as a time of the clock.
        """
        wait = not_before - self._clock()
        if 0 < wait <= self._retry.wait_max_s:
            await port.sleep(wait)
        if await self._once() and self._retry.attempts > 1:
            await self._go_on(port)
        return self

    @property
    def again_at(self) -> float:
        """The time before which the service does not want to be asked again; 0 if it has not said so."""
        return 0.0 if self.asked_wait is None or self.error is None else self._clock() + self.asked_wait

    async def _once(self) -> bool:
        """One attempt: whether another one makes sense."""
        self.count += 1
        try:
            self.answer = await self._attempt()
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is judged; a crash passes through
            return self._failed(error)
        self.error = self.verdict = None
        return False

    def _failed(self, error: Exception) -> bool:
        self.error = error
        self.verdict = self._judge(error)
        if self.verdict is Verdict.AMBIGUOUS:
            self.doubtful = True
        elif self.verdict is not Verdict.TRANSIENT:
            return False
        self.asked_wait = retry_after(error, self._clock())
        if self.asked_wait is not None and self.asked_wait > self._retry.wait_max_s:
            return False
        return self._repeatable or self.verdict is Verdict.TRANSIENT

    async def _go_on(self, port: Port) -> None:
        """The attempts after the first: it counts as made, so that the waits begin where they should."""
        made = 0

        async def attempt() -> bool:
            nonlocal made
            made += 1
            if made > 1 and self.doubtful and not self._remembered():
                return False
            return made == 1 or await self._once()

        await AsyncRetrying(
            sleep=port.sleep,
            stop=stop_after_attempt(self._retry.attempts),
            wait=self._wait,
            retry=retry_if_result(bool),
            retry_error_callback=_give_up,
        )(attempt)

    def _wait(self, state: RetryCallState) -> float:
        policy = self._retry
        grown = wait_exponential(policy.wait_s, max=policy.wait_max_s, exp_base=policy.factor)(state)
        wait = max(grown, self.asked_wait or 0.0)
        return wait + wait_random(0, policy.jitter_s)(state) if policy.jitter_s else wait


def _give_up(_state: RetryCallState) -> None:
    """The trial itself holds what is known."""
