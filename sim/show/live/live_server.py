"""The server of the live view: one page and what it asks, on 127.0.0.1 only, for whoever knows the token."""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Awaitable, Callable, Sequence
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from geometry.errors import StictionError
from sim.scene.scene import Scene
from sim.show.live.live_guard import Guard
from sim.show.live.live_page import build_live_page, describe_live_scene
from sim.show.live.live_scene import LiveScene, RequestError
from sim.show.live.live_timeout import HastyProtocol
from sim.show.live.live_worker import INSTANT, RUN, TEXT, Worker, WorkerError

ADDRESS = "127.0.0.1"
# Connections at once; a browser opens six. More are answered with 503.
MOST_CONNECTIONS = 32
LARGEST_HEAD = 16384  # bytes of the head of a request
KEEP_ALIVE = 30  # s that a connection is kept without a request
TOKEN_BYTES = 32


class ServerError(StictionError):
    """The server cannot begin; the message says why."""


class LiveServer:
    """A scene, its address, and the two processes that compute for it: instants do not wait for runs."""

    def __init__(self, scene: Scene, port: int = 0, command: Sequence[str] = ()):
        """Take the port; 0: one that the system gives. command: the words that opened the scene. Raises ServerError."""
        self.live = LiveScene(scene, command)
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._socket = _bind(port)
        self.port: int = self._socket.getsockname()[1]
        self._instants, self._runs = Worker(self.live, "stiction instants"), Worker(self.live, "stiction runs")
        config = uvicorn.Config(
            Guard(self._build_app(), self.token, self.port), http=HastyProtocol, ws="none", lifespan="off",
            loop="asyncio", log_config=None, log_level="critical", access_log=False, server_header=False,
            limit_concurrency=MOST_CONNECTIONS, timeout_keep_alive=KEEP_ALIVE, timeout_graceful_shutdown=0,
            h11_max_incomplete_event_size=LARGEST_HEAD, proxy_headers=False)
        self._server = _Server(config, self.close)

    @property
    def address(self) -> str:
        """What a browser opens."""
        return f"http://{ADDRESS}:{self.port}/?token={self.token}"

    def run(self) -> None:
        """Serve until Ctrl-C, which is raised again as KeyboardInterrupt, or until `stop`."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.close()

    def stop(self) -> None:
        """End the server; from any thread."""
        self._server.end()

    def close(self) -> None:
        """End the processes that compute, whatever they do, and give the port back."""
        self._instants.close()
        self._runs.close()
        self._socket.close()

    def _build_app(self) -> Starlette:
        def ask(worker: Worker, what: str) -> Callable[[Request], Awaitable[Response]]:
            async def answer(request: Request) -> Response:
                try:
                    values = self.live.check_values(_read_values(await request.body()))
                    return Response(await worker.ask(what, values), media_type="application/json")
                except RequestError as error:
                    return JSONResponse({"error": str(error)}, 400)
                except WorkerError as error:
                    return JSONResponse({"error": str(error)}, 500)

            return answer

        return Starlette(routes=[
            Route("/", self._give_page, methods=["GET"]),
            Route("/scene", self._give_scene, methods=["GET"]),
            Route("/instant", ask(self._instants, INSTANT), methods=["POST"]),
            Route("/run", ask(self._runs, RUN), methods=["POST"]),
            Route("/text", ask(self._instants, TEXT), methods=["POST"]),
        ])

    async def _give_page(self, request: Request) -> Response:
        self._instants.start()  # which take a second or two to begin
        self._runs.start()
        page, policy = build_live_page(self.live.scene.name)
        return HTMLResponse(page, headers={"Content-Security-Policy": policy})

    async def _give_scene(self, request: Request) -> Response:
        return JSONResponse(describe_live_scene(self.live))


class _Server(uvicorn.Server):
    """One that waits for nobody when it ends."""

    def __init__(self, config: uvicorn.Config, close: Callable[[], None]):
        super().__init__(config)
        self._close = close

    def end(self) -> None:
        """End at once."""
        self.should_exit = self.force_exit = True

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """On Ctrl-C."""
        super().handle_exit(sig, frame)
        self.end()


def _bind(port: int) -> socket.socket:
    """A socket that listens on this machine only. Raises ServerError."""
    # with the protocol by its name asyncio sends small answers at once, which otherwise wait 40 ms for the other side
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((ADDRESS, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise ServerError(f"--port {port}: {error.strerror or error}; leave --port out, and a free one is taken"
                          ) from None
    return listener


def _read_values(body: bytes) -> Any:
    """The values of a request. Raises RequestError."""
    try:
        data = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the body is no JSON: {error}") from None
    if not isinstance(data, dict) or set(data) != {"values"}:
        raise RequestError('the body must be {"values": {PATH: NUMBER, ...}}')
    return data["values"]


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no number that can be set")
