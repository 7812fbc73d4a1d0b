"""Random scenes for long soaks. `build_case(kind, seed)` builds one again, to the last bit; its `text` is a TOML scene.

Every scene has an answer that is known without running it, or a twin that must end alike; see KINDS.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from sim.scene.toml_text import dump_toml
from tests import soak_held, soak_rocking
from tests import soak_round as rounds
from tests.scene_builders import G, box_outline, build_scene, standing_box
from tests.sim.motion import turn_scene
from tests.soak_shapes import (
    CONTAINERS,
    draw_contact_laws,
    draw_part,
    draw_slab,
    find_height,
    place,
    scale_vertices,
)

TRACK_FREQUENCY = 50.0  # Hz


@dataclass(frozen=True)
class Case:
    """One run and what is known of it."""

    kind: str
    text: str
    size: float  # m, what errors of lengths are relative to
    gravity: tuple[float, float] = (0.0, -G)  # m/s^2
    driven: bool = False  # does anything but gravity give energy: obstacles that move, or other loads?
    twin: str = ""  # the same run seen from a frame at rest, not turned; "" if there is none
    turn: float = 0.0  # rad, by which the scene is turned against its twin, or against the axes
    drift: tuple[float, float] = (0.0, 0.0)  # m/s, of the scene against its twin
    until: float = 0.0  # s, up to which the answer is known


def build_case(kind: str, seed: int) -> Case | None:
    """The scene of a kind (a key of KINDS) and a seed; None where the random choices make none."""
    return KINDS[kind](np.random.default_rng(seed))


def turn_case(case: Case, angle: float) -> Case:
    """The same, turned about the origin."""
    c, s = math.cos(angle), math.sin(angle)
    gx, gy = case.gravity
    return replace(case, text=turn_scene(case.text, angle), gravity=(c * gx - s * gy, s * gx + c * gy), turn=angle)


def turn_half_of_them(rng, case: Case) -> Case:
    """Turned by a random angle, or not at all."""
    angle = float(rng.uniform(-math.pi, math.pi))
    return turn_case(case, angle) if rng.random() < 0.5 else case


# -------------------------------------------------------------------------------------------------------------- drops


def draw_drop(rng, falls: float) -> Case | None:
    """A part thrown, spun or just let go over a container, for `falls` times sqrt(size / g)."""
    size, part = float(10.0 ** rng.uniform(-3.0, 2.0)), rng.uniform(0.4, 1.0) * draw_part(rng)
    obstacles = CONTAINERS[rng.integers(len(CONTAINERS))](rng)
    x, turn = rng.uniform(-1.0, 1.0), rng.uniform(-math.pi, math.pi)
    y = find_height(part, x, turn, obstacles)
    if y is None:
        return None
    return throw(rng, falls, size, scale_vertices(place("part", part, (x, y, turn)), size),
                 [scale_vertices(body, size) for body in obstacles])


def draw_round_drop(rng, falls: float) -> Case | None:
    """The same with arcs in the part and in what it falls on."""
    size, words = float(10.0 ** rng.uniform(-3.0, 2.0)), rounds.PARTS[rng.integers(len(rounds.PARTS))](rng)
    part = rounds.build_shape(words)
    obstacles = rounds.CONTAINERS[rng.integers(len(rounds.CONTAINERS))](rng)
    x, turn = rng.uniform(-1.0, 1.0), rng.uniform(-math.pi, math.pi)
    y = None if part is None else rounds.find_round_height(part, x, turn, obstacles)
    if y is None:
        return None
    return throw(rng, falls, size, rounds.scale_body(rounds.body("part", words, (x, y, turn)), size),
                 [rounds.scale_body(body, size) for body in obstacles])


def throw(rng, falls: float, size: float, part: dict, obstacles: list[dict]) -> Case:
    """The run of a part that starts free, with a random mass and velocity, and random laws of contact."""
    fall = math.sqrt(size / G)  # the time in which a part falls by half its size
    speed = rng.choice([0.0, 0.5, 10.0 ** rng.uniform(-3.0, 0.7)])
    vx, vy, omega = rng.normal(size=3) * speed
    workpiece = {"mass": float(10.0 ** rng.uniform(-3.0, 3.0)), "velocity": [vx * size / fall, vy * size / fall,
                                                                             omega / fall]}  # fmt: skip
    text = build_scene(
        part | workpiece, obstacles, **draw_contact_laws(rng),
        run={"duration": falls * fall, "output_interval": fall / 20.0})
    return Case("drop", text, size)


# -------------------------------------------------------------------------------------------------------------- kinds


def build_drop(rng) -> Case | None:
    return draw_drop(rng, 8.0)


def build_moving(rng) -> Case | None:
    """The run of `drop` with the same seed, its first quarter, from a frame that moves uniformly."""
    return set_moving(rng, draw_drop(rng, 2.0))


def set_moving(rng, still: Case | None) -> Case | None:
    """The same run from a frame that moves uniformly."""
    if still is None:
        return None
    angle, speed = rng.uniform(-math.pi, math.pi), rng.uniform(0.1, 1.0) * math.sqrt(G * still.size)
    drift = (float(speed * math.cos(angle)), float(speed * math.sin(angle)))
    data = tomllib.loads(still.text)
    for body in data["obstacle"]:
        body["motion"] = {"velocity": list(drift)}
    for k in range(2):
        data["workpiece"]["velocity"][k] += drift[k]
    return replace(still, kind="moving", text=dump_toml(data), driven=True, twin=still.text, drift=drift)


def build_turned(rng) -> Case | None:
    """The run of `drop` with the same seed, its first half, turned by a random angle."""
    still = draw_drop(rng, 4.0)
    if still is None:
        return None
    return turn_case(replace(still, kind="turned", twin=still.text), float(rng.uniform(-math.pi, math.pi)))


def build_round(rng) -> Case | None:
    return name_kind(draw_round_drop(rng, 8.0), "round")


def build_rolling(rng) -> Case | None:
    """The run of `round` with the same seed, its first quarter, from a frame that moves uniformly."""
    return name_kind(set_moving(rng, draw_round_drop(rng, 2.0)), "rolling")


def name_kind(case: Case | None, kind: str) -> Case | None:
    return None if case is None else replace(case, kind=kind)


def bound_friction(outline: Polygon, touching: np.ndarray) -> float:
    """The friction up to which a part that falls along a wall x = 0, on its left, cannot wedge itself.

    A contact d beside the centre and l below it pushes itself into the wall if mu l d > rho^2 + l^2, even without any
    pressure from elsewhere. While the end of the wall goes by, l takes every value down to 0.
    """
    aside, below = outline.centroid[0], float(outline.centroid[1] - touching[:, 1].min())
    if below <= 0.0:
        return math.inf
    arm = min(below, outline.rho)
    return (outline.rho**2 + arm**2) / (arm * aside)


def build_wall(rng) -> Case:
    """A part falls along a wall that it touches, with a face or a corner, and past its end. It falls freely."""
    size = float(10.0 ** rng.uniform(-3.0, 2.0))
    face = rng.random() < 0.5
    part = rng.uniform(0.1, 0.5) * (draw_slab(rng) if face else draw_part(rng))
    turn = math.pi / 2.0 * int(rng.integers(0, 4)) if face else float(rng.uniform(-math.pi, math.pi))
    pose = Pose(-float(Pose(0.0, 0.0, turn).transform(part)[:, 0].min()), float(rng.uniform(-0.5, 1.0)), turn)
    placed = Polygon(pose.transform(part))
    touching = placed.vertices[placed.vertices[:, 0] < 1e-9]
    laws = draw_contact_laws(rng)
    laws["friction"]["default"] = min(laws["friction"]["default"], 0.9 * bound_friction(placed, touching))
    fall = math.sqrt(size / G)
    workpiece = scale_vertices(place("part", part, (pose.x, pose.y, turn)), size) | {
        "mass": float(10.0 ** rng.uniform(-3.0, 3.0)),
        "velocity": [0.0, -float(rng.choice([0.0, rng.uniform(0.0, 1.0)])) * size / fall, 0.0]}
    wall = scale_vertices(place("wall", [[-0.3, -1], [0, -1], [0, 3], [-0.3, 3]]), size)
    text = build_scene(workpiece, [wall], gravity=[0.0, -G], **laws,
                       run={"duration": 2.5 * fall, "output_interval": fall / 10.0})
    return turn_half_of_them(rng, Case("wall", text, size))


def build_knee(rng) -> Case:
    """A box slides without friction over a convex knee of its floor, at which its centre is at `until`."""
    size, angle = float(10.0 ** rng.uniform(-3.0, 2.0)), math.radians(rng.uniform(0.5, 60.0))
    w, h = rng.uniform(0.05, 0.4, 2)
    start, speed = -rng.uniform(0.5 * w + 0.01, 1.5), rng.uniform(0.1, 3.0)
    fall = math.sqrt(size / G)
    until = float(-start / speed) * fall
    floor = place("floor", [[-2, 0], [-2, -6], [2, -6], [2, -2 * math.tan(angle)], [0, 0]])
    workpiece = {"name": "box", "outline": standing_box(float(w * size), float(h * size)),
                 "mass": float(10.0 ** rng.uniform(-3.0, 3.0)), "pose": [float(start * size), 0.0, 0.0],
                 "velocity": [float(speed * size / fall), 0.0, 0.0]}
    laws = draw_contact_laws(rng) | {"friction": {"default": 0.0}}
    duration = until * float(rng.uniform(1.01, 1.8))
    text = build_scene(workpiece, [scale_vertices(floor, size)], gravity=[0.0, -G], **laws,
                       run={"duration": duration, "output_interval": duration / 200.0})
    return turn_half_of_them(rng, Case("knee", text, size, until=until))


def build_groove(rng) -> Case | None:
    """A part stands on its tip in the bottom of a groove; the tip leaves at 1e-9 to 1e-5 m/s, while the part turns."""
    size, w, turn = float(10.0 ** rng.uniform(-2.0, 0.5)), rng.uniform(0.1, 0.4), float(rng.uniform(-0.4, 0.4))
    left, right = rng.uniform(0.05, 0.6, 2)
    part = Polygon([[0, 0], [w / 3, 0.3], [w, 1], [-w, 1], [-w / 3, 0.3]])
    placed = Pose(0.0, 0.0, turn).transform(part.vertices[1:])
    walls = np.maximum(math.tan(right) * placed[:, 0], -math.tan(left) * placed[:, 0])
    if (placed[:, 1] < walls + 0.01).any():
        return None
    direction, speed = rng.uniform(0.2, math.pi - 0.2), 10.0 ** rng.uniform(-9.0, -5.0)
    omega = float(rng.choice([0.0, rng.normal(), speed * rng.normal()]))
    arm = Pose(0.0, 0.0, turn).transform(size * part.centroid[None])[0]
    laws = draw_contact_laws(rng)
    workpiece = scale_vertices(place("part", part.vertices, (0.0, 0.0, turn)), size) | {
        "mass": float(10.0 ** rng.uniform(-3.0, 3.0)),
        "velocity": [float(speed * math.cos(direction) - omega * arm[1]),
                     float(speed * math.sin(direction) + omega * arm[0]), omega]}
    groove = place("groove", [[-4, -1], [4, -1], [4, 4 * math.tan(right)], [0, 0], [-4, 4 * math.tan(left)]])
    fall = math.sqrt(size / G)
    text = build_scene(workpiece, [scale_vertices(groove, size)], **laws,
                       run={"duration": fall, "output_interval": fall / 50.0})
    return Case("groove", text, size)


def build_feeder(rng) -> Case:
    """A box on a track that vibrates obliquely for 1 to 3 s: it never lifts off, and slips and sticks in every cycle,
    or sticks for ever. So each cycle feeds alike from the first stick on."""
    mu, up, slack = rng.uniform(0.05, 1.5), rng.uniform(0.0, 0.9) * G, rng.uniform(0.55, 1.05)
    along = mu * (G - up) / slack  # with friction of at least 0.54 of this everywhere, slip ends within its half cycle
    rate = 2.0 * math.pi * TRACK_FREQUENCY
    a, b = along / rate**2 * rng.choice([-1.0, 1.0]), up / rate**2
    w = float(10.0 ** rng.uniform(-2.5, -0.5))
    h = w * rng.uniform(0.1, 0.8) * min(1.0, 1.0 / mu)  # too low to tip
    workpiece = {"name": "part", "outline": standing_box(w, float(h)), "mass": float(10.0 ** rng.uniform(-3.0, 1.0)),
                 "pose": [0.0, 0.0, 0.0]}
    track = {"name": "track", "outline": box_outline(-3.0, -0.1, 3.0, 0.0), "pose": [float(a), float(b), 0.0],
             "motion": {"sinusoid": [{"amplitude": [float(a), float(b)], "frequency": TRACK_FREQUENCY,
                                      "phase": -math.pi / 2.0}]}}
    laws = draw_contact_laws(rng) | {"friction": {"default": float(mu)}}
    # Four rows a cycle: with one, a part that never slips has speed 0 in all rows, and no energy to compare with.
    text = build_scene(workpiece, [track], gravity=[0.0, -G], **laws, run={
        "duration": int(rng.integers(50, 151)) / TRACK_FREQUENCY, "output_interval": 0.25 / TRACK_FREQUENCY})
    return turn_half_of_them(rng, Case("feeder", text, float(abs(a)), driven=True))


def build_held(rng) -> Case | None:
    """A part that is held by springs, braked and pushed, near obstacles or far from all of them."""
    drawn = soak_held.draw_held(rng)
    if drawn is None:
        return None
    tables, size = drawn
    return Case("held", dump_toml(tables), size, driven=True)


def build_rocking(rng) -> Case | None:
    """A part that comes to rest by rocking beside steps, stops and walls, or whose fate hangs on nanometres."""
    drawn = soak_rocking.draw_rocking(rng)
    if drawn is None:
        return None
    return Case("rocking", dump_toml(drawn.tables), drawn.size, drawn.gravity, drawn.driven)


KINDS: dict[str, Callable[[np.random.Generator], Case | None]] = {
    "drop": build_drop,
    "moving": build_moving,
    "turned": build_turned,
    "wall": build_wall,
    "knee": build_knee,
    "groove": build_groove,
    "feeder": build_feeder,
    "round": build_round,
    "rolling": build_rolling,
    "held": build_held,
    "rocking": build_rocking,
}
