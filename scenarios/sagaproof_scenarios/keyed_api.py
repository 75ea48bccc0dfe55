"""What the stories on the runtime share: JSON over HTTP, and what services offer for calls under a key."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx
from httpx import codes

from sagaproof.saga import ABSENT, IN_FLIGHT, Case, Found, NotApplied, NothingToUndo, Step, Unseen

__all__ = ["AsyncKeyedApi", "KeyedApi"]

_HOST = "https://{system}.test"


class KeyedApi:
    """A client of the services. A call that does not succeed raises; an error inside of an answer is one."""

    def __init__(self) -> None:
        self._http = httpx.Client(timeout=5.0)

    def get(self, system: str, path: str) -> dict[str, Any]:
        """Read."""
        return self.send("GET", system, path)

    def send(
        self, method: str, system: str, path: str, body: dict[str, Any] | None = None, key: str | None = None
    ) -> dict[str, Any]:
        """Send one request; with a key, all that carry it are one and the same for the service."""
        headers = {} if key is None else {"Idempotency-Key": key}
        url = _HOST.format(system=system) + path
        response = self._http.request(method, url, json=body, headers=headers)
        response.raise_for_status()
        return answer_of(response)

    def by_key(self, system: str, operation: str) -> dict[str, Any]:
        """The options of a tool whose service looks up and takes back by key."""
        return {
            "undo": lambda step: self.undo(system, operation, step),
            "undo_by_key": True,
            "lookup": lambda step: self.lookup(system, operation, step),
        }

    def for_good(self, system: str, operation: str) -> dict[str, Any]:
        """The same for a tool that nothing takes back: a call that has not arrived can be shut out."""
        return {
            "lookup": lambda step: self.lookup(system, operation, step),
            "fence": lambda step: self.fence(system, operation, step),
        }

    def lookup(self, system: str, operation: str, step: Step) -> Found | Unseen:
        """What the service knows of the call that a step made."""
        return sighted(self.get(system, _path(operation, step)))

    def undo(self, system: str, operation: str, step: Step) -> None:
        """Take back what a step did, or see to it that it never comes."""
        try:
            self.send("POST", system, _undo_path(operation, step))
        except httpx.HTTPStatusError as error:
            if code_of(error).startswith("already_"):
                raise NothingToUndo(str(error)) from error
            raise

    def fence(self, system: str, operation: str, step: Step) -> Found | None:
        """Shut an irreversible call out that has not arrived; the answer to it if it has."""
        try:
            self.send("POST", system, _undo_path(operation, step))
        except httpx.HTTPStatusError as error:
            if code_of(error) != "irreversible":
                raise
            seen = self.lookup(system, operation, step)
            if isinstance(seen, Found):
                return seen
            raise
        return None

    def open_case(self, case: Case, key: str) -> str:
        """Tell the desk."""
        body = {"title": f"Saga {case.saga} needs a person", "package": case.to_json()}
        return str(self.send("POST", "desk", "/cases", body, key)["id"])


class AsyncKeyedApi:
    """The same over an asynchronous client."""

    def __init__(self) -> None:
        self._http = httpx.AsyncClient(timeout=5.0)

    async def send(
        self, method: str, system: str, path: str, body: dict[str, Any] | None = None, key: str | None = None
    ) -> dict[str, Any]:
        """Send one request; with a key, all that carry it are one and the same for the service."""
        headers = {} if key is None else {"Idempotency-Key": key}
        url = _HOST.format(system=system) + path
        response = await self._http.request(method, url, json=body, headers=headers)
        response.raise_for_status()
        return answer_of(response)

    def by_key(self, system: str, operation: str) -> dict[str, Any]:
        """The options of a tool whose service looks up and takes back by key."""

        async def undo(step: Step) -> None:
            await self._undo(system, operation, step)

        async def lookup(step: Step) -> Found | Unseen:
            return await self.lookup(system, operation, step)

        return {"undo": undo, "undo_by_key": True, "lookup": lookup}

    def for_good(self, system: str, operation: str) -> dict[str, Any]:
        """The same for a tool that nothing takes back: a call that has not arrived can be shut out."""

        async def lookup(step: Step) -> Found | Unseen:
            return await self.lookup(system, operation, step)

        async def fence(step: Step) -> Found | None:
            return await self.fence(system, operation, step)

        return {"lookup": lookup, "fence": fence}

    async def lookup(self, system: str, operation: str, step: Step) -> Found | Unseen:
        """What the service knows of the call that a step made."""
        return sighted(await self.send("GET", system, _path(operation, step)))

    async def _undo(self, system: str, operation: str, step: Step) -> None:
        try:
            await self.send("POST", system, _undo_path(operation, step))
        except httpx.HTTPStatusError as error:
            if code_of(error).startswith("already_"):
                raise NothingToUndo(str(error)) from error
            raise

    async def fence(self, system: str, operation: str, step: Step) -> Found | None:
        """Shut an irreversible call out that has not arrived; the answer to it if it has."""
        try:
            await self.send("POST", system, _undo_path(operation, step))
        except httpx.HTTPStatusError as error:
            if code_of(error) != "irreversible":
                raise
            seen = await self.lookup(system, operation, step)
            if isinstance(seen, Found):
                return seen
            raise
        return None

    async def open_case(self, case: Case, key: str) -> str:
        """Tell the desk."""
        body = {"title": f"Saga {case.saga} needs a person", "package": case.to_json()}
        return str((await self.send("POST", "desk", "/cases", body, key))["id"])


def _path(operation: str, step: Step) -> str:
    """Where the service is asked for a call by its key, which may hold any character."""
    return f"/operations/{operation}/{quote(step.key, safe='')}"


def _undo_path(operation: str, step: Step) -> str:
    return f"{_path(operation, step)}/undo"


class NotDoneYet(Exception):
    """A service has taken a call in, and says nothing of whether it is done."""


def answer_of(response: httpx.Response) -> dict[str, Any]:
    """The object in an answer; an error inside of it raises `NotApplied`, and a 202 `NotDoneYet`."""
    if response.status_code == codes.ACCEPTED:
        raise NotDoneYet(f"{response.request.url} has only accepted the call: it may be done later, or never")
    answer = response.json()
    if not isinstance(answer, dict):
        raise TypeError(f"the answer is no object: {answer!r}")
    if "error" in answer:
        raise NotApplied(f"{response.request.url} answered {answer['error']}")
    return answer


def sighted(seen: dict[str, Any]) -> Found | Unseen:
    """A lookup in the words of the runtime. What failed in the service has not been applied."""
    if seen["state"] == "applied":
        return Found(seen["answer"])
    return IN_FLIGHT if seen["state"] == "in-flight" else ABSENT


def code_of(error: httpx.HTTPStatusError) -> str:
    """The short code in an error answer; empty if there is none."""
    try:
        return str(error.response.json()["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return ""
