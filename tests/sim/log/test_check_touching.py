"""A contact with an arc that a log leaves out is found from shapes and rows, whichever type it is; honest logs hold."""

import numpy as np
import pytest

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim import parse_scene, simulate
from sim.log.check_log import check_log
from sim.log.round_shapes import BodyShape, measure_on_edges, measure_round
from sim.log.trajectory import Trajectory
from sim.rows.records import CONTACT_TYPES

FLOOR = "{vertices = [[-2, -1], [2, -1], [2, 0], [-2, 0]]}"
BOWL = "{vertices = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0], [0.3, 0], [-0.3, 0], [-0.5, 0]], bulge = [0, 0, 0, -1, 0, 0]}"
HOOK = "{vertices = [[0.3, 0], [-0.3, 0], [-0.2, 0], [0.2, 0]], bulge = [1, 0, -1, 0]}"
# outline and pose of the part, outline of the obstacle, the types of contact that occur
CASES = {
    "a disc on a floor": ("{disc = 0.1}", (0.0, 0.1, 0.0), FLOOR, "B"),
    "a block with fillets on a floor": ("{box = [0.3, 0.1], fillet = 0.02}", (0.0, 0.05, 0.0), FLOOR, "B"),
    "a beam on a cylinder": ("{box = [1.0, 0.1]}", (0.02, 0.35, 0.0), "{disc = 0.3}", "A"),
    "a disc on a disc": ("{disc = 0.1}", (0.04, 0.4 * np.sqrt(0.99), 0.0), "{disc = 0.3}", "C"),
    "a disc in a bowl": ("{disc = 0.1}", (-0.1999 * np.sin(0.6), -0.1999 * np.cos(0.6), 0.0), BOWL, "C"),
    "a hook on a peg": (HOOK, (0.0999 * np.sin(0.3), -0.0999 * np.cos(0.3), 0.0), "{disc = 0.1}", "C"),
    "a box in a bowl": ("{box = [0.3, 0.1]}", (0.0, 0.0501 - np.sqrt(0.3**2 - 0.15**2), 0.0), BOWL, "C"),
}


def run(part, pose, wall):
    return simulate(parse_scene(f"""
        friction.default = 0.3
        restitution.default = 0.0
        run.duration = 0.05
        workpiece = {{outline = {part}, mass = 1.0, pose = {[float(value) for value in pose]}}}
        obstacle = [{{name = "wall", outline = {wall}}}]
    """), output_interval=0.01)


def find_closing(trajectory):
    return next(verdict for verdict in check_log(trajectory) if "left out" in verdict.law)


@pytest.mark.parametrize("name", CASES)
def test_a_contact_that_is_left_out_is_found(name):
    part, pose, wall, kind = CASES[name]
    trajectory = run(part, pose, wall)
    assert {CONTACT_TYPES[number] for number in trajectory.contacts["type"]} == {kind}
    assert all(verdict.holds for verdict in check_log(trajectory))
    steps = trajectory.steps.copy()
    row = np.flatnonzero(steps["n_contacts"])[0]
    steps["n_contacts"][row], steps["ax"][row], steps["ay"][row], steps["alpha"][row] = 0, 0.0, -9.81, 0.0
    changed = Trajectory(None, steps, trajectory.contacts, trajectory.event_rows, trajectory.impulses,
                         trajectory.status, trajectory.account, record=trajectory.record)  # fmt: skip
    assert not find_closing(changed).holds and find_closing(changed).residual > 0.5


def test_gaps_are_those_of_sampled_outlines(rng):
    """Against points along the features: the least distance of two bodies is the least gap of their pairs."""
    shapes = (Outline.disc(0.3), Outline.capsule(0.6, 0.2), Polygon.box(0.6, 0.3),
              Outline.from_vertices([(1, 0), (-1, 0), (-0.8, 0), (0.8, 0)], [1, 0, -1, 0]))
    for _ in range(40):
        one, other = (shapes[k] for k in rng.integers(0, 4, 2))
        theta, way = rng.uniform(0.0, 2.0 * np.pi, 2)
        pose = np.array([2.5 * np.cos(way), 2.5 * np.sin(way), theta])
        first, second = BodyShape(one).place(pose), BodyShape(other).place(np.zeros(3))
        pairs = (measure_on_edges(first, second, 0.0), measure_on_edges(second, first, 0.0),
                 measure_round(first, second, 0.0))
        gaps = np.concatenate([pair.gap[pair.inside & (pair.gap > 0.0)] for pair in pairs])
        corners = np.hypot(*(first.centre[first.radius == 0.0][:, None] - second.centre[second.radius == 0.0]).T)
        least = min(gaps.min(initial=np.inf), corners.min(initial=np.inf))
        c, s = np.cos(theta), np.sin(theta)
        points = np.concatenate(one.sample(1e-5)) @ np.array([[c, s], [-s, c]]) + pose[:2]
        points, others = thicken(points), thicken(np.concatenate(other.sample(1e-5)))
        assert least == pytest.approx(np.hypot(*(points[:, None] - others).transpose(2, 0, 1)).min(), abs=2e-4)


def thicken(loop, count=12):
    share = np.arange(count)[:, None, None] / count
    return (loop + share * (np.roll(loop, -1, axis=0) - loop)).reshape(-1, 2)
