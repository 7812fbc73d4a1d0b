"""What the live view answers is what the same scene gives elsewhere, to the last bit."""

import asyncio
import json
import os
import signal
import threading
import time

import pytest

from dynamics.sets.acceleration_set import find_accelerations
from sim import simulate
from sim.instant.instant import contact_problem
from sim.scene.build import load_scene, parse_scene
from sim.show.live import live_run
from sim.show.live.live_numbers import list_numbers
from sim.show.live.live_scene import LiveScene
from sim.show.live.live_worker import INSTANT, Worker, WorkerError
from sim.show.page.page_data import describe_trajectory

CHANGES = [
    ("painleve_rod", {}),
    ("painleve_rod", {"friction.default": 0.4}),
    ("painleve_rod", {"friction.default": 2.5, "workpiece.pose.theta": 50.0, "load.0.force.fx": -3.0}),
    ("block_on_incline", {"friction.default": 0.2, "workpiece.mass": 3.0}),
    ("compliant_peg", {"gripper.stiffness.x": 3e4, "workpiece.pose.y": 0.4}),
    ("bracket_from_dxf", {"workpiece.rho": 25.0}),
]


@pytest.mark.parametrize("name, values", CHANGES)
def test_instants_are_those_of_the_scene(start_server, name, values):
    client = start_server(name)
    live = client.server.live
    scene = load_scene(name, live.make_overrides(values))
    problem, contacts = contact_problem(scene)
    found = find_accelerations(problem)
    status, answer = client.ask("/instant", values)
    instant = answer["instant"]
    assert status == 200 and instant["kind"] == found.kind and len(instant["contacts"]) == len(contacts)
    rho, mass = scene.workpiece.rho, scene.workpiece.mass
    assert [piece["mode"] for piece in instant["pieces"]] == [piece.mode for piece in found.pieces]
    for told, piece in zip(instant["pieces"], found.pieces, strict=True):
        assert told["vertices"] == [[x, y, q / rho] for x, y, q in piece.vertices.tolist()]
        assert told["forces"] == (mass * piece.forces).tolist()
        assert told["residual"] == max(residuals.worst for residuals in piece.residuals)
    for told, contact, row, mu in zip(instant["contacts"], contacts, problem.N, problem.mu, strict=True):
        assert tuple(told["point"]) == contact["point"] and told["obstacle"] == contact["obstacle"]
        assert told["row_normal"] == row.tolist() and told["mu"] == mu


@pytest.mark.parametrize("name, values", CHANGES[:4])
def test_runs_are_those_of_the_scene(start_server, name, values):
    client = start_server(name)
    scene = load_scene(name, client.server.live.make_overrides(values))
    trajectory = simulate(scene)
    status, answer = client.ask("/run", values)
    assert status == 200 and answer["outcome"] == trajectory.outcome and answer["end"] == trajectory.time[-1]
    assert answer["status"] == trajectory.happened and answer["notes"] == []
    assert answer["run"] == json.loads(json.dumps(describe_trajectory(trajectory)))


def test_text_and_command_give_the_same_scene(start_server):
    client = start_server("painleve_rod")
    values = {"friction.default": 0.4, "workpiece.pose.theta": 50.0}
    _, answer = client.ask("/text", values)
    assert answer["command"] == ("stiction view painleve_rod --set friction.default=0.4 "
                                 "--set 'workpiece.pose.theta=50.0 deg'")
    scene, same = parse_scene(answer["text"]), load_scene("painleve_rod", client.server.live.make_overrides(values))
    assert scene.workpiece == same.workpiece and scene.obstacles == same.obstacles
    assert answer["text"].startswith("# A leaning rod")


@pytest.mark.parametrize("name, values, words", [
    ("v_groove", {"workpiece.pose.x": 3.0}, "overlaps obstacle 'groove' at the start"),
    ("painleve_rod", {"friction.default": -1.0}, "must be zero or positive"),
    ("painleve_rod", {"workpiece.rho": 1e12}, "out of proportion"),
    ("painleve_rod", {"workpiece.mass": 0.0}, "must be positive"),
    ("painleve_rod", {"workpiece.outline.vertices.1.y": 0.005}, "workpiece.outline"),
    ("ramp_and_stop", {"workpiece.pose.rest": 99.0}, "workpiece.pose"),
    ("painleve_rod", {"run.duration": -1.0}, "zero or positive"),
])
def test_scenes_that_cannot_be_are_told(start_server, name, values, words):
    client = start_server(name)
    for path in ("/instant", "/run", "/text"):
        status, answer = client.ask(path, values)
        assert status == 200 and words in answer["error"], answer
        assert str(client.server.live.scene.source) not in answer["error"] and "defect" not in answer["error"]
    assert client.ask("/instant", {})[1]["instant"]["kind"]  # and the next answer is as ever


LONG = {"run.duration": 1e5}  # of the shaken plate, which goes on and on: minutes of computing
SHORT = {"run.duration": 0.01}


def test_newer_run_breaks_off_the_older(start_server):
    client = start_server("shaken_plate")
    client.ask("/run", SHORT)  # which is warm now
    found = {}
    older = threading.Thread(target=lambda: found.update(client.ask("/run", LONG)[1]))
    older.start()
    time.sleep(0.3)
    began = time.monotonic()
    newer = client.ask("/run", SHORT)[1]
    assert newer["end"] == 0.01 and time.monotonic() - began < 5.0
    older.join(10.0)
    assert found["superseded"] is True


