"""Prescribed motion: the coordinates of an obstacle as functions of time, with exact first and second derivatives.

A coordinate is the sum of a piecewise polynomial and of waves `amplitude sin(frequency t + phase)`. An obstacle has
four of them: x, y and theta of its frame, and `surface`, the length by which its surface has moved along the outline
(a belt: the shape stands still, the surface runs). The direction of gravity is one more coordinate. A load that changes
with time has coordinates too, whose values may jump.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from geometry.errors import StictionError
from geometry.shapes.pose import Pose
from geometry.tolerances import MOTION_JUMP

X, Y, THETA, SURFACE = 0, 1, 2, 3
COORDINATES = ("x", "y", "theta", "surface")

# How the motion goes on where a piece begins.
SMOOTH, BENT, BROKEN = 0, 1, 2


class MotionError(StictionError, ValueError):
    """A motion that cannot be followed; the message says what is wrong and what is valid."""


@dataclass(frozen=True)
class CurvePiece:
    """A polynomial in t - origin with up to six coefficients, valid from `begin` [s] on."""

    begin: float
    origin: float
    coefficients: tuple[float, ...]


@dataclass(frozen=True)
class Wave:
    """amplitude sin(frequency t + phase): m or rad, rad/s, rad."""

    amplitude: float
    frequency: float
    phase: float = 0.0


@dataclass(frozen=True)
class Coordinate:
    """One coordinate over time: pieces in order of `begin`, the first from -inf on, and waves."""

    pieces: tuple[CurvePiece, ...] = (CurvePiece(-inf, 0.0, (0.0,)),)
    waves: tuple[Wave, ...] = ()

    def __post_init__(self):
        with np.errstate(over="ignore", invalid="ignore"):
            numbers = [c for piece in self.pieces for c in piece.coefficients]
            sizes = [(np.float64(wave.amplitude), wave.frequency * wave.frequency) for wave in self.waves]
            numbers += [value for a, square in sizes for value in (a, a * square)]
            numbers += [value for wave in self.waves for value in (wave.frequency, wave.phase)]
        if not np.isfinite(numbers).all():
            raise MotionError("its values and their first and second derivatives must stay finite; use smaller "
                              "amplitudes, lower frequencies, or more time between waypoints or rows")

    @property
    def still(self) -> bool:
        """Does it never change?"""
        return not self.waves and len(self.pieces) == 1 and not any(self.pieces[0].coefficients[1:])

    def evaluate(self, time: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Value, first and second derivative at times (n,); at a break those of the piece that begins there."""
        time = np.asarray(time, dtype=np.float64)
        begin, origin, terms = self._table
        which = np.searchsorted(begin, time, side="right") - 1
        u, c = time - origin[which], terms[:, which]
        values = np.stack([_evaluate_polynomial(c, u, order) for order in range(3)])
        for wave in self.waves:
            angle, a, w = wave.frequency * time + wave.phase, wave.amplitude, wave.frequency
            values += np.array([a * np.sin(angle), a * w * np.cos(angle), -a * w * w * np.sin(angle)])
        return values[0], values[1], values[2]

    def shift_to_zero(self) -> Coordinate:
        """The coordinate minus its value at t = 0: there it is 0, to the rounding of waves that have a phase."""
        shifted = self
        for _ in range(3):  # the first pass leaves the rounding of large values
            value = float(shifted.evaluate(0.0)[0])
            if value == 0.0:
                break
            pieces = (CurvePiece(piece.begin, piece.origin, (piece.coefficients[0] - value, *piece.coefficients[1:]))
                      for piece in shifted.pieces)
            shifted = Coordinate(tuple(pieces), self.waves)
        return shifted

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """begin (n,), origin (n,) and coefficients (terms, n) of the pieces."""
        terms = np.zeros((max(len(piece.coefficients) for piece in self.pieces), len(self.pieces)))
        for column, piece in enumerate(self.pieces):
            terms[: len(piece.coefficients), column] = piece.coefficients
        return np.array([p.begin for p in self.pieces]), np.array([p.origin for p in self.pieces]), terms


def _evaluate_polynomial(coefficients, u, order: int):
    """Value (order 0), first or second derivative of sum c_k u^k."""
    value = 0.0 * u
    for k in range(len(coefficients) - 1, order - 1, -1):
        value = value * u + (1, k, k * (k - 1))[order] * coefficients[k]
    return value


STILL = Coordinate()


def spread_times(begin: float, end: float, n: int) -> np.ndarray:
    """Times (n,) [s] at which to look at a motion, both ends among them: at no period do they all see one phase."""
    golden = np.arange(1, n - 1) * (0.5 * (5.0**0.5 - 1.0)) % 1.0
    return begin + (end - begin) * np.concatenate([[0.0], np.sort(golden), [1.0]])


