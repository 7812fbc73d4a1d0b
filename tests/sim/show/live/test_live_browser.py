"""The page of the live view in a real browser: it loads, answers while a slider is dragged, runs when it is let go."""

import json
from urllib.parse import urlsplit

import pytest

from tests.sim.show.live.conftest import wait_for

DRAG = """const [path, value, released] = arguments;
const ranges = [...document.querySelectorAll("input[type=range]")];
const range = ranges.find((each) => each.getAttribute("aria-label") === path);
range.value = value;
range.dispatchEvent(new Event("input", { bubbles: true }));
if (released) range.dispatchEvent(new Event("change", { bubbles: true }));
return range.value;"""
TYPE = """const [path, value] = arguments;
const fields = [...document.querySelectorAll("input.field")];
const field = fields.find((each) => each.getAttribute("aria-label").startsWith(path));
field.value = value;
field.dispatchEvent(new Event("change", { bubbles: true }));"""
SEARCH = """const box = document.querySelector("#search");
box.value = arguments[0];
box.dispatchEvent(new Event("input"));"""
HOSTILE = ["</script><script>window.harmed=1</script>", '<img src=x onerror="window.harmed=2">',
           "$& ${1} `+alert(1)+` @NAME@", "箱 \u202e é", "'; DROP TABLE"]


class Page:
    """A page that is open, and what a reader sees of it."""

    def __init__(self, browser, client):
        self.browser, self.client = browser, client
        browser.get_log("browser")
        browser.get_log("performance")
        browser.get(client.server.address)
        wait_for(lambda: self.count("#runs tbody tr") == 1 and self.kind, 120.0)

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? null", selector)

    def count(self, selector):
        return self.run("return document.querySelectorAll(arguments[0]).length", selector)

    @property
    def kind(self):
        return self.run("return document.querySelector('#kind')?.dataset.kind")

    def click(self, selector):
        self.run("document.querySelector(arguments[0]).click()", selector)

    def drag(self, path, value, released=False):
        return self.run(DRAG, path, value, released)

    def list_hosts(self):
        """Hosts and schemes that the browser has asked since the page was opened."""
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        addresses = [event["params"]["request"]["url"] for event in events
                     if event["method"] == "Network.requestWillBeSent"]
        return {(urlsplit(address).scheme, urlsplit(address).netloc) for address in addresses}

    def check(self):
        """Nothing was said on the console, and nobody else was asked."""
        assert self.browser.get_log("browser") == []
        assert self.list_hosts() <= {("http", f"127.0.0.1:{self.client.port}"), ("data", ""), ("blob", "")}


@pytest.fixture
def page(browser, rod):
    return Page(browser, rod)


def test_page_loads_and_shows_the_set(page):
    assert page.text("#name") == "painleve_rod" and page.kind == "several"
    assert page.count("#answers .answer") == 2 and "−9.81" in page.text("#answers")
    drawn = page.run("""const canvas = document.querySelector("#picture"), { width, height } = canvas;
        const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
        return new Set(new Uint32Array(pixels.buffer)).size;""")
    assert drawn > 20  # colours
    page.check()


def test_dragging_friction_changes_the_kind_at_once_and_letting_go_runs(page):
    page.drag("friction.default", 0.4)
    wait_for(lambda: page.kind == "one")
    assert page.count("#runs tbody tr") == 1  # no run yet
    assert page.text(".kind.was") == "several" and page.text(".answer.gone .tag") == "gone"
    page.drag("friction.default", 0.5, released=True)
    wait_for(lambda: page.count("#runs tbody tr") == 2)
    assert page.text("#runs .present .outcome") == "timed out"
    page.drag("friction.default", 2.0, released=True)
    wait_for(lambda: page.kind == "several")
    assert page.text(".kind.was") == "one" and page.text(".tag.new") == "new"
    page.check()


def test_while_it_is_dragged_the_newest_value_counts(page):
    for step in range(60):
        value = float(page.drag("friction.default", 0.05 * step))  # on a step of the slider
    _, answer = page.client.ask("/instant", {"friction.default": value})
    (friction,) = (f"{piece['forces'][0][0][1]:.5g}" for piece in answer["instant"]["pieces"] if piece["mode"] == "l")
    wait_for(lambda: friction in page.text("#answers"))
    assert float(page.run("return document.querySelector('.slider .field').value")) == value
    page.check()


