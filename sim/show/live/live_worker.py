"""Another process that computes for the page, so that the server answers at once, and Ctrl-C ends all at once.

It reads requests from a pipe, one after the other, and answers in JSON. A run is broken off where a newer request is
in the pipe. It leaves Ctrl-C to the server, and ends where the pipe does.
"""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any

from geometry.errors import StictionError
from sim.scene.scene import Scene
from sim.show.live.live_scene import LiveScene

INSTANT, RUN, TEXT = "instant", "run", "text"


class WorkerError(StictionError):
    """The process ended while it computed; another begins with the next request."""


class Worker:
    """The side of the server."""

    def __init__(self, live: LiveScene, name: str):
        self._live, self._name = live, name
        self._process: Any = None
        self._pipe: Connection | None = None
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._count = 0
        # A pipe that the process does not empty, because it computes, holds up whoever writes: never the server.
        self._writer = ThreadPoolExecutor(1)
        self.is_warm = False  # has it computed anything yet

    def start(self) -> None:
        """Begin the process, unless it is there. Within the loop of asyncio that will ask."""
        if self._process is not None:
            return
        context = multiprocessing.get_context("spawn")
        self._pipe, far = context.Pipe()
        self._process = context.Process(target=serve_pipe, args=(far, *self._live.describe()),
                                        name=self._name, daemon=True)
        self._process.start()
        far.close()
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop, self._pipe, self._process), daemon=True).start()

    async def ask(self, what: str, values: Mapping[str, float]) -> bytes:
        """The answer, in JSON. Raises WorkerError."""
        self.start()
        assert self._pipe is not None
        self._count += 1
        number, loop = self._count, asyncio.get_running_loop()
        answer = loop.create_future()
        self._waiting[number] = answer
        try:
            await loop.run_in_executor(self._writer, self._pipe.send, (number, what, dict(values)))
            return await answer
        except OSError as error:
            raise WorkerError(f"the process that computes cannot be reached: {error}") from error
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        """End the process, whatever it computes, and with it who writes to it."""
        if self._process is not None:
            self._process.kill()
        self._writer.shutdown(wait=False, cancel_futures=True)

    def _listen(self, loop: asyncio.AbstractEventLoop, pipe: Connection, process: Any) -> None:
        """Hand over answers as they come; a thread of its own."""
        try:
            while True:
                number, text = pipe.recv()
                loop.call_soon_threadsafe(self._settle, number, text)
        except (EOFError, OSError):
            process.join()
        try:
            loop.call_soon_threadsafe(self._give_up, process)
        except RuntimeError:  # the loop has ended, and with it all who waited
            pass

    def _settle(self, number: int, text: bytes) -> None:
        self.is_warm = True
        answer = self._waiting.get(number)
        if answer is not None and not answer.done():
            answer.set_result(text)

    def _give_up(self, process: Any) -> None:
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(WorkerError(
                    f"the process that computes has ended (code {process.exitcode}); the next change begins another"))
        if process is self._process:
            self._process, self.is_warm = None, False


def serve_pipe(pipe: Connection, text: str, source: str | None, command: Sequence[str]) -> None:
    """The other side: answers until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to all processes; the server ends this one
    from sim.scene.build import parse_scene

    live = LiveScene(parse_scene(text, source=source), command)
    warm_up(live)
    gc.freeze()  # what is loaded stays: to look through it for garbage takes a tenth of a second, while a slider moves
    while True:
        try:
            number, what, values = pipe.recv()
        except (EOFError, OSError):
            return
        answer = compute_answer(live, what, values, lambda: not pipe.poll())
        try:
            pipe.send((number, json.dumps(answer, allow_nan=False, separators=(",", ":")).encode()))
        except (BrokenPipeError, OSError):
            return


def warm_up(live: LiveScene) -> None:
    """Compute an answer that nobody has asked for: code is loaded, and outlines are made and checked, before the first
    slider moves."""
    first = next(iter(live.numbers.values()), None)
    compute_answer(live, INSTANT, {} if first is None else {first.path: first.value}, lambda: True)


def compute_answer(live: LiveScene, what: str, values: Mapping[str, float], is_wanted: Callable[[], bool]
                   ) -> dict[str, Any]:
    """What the page is told: of a scene that is impossible, what is wrong with it."""
    from sim.show.live.live_run import Superseded

    began = time.perf_counter()
    try:
        answer = _COMPUTE[what](live, values, is_wanted)
    except Superseded:
        answer = {"superseded": True}
    except StictionError as error:
        answer = {"error": live.tell(error)}
    except Exception as error:  # a defect: the page shall say so, and go on
        answer = {"error": f"This is a defect of Stiction ({type(error).__name__}: {error})."}
    return {**answer, "milliseconds": 1e3 * (time.perf_counter() - began)}


def _answer_instant(live: LiveScene, values: Mapping[str, float], _: Any) -> dict[str, Any]:
    from sim.show.live.live_instant import describe_instant

    scene = live.build(values)
    bodies = None if _places(scene) == _places(live.scene) else describe_scene_bodies(scene)
    return {"instant": describe_instant(scene), "bodies": bodies}


def _answer_run(live: LiveScene, values: Mapping[str, float], is_wanted: Callable[[], bool]) -> dict[str, Any]:
    from sim.show.live.live_run import run_scene

    return run_scene(live.build(values, with_text=True), is_wanted)


def _answer_text(live: LiveScene, values: Mapping[str, float], _: Any) -> dict[str, Any]:
    return {"text": live.build(values, with_text=True).text, "command": live.write_command(values)}


_COMPUTE = {INSTANT: _answer_instant, RUN: _answer_run, TEXT: _answer_text}


def _places(scene: Scene) -> list:
    """What is drawn of the bodies but for the pose of the part."""
    return [scene.workpiece.outline, *((body.outline, body.pose, body.motion) for body in scene.obstacles)]


def describe_scene_bodies(scene: Scene) -> dict[str, Any]:
    """The bodies of a scene as pages draw them."""
    from sim.log.bodies import build_scene_record
    from sim.show.page.body_data import describe_bodies

    return describe_bodies(build_scene_record(scene))
