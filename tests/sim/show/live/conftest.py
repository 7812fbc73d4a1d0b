"""A server of the live view that runs, whoever asks it, and a browser without a window."""

import http.client
import json
import shutil
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


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window, which keeps what its console says and whom it asks."""
    pytest.importorskip("selenium", reason="pages are not looked at in a browser: selenium is not installed")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("pages are not looked at in a browser: there is no chromium with its chromedriver")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = program
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver))
    found.set_script_timeout(60)
    yield found
    found.quit()


def wait_for(condition, seconds=60.0):
    """What a condition gives as soon as it gives anything."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")
