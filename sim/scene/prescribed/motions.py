"""From what a scene says about motions to coordinates over time: obstacles, and the direction of gravity."""

from __future__ import annotations

from dataclasses import replace
from math import cos, inf, pi, sin
from typing import TYPE_CHECKING

import numpy as np

from geometry.prescribed.motion import Coordinate, CurvePiece, Motion, Wave
from geometry.shapes.pose import Pose
from sim.tolerances import ALONG_AXIS, LEAST_DIRECTION

if TYPE_CHECKING:
    from sim.scene.prescribed.motion_schema import GravitySection, MotionSection


def build_motion(section: MotionSection | None, pose: Pose, surface_speed: float) -> Motion:
    """Motion of an obstacle whose frame is at `pose` without it.

    Raises ValueError where `about` does not name a point of the obstacle.
    """
    surface = build_coordinate(0.0, surface_speed)
    if section is None:
        x, y, theta = (build_coordinate(value) for value in pose)
        return Motion(x, y, theta, surface)
    waves = [build_waves(section.sinusoid, column) for column in range(3)]
    rates = (*section.velocity, section.angular_velocity)
    start = np.array([sum(wave.amplitude * sin(wave.phase) for wave in own) for own in waves[:2]])
    if section.waypoints is None:
        times, poses = None, np.array([pose])
    else:
        rows = np.array(section.waypoints)
        times, poses = rows[:, 0], rows[:, 1:]
    kind = section.interpolation or "smooth"
    pivot, places = np.zeros(2), poses[:, :2]
    if section.about is not None:
        pivot = find_pivot(times, poses, kind, np.array(section.about) - start)
        places = np.array([Pose(*row).transform(pivot) for row in poses])
        if times is None:
            places = np.array([section.about]) - start
    columns = np.column_stack((places, poses[:, 2]))
    x, y, theta = (build_coordinate(column[0] if times is None else (times, column), rate, own, kind)
                   for column, rate, own in zip(columns.T, rates, waves, strict=True))
    return Motion(x, y, theta, surface, tuple(pivot.tolist()))


def find_pivot(times, poses: np.ndarray, kind: str, place: np.ndarray) -> np.ndarray:
    """The point of the frame whose curve through the waypoints is at `place` [m] at t = 0.

    The curve of a point q is linear in q: X(t) + M(t) q, with X and M the curves of the frame's origin and directions.
    """
    x, y, theta = poses.T
    values = [x, y, np.cos(theta), np.sin(theta)]
    if times is not None:
        values = [build_coordinate((times, value), 0.0, (), kind).evaluate([0.0])[0] for value in values]
    x, y, c, s = (float(value[0]) for value in values)
    size = c * c + s * s
    if size < LEAST_DIRECTION:
        raise ValueError("about is where the pivot is at t = 0; there the curves of all points through the waypoints "
                         "meet, so that it names none; move the waypoints in time, or leave it out")
    dx, dy = place - (x, y)
    return np.array([c * dx + s * dy, c * dy - s * dx]) / size


def build_coordinate(base, rate: float = 0.0, waves=(), kind: str = "smooth") -> Coordinate:
    """base + rate t + waves; base is a number, or (times, values) of waypoints, before and after which it is still."""
    if isinstance(base, tuple) and np.ptp(base[1]) == 0.0:
        base = base[1][0]
    if not isinstance(base, tuple):
        terms = (float(base), float(rate)) if rate else (float(base),)
        return Coordinate((CurvePiece(-inf, 0.0, terms),), tuple(waves))
    times, values = base
    pieces = [CurvePiece(-inf, float(times[0]), (float(values[0]),))]
    pieces += [CurvePiece(float(begin), float(begin), tuple(map(float, terms)))
               for begin, terms in zip(times, interpolate(times, values, kind), strict=False)]
    pieces.append(CurvePiece(float(times[-1]), float(times[-1]), (float(values[-1]),)))
    return Coordinate(tuple(add_rate(piece, rate) for piece in pieces), tuple(waves))


