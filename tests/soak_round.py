"""Random parts and obstacles with arcs, for the soaks of `tests/soak_scenes.py`."""

from __future__ import annotations

import math

import numpy as np
import shapely

from geometry.errors import InputError
from geometry.shapes.pose import Pose
from sim.scene.build_outline import AnyOutline, build_outline_of
from sim.scene.outline_schema import OutlineSection

FINE = 1e-4  # of the size, how far chords lie off arcs where the start is looked for
CLEAR = 2e-3  # distance at the start


def draw_disc(rng) -> dict:
    return {"disc": float(rng.uniform(0.3, 0.7))}


def draw_capsule(rng) -> dict:
    return {"capsule": {"length": float(rng.uniform(0.1, 1.0)), "radius": float(rng.uniform(0.05, 0.3))}}


def draw_fillets(rng) -> dict:
    """A block, an L or a U with its corners rounded, all or some, reflex ones too."""
    a, b = rng.uniform(0.25, 0.75, 2)
    shapes = [[[-0.5, -a], [0.5, -a], [0.5, a], [-0.5, a]], [[0, 0], [1, 0], [1, a], [b, a], [b, 1], [0, 1]],
              [[0, 0], [1, 0], [1, b], [0.75, b], [0.75, 0.25], [0.25, 0.25], [0.25, a], [0, a]]]
    vertices = shapes[rng.integers(len(shapes))]
    radii = 10.0 ** rng.uniform(-4.0, -1.0, len(vertices)) * rng.choice([0.0, 1.0], len(vertices))
    one = float(10.0 ** rng.uniform(-4.0, -1.0))
    return {"vertices": vertices, "fillet": one if rng.random() < 0.5 else radii.tolist()}


def draw_bulges(rng) -> dict:
    """Corners on an ellipse, edges between them that bulge out or in."""
    shares = rng.uniform(0.3, 1.0, int(rng.integers(2, 7)))
    angles = np.cumsum(shares / shares.sum()) * 2.0 * math.pi
    points = 0.6 * np.column_stack((np.cos(angles), rng.uniform(0.5, 1.0) * np.sin(angles)))
    bulge = rng.uniform(-0.3, 0.8, len(points)) * rng.choice([0.0, 1.0], len(points), p=[0.3, 0.7])
    if len(points) == 2:
        bulge = rng.uniform(0.1, 1.0, 2)
    return {"vertices": points.tolist(), "bulge": bulge.tolist()}


def draw_bean(rng) -> dict:
    """A sector of a ring with round ends: convex and concave arcs with one tangent."""
    half, middle, thick = rng.uniform(0.4, 1.3), rng.uniform(0.4, 0.8), rng.uniform(0.05, 0.25)
    c, s, inner, outer = math.cos(half), math.sin(half), middle - thick, middle + thick
    bulge = math.tan(half / 2.0)
    return {"vertices": [[outer * c, -outer * s], [outer * c, outer * s], [inner * c, inner * s],
                         [inner * c, -inner * s]], "bulge": [bulge, 1.0, -bulge, 1.0]}


def draw_half(rng) -> dict:
    r = float(rng.uniform(0.3, 0.6))
    return {"vertices": [[-r, 0.0], [r, 0.0]], "bulge": [1.0, 0.0]}


def draw_ring(rng) -> dict:
    r = float(rng.uniform(0.4, 0.7))
    return {"disc": r, "holes": [{"disc": r * float(rng.uniform(0.3, 0.9))}]}


PARTS = (draw_disc, draw_capsule, draw_fillets, draw_bulges, draw_bean, draw_half, draw_ring)


def body(name: str, outline: dict, pose=(0.0, 0.0, 0.0)) -> dict:
    return {"name": name, "outline": outline, "pose": list(map(float, pose))}


