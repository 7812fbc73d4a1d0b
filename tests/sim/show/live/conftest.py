"""A server of the live view that runs, and whoever asks it."""

import http.client
import json
import threading
import time

import pytest

from sim.scene.build import load_scene, parse_scene
from sim.show.live.live_server import LiveServer

JSON = "application/json"


class Client:
    """Asks one server; every request has a connection of its own, so that none suffers from another."""

    def __init__(self, server):
        self.server, self.port, self.token = server, server.port, server.token

    def request(self, method, path, body=None, headers=(), token=True):
        """(status, headers, body) of an answer; headers: more, or None in the place of one that is left out."""
        given = {"X-Stiction-Token": self.token} if token else {}
        if body is not None:
            given["Content-Type"] = JSON
        given |= dict(headers)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request(method, path, body, {name: value for name, value in given.items() if value is not None})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def ask(self, path, values):
        """(status, answer) to values."""
        status, _, body = self.request("POST", path, json.dumps({"values": values}))
        return status, json.loads(body)


def serve(scene, **options):
    """A server in a thread, and its client."""
    server = LiveServer(scene, **options)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    return server, thread, Client(server)


@pytest.fixture(scope="session")
def start_server():
    """Starts a server for a scene, its name or its text, once for each; all end with the session."""
    begun = {}

    def start(scene):
        if scene not in begun:
            words = ["stiction", "view", scene if isinstance(scene, str) else scene.name]
            if isinstance(scene, str):
                begun[scene] = serve(parse_scene(scene) if "\n" in scene else load_scene(scene), command=words)
            else:
                begun[scene] = serve(scene, command=words)
        return begun[scene][2]

    yield start
    for server, thread, _ in begun.values():
        server.stop()
        thread.join(10.0)
        assert not thread.is_alive()


@pytest.fixture(scope="session")
def rod(start_server):
    """The Painlevé rod."""
    return start_server("painleve_rod")


@pytest.fixture
def browser(driver):
    """A browser with a window as others leave it made new: of the usual size, in light colours."""
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    return driver


def wait_for(condition, seconds=60.0):
    """What a condition gives as soon as it gives anything."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")
