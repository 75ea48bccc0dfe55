"""What runs at night: the priorities of open tickets, all at once, each until it is set."""

import asyncio

import httpx

from inn.settings import CRM


async def raise_priorities(tickets: list[str]) -> str:
    async with httpx.AsyncClient(timeout=5) as http, asyncio.TaskGroup() as group:
        for ticket in tickets:
            group.create_task(_insist(http, ticket))
    return "completed"


async def _insist(http: httpx.AsyncClient, ticket: str) -> None:
    for attempt in range(5):
        if await _put(http, f"{CRM}/tickets/{ticket}/priority", {"priority": "high"}):
            return
        await asyncio.sleep(60 * 2**attempt)
    raise RuntimeError(f"the priority of {ticket} is not set")


async def _put(http: httpx.AsyncClient, url: str, body: dict) -> bool:
    try:
        async with asyncio.timeout(30):
            answer = await http.put(url, json=body)
        said = answer.json()
    except (httpx.HTTPError, TimeoutError, ValueError):
        return False
    if answer.status_code in {400, 401, 403, 404, 405, 422}:
        answer.raise_for_status()
    return answer.is_success and answer.status_code != 202 and "error" not in said
