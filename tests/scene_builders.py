"""Scenes of the tests as TOML texts: `parse_scene(slope_block(...))`.

Names that start with a letter and two digits are acceptance cases (A01: creep on a slope, ...); s1 ... s7b are the
scenes of the comparison with other programs. Every start touches exactly: outlines have their origin in the contact, so
that part and support share the same turned line. Downhill is +x.
"""

from __future__ import annotations

import math

from geometry.shapes.polygon import Polygon
from sim.scene.toml_text import dump_toml

G = 9.81


def build_scene(workpiece: dict, obstacles: list[dict], **top) -> str:
    """TOML text of a scene from plain tables; `top` holds gravity, friction, restitution, load, run."""
    return dump_toml({"workpiece": workpiece, "obstacle": obstacles, **top})


def box_outline(x0: float, y0: float, x1: float, y1: float) -> dict:
    """Rectangle between two corners."""
    return {"vertices": [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]}


def standing_box(width: float, height: float) -> dict:
    """Rectangle with its origin in the middle of its lower face."""
    return box_outline(-width / 2.0, 0.0, width / 2.0, height)


def standing_polygon(n: int, circumradius: float) -> dict:
    """Regular polygon with its origin in the middle of its lowest face."""
    vertices = Polygon.regular(n, circumradius).vertices.copy()
    vertices[:, 1] -= vertices[0, 1]
    return {"vertices": vertices.tolist()}


def build_floor(name: str = "floor", theta: float = 0.0, half_length: float = 100.0) -> dict:
    """Thick plate whose top face goes through the origin, turned by theta."""
    return {"name": name, "outline": box_outline(-half_length, -1.0, half_length, 0.0), "pose": [0.0, 0.0, theta]}


def slope_block(
    outline: dict, degrees: float = 0.0, mu: float = 0.0, duration: float = 1.0, speed: float = 0.0, mass: float = 1.0,
    e: float = 0.0, height: float = 0.0, run: dict | None = None, **top,
) -> str:
    """A part with its origin on a slope that falls by `degrees` towards +x (`height` above it, along the normal).

    `speed` is downhill.
    """
    theta = 0.0 - math.radians(degrees)
    c, s = math.cos(theta), math.sin(theta)
    workpiece = {
        "name": "block",
        "outline": outline,
        "mass": mass,
        "pose": [-s * height if height else 0.0, c * height, theta],
        "velocity": [speed * c, speed * s + 0.0, 0.0],
    }
    return build_scene(
        workpiece, [build_floor("slope" if degrees else "floor", theta)], **{"gravity": [0.0, -G], **top},
        friction={"default": mu}, restitution={"default": e}, run={"duration": duration, **(run or {})},
    )


# -------------------------------------------------------------------------------------- comparison with other programs


def s1() -> str:
    """Slides g (sin a - mu cos a) t^2 / 2."""
    return slope_block(standing_box(1.0, 0.5), 30.0, 0.3, 1.0)


def s2() -> str:
    """Does not move."""
    return slope_block(standing_box(1.0, 0.5), 15.0, 0.3, 10.0)


def s3() -> str:
    """Stops after v0^2 / (2 mu g) at v0 / (mu g)."""
    return slope_block(standing_box(1.0, 0.5), 0.0, 0.4, 2.0, speed=2.0)


def s4() -> str:
    """A disc rolls down: a = g sin a / (1 + rho^2 / r^2) with rho^2 / r^2 = 1/2, because mu >= tan(a) / 3."""
    return slope_block({"disc": 0.25, "center": [0.0, 0.25]}, 20.0, 0.6, 1.0)


def s5() -> str:
    """Tips about its lower corner."""
    return slope_block(standing_box(0.2, 1.0), 25.0, 0.9, 0.15)


def s6(e: float = 0.5, height: float = 1.0, duration: float = 1.2, mu: float = 0.0) -> str:
    """Impacts at sqrt(2h/g) (1, 1 + 2e, 1 + 2e + 2e^2)."""
    return slope_block(standing_box(0.2, 0.2), 0.0, mu, duration, e=e, height=height)


def s6_disc() -> str:
    """S6 with a disc."""
    return slope_block({"disc": 0.1, "center": [0.0, 0.1]}, 0.0, 0.0, 1.2, e=0.5, height=1.0)


def s7(mu: float, duration: float, degrees: float = 60.0) -> str:
    """Rod 1 x 0.02 m whose lower long edge runs from the wall x = 0 to the floor y = 0 at `degrees`."""
    theta = -math.radians(degrees)
    workpiece = {
        "name": "ladder",
        "outline": standing_box(1.0, 0.02),
        "mass": 1.0,
        "pose": [0.5 * math.cos(theta), -0.5 * math.sin(theta), theta],
    }
    wall = {"name": "wall", "outline": box_outline(-1.0, 0.0, 0.0, 3.0)}
    return build_scene(workpiece, [build_floor(half_length=5.0), wall], friction={"default": mu},
                       run={"duration": duration})


def s7a() -> str:
    """Smooth ladder: leaves the wall soon after 0.32 s."""
    return s7(0.0, 0.32)


