"""Pages in a real browser: they load, play, step, zoom, say what the log says to the last digits, and ask nobody."""

import dataclasses

import numpy as np
import pytest

from geometry.shapes.polygon import Polygon
from sim import load_scene, simulate, simulate_branches
from sim.log.bodies import BodyRecord
from sim.log.trajectory import Trajectory
from sim.show.page.save_page import save_page
from sim.sweep.cell_replay import get_cell, run_cell
from sim.sweep.sweep import sweep
from sim.sweep.sweep_result import read_sweep
from tests.sim.synthetic import make_slide

EVIL = ("</script><script>window.harmed=1</script>", "<img src=x onerror='window.harmed=1'>", "$ Ba$$in $x^2$",
        "日本語の箱", "__proto__", "constructor", "\"quotes\" 'and' & <!-- \\u003c", "@DATA@ @SCRIPT@", "a\u2028b")


@pytest.fixture(scope="session")
def peg():
    return simulate(load_scene("peg_in_hole"))


@pytest.fixture(scope="session")
def peg_page(tmp_path_factory, peg):
    return save_page(peg, tmp_path_factory.mktemp("page") / "peg.html")


@pytest.fixture(scope="session")
def tree_page(tmp_path_factory):
    tree = simulate_branches(load_scene("erdmann_figure_5"))
    return tree, save_page(tree, tmp_path_factory.mktemp("page") / "tree.html")


def read_view(browser):
    return browser.ask("return window.stiction.view()")


def test_a_page_loads_and_asks_nobody(browser, peg_page):
    browser.read_errors()
    browser.open(peg_page)
    assert browser.read_errors() == []
    assert browser.read_requests() == [peg_page.resolve().as_uri()]
    assert browser.text("#title") == "peg_in_hole" and "seated" in browser.text("#facts")
    for script in ("fetch('https://example.com')", "fetch('file:///etc/hostname')"):
        assert browser.driver.execute_async_script(
            f"const done = arguments[0]; {script}.then(() => done('reached'), () => done('refused'))") == "refused"


def test_a_page_in_a_frame_works(browser, peg_page, tmp_path):
    """As a notebook shows it: in an iframe with srcdoc."""
    text = peg_page.read_text(encoding="utf-8").replace("&", "&amp;").replace('"', "&quot;")
    (tmp_path / "notebook.html").write_text(f'<!DOCTYPE html><iframe srcdoc="{text}" width=900 height=600></iframe>'
                                            "<script>window.stiction = 1</script>", encoding="utf-8")
    browser.open(tmp_path / "notebook.html")
    browser.wait("const w = document.querySelector('iframe').contentWindow; return w.stiction !== undefined")
    pose = browser.ask("return document.querySelector('iframe').contentWindow.stiction.pose(0.1)")
    assert len(pose) == 3


@pytest.mark.parametrize("scene", ["peg_in_hole", "bracket_from_dxf", "vibratory_bowl_track", "compliant_peg"])
def test_positions_agree_with_the_log(browser, tmp_path, scene):
    """At all rows, and between them with the pieces of Python; of obstacles that move too."""
    trajectory = simulate(load_scene(scene), 0.2)
    browser.open(save_page(trajectory, tmp_path / "a.html"))
    last = np.append(np.diff(trajectory.time) > 0.0, True)  # of rows at one instant the last one goes on
    times = trajectory.time[last]
    poses = np.array(browser.ask("return arguments[0].map((t) => window.stiction.pose(t))", times.tolist()))
    assert np.abs(poses - trajectory.pose[last]).max() < 1e-12
    looks = np.linspace(times[0], times[-1], 997)
    poses = np.array(browser.ask("return arguments[0].map((t) => window.stiction.pose(t))", looks.tolist()))
    assert np.abs(poses - trajectory.pieces.evaluate(looks)).max() < 1e-14
    for index, body in enumerate(trajectory.record.obstacles):
        places = np.array(browser.ask("return arguments[0].map((t) => window.stiction.obstaclePose(arguments[1], t))",
                                      looks.tolist(), index))
        wanted = np.zeros((len(looks), 3)) if body.motion is None else body.motion.evaluate_frame(looks)[0]
        assert np.abs(places - wanted).max() < 1e-14


def test_contacts_are_those_of_the_log(browser, peg, peg_page):
    browser.open(peg_page)
    rows = [row for row in range(0, len(peg), 17) if peg.steps["n_contacts"][row]]
    assert rows
    for row in rows:
        shown = browser.ask("return window.stiction.contacts(arguments[0])", float(peg.time[row]))
        logged = peg.contacts_at(row)
        assert "".join(each["letter"] for each in shown) == peg.mode_at(row)
        for name, field in (("x", "px"), ("y", "py"), ("nx", "nx"), ("ny", "ny"), ("fn", "fn"), ("ft", "ft")):
            assert np.abs(np.array([each[name] for each in shown]) - logged[field]).max() < 1e-12, (row, name)


