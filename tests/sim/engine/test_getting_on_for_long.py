"""Runs that are long, or that would never end: a part on a feeder, scenes that once took hours, Ctrl-C in a flight of
many turns, and runs in which every event is bridged."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time as clock
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from sim import load_scene, simulate
from sim.rows.status import Status
from sim.scene.build import parse_scene
from tests import scene_builders as builders
from tests.sim.engine.test_getting_on import CASES, check_sound, read_case
from tests.sim.engine.test_moving import check_moving
from tests.sim.motion import run

G = 9.81
ROOT = Path(__file__).parents[3]


# ---- a part on a feeder ----------------------------------------------------------------------------------------------


def convey(a: float, b: float, frequency: float, mu: float, cycles: int) -> np.ndarray:
    """Places at the ends of the cycles of a part on a track (a sin wt, b sin wt), which it never leaves, and with which
    it starts: one coordinate, in closed form between the instants at which its slip turns or ends."""
    w = 2.0 * math.pi * frequency
    stride = 1.0 / frequency / 400.0

    def room(t):
        return mu * (G - b * w * w * math.sin(w * t)) - abs(a * w * w * math.sin(w * t))

    def find(f, begin):
        while f(begin + stride) > 0.0:
            begin += stride
        return brentq(f, begin, begin + stride, xtol=1e-18)

    places, t, x, v = [0.0], 0.0, 0.0, a * w
    while len(places) <= cycles:
        if room(t + 1e-9) > 0.0:
            end, start = find(room, t + 1e-9), (t, x)

            def place(s, start=start):
                return start[1] + a * (math.sin(w * s) - math.sin(w * start[0]))

            speed = a * w * math.cos(w * end)
        else:
            sign = -math.copysign(1.0, math.sin(w * (t + 1e-9)))  # of the push that would be needed
            start = (t, x, v, sign)

            def rate(s, start=start):
                t, _, v, sign = start
                return v + sign * mu * (G * (s - t) + b * w * (math.cos(w * s) - math.cos(w * t)))

            def place(s, start=start):
                t, x, v, sign = start
                bend = b * (math.sin(w * s) - math.sin(w * t) - w * math.cos(w * t) * (s - t))
                return x + v * (s - t) + sign * mu * (0.5 * G * (s - t) ** 2 + bend)

            def slip(s, rate=rate, sign=sign):
                return sign * (a * w * math.cos(w * s) - rate(s))

            end = find(slip, t + 1e-3 / frequency)
            speed = rate(end)
        while len(places) <= cycles and len(places) / frequency <= end:
            places.append(place(len(places) / frequency))
        t, x, v = end, place(end), speed
    return np.array(places)


def test_a_feeder_moves_its_part_by_the_same_way_in_every_cycle():
    """50 Hz, 0.08 mm along and 0.06 mm across: after a few cycles 0.19560 mm each, 0.5868346 m in a minute."""
    expected = convey(8e-5, 6e-5, 50.0, 0.3, 150)
    limit = expected[-1] - expected[-2]
    assert expected[-1] + 2850.0 * limit == pytest.approx(0.586834615, abs=1e-9)
    trajectory = run(read_case("g18_50hz"), 3.0, output_interval=0.02)
    check_moving(trajectory)
    check_sound(trajectory)
    rows = np.searchsorted(trajectory.time, 0.02 * np.arange(151) - 1e-9)
    assert trajectory.time[rows] == pytest.approx(0.02 * np.arange(151), abs=1e-12)
    places = trajectory.pose[rows, 0]
    np.testing.assert_allclose(places, expected, rtol=0, atol=1e-10)
    ways = np.diff(places)
    assert np.ptp(ways[30:]) < 1e-10 and np.abs(ways[30:] - limit).max() < 1e-10
    assert np.abs(trajectory.pose[:, 1] - 0.001 - 6e-5 * np.sin(100.0 * math.pi * trajectory.time)).max() < 1e-12
    assert len(trajectory.events) == 1 + 2 * 150  # it never sticks again: its slip turns twice a cycle


# ---- scenes that once took hours -------------------------------------------------------------------------------------


def run_within(seconds: float, text: str):
    """Trajectory of a scene text, or an error after so much processor time; a start in a formation is found before."""
    scene = parse_scene(text)
    start = clock.process_time()

    def watch(time):
        assert clock.process_time() - start < seconds, f"still at {time} s"

    return simulate(scene, progress=watch)


@pytest.mark.parametrize("name", sorted(path.stem for path in CASES.glob("slow-*.toml")))
def test_a_run_ends_in_bounded_time(name):
    """Tiny parts, huge loads, elastic bounces, clamping fingers: to the end, to a jam, or until no progress is seen."""
    run(read_case("knee"), 0.1)  # the machine code is loaded
    trajectory = run_within(5.0, read_case(name))
    assert trajectory.status in (Status.COMPLETED, Status.JAMMED, Status.STALLED), trajectory.describe()
    if trajectory.status is Status.COMPLETED:
        assert trajectory.time[-1] == trajectory.scene.run.duration or trajectory.events["kind"][-1] == "left"
    size, account = 2.0 * trajectory.scene.workpiece.outline.reach, trajectory.account
    corners = [body.outline.vertices for body in trajectory.record.obstacles]
    touch = 1e-12 * max(float(np.abs(vertices).max()) for vertices in corners)  # coordinates are no finer
    assert account.penetration <= max(1e-9 * size, touch)
    assert account.cone_residual < 1e-9 and account.balance_residual < 1e-9


INTERRUPTED = """
import sys
from sim import simulate
from sim.scene.build import parse_scene
trajectory = simulate(parse_scene(sys.stdin.read()), progress=lambda time: print("going", flush=True))
print(trajectory.status.name, trajectory.time[-1] if len(trajectory) else 0.0, flush=True)
"""


@pytest.mark.parametrize("turns", [1e10])
def test_ctrl_c_in_a_flight_of_many_turns(turns):
    """A cup that turns about a post within it so often in one flight looks at the keyboard all the same; where the
    whole would take hours, it may have seen that itself."""
    outline = [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [0.04, 0.05], [0.04, -0.045], [-0.04, -0.045],
               [-0.04, 0.05], [-0.05, 0.05]]
    cup = {"outline": {"vertices": outline}, "mass": 1.0, "pose": [0.0, 0.0, 0.0],
           "velocity": [0.0, 0.0, 0.2 * math.pi * turns]}
    post = {"name": "post", "outline": builders.box_outline(-0.001, -0.001, 0.001, 0.001)}
    text = builders.build_scene(cup, [post], gravity=[0.0, 0.0], friction={"default": 0.3}, run={"duration": 10.0})
    pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    with subprocess.Popen([sys.executable, "-c", INTERRUPTED], cwd=ROOT, text=True, **pipes) as process:
        try:
            process.stdin.write(text)
            process.stdin.close()
            assert process.stdout.readline() == "going\n", process.stderr.read()
            if turns < 1e10:
                clock.sleep(0.3)
                assert process.poll() is None
            sent = clock.perf_counter()
            process.send_signal(signal.SIGINT)
            last = next((line for line in iter(process.stdout.readline, "") if line != "going\n"), "")
            answered = clock.perf_counter() - sent
            assert last.startswith("INTERRUPTED" if turns < 1e10 else ("INTERRUPTED", "STALLED")), (
                last, answered, process.wait(), process.stderr.read())
            assert answered < 1.0
        finally:
            process.kill()


# ---- every event bridged ---------------------------------------------------------------------------------------------

BRIDGED = """
import json, sys
import numpy as np
import sim.engine.jump
from sim import load_scene, simulate
from sim.log.check_log import check_log
from sim.scene.build import parse_scene