def test_instants_do_not_wait_for_runs(start_server):
    client = start_server("shaken_plate")
    client.ask("/instant", {})
    thread = threading.Thread(target=lambda: client.ask("/run", LONG))
    thread.start()
    time.sleep(0.2)
    began = time.monotonic()
    assert client.ask("/instant", {"friction.default": 0.3})[1]["instant"]
    assert time.monotonic() - began < 2.0 and thread.is_alive()
    client.ask("/run", SHORT)
    thread.join(10.0)


def test_long_runs_are_broken_off_and_shown_so_far(monkeypatch):
    scene = load_scene("shaken_plate", LONG)
    monkeypatch.setattr(live_run, "LONGEST_RUN", 0.2)
    answer = live_run.run_scene(scene, lambda: True)
    assert 0.0 < answer["end"] < 1e5 and "after 0.2 s of computing" in answer["notes"][0] and answer["run"]
    monkeypatch.setattr(live_run, "LONGEST_RUN", 60.0)
    monkeypatch.setattr(live_run, "MOST_ROWS", 100)
    answer = live_run.run_scene(scene, lambda: True)
    assert 0.0 < answer["end"] < 1e5 and "a larger run.output_interval" in answer["notes"][0] and answer["run"]


def test_rule_that_branches_is_told():
    scene = load_scene("painleve_rod", {"run.choice": "branch"})
    answer = live_run.run_scene(scene, lambda: True)
    assert answer["run"] and "branch" in answer["notes"][0]


def test_process_that_dies_is_replaced(start_server):
    client = start_server("painleve_rod")
    client.ask("/instant", {})
    client.server._instants._process.kill()
    time.sleep(0.5)
    status, answer = client.ask("/instant", {})
    assert status == 200 and answer["instant"]["kind"] == "several"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_process_that_reads_nothing_does_not_hold_up_the_server():
    """While it computes, requests fill the pipe to it; the server answers others, and ends."""
    worker, ended = Worker(LiveScene(load_scene("painleve_rod")), "held up"), []

    async def serve():
        worker.start()
        os.kill(worker._process.pid, signal.SIGSTOP)
        values = {f"number {k}": 1.0 for k in range(3000)}
        asked = [asyncio.create_task(worker.ask(INSTANT, values)) for _ in range(20)]
        await asyncio.sleep(0.2)
        ended.append("served")
        worker.close()
        for answer in await asyncio.gather(*asked, return_exceptions=True):
            assert isinstance(answer, WorkerError | asyncio.CancelledError)
        ended.append("closed")

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    thread.join(20.0)
    if worker._process is not None:
        worker._process.kill()
    assert ended == ["served", "closed"]


def test_numbers_are_those_of_the_text_and_usual_ones():
    numbers = list_numbers(load_scene("painleve_rod"))
    assert list(numbers)[:4] == ["friction.default", "workpiece.pose.x", "workpiece.pose.y", "workpiece.pose.theta"]
    theta, rho = numbers["workpiece.pose.theta"], numbers["workpiece.rho"]
    assert (theta.value, theta.unit, theta.low, theta.high) == (60.0, "deg", 15.0, 105.0)
    assert rho.value == load_scene("painleve_rod").workpiece.rho and rho.unit == "m" and rho.low < rho.value < rho.high
    for path in ("workpiece.mass", "gravity.angle", "restitution.floor", "friction.floor", "run.duration",
                 "load.0.force.fx", "obstacle.floor.outline.vertices.2.y"):
        assert path in numbers


@pytest.mark.parametrize("name", ["painleve_rod", "three_fingers", "compliant_peg", "force_controlled_rod",
                                  "tilting_tray", "ramp_and_stop",
                                  "bracket_from_dxf", "vibratory_bowl_track", "pin_in_bush"])
def test_every_number_can_be_set(name):
    """To what it is: as `load_scene` would, with a range around it."""
    scene = load_scene(name)
    live = LiveScene(scene)
    for number in live.numbers.values():
        assert number.low <= number.value <= number.high and number.low < number.high
        values = live.check_values({number.path: number.value})
        assert live.build(values).name == scene.name


def test_names_with_dots_and_quotes_are_reached_or_left_out():
    text = ('[workpiece]\noutline = {box = [1, 1]}\nmass = 1\npose = [0, 0.5, 0]\n[[obstacle]]\nname = "a.b"\n'
            'outline = {box = [4, 1]}\npose = [0, -0.5, 0]\n[[obstacle]]\nname = "it\\"s"\noutline = {box = [1, 1]}\n'
            'pose = [9, 0, 0]\n[friction]\ndefault = 0.5\n')
    live = LiveScene(parse_scene(text))
    assert 'friction."a.b"' in live.numbers and not any('it"s' in path for path in live.numbers)
    scene = live.build(live.check_values({'friction."a.b"': 0.25}))
    assert [obstacle.mu for obstacle in scene.obstacles] == [0.25, 0.5]
    assert live.build(live.check_values({"obstacle.1.pose.x": 8.0})).obstacles[1].pose.x == 8.0