def test_an_impact_tells_its_impulses(browser, peg, peg_page):
    browser.open(peg_page)
    for event in range(len(peg.event_rows)):
        logged = peg.impulses[peg.event_rows["first_impulse"][event]:][: peg.event_rows["n_impulses"][event]]
        if np.count_nonzero(peg.event_rows["time"] == peg.event_rows["time"][event]) > 1 or not len(logged):
            continue
        shown = browser.ask("return window.stiction.impulses(arguments[0])", float(peg.event_rows["time"][event]))
        assert [[each["fn"], each["ft"]] for each in shown] == [
            [each["fn"], each["ft"]] for each in logged if each["fn"] > 0.0]
        browser.ask("window.stiction.seek(arguments[0])", float(peg.event_rows["time"][event]))
        browser.settle()
        assert browser.text("#contacts").count("N s") == 2 * len(shown) > 0
    assert browser.ask("return window.stiction.impulses(0.001)") == []


def test_it_plays_pauses_and_steps(browser, peg, peg_page):
    browser.open(peg_page)
    browser.press(" ")
    browser.wait("return window.stiction.view().time > 0.001")
    assert browser.text("#play") == "Pause"
    browser.press(" ")
    still = read_view(browser)["time"]
    browser.settle()
    assert read_view(browser)["time"] == still and browser.text("#play") == "Play"
    browser.ask("window.stiction.seek(0)")
    seen = []
    for _ in range(3):
        browser.press(".")
        seen.append(read_view(browser)["time"])
    wanted = np.unique(peg.events["time"])
    assert seen == wanted[wanted > 0.0][:3].tolist()
    assert browser.text("#event")
    browser.press(",")
    assert read_view(browser)["time"] == seen[1]
    left, top, width, _ = browser.place("#timeline")
    browser.click(left + width / 2, top + 8)
    assert read_view(browser)["time"] == pytest.approx(0.5 * peg.time[-1], abs=0.03 * peg.time[-1])


def test_it_zooms_to_the_pointer_and_back(browser, peg_page):
    browser.open(peg_page)
    before = read_view(browser)
    left, top, width, height = browser.place("#canvas")
    x, y = round(left + 0.3 * width) - left, round(top + 0.7 * height) - top  # wheels turn at whole pixels

    def world(view):
        return np.array([view["x"] + (x - view["width"] / 2) / view["scale"],
                         view["y"] - (y - view["height"] / 2) / view["scale"]])

    for _ in range(28):
        browser.mouse("mouseWheel", left + x, top + y, deltaX=0, deltaY=-240)
    browser.settle()
    near = read_view(browser)
    assert near["scale"] > 1e6 * before["scale"]
    assert np.abs(world(near) - world(before)).max() < 1e-12  # the point under the pointer stays there
    for key, more in (("+", True), ("-", False)):
        now = read_view(browser)["scale"]
        browser.press(key)
        assert (read_view(browser)["scale"] > now) is more
    now = read_view(browser)
    browser.press("ArrowRight")
    assert read_view(browser)["x"] > now["x"]
    browser.press("0")
    assert read_view(browser)["scale"] == pytest.approx(before["scale"]) and browser.read_errors() == []


def test_following_holds_the_part(browser, peg, peg_page):
    browser.open(peg_page)
    browser.press("f")
    for time in (0.02, 0.2):
        browser.ask("window.stiction.seek(arguments[0])", time)
        browser.settle()
        view = read_view(browser)
        assert np.abs(np.array([view["x"], view["y"]]) - peg.pieces.evaluate([time])[0, :2]).max() < 1e-12


def test_a_click_on_the_part_picks_a_point(browser, peg, peg_page):
    browser.open(peg_page)
    left, top, _, _ = browser.place("#canvas")
    view, corner = read_view(browser), peg.pose[0, :2] + [0.002, 0.01]
    browser.click(left + view["width"] / 2 + (corner[0] - view["x"]) * view["scale"],
                  top + view["height"] / 2 - (corner[1] - view["y"]) * view["scale"])
    assert "point x" in browser.text("#state")


def test_names_under_the_pointer(browser, peg, peg_page):
    browser.open(peg_page)
    left, top, _, _ = browser.place("#canvas")
    view = read_view(browser)
    vertices = peg.record.obstacles[0].outline.vertices

    def hover(point):
        browser.mouse("mouseMoved", left + view["width"] / 2 + (point[0] - view["x"]) * view["scale"],
                      top + view["height"] / 2 - (point[1] - view["y"]) * view["scale"])
        browser.settle()
        return browser.text("#tip")

    assert f"{peg.record.obstacles[0].name}: vertex 2" in hover(vertices[2])
    assert f"{peg.record.obstacles[0].name}: edge 1" in hover(0.5 * (vertices[1] + vertices[2]))