def interpolate(times: np.ndarray, values: np.ndarray, kind: str) -> np.ndarray:
    """(n - 1, terms): the polynomial from each waypoint to the next, in powers of the time since that waypoint.

    "smooth": the cubic spline that is at rest at both ends, with continuous velocity and acceleration between.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # a coordinate refuses what is not finite
        if kind == "linear":
            return np.column_stack((values[:-1], np.diff(values) / np.diff(times)))
        from scipy.interpolate import CubicSpline

        return CubicSpline(times, values, bc_type="clamped").c[::-1].T


def add_rate(piece: CurvePiece, rate: float) -> CurvePiece:
    """The piece plus rate t."""
    if rate == 0.0:
        return piece
    value, slope, *rest = (*piece.coefficients, 0.0)[: max(2, len(piece.coefficients))]
    return replace(piece, coefficients=(value + rate * piece.origin, slope + rate, *rest))


def build_waves(sinusoids, column: int | None = None) -> tuple[Wave, ...]:
    """The waves of one coordinate: of a column of the amplitudes, or of amplitudes that are numbers."""
    waves = (Wave(s.amplitude if column is None else s.amplitude[column], 2.0 * pi * s.frequency, s.phase)
             for s in sinusoids)
    return tuple(wave for wave in waves if wave.amplitude != 0.0)


def build_gravity(section: GravitySection | tuple[float, float]) -> tuple[tuple[float, float], Coordinate | None]:
    """Gravity at t = 0 [m/s^2], and the angle [rad] by which it has turned since then; None if it never turns."""
    if isinstance(section, tuple):
        return section, None
    base = section.angle if section.waypoints is None else tuple(np.array(section.waypoints).T)
    angle = build_coordinate(base, section.angular_velocity, build_waves(section.sinusoid),
                             section.interpolation or "smooth")
    start = float(angle.evaluate(0.0)[0])
    # Along an axis the other component is 0, not the rounding of pi.
    x, y = (section.magnitude * (0.0 if abs(c) < ALONG_AXIS else c) for c in (cos(start), sin(start)))
    return (x, y), None if angle.still else angle.shift_to_zero()


def describe_motion(motion: Motion) -> str:
    """How an obstacle moves, in a few words: turns, follows waypoints, swings, runs."""
    words = []
    curves = [c for c in (motion.x, motion.y, motion.theta) if len(c.pieces) > 1]
    if curves:
        begins = [piece.begin for c in curves for piece in c.pieces[1:]]
        words.append(f"waypoints from {min(begins):.6g} s to {max(begins):.6g} s")
    # beyond the waypoints, if there are any, nothing but a constant velocity is left
    vx, vy, omega = (c.pieces[-1].coefficients[1] if len(c.pieces[-1].coefficients) > 1 else 0.0
                     for c in (motion.x, motion.y, motion.theta))
    if vx or vy:
        words.append(f"velocity {vx:.6g}, {vy:.6g} m/s")
    if omega:
        words.append(f"turns at {omega:.6g} rad/s")
    for c, name, unit in ((motion.x, "x", "m"), (motion.y, "y", "m"), (motion.theta, "theta", "rad")):
        words += [f"{name} swings by {abs(wave.amplitude):.6g} {unit} at {wave.frequency / (2.0 * pi):.6g} Hz"
                  for wave in c.waves]
    if not motion.surface.still:
        words.append(f"its surface runs at {motion.surface.pieces[0].coefficients[1]:.6g} m/s")
    return ", ".join(words)


def describe_turn(turn: Coordinate | None) -> str:
    """How gravity turns, to be added to its value at t = 0; "" if it does not."""
    if turn is None:
        return ""
    return f" at t = 0; {describe_motion(Motion(theta=turn)).replace('theta', 'its direction')}"