def test_fields_ranges_and_reset(page):
    page.run(TYPE, "friction.default", "7.5")  # beyond the slider, whose end follows
    wait_for(lambda: page.text(".slider.changed"))
    assert page.run("return document.querySelector('.slider input[type=range]').max") == "7.5"
    page.run("document.querySelector('.slider input[type=range]').dispatchEvent(new Event('dblclick'))")
    wait_for(lambda: page.count(".slider.changed") == 0)
    page.drag("workpiece.pose.theta", 80, released=True)
    page.drag("friction.default", 1, released=True)
    wait_for(lambda: page.count(".slider.changed") == 2)
    page.click("#reset")
    wait_for(lambda: page.count(".slider.changed") == 0 and page.kind == "several")
    page.check()


def test_any_number_is_found_by_its_path(page):
    page.run(SEARCH, "gravity magn")
    assert page.count("#found button") == 1
    page.click("#found button")
    assert page.drag("gravity.magnitude", 0, released=True) == "0"
    wait_for(lambda: "−9.81" not in page.text("#answers .number"))
    page.check()


def test_scene_that_cannot_be_is_said_and_the_next_is_as_ever(page):
    page.drag("workpiece.pose.y", -0.3)
    wait_for(lambda: not page.run("return document.querySelector('#trouble').hidden"))
    assert "overlaps obstacle 'floor'" in page.text("#trouble")
    page.click("#reset")
    wait_for(lambda: page.run("return document.querySelector('#trouble').hidden") and page.kind == "several")
    page.check()


def test_run_is_played_and_stepped(page):
    page.click("#run-next")
    assert float(page.run("return document.querySelector('#run-time').value")) > 0.0
    page.run("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }))")
    wait_for(lambda: page.text("#run-play") == "Pause")
    end = page.run("return document.querySelector('#run-time').max")
    page.run("document.querySelector('#run-speed').value = '10';"
             "document.querySelector('#run-speed').dispatchEvent(new Event('change'))")
    wait_for(lambda: page.text("#run-play") == "Play"
             and page.run("return document.querySelector('#run-time').value") == end)
    page.check()


@pytest.mark.parametrize("width, height, dark", [(390, 844, False), (390, 844, True), (800, 900, True),
                                                 (1700, 1000, False)])
def test_nothing_is_wider_than_the_page(browser, rod, width, height, dark):
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
    try:
        page = Page(browser, rod)
        assert page.run("return document.documentElement.scrollWidth") <= width
        background = page.run("return getComputedStyle(document.body).backgroundColor")
        brightness = sum(map(int, background.strip("rgb()").split(",")[:3])) / 3
        assert (brightness < 100) == dark
        page.check()
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_names_of_users_do_no_harm(browser, start_server):
    blocks = "".join(f"[[obstacle]]\nname = {json.dumps(name, ensure_ascii=False)}\noutline = {{box = [4, 1]}}\n"
                     f"pose = [{9 * place}, -0.5, 0]\n" for place, name in enumerate(HOSTILE))
    text = (f"# {HOSTILE[0]}\nname = {json.dumps(HOSTILE[1])}\n[workpiece]\nname = {json.dumps(HOSTILE[2] + 'part')}\n"
            f"outline = {{box = [1, 1]}}\nmass = 1\npose = [0, 0.5, 0]\n{blocks}[friction]\ndefault = 0.5\n")
    page = Page(browser, start_server(text))
    assert page.text("#name") == HOSTILE[1] and page.text("#summary") == HOSTILE[0]
    assert browser.title == f"{HOSTILE[1]} · Stiction"
    assert HOSTILE[0] in page.run("return document.querySelector('#answers').textContent")
    page.run(SEARCH, "friction")
    assert page.count("#found button") > 3
    page.drag("workpiece.pose.y", 0.2)
    wait_for(lambda: HOSTILE[0] in (page.text("#trouble") or ""))
    assert page.run("return window.harmed ?? null") is None and page.count("main img") == 0
    page.check()


def test_page_says_that_the_server_has_ended(browser):
    from sim.scene.build import load_scene
    from tests.sim.show.live.conftest import serve

    server, thread, client = serve(load_scene("painleve_rod"))
    page = Page(browser, client)
    server.stop()
    thread.join(10.0)
    page.drag("friction.default", 1.0)
    wait_for(lambda: "has ended" in page.text("#state"))
