"""What other programs take for the peer scenes: figures measured once, and those of this machine where a program is
installed (none is a dependency of ours).

A program takes steps of one length. What counts is its cheapest step whose error stays below ERROR over the whole run;
Python calls it once a step, as its users do.
"""

from __future__ import annotations

import time

import numpy as np

from geometry.shapes.outline import Outline
from sim.scene.build import parse_scene
from tests.bench.bench_scenes import SCENES
from tests.bench.exact_poses import LOOKS, compute_error

ERROR = 1e-3  # m
STEPS_A_LOOK = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
REPEATS = 3
# Programs that are measured here, and the modules that they are.
PROGRAMS = {"Chipmunk": "pymunk", "Box2D": "Box2D"}

# CPU ms a simulated second of the fastest other program at an error below 1e-3 m. Compared were Chipmunk (pymunk 7.3),
# Box2D 2.3, Nova 1.2, MuJoCo 4.0, Drake 1.51 and Siconos 4.4, each set up as its documentation advises; for the discs,
# S4 and S6 disc, only the first two (4.1 and 3.7 ms/s, 19.7 and 6.9 ms/s).
STORED = {
    "S1": ("Siconos", 1.5), "S2": ("Box2D", 0.17), "S3": ("Siconos", 1.5), "S4": ("Box2D", 3.7),
    "S5": ("Chipmunk", 1.4), "S6": ("Box2D", 7.4), "S6 disc": ("Box2D", 6.9), "S7a": ("Chipmunk", 1.8),
    "S7b": ("Chipmunk", 1.8),
}  # fmt: skip
WHEN = "stored figures of others were measured on another day and machine, of two processors: ratios are rough"


class Chipmunk:
    """A scene in Chipmunk. Its contacts are soft to overlaps of `collision_slop`, which is in the units of games: 0.1;
    here a hundredth of the error that is allowed."""

    def __init__(self, scene):
        import pymunk

        self.space = pymunk.Space()
        self.space.gravity = tuple(scene.gravity)
        self.space.collision_slop = 0.01 * ERROR
        part = scene.workpiece
        self.body = pymunk.Body(part.mass, part.mass * part.rho**2)
        self.body.position, self.body.angle = (part.pose.x, part.pose.y), part.pose.theta
        self.body.velocity, self.body.angular_velocity = tuple(part.velocity[:2]), part.velocity[2]
        if isinstance(part.outline, Outline):  # a disc
            shape = pymunk.Circle(self.body, part.outline.reach)
        else:
            shape = pymunk.Poly(self.body, (part.outline.vertices - part.outline.centroid).tolist())
        shape.friction = shape.elasticity = 1.0  # those of a pair are products
        self.space.add(self.body, shape)
        for obstacle in scene.obstacles:
            wall = pymunk.Poly(self.space.static_body, obstacle.shape.vertices.tolist())
            wall.friction, wall.elasticity = obstacle.mu, obstacle.e
            self.space.add(wall)

    def step(self, length: float) -> None:
        self.space.step(length)

    def get_pose(self) -> tuple[float, float, float]:
        return (*self.body.position, self.body.angle)


class Box2D:
    """A scene in Box2D, fifty times as large, for its shapes have a skin of 1 cm that rounds corners: ten times as
    large the ladder of S7b never comes below ERROR. Outlines are drawn in by the skin, to rest where they should."""

    SIZE, SKIN = 50.0, 0.01

    def __init__(self, scene):
        import Box2D as box2d

        self.world = box2d.b2World(gravity=tuple(self.SIZE * g for g in scene.gravity), doSleep=True)
        part = scene.workpiece
        self.body = self.world.CreateDynamicBody(
            position=self._scale(part.pose[:2]), angle=part.pose.theta, linearVelocity=self._scale(part.velocity[:2]),
            angularVelocity=part.velocity[2])
        if isinstance(part.outline, Outline):  # a disc, which has no skin
            self.body.CreateCircleFixture(radius=self.SIZE * part.outline.reach, density=1.0)
        else:
            outline = part.outline.vertices - part.outline.centroid
            self.body.CreatePolygonFixture(vertices=self._draw_in(outline), density=1.0)
        inertia = part.mass * (self.SIZE * part.rho) ** 2
        self.body.massData = box2d.b2MassData(mass=part.mass, center=(0.0, 0.0), I=inertia)
        for obstacle in scene.obstacles:
            wall = self.world.CreateStaticBody()
            # a pair has the root of the product of both frictions, and the larger restitution
            wall.CreatePolygonFixture(vertices=self._draw_in(obstacle.shape.vertices), restitution=obstacle.e,
                                      friction=obstacle.mu)
            for fixture in self.body.fixtures:
                fixture.friction = obstacle.mu

    def _scale(self, point) -> tuple[float, float]:
        return tuple(float(self.SIZE * c) for c in point)

    def _draw_in(self, vertices) -> list[tuple[float, float]]:
        """Vertices of a convex outline, counter-clockwise, with every edge moved inwards by the skin."""
        points = self.SIZE * np.asarray(vertices)
        along = np.roll(points, -1, axis=0) - points
        along /= np.hypot(*along.T)[:, None]
        before = np.roll(along, 1, axis=0)
        shift = (along - before) / (before[:, 0] * along[:, 1] - before[:, 1] * along[:, 0])[:, None]
        return [tuple(point) for point in (points + self.SKIN * shift).tolist()]

    def step(self, length: float) -> None:
        self.world.Step(length, 8, 3)

    def get_pose(self) -> tuple[float, float, float]:
        return (self.body.worldCenter.x / self.SIZE, self.body.worldCenter.y / self.SIZE, self.body.angle)


def measure(program: str, name: str) -> float | None:
    """CPU ms a simulated second of a program for a peer scene at an error below ERROR; None where none is so small."""
    text, seconds = SCENES[name]
    scene, build = parse_scene(text), globals()[program]
    times = np.linspace(0.0, seconds, LOOKS + 1)[1:]
    for steps in STEPS_A_LOOK:
        spent, poses = np.inf, []
        for _ in range(REPEATS):
            peer, poses = build(scene), []
            length = seconds / (LOOKS * steps)
            began = time.process_time()
            for _ in range(LOOKS):
                for _ in range(steps):
                    peer.step(length)
                poses.append(peer.get_pose())
            spent = min(spent, time.process_time() - began)
        if compute_error(name, times, poses) < ERROR:
            return 1e3 * spent / seconds
    return None
