"""Stateful fakes of outside services. Each is loaded when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sagaproof_fakes.billing import Billing
    from sagaproof_fakes.crm import Crm
    from sagaproof_fakes.desk import Desk
    from sagaproof_fakes.ledger import Ledger
    from sagaproof_fakes.mail import Mail

__all__ = ["Billing", "Crm", "Desk", "Ledger", "Mail"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sagaproof_fakes' has no attribute {name!r}")
    found = getattr(import_module(f"sagaproof_fakes.{name.lower()}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
