"""A till whose sales can be voided, and who sells there: right without faults."""

from __future__ import annotations

from typing import Any

from sagaproof import System, Table, World, operation

__all__ = ["Seller", "Till"]


class Till(System):
    name = "till"
    hosts = ("till.test",)
    sales = Table(gone={"status": ("void",)})

    @operation(cls=4, ref="id", amount="amount")
    def sell(self, *, amount: int) -> dict[str, Any]:
        key = self.ids.next("sale")
        return dict(self.sales.put(key, {"id": key, "amount": amount, "status": "open"}))

    @operation(cls=4, undoes="sell", ref="id")
    def void(self, *, id: str) -> dict[str, Any]:  # noqa: A002
        return dict(self.sales.patch(id, status="void"))


class Seller:
    """Takes no answer for no sale, and says that all is undone."""

    def __init__(self, world: World) -> None:
        self._till = world.direct.till
        self._sold: list[str] = []

    def call(self, _tool: str, args: dict[str, Any], _call_id: str) -> Any:
        sale = self._till.sell(**args)
        self._sold.append(sale["id"])
        return sale

    def give_up(self) -> str:
        while self._sold:
            self._till.void(id=self._sold.pop())
        return "compensated"

    def finish(self) -> str:
        return "completed"
