"""Nothing is lost: random parts thrown into random trays and onto random heaps obey every law at every row.

Each scene has its seed in the name of the test: `build_random(seed)` builds it again.
"""

import math

import numpy as np
import pytest

from sim import simulate
from sim.run.branches import simulate_branches
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from tests import scene_builders as builders
from tests.sim.motion import check_laws, mirror_scene, run
from tests.sim.run.test_branches import check_tree


def build_star(rng, n: int, radius: float, dent: float) -> list:
    """Simple outline: n vertices in order of angle, some of them pulled towards the centre."""
    angles = (np.arange(n) + rng.uniform(0.1, 0.9, n)) * 2.0 * math.pi / n
    radii = radius * np.where(rng.random(n) < 0.4, 1.0 - dent * rng.random(n), 1.0)
    return np.column_stack((radii * np.cos(angles), radii * np.sin(angles))).tolist()


def build_tray(rng) -> list[dict]:
    """Floor, two walls, at odd angles, that overlap each other."""
    left, right, tilt = rng.uniform(-0.3, 0.3, 3)
    return [
        {"name": "floor", "outline": builders.box_outline(-3.0, -1.0, 3.0, 0.0), "pose": [0.0, 0.0, 0.3 * float(tilt)]},
        {"name": "left", "outline": builders.box_outline(-0.5, -2.0, 0.0, 3.0), "pose": [-1.0, 0.0, float(left)]},
        {"name": "right", "outline": builders.box_outline(0.0, -2.0, 0.5, 3.0), "pose": [1.0, 0.0, float(right)]},
    ]


def build_heap(rng) -> list[dict]:
    """A floor with stones on it that overlap each other at random."""
    stones = [{"name": "floor", "outline": builders.box_outline(-5.0, -1.0, 5.0, 0.0)}]
    for k in range(int(rng.integers(2, 6))):
        size = float(rng.uniform(0.1, 0.5))
        stones.append({
            "name": f"stone {k}",
            "outline": {"vertices": build_star(rng, int(rng.integers(3, 8)), size, 0.6)},
            "pose": [float(rng.uniform(-1.0, 1.0)), float(rng.uniform(-0.1, 0.2)), float(rng.uniform(-3.0, 3.0))],
        })  # fmt: skip
    return stones


def build_random(seed: int, duration: float = 2.0) -> str:
    """A random part over a random ground, thrown and spinning."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        size = float(rng.uniform(0.05, 0.3))
        part = {
            "name": "part",
            "outline": {"vertices": build_star(rng, int(rng.integers(3, 9)), size, float(rng.choice([0.0, 0.8])))},
            "mass": float(10.0 ** rng.uniform(-2, 2)),
            "pose": [float(rng.uniform(-0.5, 0.5)), float(rng.uniform(0.5, 1.5)), float(rng.uniform(-3.0, 3.0))],
            "velocity": [*rng.normal(0.0, 1.0, 2).tolist(), float(rng.normal(0.0, 5.0))],
        }
        ground = build_tray(rng) if rng.random() < 0.5 else build_heap(rng)
        text = builders.build_scene(
            part, ground, friction={"default": float(rng.choice([0.0, 0.3, 1.0]))},
            restitution={"default": float(rng.choice([0.0, 0.5]))}, run={"duration": duration, "output_interval": 0.02},
        )  # fmt: skip
        try:
            parse_scene(text)
        except SceneError:
            continue
        return text
    raise AssertionError("no start without overlap found")


# 365, 525: vertices bounce by turns, lower than the touch distance; 398: two contacts merge at the end of an edge;
# 482: a slender corner slides off an edge; 665: bounces in an acute inner corner.
@pytest.mark.parametrize("seed", [*range(120), 365, 398, 482, 525, 665])
def test_random_scene(seed):
    trajectory = run(build_random(seed))
    check_laws(trajectory)


@pytest.mark.parametrize("seed", range(0, 120, 6))
def test_random_scene_in_a_mirror(seed):
    """Until rounding has grown: the first 3 events have mirrored twins."""
    text = build_random(seed)
    plain, mirrored = run(text), run(mirror_scene(text))
    n = min(3, len(plain.events), len(mirrored.events))
    for i in range(n):
        a, b = plain.events[i], mirrored.events[i]
        assert a["kind"] == b["kind"], (seed, i)
        for name, sign in (("time", 1), ("x", -1), ("y", 1), ("theta", -1), ("vx_after", -1), ("vy_after", 1)):
            assert abs(a[name] - sign * b[name]) < 1e-8 * max(1.0, abs(a[name])), (seed, i, name)


@pytest.mark.parametrize("seed", range(200, 210))
def test_elastic_smooth_flights_can_be_reversed(seed):
    """Without friction and with e = 1 the motion run backwards returns to its start."""
    text = build_random(seed, 0.6)
    overrides = {"friction.default": 0.0, "restitution.default": 1.0}
    scene = parse_scene(text, overrides)
    from dataclasses import replace

    from geometry.shapes.pose import Pose
    from sim import simulate

    there = simulate(scene)
    check_laws(there)
    velocity = tuple(float(-v) for v in there.velocity[-1])
    back = simulate(replace(scene, workpiece=replace(scene.workpiece, pose=Pose(*map(float, there.pose[-1])),
                                                     velocity=velocity)))  # fmt: skip
    impacts = int((there.events["kind"] == "impact").sum())
    assert impacts == int((back.events["kind"] == "impact").sum()), seed
    error = abs(back.pose[-1] - there.pose[0]).max()
    assert error < 1e-9 * 100.0**impacts, (seed, impacts, error)
    np.testing.assert_allclose(back.steps["kinetic"][-1], there.steps["kinetic"][0], rtol=1e-9)


@pytest.mark.parametrize("law", ["poisson", "stronge"])
@pytest.mark.parametrize("seed", range(1000, 1040))
def test_random_scene_with_other_laws_of_impact(seed, law):
    trajectory = simulate(parse_scene(build_random(seed), {"impact.default": law}))
    check_laws(trajectory)


@pytest.mark.parametrize("seed", range(2000, 2020))
def test_all_branches_of_a_random_scene(seed):
    tree = simulate_branches(parse_scene(build_random(seed, 1.0), {"friction.default": 1.0}), max_branches=8)
    check_tree(tree)


@pytest.mark.parametrize("seed", range(3000, 3020))
def test_random_choices_in_a_random_scene(seed):
    trajectory = simulate(parse_scene(build_random(seed), {"friction.default": 1.0, "run.seed": seed}), choice="random")
    check_laws(trajectory)
