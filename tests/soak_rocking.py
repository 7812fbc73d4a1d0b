"""Random scenes of parts that rock to rest, for the soak `rocking` of `tests/soak_scenes.py`: dropped beside steps and
stops, in corners, grooves and trays, over ends; nearly flush at the start; and scenes of `scenes/` near what decides in
them how they end."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import scenes
from geometry.shapes.pose import Pose
from geometry.shapes.union.overlap import measure_overlap
from sim.scene.build_outline import AnyOutline
from sim.scene.start import get_shape
from tests import soak_round as rounds
from tests.scene_builders import G
from tests.soak_shapes import LAWS, draw_bracket, draw_convex, draw_fork, draw_star

FRICTION = (0.0, 0.05, 0.1, 0.3, 0.8)
RESTITUTION = (0.0, 0.1, 0.2, 0.5)
ROWS = 200
LENGTH = 15.0  # of a run, in times in which a part falls by half its size
STEP = 0.1  # of the size, by which `find_round_height` looks for a height
HALVINGS = 36  # of it, to the rounding of a depth
DEPTH = 1e-13  # of the size, up to which a depth is rounding


class Rocking(NamedTuple):
    """The tables of a scene and what the judge has to know of it."""

    tables: dict
    size: float  # m, of the part
    gravity: tuple[float, float] = (0.0, -G)
    driven: bool = False


# ---------------------------------------------------------------------------------------------------------------- parts


def draw_corners(rng) -> dict:
    """Convex or not, 3 to 8 corners, sharp."""
    shape = (draw_convex, draw_star, draw_bracket, draw_fork)[rng.choice(4, p=[0.5, 0.2, 0.15, 0.15])](rng)
    return {"vertices": (shape[:8] if len(shape) > 8 else shape).tolist()}


def draw_flat(rng) -> dict:
    """A low block, right-angled or a trapezium: what lies flush, and rocks on two corners."""
    a, skew = rng.uniform(0.1, 0.5), rng.choice([0.0, rng.uniform(-0.3, 0.3)])
    return {"vertices": [[-0.5, 0.0], [0.5, 0.0], [0.5 + skew, a], [-0.5, a]]}


PARTS = (draw_corners, draw_corners, draw_flat, rounds.draw_fillets, rounds.draw_bulges, rounds.draw_half,
         rounds.draw_capsule)  # fmt: skip


# --------------------------------------------------------------------------------------------------- what they stand on
# Where there is a wall, a step or a stop, its face is x = 0, and the part comes to it from the left.


def draw_step(rng) -> list[dict]:
    """A floor and a step up, of one outline or of two bodies that touch."""
    high = float(rng.choice([0.02, 0.1, 0.3, 1.0]) * rng.uniform(0.5, 1.0))
    if rng.random() < 0.5:
        return [rounds.body("step", {"vertices": [[-6, -1], [6, -1], [6, high], [0, high], [0, 0], [-6, 0]]})]
    return [rounds.body("floor", {"vertices": [[-6, -1], [6, -1], [6, 0], [-6, 0]]}),
            rounds.body("block", {"vertices": [[0, 0], [6, 0], [6, high], [0, high]]})]


def draw_corner(rng) -> list[dict]:
    """A floor and a wall, at a right angle or not."""
    lean = float(rng.choice([0.0, rng.uniform(-0.3, 0.3)]))
    return [rounds.body("corner", {"vertices": [[-6, -1], [7, -1], [7, 4], [4 * lean, 4], [0, 0], [-6, 0]]})]


def draw_stop(rng) -> list[dict]:
    """A floor with a low stop, that a part may get over."""
    high, wide = rng.uniform(0.01, 0.2), rng.uniform(0.02, 0.3)
    return [rounds.body("floor", {"vertices": [[-6, -1], [6, -1], [6, 0], [wide, 0], [wide, high], [0, high], [0, 0],
                                               [-6, 0]]})]  # fmt: skip


def draw_groove(rng) -> list[dict]:
    """A V, symmetric or not."""
    a, b = math.tan(rng.uniform(0.05, 1.1)), math.tan(rng.uniform(0.05, 1.1))
    return [rounds.body("groove", {"vertices": [[-4, -1], [4, -1], [4, 4 * a], [0, 0], [-4, 4 * b]]})]


def draw_ledge(rng) -> list[dict]:
    """A plate that ends over a floor."""
    deep = float(rng.choice([0.05, 0.3, 1.0]) * rng.uniform(0.5, 1.5))
    return [rounds.body("ledge", {"vertices": [[-6, -0.02], [0, -0.02], [0, 0], [-6, 0]]}),
            rounds.body("floor", {"vertices": [[-6, -deep - 1], [6, -deep - 1], [6, -deep], [-6, -deep]]})]


def draw_tray(rng) -> list[dict]:
    """A tray about as wide as the part or wider, its right wall at x = 0."""
    wide, left, right = rng.uniform(0.8, 3.0), *rng.uniform(0.05, 1.0, 2)
    return [rounds.body("tray", {"vertices": [[-wide - 1, -1], [1, -1], [1, right], [0, right], [0, 0], [-wide, 0],
                                              [-wide, left], [-wide - 1, left]]})]  # fmt: skip


PLACES = (draw_step, draw_corner, draw_stop, draw_groove, draw_ledge, draw_tray)


# --------------------------------------------------------------------------------------------------------------- starts


def find_start(part: AnyOutline, x: float, turn: float, height: float, bodies: list[dict]) -> float | None:
    """How high a part starts that is `height` above where it rests on what is below it, to the rounding of a depth;
    None where it would be inside of something."""
    high = rounds.find_round_height(part, x, turn, bodies)
    if high is None:
        return None
    placed = [get_shape(rounds.build_shape(body["outline"]).placed(Pose(*body["pose"]))) for body in bodies]

    def is_inside(y: float) -> bool:
        shape = get_shape(part.placed(Pose(x, y, turn)))
        return any(float(measure_overlap(shape, other)[0]) > DEPTH for other in placed)

    low = high - STEP
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if is_inside(middle) else (low, middle)
    return None if is_inside(high + height) else high + height


def draw_dropped(rng, part: AnyOutline) -> tuple[float, float, float]:
    """(x, turn, height over what is below): from nanometres to several sizes, any way up."""
    return (float(rng.uniform(-1.5, 0.8)), float(rng.uniform(-math.pi, math.pi)),
            float(rng.choice([0.0, 10.0 ** rng.uniform(-9.0, -3.0), rng.uniform(0.0, 0.2), rng.uniform(0.2, 3.0)])))


def draw_nearly_flush(rng, part: AnyOutline) -> tuple[float, float, float]:
    """The same with a side of the part level or upright, and its end at x = 0, all three off by 1e-9 to 1e-3, or 0."""
    off = rng.choice([0.0, 1.0, 1.0, -1.0], 3) * 10.0 ** rng.uniform(-9.0, -3.0, 3)
    points = part.sample(rounds.FINE)[0] if hasattr(part, "sign") else part.vertices
    k = int(rng.integers(len(points)))
    along = points[(k + 1) % len(points)] - points[k]
    turn = math.pi / 2.0 * int(rng.integers(4)) - math.atan2(along[1], along[0]) + off[1]
    placed = part.placed(Pose(0.0, 0.0, turn))
    return -float(placed.bounds[1][0]) - abs(off[0]), float(turn), abs(off[2])


def draw_stage(rng) -> Rocking | None:
    """A part that is let go, now and then with a slow motion, over one of PLACES; gravity down or aslant."""
    words = PARTS[rng.integers(len(PARTS))](rng)
    part, bodies = rounds.build_shape(words), PLACES[rng.integers(len(PLACES))](rng)
    if part is None:
        return None
    x, turn, height = (draw_dropped, draw_nearly_flush)[rng.integers(2)](rng, part)
    y = find_start(part, x, turn, height, bodies)
    if y is None:
        return None
    size, lean = float(10.0 ** rng.uniform(-3.0, 0.5)), float(rng.choice([0.0, rng.uniform(0.0, 0.6)]))
    gravity = (G * math.sin(lean), -G * math.cos(lean))
    fall = math.sqrt(size / G)
    speed = rng.choice([0.0, 10.0 ** rng.uniform(-6.0, 0.0)], p=[0.7, 0.3])
    vx, vy, omega = rng.normal(size=3) * speed
    workpiece = rounds.scale_body(rounds.body("part", words, (x, y, turn)), size) | {
        "mass": float(10.0 ** rng.uniform(-3.0, 1.0)),
        "velocity": [vx * size / fall, vy * size / fall, omega / fall]}  # fmt: skip
    tables = {"gravity": list(gravity), "workpiece": workpiece,
              "obstacle": [rounds.scale_body(body, size) for body in bodies], **draw_laws(rng),
              "run": {"duration": LENGTH * fall, "output_interval": LENGTH * fall / ROWS}}
    return Rocking(tables, size, gravity)


def draw_laws(rng) -> dict:
    return {"friction": {"default": float(rng.choice(FRICTION))},
            "restitution": {"default": float(rng.choice(RESTITUTION))}, "impact": {"default": str(rng.choice(LAWS))}}


# ------------------------------------------------------------------------------------- scenes near what decides in them


def draw_near(rng, value: float, least: float = -12.0, largest: float = -3.0) -> float:
    """The value, or one off it by 1e-12 to 1e-3 (or other powers of ten)."""
    return float(value + rng.choice([0.0, -1.0, 1.0], p=[0.1, 0.45, 0.45]) * 10.0 ** rng.uniform(least, largest))


def vary_wiper(rng, tables: dict) -> None:
    """The blade at the height of the part that lies or stands, to nanometres."""
    pose = int(rng.integers(2))
    tables["workpiece"]["pose"]["rest"] = pose
    tables["obstacle"][1]["pose"] = [0.08, draw_near(rng, (0.012, 0.02)[pose]), 0.0]


def vary_ramp(rng, tables: dict) -> None:
    """The toe from 32 mm before the stop to 7 mm, and on the threshold."""
    at = rng.choice([rng.uniform(0.14, 0.165), 0.1 + 0.02 * math.pi, draw_near(rng, 0.156894189, -9.0)])
    tables["workpiece"]["pose"]["at"] = float(at)


def vary_groove(rng, tables: dict) -> None:
    """Turned by any angle, or by about atan(mu) from a quarter turn, or flush."""
    edge = math.atan(tables["friction"]["default"])
    theta = rng.choice([rng.uniform(-math.pi, math.pi), draw_near(rng, edge), draw_near(rng, math.pi / 4.0)])
    tables["workpiece"]["pose"] = [draw_near(rng, 0.0, -12.0, -2.5), 0.0201, float(theta)]


def vary_gap(rng, tables: dict) -> None:
    """A speed from too slow to fast enough, and on the threshold; the second track lower, level, or higher."""
    tables["workpiece"]["velocity"] = [float(rng.choice([rng.uniform(0.1, 1.0), draw_near(rng, 0.508119449)])), 0, 0]
    tables["obstacle"][1]["pose"] = [float(rng.uniform(0.01, 0.045)), draw_near(rng, rng.choice([0.0, -0.001])), 0.0]


def vary_step(rng, tables: dict) -> None:
    """Floors from just below the belt to far below."""
    floor = rng.choice([0.0, rng.uniform(0.0, 0.03), rng.uniform(0.02, 0.029), 0.02 - 10.0 ** rng.uniform(-9.0, -3.0)])
    tables["obstacle"][1]["pose"] = [0.0, float(floor) * (1.0 - 1e-9), 0.0]
    speed = float(rng.uniform(0.01, 0.5))
    tables["obstacle"][0]["surface_speed"], tables["workpiece"]["velocity"] = speed, [speed, 0.0, 0.0]


def vary_tray(rng, tables: dict) -> None:
    """Any start."""
    tables["workpiece"]["pose"] = [*(rng.uniform(-0.015, 0.015, 2).tolist()), float(rng.uniform(-math.pi, math.pi))]


# Scene, how it is varied, size of its part, does anything but constant gravity give energy?
SCENES: tuple[tuple[str, Callable[[np.random.Generator, dict], None], float, bool], ...] = (
    ("wiper", vary_wiper, 0.02, True),
    ("ramp_and_stop", vary_ramp, 0.07, False),
    ("v_groove", vary_groove, 0.02, False),
    ("gap", vary_gap, 0.04, False),
    ("step_down", vary_step, 0.04, True),
    ("tray_tilt", vary_tray, 0.05, True),
)


def draw_scene(rng) -> Rocking:
    """One of `scenes/`, half of the time with its own laws of contact."""
    name, vary, size, driven = SCENES[rng.integers(len(SCENES))]
    tables = tomllib.loads(scenes.path(name).read_text(encoding="utf-8"))
    tables.pop("goal", None)
    if rng.random() < 0.5:
        tables |= draw_laws(rng)
    vary(rng, tables)
    run = tables["run"]
    run["output_interval"] = run["duration"] / ROWS
    return Rocking(tables, size, driven=driven)


def draw_rocking(rng) -> Rocking | None:
    """A part over a place of its own two times of three, else a scene near what decides in it."""
    return draw_stage(rng) if rng.random() < 2.0 / 3.0 else draw_scene(rng)