def draw_hollow(rng) -> list[dict]:
    """A block with a hollow, an arc of less or more than half a circle, with edges or rounded rims."""
    r, bulge = rng.uniform(0.6, 2.5), rng.uniform(0.2, 1.0)
    deep = r * bulge + 0.5
    return [body("hollow", {"vertices": [[-r - 1, -deep], [r + 1, -deep], [r + 1, 0], [r, 0], [-r, 0], [-r - 1, 0]],
                            "bulge": [0, 0, 0, -bulge, 0, 0]}, (0, 0, rng.uniform(-0.2, 0.2)))]


def draw_pegs(rng) -> list[dict]:
    """Round pegs over a floor."""
    pegs = [body(f"peg {k}", {"disc": float(rng.uniform(0.1, 0.6))}, (rng.uniform(-2, 2), rng.uniform(0.0, 2.5), 0))
            for k in range(int(rng.integers(1, 5)))]
    return [*pegs, body("floor", {"box": [12.0, 1.0]}, (0.0, -1.5, rng.uniform(-0.2, 0.2)))]


def draw_ramp(rng) -> list[dict]:
    """A slope that passes over an arc into a level floor."""
    angle, r = rng.uniform(0.2, 1.0), rng.uniform(0.5, 2.0)
    c, s = math.cos(angle), math.sin(angle)
    foot, top = [-r * s, r - r * c], [-r * s - 4 * c, r - r * c + 4 * s]
    return [body("ramp", {"vertices": [[0, 0], foot, top, [top[0], -1.0], [8, -1], [8, 0]],
                          "bulge": [-math.tan(angle / 4.0), 0, 0, 0, 0, 0]})]


def draw_track(rng) -> list[dict]:
    """Bodies of their own, that touch and overlap, round and straight."""
    bodies = [body("floor", {"box": [10.0, 1.0], "fillet": 0.2}, (0, -0.5, 0.0))]
    for k in range(int(rng.integers(1, 4))):
        outline = PARTS[rng.integers(4)](rng)
        bodies.append(body(f"stone {k}", outline, (rng.uniform(-2, 2), rng.uniform(-0.3, 0.6), rng.uniform(-3, 3))))
    return bodies


def draw_cage(rng) -> list[dict]:
    """A block with a round hole, in which the part is."""
    r = float(rng.uniform(1.2, 2.0))
    return [body("cage", {"box": [2 * r + 1, 2 * r + 1], "holes": [{"disc": r}]}, (0, 0, rng.uniform(-3.0, 3.0)))]


CONTAINERS = (draw_hollow, draw_pegs, draw_ramp, draw_track, draw_cage)


def build_shape(outline: dict) -> AnyOutline | None:
    """The outline of the words of a scene; None where it crosses itself."""
    try:
        return build_outline_of(OutlineSection.model_validate(outline), None)
    except InputError:
        return None


def find_round_height(part: AnyOutline, x: float, turn: float, obstacles: list[dict]) -> float | None:
    """The lowest height, of steps of a tenth of the size, at which the part is clear of all obstacles."""
    shapes = [(build_shape(given["outline"]), Pose(*given["pose"])) for given in obstacles]
    if any(shape is None for shape, _ in shapes):
        return None
    ground = shapely.union_all([sample(shape.placed(pose)) for shape, pose in shapes])
    shape = sample(part.placed(Pose(x, 0.0, turn)))
    for y in np.arange(-0.5, 8.0, 0.1):
        if shapely.affinity.translate(shape, 0.0, y).distance(ground) > CLEAR:
            return float(y)
    return None


def sample(outline: AnyOutline) -> shapely.Polygon:
    outer, *holes = outline.sample(FINE * outline.size)
    return shapely.Polygon(outer, holes).buffer(0.0)


def scale_outline(value, size: float):
    """The words of an outline, made larger; bulges stay."""
    if isinstance(value, dict):
        return {key: inner if key == "bulge" else scale_outline(inner, size) for key, inner in value.items()}
    return [scale_outline(member, size) for member in value] if isinstance(value, list) else value * size


def scale_body(given: dict, size: float) -> dict:
    x, y, turn = given["pose"]
    return {**given, "outline": scale_outline(given["outline"], size), "pose": [size * x, size * y, turn]}
