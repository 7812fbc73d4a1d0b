"""Parts and obstacles with arcs in motion, against exact answers."""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np
import pytest

from geometry.contact.contacts import build_part, build_walls
from geometry.shapes.outline import Outline
from geometry.shapes.pose import Pose
from geometry.shapes.union.boundary import compute_boundary
from sim.engine.loop import run_chunk
from sim.engine.state import allocate_tools
from sim.rows.records import EVENT_KINDS
from sim.rows.status import Status
from sim.rows.status_codes import COMPLETED, PAUSED
from sim.run.model import prepare
from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from tests.geometry.contact.test_arcs import make_boundary

SCENE = """
gravity = [0.0, -9.81]
[workpiece]
outline = {{vertices = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]}}
mass = 1.0
rho = {rho}
pose = [{x!r}, {y!r}, 0.0]
velocity = [{vx!r}, {vy!r}, {omega!r}]
[[obstacle]]
name = "far"
outline = {{vertices = [[-9, -109], [9, -109], [9, -100], [-9, -100]]}}
[friction]
default = {mu}
[restitution]
default = {e}
[run]
duration = {duration!r}
"""
FLOOR = [[-90.0, -1.0], [90.0, -1.0], [90.0, 0.0], [-90.0, 0.0]]


def run(part, boundary, rho, pose, velocity, mu, duration, e=0.0, mus=None):
    """(state at the end, events as (time, kind)) of a part among walls; mus: friction of each obstacle, mu if None."""
    pose, velocity, rho, duration = [*map(float, pose)], [*map(float, velocity)], float(rho), float(duration)
    text = SCENE.format(rho=rho, x=pose[0], y=pose[1], vx=velocity[0], vy=velocity[1], omega=velocity[2], mu=mu, e=e,
                        duration=duration)
    arguments = prepare(parse_scene(text))
    n = int(boundary.owner.max()) + 1
    walls = build_walls(boundary, np.array(mus or [mu] * n), np.full(n, e), np.zeros(n, np.int64))
    body = arguments.body._replace(part=build_part(part), walls=walls)
    state, log = arguments.state, arguments.log
    state.pose[:], state.velocity[:] = pose, velocity
    arguments = arguments._replace(body=body, tools=allocate_tools(body.part, walls))
    events = []
    while True:
        code = run_chunk(*arguments)
        rows = log.events[: log.counts[2]]
        events += [(float(row["time"]), EVENT_KINDS[row["kind"]]) for row in rows]
        log.counts[:4] = 0
        if code != PAUSED:
            assert code == COMPLETED, code
            return state, events


def turn_floor(angle):
    return make_boundary(Outline.from_vertices(FLOOR).rotated(-angle))


@pytest.mark.parametrize("mu", [0.0, 0.05, 0.6])
def test_a_disc_rolls_down_a_slope_or_slides_with_the_right_spin(mu):
    """a = g sin(alpha) / (1 + rho^2 / r^2) while mu >= tan(alpha) / (1 + r^2 / rho^2), else it slides."""
    r, rho, alpha, g, t = 0.25, 0.25 / sqrt(2.0), np.radians(20.0), 9.81, 1.0
    normal, way = np.array([sin(alpha), cos(alpha)]), np.array([cos(alpha), -sin(alpha)])
    state, _ = run(Outline.disc(r), turn_floor(alpha), rho, (*(r * normal), 0.0), (0.0, 0.0, 0.0), mu, t)
    if mu >= np.tan(alpha) / (1.0 + r**2 / rho**2):
        a = g * sin(alpha) / (1.0 + rho**2 / r**2)
        turn = -a / r
    else:
        a, turn = g * (sin(alpha) - mu * cos(alpha)), -mu * g * cos(alpha) * r / rho**2
    x, y = r * normal + 0.5 * a * t * t * way
    assert state.pose == pytest.approx([x, y, 0.5 * turn * t * t], abs=1e-12)
    assert state.velocity == pytest.approx([*(a * t * way), turn * t], abs=1e-12)


def test_a_spinning_disc_put_down_rolls_away():
    """R = 0.5, rho^2 = 0.4 R^2, spin 2, mu 0.1: it ends with spin 4/7 and speed 2/7."""
    disc, floor = Outline.disc(0.5), make_boundary(Outline.from_vertices(FLOOR))
    state, events = run(disc, floor, sqrt(0.4) * 0.5, (0.0, 0.5, 0.0), (0.0, 0.0, -2.0), 0.1, 1.0)
    assert state.velocity == pytest.approx([2.0 / 7.0, 0.0, -4.0 / 7.0], abs=1e-12)
    assert events[1][0] == pytest.approx(2.0 / 7.0 / 0.981, abs=1e-11)