class Never(int):
    def __rmul__(self, other):  # of events at one instant after which a run ends
        return 10**9


bridge, lengths = sim.engine.jump.bridge, []


def watch(body, options, state, tools, log):
    before = float(state.time)
    done = bridge(body, options, state, tools, log)
    if done:
        lengths.append(float(state.time) - before)
    return done


sim.engine.jump.bridge, normal = watch, sim.engine.jump.STALL_LIMIT
for name, text in json.load(sys.stdin).items():
    scene, answer = parse_scene(text), {"name": name, "size": 0.0}
    answer["size"] = 2.0 * scene.workpiece.outline.reach
    for which, limit in (("plain", normal), ("bridged", Never(-1))):
        sim.engine.jump.STALL_LIMIT = limit
        lengths.clear()
        run = simulate(scene)
        account, steps = run.account, run.steps
        gaps = []
        for event in run.events:
            rows = np.flatnonzero(run.time == event["time"])
            if event["kind"] == "bridge" and len(rows):
                after = [event["vx_after"], event["vy_after"], answer["size"] * event["omega_after"]]
                gaps.append(np.abs(run.velocity[rows[-1]] * [1.0, 1.0, answer["size"]] - after).max())
        answer[which] = {
            "status": run.status.name, "pose": run.pose[-1].tolist(), "velocity": run.velocity[-1].tolist(),
            "kinds": run.events["kind"].tolist(), "n_bridges": account.n_bridges, "time_bridged": account.time_bridged,
            "lengths": list(lengths), "work_bridged": account.work_bridged, "work_impact": account.work_impact,
            "energy_residual": account.energy_residual, "penetration": account.penetration,
            "scale": float(max(steps["kinetic"].max(), np.ptp(steps["work_load"]))), "jump": max(gaps, default=0.0),
            "speed": float(np.abs(run.velocity[:, :2]).max()),
            "broken": [verdict.law for verdict in check_log(run) if not verdict.holds],
        }
    print(json.dumps(answer), flush=True)