def test_names_of_users_are_text(browser, tmp_path):
    plain = make_slide()
    outline = Polygon(np.array([[0.0, -1.0], [0.1, -1.0], [0.1, -0.9], [0.0, -0.9]]))
    record = dataclasses.replace(plain.record, name=EVIL[0], summary=EVIL[1], obstacles=(
        *plain.record.obstacles, *(BodyRecord(name, outline, mu=0.1) for name in EVIL)))
    trajectory = Trajectory(None, plain.steps, plain.contacts, plain.event_rows, plain.impulses, plain.status,
                            plain.account, EVIL[0], record)
    browser.open(save_page(trajectory, tmp_path / "evil.html"))
    assert browser.text("#title") == EVIL[0] and browser.text("#summary") == EVIL[1]
    assert browser.driver.title == EVIL[0]
    shown = browser.ask("return [...document.querySelectorAll('#scene dt')].map((each) => each.textContent)")
    assert set(EVIL) <= set(shown)
    browser.press("n")
    assert browser.ask("return window.harmed") is None and browser.read_errors() == []
    assert browser.ask("return document.querySelectorAll('img, script').length") == 2  # the data and the script


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [380, 1280])
def test_it_fits_phones_and_screens_in_light_and_dark(browser, peg_page, tree_page, width, dark):
    for path in (peg_page, tree_page[1]):
        browser.open(path, width, 700, dark)
        assert browser.ask("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        left, _, wide, high = browser.place("#canvas")
        assert left >= 0 and wide <= width and high > 200
        paper = browser.ask("return [...document.getElementById('canvas').getContext('2d')"
                            ".getImageData(2, 2, 1, 1).data].slice(0, 3)")
        assert (max(paper) < 64) is dark


def test_a_branch_is_followed(browser, tree_page):
    tree, path = tree_page
    browser.open(path)
    assert browser.text("#branches").count("acceleration") == 3
    for number in tree.leaves:
        browser.ask("window.stiction.select(arguments[0]); window.stiction.seek(0.3)", number)
        browser.settle()
        assert read_view(browser)["chosen"] == number and read_view(browser)["time"] == 0.3
        pose = browser.ask("return window.stiction.pose(0.3)")
        assert np.abs(pose - tree.trajectory(number).pieces.evaluate([0.3])[0]).max() < 1e-9
    browser.press("[")
    assert read_view(browser)["chosen"] != tree.leaves[-1]
    assert browser.read_errors() == []


@pytest.fixture(scope="session")
def sweep_page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    sweep("block_on_incline", mu="0.1:0.5:3", rho="0.02:0.04:2", output=folder / "s.h5")
    found = read_sweep(folder / "s.h5")
    runs = {number: run_cell(get_cell(found, number))[0] for number in (0, 5)}
    return found, runs, save_page(found, folder / "map.html", runs=runs, note="2 of 6 runs")


def test_a_cell_that_is_clicked_plays(browser, sweep_page):
    _, runs, path = sweep_page
    browser.open(path)
    assert read_view(browser)["chosen"] == 0 and "2 of 6 runs" in browser.text("#facts")
    left, top, width, _ = browser.place("#map canvas")
    browser.click(left + width - 20, top + 20)  # the largest mu and rho: the last cell
    assert read_view(browser)["chosen"] == 5
    end = runs[5].time[-1]
    assert np.abs(browser.ask("return window.stiction.pose(arguments[0])", float(end)) - runs[5].pose[-1]).max() < 1e-12
    browser.ask("window.stiction.play()")
    browser.wait("return window.stiction.view().time > 0.001")
    browser.click(left + 86, top + 20)
    assert "is not in this page" in browser.text("#map")
    assert 'stiction replay s.h5 --cells "mu=0.1,rho=0.04" --save map.html' in browser.text("#map")
    assert browser.read_errors() == []


def test_a_strip_and_selectors(browser, tmp_path):
    """One axis is a strip; of three, two are shown and the third is chosen."""
    sweep("block_on_incline", mu="0.1:0.5:3", output=tmp_path / "one.h5")
    browser.open(save_page(tmp_path / "one.h5", tmp_path / "one.html"))
    assert browser.ask("return document.querySelectorAll('.choosers select').length") == 0
    sweep("block_on_incline", mu="0.1:0.5:3", rho="0.02:0.04:2", vary={"gravity.angle": "0,1 deg"},
          output=tmp_path / "three.h5")
    browser.open(save_page(tmp_path / "three.h5", tmp_path / "three.html"))
    assert browser.ask("return document.querySelectorAll('.choosers select').length") == 3
    assert browser.read_errors() == []