def s7b() -> str:
    """Rough ladder."""
    return s7(0.2, 0.60)


# ----------------------------------------------------------------------------------------------------- acceptance cases


def a01(degrees: float, mu: float, duration: float = 60.0) -> str:
    """Creep: (20, 0.4), (1, 0.02), (0, 0). Right: nothing moves."""
    return slope_block(standing_box(0.2, 0.1), degrees, mu, duration)


def a03(force: float, duration: float = 10.0) -> str:
    """Horizontal force on a box with mu m g = 4.905 N."""
    return slope_block(standing_box(0.2, 0.2), 0.0, 0.5, duration, load=[{"force": [force, 0.0]}])


A05 = {"a": ((0.1, 0.3), 0.5), "b": ((0.3, 0.1), 0.5), "c": (6, 1.0), "d": (64, 1.0)}


def a05(part: str, degrees: float, mu: float | None = None, duration: float = 1.0) -> str:
    """Thresholds: a tips (18.434949 deg), b slides (26.565051), c and d, polygon wheels, roll (30, 2.8125)."""
    shape, friction = A05[part]
    outline = standing_polygon(shape, 0.05) if isinstance(shape, int) else standing_box(*shape)
    return slope_block(outline, degrees, friction if mu is None else mu, duration)


def a07(mu: float, degrees: float = 0.0, duration: float = 1.0) -> str:
    """Cube at rest with huge, infinite or invalid friction; at 30 deg the corners carry 1.795355 and 6.700355 N."""
    return slope_block(standing_box(0.1, 0.1), degrees, mu, duration)


A09 = {"i": (-1.0, 0.0), "ii": (1.0, 0.0), "iii": (-1.0, 6.0)}


def a09(variant: str, duration: float = 0.01, choice: str = "continue") -> str:
    """Leaning rod: (i) no acceleration, (ii) one, (iii) two. Tip at (0, 0), centre at (0.25, 0.4330127)."""
    slip, omega = A09[variant]
    theta = math.radians(60.0)
    rx, ry = 0.5 * math.cos(theta), 0.5 * math.sin(theta)
    workpiece = {
        "name": "rod",
        "outline": {"vertices": [[0.0, 0.0], [0.5, -0.005], [1.0, 0.0], [0.5, 0.005]]},
        "mass": 1.0,
        "pose": [0.0, 0.0, theta],
        "velocity": [slip - omega * ry, omega * rx, omega],
    }
    return build_scene(workpiece, [build_floor()], friction={"default": 2.0},
                       run={"duration": duration, "choice": choice})


def a10(mu: float = 0.0, overlap: float = 0.0, dropped: bool = False, duration: float = 0.5) -> str:
    """Box over the level seam at x = 0 of two blocks 1 x 0.1 m, sliding from x = -0.5 or dropped flat on the seam."""
    workpiece = {
        "name": "box",
        "outline": standing_box(0.1, 0.1),
        "mass": 1.0,
        "pose": [0.0, 0.1, 0.0] if dropped else [-0.5, 0.0, 0.0],
        "velocity": [0.0 if dropped else 2.0, 0.0, 0.0],
    }
    blocks = [
        {"name": "left", "outline": box_outline(-1.0, -0.1, overlap, 0.0)},
        {"name": "right", "outline": box_outline(0.0, -0.1, 1.0, 0.0)},
    ]
    return build_scene(workpiece, blocks, friction={"default": mu}, run={"duration": duration})


def a12(tilt: float = 1e-6, duration: float = 1.25) -> str:
    """Square on its corner: the tilt reaches 0.1 rad at 1.196632 s."""
    l = 0.1 / math.sqrt(2.0)
    workpiece = {
        "name": "square",
        "outline": {"vertices": [[0.0, 0.0], [l, l], [0.0, 2.0 * l], [-l, l]]},
        "mass": 1.0,
        "pose": [0.0, 0.0, tilt],
    }
    return build_scene(workpiece, [build_floor()], friction={"default": 1.0}, run={"duration": duration})


def a13(output_interval: float = 1e-3, duration: float = 0.02) -> str:
    """Thin wall, fast part: impact at 0.00995 s, then at rest."""
    workpiece = {"name": "bullet", "outline": {"box": [0.01, 0.01]}, "mass": 0.01, "velocity": [100.0, 0.0, 0.0]}
    wall = {"name": "wall", "outline": box_outline(1.0, -0.1, 1.0001, 0.1)}
    return build_scene(workpiece, [wall], gravity=[0.0, 0.0], friction={"default": 0.0},
                       run={"duration": duration, "output_interval": output_interval})


def a15a(duration: float = 56.0) -> str:
    """Elastic: dropped flat from 10 m with e = 1; impacts at (2n - 1) 1.427843123 s."""
    return slope_block(standing_box(0.1, 0.1), 0.0, 0.0, duration, e=1.0, height=10.0)


