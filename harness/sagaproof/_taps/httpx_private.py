"""What the httpx tap uses of respx and httpx that neither of them promises, in one place."""

from __future__ import annotations

from sagaproof.errors import InternalError

__all__ = [
    "AllMockedAssertionError",
    "HTTPXMocker",
    "PassThrough",
    "Route",
    "WholeResponse",
    "check",
    "transports",
]

ADVICE = "Install respx>=0.22,<0.24 and httpx>=0.27,<1, and please report the versions that you have."

try:
    import httpx
    import httpx._transports.default as transports
    from respx.mocks import HTTPXMocker
    from respx.models import AllMockedAssertionError, PassThrough, Route
except (ImportError, AttributeError) as error:
    raise InternalError(
        "respx or httpx has changed inside", where=f"{type(error).__name__}: {error}", advice=ADVICE
    ) from error


class WholeResponse(httpx.Response):
    """A response whose body is at hand: read at once, where httpx would decode it in steps; or streamed."""

    def __init__(self, status: int, headers: httpx.Headers, content: bytes, call: int) -> None:
        stream = httpx.ByteStream(content)
        super().__init__(status, headers=headers, stream=stream, extensions={"sagaproof_call": call})
        self._whole = content

    def read(self) -> bytes:
        """The body; the response is closed by it."""
        if not hasattr(self, "_content"):
            self._content = self._whole
            self.is_stream_consumed = True
            self.close()
        return self._content

    async def aread(self) -> bytes:
        """The body; the response is closed by it."""
        if not hasattr(self, "_content"):
            self._content = self._whole
            self.is_stream_consumed = True
            await self.aclose()
        return self._content


def check() -> None:
    """Raise `InternalError` unless the names that are only used later are there too."""
    missing = [
        what
        for owner, name, what in (
            (HTTPXMocker, "routers", "respx.mocks.HTTPXMocker.routers"),
            (httpx.Response(200, content=b"{}"), "_content", "httpx.Response._content"),
            (httpx.Client, "_transport_for_url", "httpx.Client._transport_for_url"),
            (transports, "create_ssl_context", "httpx._transports.default.create_ssl_context"),
        )
        if not hasattr(owner, name)
    ]
    if missing:
        raise InternalError(f"{missing[0]} is not there any more", advice=ADVICE)
