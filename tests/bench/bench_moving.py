"""What obstacles that move cost the engine: the same motion seen from a frame that moves, against the frame at rest."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from geometry.prescribed.motion import Coordinate, CurvePiece, Motion
from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from tests.bench.bench_scenes import SCENES

REPEATS = 60
SPEED = 0.7  # m/s


def ride(scene):
    """The scene seen from a frame that moves at -SPEED along x: all obstacles move, and the part likewise."""
    obstacles = tuple(
        replace(o, motion=Motion(Coordinate((CurvePiece(-inf, 0.0, (o.pose.x, SPEED)),)),
                                 *(Coordinate((CurvePiece(-inf, 0.0, (v,)),)) for v in (o.pose.y, o.pose.theta))))
        for o in scene.obstacles)
    vx, vy, omega = scene.workpiece.velocity
    return replace(scene, obstacles=obstacles, workpiece=replace(scene.workpiece, velocity=(vx + SPEED, vy, omega)))


def run():
    """Yield (name, value, unit): time of the compiled loop, moving over fixed; medians of alternating runs."""
    for name in ("S1", "S5", "S7a", "S7b"):
        text, seconds = SCENES[name]
        scene = parse_scene(text)
        times = {}
        for _ in range(REPEATS):
            for kind, given in (("fixed", scene), ("moving", ride(scene))):
                trajectory = simulate(given, duration=seconds, output_interval=None)
                times.setdefault(kind, []).append(trajectory.account.wall_solve)
        fixed, moving = (sorted(times[kind])[REPEATS // 2] for kind in ("fixed", "moving"))
        yield f"{name}: obstacles that move over fixed ones", moving / fixed, "1"