def test_a_disc_leaves_another_one_without_friction():
    """...where cos(theta) = 2/3: with the speed sqrt(2 g (R + r) / 3)."""
    big, r = 1.0, 0.5
    start = 0.01
    pose = ((big + r) * sin(start), (big + r) * cos(start), 0.0)
    _, events = run(Outline.disc(r), make_boundary(Outline.disc(big)), 0.3, pose, (0.0, 0.0, 0.0), 0.0, 2.5)
    (time,) = [t for t, kind in events if kind == "separation"]
    early, _ = run(Outline.disc(r), make_boundary(Outline.disc(big)), 0.3, pose, (0.0, 0.0, 0.0), 0.0, time)
    height = early.pose[1] / (big + r)
    assert height == pytest.approx(2.0 / 3.0 * cos(start), abs=1e-11)
    assert np.hypot(*early.velocity[:2]) == pytest.approx(sqrt(2.0 / 3.0 * 9.81 * (big + r) * cos(start)), abs=1e-9)


def test_a_disc_rolls_in_a_hollow_with_the_period_of_the_pendulum():
    """Without slip: theta'' = -g sin(theta) / ((R - r)(1 + rho^2 / r^2)), at any amplitude."""
    from scipy.special import ellipk

    big, r, start = 1.0, 0.2, 1.0
    rho = r / sqrt(2.0)
    hollow = Outline.from_vertices([[-1.5, -1.5], [1.5, -1.5], [1.5, 0.0], [big, 0.0], [-big, 0.0], [-1.5, 0.0]],
                                   [0.0, 0.0, 0.0, -1.0, 0.0, 0.0])
    length = (big - r) * (1.0 + rho**2 / r**2)
    period = 4.0 * sqrt(length / 9.81) * ellipk(sin(start / 2.0) ** 2)
    pose = ((big - r) * sin(start), -(big - r) * cos(start), 0.0)
    state, _ = run(Outline.disc(r), make_boundary(hollow), rho, pose, (0.0, 0.0, 0.0), 5.0, period)
    assert state.pose == pytest.approx(pose, abs=1e-8)
    assert state.velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-8)
    half, _ = run(Outline.disc(r), make_boundary(hollow), rho, pose, (0.0, 0.0, 0.0), 5.0, 0.5 * period)
    assert half.pose[0] == pytest.approx(-pose[0], abs=1e-8)


def test_a_disc_that_is_dropped_bounces():
    """S6 of the peers: r = 0.1, 1 m high, e = 0.5."""
    floor = make_boundary(Outline.from_vertices(FLOOR))
    state, events = run(Outline.disc(0.1), floor, 0.07, (0.0, 1.1, 0.0), (0.0, 0.0, 0.0), 0.0, 1.2, e=0.5)
    time, speed = sqrt(2.0 / 9.81), sqrt(2.0 * 9.81)
    hits = [t for t, kind in events if kind == "impact"]
    for hit in hits[:3]:
        assert hit == pytest.approx(time, abs=1e-12)
        speed *= 0.5
        last, time = time, time + 2.0 * speed / 9.81
    assert len(hits) == 3 and time > 1.2
    left = 1.2 - last
    assert state.pose[1] == pytest.approx(0.1 + speed * left - 0.5 * 9.81 * left**2, abs=1e-12)


def test_a_capsule_lies_on_its_flat_side():
    floor = make_boundary(Outline.from_vertices(FLOOR))
    state, _ = run(Outline.capsule(1.0, 0.2), floor, 0.4, (0.0, 0.2, 0.0), (0.0, 0.0, 0.0), 0.3, 1.0)
    assert state.pose == pytest.approx([0.0, 0.2, 0.0], abs=1e-15) and state.at_rest == 1


def test_boundaries_of_polygons_have_no_arcs():
    assert not compute_boundary([np.array(FLOOR)], 1e-12).sign.any()


def test_a_disc_rolls_off_a_table():
    """Over its edge, then about the corner, and away: energy is kept, and it leaves where the normal force ends."""
    r, rho, g = 0.2, 0.2 / sqrt(2.0), 9.81
    table = make_boundary(Outline.from_vertices([[-5.0, -1.0], [0.0, -1.0], [0.0, 0.0], [-5.0, 0.0]]))
    v = 0.4
    state, events = run(Outline.disc(r), table, rho, (-0.5, r, 0.0), (v, 0.0, -v / r), 1e3, 1.6)
    ends = [t for t, kind in events if kind == "edge end"]
    (away,) = [t for t, kind in events if kind == "separation"]
    assert ends == pytest.approx([0.5 / v], abs=1e-11)
    # v^2 (1 + rho^2/r^2) / 2 + g r = same at the angle phi, where v^2 = g r cos(phi)
    k = 1.0 + rho**2 / r**2
    cosine = (v**2 * k + 2.0 * g * r) / (g * r * (2.0 + k))
    left, _ = run(Outline.disc(r), table, rho, (-0.5, r, 0.0), (v, 0.0, -v / r), 1e3, away)
    assert left.pose[1] / r == pytest.approx(cosine, abs=5e-5)  # it slips just before, whatever the friction
    assert np.hypot(left.pose[0], left.pose[1]) == pytest.approx(r, abs=1e-14)
    assert np.hypot(*left.velocity[:2]) == pytest.approx(sqrt(g * r * cosine), abs=5e-5)
    assert state.pose[1] < left.pose[1]