"""

BLOCKS = {
    "slides over a seam": builders.a10(0.0),
    "slides over a seam with friction": builders.a10(0.3),
    "slides and stops": builders.s3(),
    "creeps down a slope": builders.s1(),
    "tips and falls on its side": builders.a05("a", 20.0),
    "falls flat": builders.s6(e=0.0),
    "falls into a hole": builders.a24(),
    "slides over a knee": read_case("knee"),
    **{name: load_scene(name).text for name in ("peg_in_hole", "part_in_tray_corner", "ladder", "wedge_in_slot")},
}


@pytest.fixture(scope="module")
def bridged():
    """{name: what a run says, and one in which every event is bridged}; both interpreted, in another process."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", BRIDGED], cwd=ROOT, input=json.dumps(BLOCKS), text=True,
                          capture_output=True, timeout=300, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {answer["name"]: answer for answer in answers}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_run_whose_every_event_is_bridged_ends_where_it_would(name, bridged):
    plain, other, size = bridged[name]["plain"], bridged[name]["bridged"], bridged[name]["size"]
    assert plain["status"] == other["status"] == "COMPLETED"
    assert plain["n_bridges"] == 0 and plain["time_bridged"] == plain["work_bridged"] == 0.0 and not plain["lengths"]
    assert other["n_bridges"] == other["kinds"].count("bridge") == len(other["lengths"]) >= 1
    assert not {"impact", "contact", "separation", "accumulation"} & set(other["kinds"])
    assert other["time_bridged"] == pytest.approx(sum(other["lengths"]), rel=1e-3)
    assert 0.0 < other["time_bridged"] < 1e-8 * len(other["lengths"])
    assert other["energy_residual"] < 1e-6 and other["penetration"] < 1e-9 * size and other["broken"] == []
    # all impulses are those of bridges, and what they take is what the impacts take
    assert other["work_bridged"] == pytest.approx(other["work_impact"], abs=1e-12 * other["scale"])
    assert other["jump"] < 1e-6 * other["speed"]
    assert other["work_impact"] == pytest.approx(plain["work_impact"], abs=1e-6 * plain["scale"])
    assert np.abs(np.subtract(other["pose"], plain["pose"]) * [1.0, 1.0, size]).max() < 1e-6 * size
    assert np.abs(np.subtract(other["velocity"], plain["velocity"])).max() < 1e-6 * max(1.0, plain["speed"])
