"""Random parts and obstacles with edges alone, and random laws of contact, for the soaks of `tests/soak_scenes.py`."""

from __future__ import annotations

import math

import numpy as np
import shapely

from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose

LAWS = ("newton", "poisson", "stronge")


def draw_convex(rng) -> np.ndarray:
    """Corners on an ellipse."""
    shares = rng.uniform(0.2, 1.0, int(rng.integers(3, 9)))
    angles = np.cumsum(shares / shares.sum()) * 2.0 * math.pi
    return np.column_stack((np.cos(angles), rng.uniform(0.3, 1.0) * np.sin(angles)))


def draw_star(rng) -> np.ndarray:
    """Corners in order of angle, some near the centre."""
    n = int(rng.integers(5, 11))
    angles = (np.arange(n) + rng.uniform(0.2, 0.8, n)) * 2.0 * math.pi / n
    radii = np.where(rng.random(n) < 0.5, rng.uniform(0.2, 1.0, n), 1.0)
    return np.column_stack((radii * np.cos(angles), radii * np.sin(angles)))


def draw_bracket(rng) -> np.ndarray:
    """An L."""
    a, b = rng.uniform(0.1, 0.9, 2)
    return np.array([[0, 0], [1, 0], [1, a], [b, a], [b, 1], [0, 1]])


def draw_fork(rng) -> np.ndarray:
    """A U with two legs of their own lengths."""
    w, left, right = rng.uniform(0.1, 0.4), *rng.uniform(0.5, 1.2, 2)
    return np.array([[0, 0], [1, 0], [1, right], [1 - w, right], [1 - w, w], [w, w], [w, left], [0, left]])


def draw_slab(rng) -> np.ndarray:
    """A rectangle, from a square to a thin rod."""
    a = 0.5 * 10.0 ** rng.uniform(-1.3, 0.0)
    return np.array([[-0.5, -a], [0.5, -a], [0.5, a], [-0.5, a]])


def draw_wheel(rng) -> np.ndarray:
    """A regular polygon: corners that touch together, and many of them."""
    return Polygon.regular(int(rng.integers(3, 25)), 0.6).vertices


SHAPES = (draw_convex, draw_star, draw_bracket, draw_fork, draw_slab, draw_wheel)


def draw_part(rng) -> np.ndarray:
    """Vertices about the centroid, of about unit size."""
    outline = Polygon(SHAPES[rng.integers(len(SHAPES))](rng))
    return outline.vertices - outline.centroid


# -------------------------------------------------------------------------------------------------------- containers


def place(name: str, vertices, pose=(0.0, 0.0, 0.0)) -> dict:
    return {"name": name, "outline": {"vertices": np.asarray(vertices, float).tolist()}, "pose": list(map(float, pose))}


def draw_tray(rng) -> list[dict]:
    """One outline: floor and two walls, tilted."""
    w, left, right = rng.uniform(0.8, 3.0), *rng.uniform(0.5, 3.0, 2)
    return [place("tray", [[-w - 1, -1], [w + 1, -1], [w + 1, right], [w, right], [w, 0], [-w, 0], [-w, left],
                           [-w - 1, left]], (0.0, 0.0, rng.uniform(-0.4, 0.4)))]


def draw_groove(rng) -> list[dict]:
    """A V."""
    w, a, b = rng.uniform(2.0, 4.0), *rng.uniform(0.1, 1.2, 2)
    return [place("groove", [[-w, -1], [w, -1], [w, w * math.tan(a)], [0, 0], [-w, w * math.tan(b)]])]


def draw_bowl(rng) -> list[dict]:
    """Half a regular polygon, hollow."""
    angles, radius = np.linspace(2.0 * math.pi, math.pi, int(rng.integers(4, 14))), rng.uniform(1.2, 3.0)
    inside = radius * np.column_stack((np.cos(angles), 1.0 + np.sin(angles)))
    return [place("bowl", [[-radius - 1, radius], [-radius - 1, -1], [radius + 1, -1], [radius + 1, radius], *inside])]