class Course:
    """What has four coordinates over time, a `Motion`, a `WrenchCourse` or a `Reference`."""

    may_jump: ClassVar[bool]  # may the values jump?
    read_only_at_samples: ClassVar[bool] = False  # then no break of it is one of a motion
    breaks: tuple[float, ...]  # s, where pieces meet that are not SMOOTH

    @property
    def coordinates(self) -> tuple[Coordinate, Coordinate, Coordinate, Coordinate]:
        raise NotImplementedError

    def _find_breaks(self) -> tuple[float, ...]:
        pieces = (judged for c in self.coordinates for judged in judge_pieces(c, self.may_jump))
        return tuple(sorted({piece.begin for piece, meets in pieces if meets != SMOOTH}))

    @property
    def still(self) -> bool:
        """Does no coordinate ever change?"""
        return all(coordinate.still for coordinate in self.coordinates)

    def evaluate(self, time: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(value, rate, second derivative) of the coordinates at times (n,): each (n, 4)."""
        parts = [coordinate.evaluate(time) for coordinate in self.coordinates]
        value, rate, second = (np.stack([part[order] for part in parts], axis=-1) for order in range(3))
        return value, rate, second


@dataclass(frozen=True)
class WrenchCourse(Course):
    """A force x, y [N] and a torque theta [N m] over time; nothing stands in the place of a surface.

    Where a value jumps the force is BROKEN. A slope that jumps is SMOOTH: no acceleration jumps there.
    """

    x: Coordinate = STILL
    y: Coordinate = STILL
    theta: Coordinate = STILL
    breaks: tuple[float, ...] = field(init=False)  # s, where a value jumps
    may_jump = True

    def __post_init__(self):
        object.__setattr__(self, "breaks", self._find_breaks())

    @property
    def coordinates(self) -> tuple[Coordinate, Coordinate, Coordinate, Coordinate]:
        return self.x, self.y, self.theta, STILL


@dataclass(frozen=True)
class Reference(WrenchCourse):
    """Three numbers over time that a controller reads at its samples: a pose, or forces."""

    read_only_at_samples = True


@dataclass(frozen=True)
class Motion(Course):
    """How an obstacle moves: x, y [m], theta [rad] and `surface` [m] over time.

    `pivot` [m] is a point of the frame of the outline: a point q of that frame is at (x, y) + R(theta) (q - pivot) in
    the world. The rate of `surface` counts along t = (n_y, -n_x): on top of an obstacle towards +x.
    """

    x: Coordinate = STILL
    y: Coordinate = STILL
    theta: Coordinate = STILL
    surface: Coordinate = STILL
    pivot: tuple[float, float] = (0.0, 0.0)
    breaks: tuple[float, ...] = field(init=False)  # s, where a velocity or an acceleration jumps
    may_jump = False

    def __post_init__(self):
        object.__setattr__(self, "breaks", self._find_breaks())

    @property
    def coordinates(self) -> tuple[Coordinate, Coordinate, Coordinate, Coordinate]:
        return self.x, self.y, self.theta, self.surface

    @property
    def shape_still(self) -> bool:
        """Does the shape stand still, whatever its surface does?"""
        return self.x.still and self.y.still and self.theta.still

    def evaluate_frame(self, time: ArrayLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(pose, velocity, acceleration) of the frame of the outline at times (n,): each (n, 3), x, y [m], theta."""
        value, rate, bend = (part[..., :3].copy() for part in self.evaluate(time))
        c, s = np.cos(value[..., THETA]), np.sin(value[..., THETA])
        arm = np.stack((s * self.pivot[1] - c * self.pivot[0], -s * self.pivot[0] - c * self.pivot[1]), axis=-1)
        across = np.stack((-arm[..., 1], arm[..., 0]), axis=-1)
        omega = rate[..., THETA, None]
        value[..., :2] += arm
        rate[..., :2] += omega * across
        bend[..., :2] += bend[..., THETA, None] * across - omega**2 * arm
        return value, rate, bend

    def place(self, time: float) -> Pose:
        """Pose of the frame of the outline in the world."""
        return Pose(*self.evaluate_frame(time)[0].tolist())

    def follow_start(self) -> Motion:
        """The motion that takes points of the shape on from where they are in the world at t = 0."""
        x, y, _, _ = self.evaluate(0.0)[0].tolist()
        return Motion(self.x, self.y, self.theta.shift_to_zero(), pivot=(x, y))


def judge_pieces(coordinate: Coordinate, may_jump: bool = False) -> Iterator[tuple[Any, int]]:
    """Each piece with how the motion goes on where it begins. Raises MotionError where the value itself jumps.

    Where it may jump that is BROKEN, and all else is SMOOTH.
    """
    before = None
    for piece in coordinate.pieces:
        if before is None:
            yield piece, SMOOTH
        else:
            yield piece, _judge_break(before, piece, may_jump)
        before = piece


def _judge_break(before: CurvePiece, after: CurvePiece, may_jump: bool) -> int:
    if not after.begin > before.begin:
        raise MotionError(f"the pieces of a motion must begin at rising times, not {before.begin!r}, {after.begin!r} s")
    jumps, values = [], []
    for order in range(3):
        sides, size = [], 0.0
        for piece in (before, after):
            u = after.begin - piece.origin
            sides.append(_evaluate_polynomial(piece.coefficients, u, order))
            size += _evaluate_polynomial([abs(c) for c in piece.coefficients], abs(u), order)
        jumps.append(abs(sides[1] - sides[0]) > MOTION_JUMP * size)
        values.append(sides)
    if may_jump:
        return BROKEN if jumps[0] else SMOOTH
    if jumps[0]:
        raise MotionError(f"a motion must not jump: at {after.begin!r} s from {values[0][0]!r} to {values[0][1]!r}")
    return BROKEN if jumps[1] else BENT if jumps[2] else SMOOTH