def a15b(duration: float = 50.0) -> str:
    """Slow and elastic: impact at 47.5 s, then -0.02 m/s."""
    workpiece = {"name": "square", "outline": {"box": [0.1, 0.1]}, "mass": 1.0, "velocity": [0.02, 0.0, 0.0]}
    wall = {"name": "wall", "outline": box_outline(1.0, -1.0, 1.1, 1.0)}
    return build_scene(workpiece, [wall], gravity=[0.0, 0.0], friction={"default": 0.0},
                       restitution={"default": 1.0}, run={"duration": duration})


def a17(y: float = -0.001) -> str:
    """Box whose lower face is at height y: below 0 it overlaps the floor; at -0.5 it is wholly inside."""
    workpiece = {"name": "box", "outline": standing_box(0.1, 0.1), "mass": 1.0, "pose": [0.0, y, 0.0]}
    return build_scene(workpiece, [build_floor()], friction={"default": 0.3})


_SQUARE = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]]
A19_ACCEPTED = {
    "plain": _SQUARE,
    "closed": [*_SQUARE, _SQUARE[0]],
    "doubled": [_SQUARE[0], _SQUARE[1], _SQUARE[1], *_SQUARE[2:]],
    "collinear": [[0.0, 0.0], [0.03, 0.0], [0.05, 0.0], [0.1, 0.0], [0.1, 0.05], [0.1, 0.1], [0.07, 0.1], [0.0, 0.1]],
    "near": [[0.0, 0.0], [0.1, 0.0], [0.1, 1e-13], [0.1, 0.1], [0.0, 0.1]],
    "clockwise": _SQUARE[::-1],
}
A19_REFUSED = {
    "bow-tie": [[0.0, 0.0], [0.1, 0.1], [0.1, 0.0], [0.0, 0.1]],
    "line": [[0.0, 0.0], [0.1, 0.1], [0.3, 0.3], [0.2, 0.2]],
    "two points": [[0.0, 0.0], [0.1, 0.0], [0.0, 0.0], [0.1, 0.0]],
    "nan": [[0.0, 0.0], [0.1, 0.0], [0.1, math.nan]],
}
L_BRACKET_MM = [[0, 0], [0, 40], [10, 40], [10, 10], [40, 10], [40, 0]]


def a19(variant: str) -> str:
    """Square 0.1 m at 1 m/s with mu = 0.3: all accepted variants stop at 0.169894665 m, 0.339789331 s."""
    vertices = A19_ACCEPTED.get(variant) or A19_REFUSED[variant]
    return slope_block({"vertices": vertices}, 0.0, 0.3, 0.5, speed=1.0)


def a24(clearance_mm: float = 0.02, offset_mm: float = 0.0, duration: float = 0.12) -> str:
    """Upright peg 10 x 40 mm, tip 1 mm above a hole 10 + clearance wide and 30 deep: floor reached at 0.0794989 s.

    The hole is made of three blocks.
    """
    half = (10.0 + clearance_mm) / 2.0

    def block(name, x0, y0, x1, y1):
        return {"name": name, "outline": {"unit": "mm", **box_outline(x0, y0, x1, y1)}}

    blocks = [
        block("left", -40.0, -30.0, -half, 0.0),
        block("right", half, -30.0, 40.0, 0.0),
        block("bottom", -40.0, -40.0, 40.0, -30.0),
    ]
    workpiece = {
        "name": "peg",
        "outline": {"unit": "mm", **standing_box(10.0, 40.0)},
        "mass": 0.05,
        "pose": [offset_mm / 1000.0, 0.001, 0.0],
    }
    return build_scene(workpiece, blocks, friction={"default": 0.3}, run={"duration": duration})


def a28(mass: float) -> str:
    """Square 0.1 m at 1 m/s with mu = 0.3 stops at 0.3397893306 s for every mass."""
    return slope_block(standing_box(0.1, 0.1), 0.0, 0.3, 0.5, speed=1.0, mass=mass)


# -------------------------------------------------------------------------------------------------------- named scenes


def three_feet(force=(0.0, 0.0), torque: float = 0.0, mu: float = 0.25, duration: float = 1.0, g: float = G) -> str:
    """Erdmann's block: m = rho = 1, centre of mass 1 above three contacts at x = -1, 0, 1."""
    workpiece = {
        "name": "block",
        "outline": {"vertices": [[-1, 0], [-0.5, 0.3], [0, 0], [0.5, 0.3], [1, 0], [1.2, 2], [-1.2, 2]]},
        "mass": 1.0,
        "rho": 1.0,
        "center_of_mass": [0.0, 1.0],
    }
    return build_scene(workpiece, [build_floor()], gravity=[0.0, -g], friction={"default": mu},
                       load=[{"force": list(force), "torque": torque}], run={"duration": duration})


def rocking_block(alpha: float = 0.2, tilt: float = 0.1, radius: float = 1.0, mu: float = 0.8, duration: float = 2.0):
    """Housner's block, released at rest from a tilt about its left corner."""
    outline = box_outline(0.0, 0.0, 2.0 * radius * math.sin(alpha), 2.0 * radius * math.cos(alpha))
    workpiece = {"name": "block", "outline": outline, "mass": 1.0, "pose": [0.0, 0.0, tilt]}
    return build_scene(workpiece, [build_floor()], friction={"default": mu}, run={"duration": duration})