def test_a_capsule_rolls_from_its_end_onto_its_side():
    """An event of its own, no impact: the speed of the centre goes on, and the motion ends flat."""
    floor = make_boundary(Outline.from_vertices(FLOOR))
    lean = 0.3
    pose = (0.0, 0.2 + 0.5 * sin(lean), lean)
    state, events = run(Outline.capsule(1.0, 0.2), floor, 0.4, pose, (0.0, 0.0, 0.0), 0.9, 2.0)
    assert "impact" in {kind for _, kind in events}  # the other end comes down
    assert state.pose[1:] == pytest.approx([0.2, 0.0], abs=1e-12)


def test_a_disc_rolls_from_a_ramp_through_an_arc_onto_the_level():
    """Its energy is kept to rounding: the joints are smooth."""
    r, rho, g, bend, alpha = 0.1, 0.1 / sqrt(2.0), 9.81, 1.0, 0.5
    low = np.array([bend * sin(-alpha), bend - bend * cos(alpha)])
    up = low + 3.0 * np.array([-cos(alpha), sin(alpha)])
    outline = Outline.from_vertices([[-6.0, -1.0], [6.0, -1.0], [6.0, 0.0], [0.0, 0.0], low, up, [-6.0, up[1]]],
                                    [0.0, 0.0, 0.0, -np.tan(alpha / 4.0), 0.0, 0.0, 0.0])
    normal = np.array([sin(alpha), cos(alpha)])
    at = low + 1.0 * np.array([-cos(alpha), sin(alpha)]) + r * normal
    state, events = run(Outline.disc(r), make_boundary(outline), rho, (*at, 0.0), (0.0, 0.0, 0.0), 1.0, 1.5)
    speed = sqrt(2.0 * g * (at[1] - r) / (1.0 + rho**2 / r**2))
    assert state.pose[1] == pytest.approx(r, abs=1e-14)
    assert state.velocity == pytest.approx([speed, 0.0, -speed / r], abs=1e-10)
    assert [kind for _, kind in events].count("impact") == 0


def test_a_corner_rolls_over_onto_the_arc_behind_it():
    """Half a disc stands on a corner, turns until its flat is upright, and rolls on: nothing sinks, energy stays."""
    r = 0.5
    turn = 0.5 * np.pi + 0.3  # the corner at the left is the lowest, the arc at its right
    shape = Outline.from_vertices([[-r, 0.0], [r, 0.0]], [1.0, 0.0])
    frame = Pose(*(-Pose(0.0, 0.0, turn).rotate([-r, 0.0])), turn)  # the corner in the origin
    x, y = frame.transform(shape.centroid)
    text = f"""
    gravity = [0.0, -9.81]
    [workpiece]
    outline = {{vertices = [[{-r}, 0.0], [{r}, 0.0]], bulge = [1.0, 0.0]}}
    mass = 1.0
    pose = [{float(frame.x)!r}, {float(frame.y)!r}, {turn!r}]
    velocity = [{float(y)!r}, {-float(x)!r}, -1.0]
    [[obstacle]]
    name = "floor"
    outline = {{box = [20, 1]}}
    pose = [0, -0.5, 0]
    [friction]
    default = 20.0
    [run]
    duration = 0.6
    output_interval = 0.01
    """
    trajectory = simulate(parse_scene(text))
    kinds = [EVENT_KINDS[kind] for kind in trajectory.event_rows["kind"]]
    assert trajectory.status is Status.COMPLETED and "edge end" in kinds and "impact" not in kinds
    outline = trajectory.scene.workpiece.outline
    lowest = [outline.placed(Pose(*pose)).bounds[0, 1] for pose in trajectory.pose]
    assert np.abs(lowest).max() < 1e-12
    rho = trajectory.scene.workpiece.rho
    energy = 0.5 * (trajectory.velocity**2 @ [1.0, 1.0, rho**2]) + 9.81 * trajectory.pose[:, 1]
    assert np.ptp(energy) < 1e-10
    assert trajectory.contacts["type"].tolist().count(1) == len(trajectory.contacts)
