"""What the httpx tap uses of respx and httpx that neither of them promises, in one place."""

from __future__ import annotations

from sagaproof.errors import InternalError

__all__ = ["AllMockedAssertionError", "HTTPXMocker", "PassThrough", "Route", "check", "transports"]

ADVICE = "Install respx>=0.22,<0.24 and httpx>=0.27,<1, and please report the versions that you have."

try:
    import httpx._transports.default as transports
    from respx.mocks import HTTPXMocker
    from respx.models import AllMockedAssertionError, PassThrough, Route
except (ImportError, AttributeError) as error:
    raise InternalError(
        "respx or httpx has changed inside", where=f"{type(error).__name__}: {error}", advice=ADVICE
    ) from error


def check() -> None:
    """Raise `InternalError` unless the names that are only used later are there too."""
    missing = [
        what
        for owner, name, what in (
            (HTTPXMocker, "routers", "respx.mocks.HTTPXMocker.routers"),
            (transports, "create_ssl_context", "httpx._transports.default.create_ssl_context"),
        )
        if not hasattr(owner, name)
    ]
    if missing:
        raise InternalError(f"{missing[0]} is not there any more", advice=ADVICE)