def draw_hills(rng) -> list[dict]:
    """A jagged ground between two walls."""
    x = np.linspace(3.0, -3.0, int(rng.integers(4, 11)))
    ground = np.column_stack((x, rng.uniform(0.0, 1.0, len(x))))
    return [place("hills", [[-4, -1], [4, -1], [4, 4], [3, 4], *ground, [-3, 4], [-4, 4]])]


def draw_stones(rng) -> list[dict]:
    """A floor, level or not, with stones that overlap it and each other at random."""
    bodies = [place("floor", [[-5, -1], [5, -1], [5, 0], [-5, 0]], (0, 0, rng.choice([0.0, rng.uniform(-0.3, 0.3)])))]
    for k in range(int(rng.integers(1, 5))):
        size, x, y, turn = rng.uniform(0.2, 1.0), rng.uniform(-2.0, 2.0), rng.uniform(0.0, 1.0), rng.uniform(-3.0, 3.0)
        bodies.append(place(f"stone {k}", size * draw_part(rng), (x, y, turn)))
    return bodies


def draw_slot(rng) -> list[dict]:
    """Two blocks on a bottom, about as far apart as the part is large."""
    w, left, right = rng.uniform(0.4, 1.5), *rng.uniform(0.2, 2.0, 2)
    return [place("left", [[-3, -1], [-w, -1], [-w, left], [-3, left]]),
            place("right", [[w, -1], [3, -1], [3, right], [w, right]]),
            place("bottom", [[-4, -2], [4, -2], [4, -1], [-4, -1]])]


def draw_funnel(rng) -> list[dict]:
    """Two inclined plates and a gap through which the part may fall."""
    gap, a, b = rng.uniform(0.1, 0.8), *rng.uniform(0.2, 1.3, 2)
    plate = [[0, -0.2], [3, -0.2], [3, 0], [0, 0]]
    return [place("right", plate, (gap, 0, a)), place("left", [[-x, y] for x, y in plate], (-gap, 0, -b)),
            place("ground", [[-6, -3], [6, -3], [6, -2], [-6, -2]])]


def draw_stairs(rng) -> list[dict]:
    """Steps that go down to the right, between two walls."""
    n, rise = int(rng.integers(2, 6)), rng.uniform(0.1, 0.6)
    x = np.linspace(-2.0, 2.0, n + 1)
    steps = [[point, rise * (n - 1 - k)] for k in range(n) for point in (x[k], x[k + 1])]
    return [place("stairs", [[3, 4], [2, 4], *steps[::-1], [-2, rise * n + 3], [-3, rise * n + 3], [-3, -1], [3, -1]])]


CONTAINERS = (draw_tray, draw_groove, draw_bowl, draw_hills, draw_stones, draw_slot, draw_funnel, draw_stairs)


def find_height(part: np.ndarray, x: float, turn: float, obstacles: list[dict]) -> float | None:
    """The lowest height, of steps of a tenth of the size, at which the part is clear of all obstacles."""
    ground = shapely.union_all([
        shapely.Polygon(Pose(*body["pose"]).transform(np.array(body["outline"]["vertices"]))) for body in obstacles])
    outline = Pose(x, 0.0, turn).transform(part)
    for y in np.arange(0.0, 8.0, 0.1):
        if shapely.Polygon(outline + np.array([0.0, y])).distance(ground) > 1e-6:
            return float(y)
    return None


def scale_vertices(body: dict, size: float) -> dict:
    x, y, turn = body["pose"]
    vertices = size * np.array(body["outline"]["vertices"])
    return {**body, "outline": {"vertices": vertices.tolist()}, "pose": [size * x, size * y, turn]}


def draw_contact_laws(rng) -> dict:
    """Friction 0 to 3, restitution 0 to 0.95, one of three laws of impact."""
    mu = rng.choice([0.0, rng.uniform(0.0, 0.5), rng.uniform(0.0, 1.0), rng.uniform(0.0, 3.0)])
    e = rng.choice([0.0, rng.uniform(0.0, 0.6), rng.uniform(0.0, 0.95)])
    return {"friction": {"default": float(mu)}, "restitution": {"default": float(e)},
            "impact": {"default": str(rng.choice(LAWS))}}
