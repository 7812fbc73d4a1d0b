"""Who may ask the server of the live view: the page that it has given out, on this machine, and nobody else.

A page elsewhere in the same browser can send requests to 127.0.0.1, and can have its own name point there (DNS
rebinding); other users of the machine can send anything. So all that is not asked with the token, under the right name,
from the right origin and in a small body that comes at once is refused before anything is done for it.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

TOKEN_HEADER = "x-stiction-token"
PAGE = "/"
# Largest body of a request [bytes]. A scene has at most `live_numbers.MOST_NUMBERS` numbers, and the page sends those
# that were changed, of some fifty bytes each. Larger: whoever has the token could fill memory.
LARGEST_BODY = 65536
# A body must be there after so long [s]. Larger: slow ones hold connections. Smaller: nothing is gained.
LONGEST_WAIT = 5.0

# On every answer: nothing is kept, told to others, put into a frame, or taken for what it is not.
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """The application behind it is called with requests that are allowed, and with bodies that are whole."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], token: str, port: int):
        self._app, self._token = app, token.encode()
        names = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._hosts = {name.encode() for name in names}
        self._origins = {f"http://{name}".encode() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # there are no others: the server knows neither websockets nor lifespans
            return
        send = _add_headers(send)
        refusal = self._refuse(scope)
        if refusal is None:
            body = await _read_body(scope, receive)
            if isinstance(body, bytes):
                await self._app(scope, _replay(body, receive), send)
                return
            refusal = body
        status, why = refusal
        await JSONResponse({"error": why}, status, {"Connection": "close"})(scope, receive, send)

    def _refuse(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason, or None for a request that is allowed as far as its head tells."""
        headers = Headers(scope=scope)
        if [name.encode() for name in headers.getlist("host")] not in [[host] for host in self._hosts]:
            return 403, "this server has another name"
        if any(origin.encode() not in self._origins for origin in headers.getlist("origin")):
            return 403, "pages of other origins may not ask"
        if not self._knows_token(scope, headers):
            return 403, "the token is missing or wrong: open the address that `stiction view` has printed"
        if scope["method"] == "POST" and headers.get("content-type", "").split(";")[0].strip() != "application/json":
            return 415, "the body must be application/json"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 12 or int(length) > LARGEST_BODY:
            return 413, f"the body may have {LARGEST_BODY} bytes"
        return None

    def _knows_token(self, scope: Scope, headers: Headers) -> bool:
        """The page itself is opened with the token in its address; all else is asked with a header, which no page of
        another origin can set."""
        given = headers.getlist(TOKEN_HEADER)
        if scope["path"] == PAGE and scope["method"] == "GET":
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        return len(given) == 1 and hmac.compare_digest(given[0].encode("utf-8", "replace"), self._token)


async def _read_body(scope: Scope, receive: Receive) -> bytes | tuple[int, str]:
    """The whole body, or why it is refused: one without a length is read no further than the limit."""
    body = bytearray()
    try:
        async with asyncio.timeout(LONGEST_WAIT):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return 400, "the body is not whole"
                body += message.get("body", b"")
                if len(body) > LARGEST_BODY:
                    return 413, f"the body may have {LARGEST_BODY} bytes"
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        return 408, f"the body did not come within {LONGEST_WAIT:g} s"


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body, which has been read, to be read again; then what comes after it: that the page has gone."""
    parts: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return parts.pop() if parts else await receive()

    return receive_again


def _add_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return send_with_headers
