"""What tests of pages ask of a browser."""

import json
import time

import pytest


class Browser:
    """Opens pages and asks them."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, width=1280, height=800, dark=False):
        """Load a file; returns when its page is ready."""
        self.driver.get("about:blank")
        self.read_requests(), self.read_errors()
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.get(path.resolve().as_uri())
        self.wait("return window.stiction !== undefined")
        self.settle()

    def ask(self, script, *arguments):
        """What a script of the page returns."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, seconds=10.0):
        """Wait until a script returns true."""
        end = time.monotonic() + seconds
        while not self.ask(script):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.01)

    def settle(self):
        """Wait until what was asked for is drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def press(self, key):
        """A key, as a browser tells it."""
        code = {"type": "keyDown", "key": key, **({"text": key} if len(key) == 1 else {})}
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", code)
        self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})
        self.settle()

    def mouse(self, kind, x, y, **more):
        """A mouse event at a place of the window."""
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, x, y):
        """Press and release the left button."""
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def place(self, selector):
        """left, top, width, height of an element."""
        return self.ask("const b = document.querySelector(arguments[0]).getBoundingClientRect();"
                        "return [b.left, b.top, b.width, b.height]", selector)

    def text(self, selector):
        """The text of an element."""
        return self.ask("return document.querySelector(arguments[0]).textContent", selector)

    def read_errors(self):
        """What the console has told since this was asked last."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def read_requests(self):
        """The addresses that were asked for since this was asked last."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [message["params"]["request"]["url"] for message in messages
                if message["method"] == "Network.requestWillBeSent"]


@pytest.fixture(scope="session")
def browser(driver):
    return Browser(driver)
