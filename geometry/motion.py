"""Prescribed motion: the coordinates of an obstacle as functions of time, with exact first and second derivatives.

A coordinate is the sum of a piecewise polynomial and of waves `amplitude sin(frequency t + phase)`. An obstacle has
four of them: x, y and theta of its frame, and `surface`, the length by which its surface has moved along the outline
(a belt: the shape stands still, the surface runs). The direction of gravity is one more coordinate.

Where a polynomial piece meets the next one the motion may break. Compiled code evaluates the piece that it has been
told to use also a little beyond its ends, so that a step that ends at a break sees a smooth motion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, inf, sin

import numpy as np

from geometry._jit import jit, kernel
from geometry._record import allocate_table, define_record
from geometry.pose import Pose

X, Y, THETA, SURFACE = 0, 1, 2, 3
COORDINATES = ("x", "y", "theta", "surface")

# How the motion goes on where a piece begins.
SMOOTH, BENT, BROKEN = 0, 1, 2

# What counts as a jump of a derivative where two pieces meet, relative to the largest values beside it. Reason: the
# coefficients of a spline carry a few units of rounding. Consequence: smaller jumps are treated as smooth.
JUMP = 1e-9

# Coefficients of a polynomial piece.
TERMS = 6

PIECE = define_record(
    ("begin", "f8"),  # s: valid from here on, -inf for the first of a coordinate
    ("origin", "f8"),  # s: the polynomial is in powers of t - origin
    ("c", "f8", (TERMS,)),
    ("meets", "i8"),  # SMOOTH, BENT or BROKEN
)
WAVE = define_record(("amplitude", "f8"), ("frequency", "f8"), ("phase", "f8"))  # m or rad; rad/s; rad

MOVER = define_record(
    ("first_piece", "i8", (4,)), ("n_pieces", "i8", (4,)), ("piece", "i8", (4,)),  # `piece`: the one in use
    ("first_wave", "i8", (4,)), ("n_waves", "i8", (4,)),
    # coordinates (x, y, theta, surface) at the present time, and their first and second derivatives
    ("value", "f8", (4,)), ("rate", "f8", (4,)), ("bend", "f8", (4,)),
    ("first_edge", "i8"), ("n_edges", "i8"),  # the wall edges that it carries
    ("radius", "f8"),  # m, largest distance of their ends from the origin of the frame
    ("now", "f8"), ("start", "f8"),  # s: the present time, and the start of the present step (in row 0 only)
)  # fmt: skip


class MotionError(ValueError):
    """A motion that cannot be followed; the message says what is wrong and what is valid."""


@dataclass(frozen=True)
class Piece:
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

    pieces: tuple[Piece, ...] = (Piece(-inf, 0.0, (0.0,)),)
    waves: tuple[Wave, ...] = ()

    @property
    def still(self) -> bool:
        """Does it never change?"""
        return not self.waves and len(self.pieces) == 1 and not any(self.pieces[0].coefficients[1:])

    def evaluate(self, time) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Value, first and second derivative at times (n,); at a break those of the piece that begins there."""
        time = np.asarray(time, dtype=np.float64)
        values = np.zeros((3, *time.shape))
        which = np.searchsorted([piece.begin for piece in self.pieces], time, side="right") - 1
        for index, piece in enumerate(self.pieces):
            here = which == index
            u = time[here] - piece.origin
            polynomial = np.polynomial.Polynomial(piece.coefficients)
            for order in range(3):
                values[order, here] = polynomial.deriv(order)(u) if order else polynomial(u)
        for wave in self.waves:
            angle, a, w = wave.frequency * time + wave.phase, wave.amplitude, wave.frequency
            values += np.array([a * np.sin(angle), a * w * np.cos(angle), -a * w * w * np.sin(angle)])
        return values[0], values[1], values[2]


STILL = Coordinate()


@dataclass(frozen=True)
class Motion:
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

    def __post_init__(self):
        begins = {piece.begin for c in self.coordinates for piece, meets in _judge_pieces(c) if meets != SMOOTH}
        object.__setattr__(self, "breaks", tuple(sorted(begins)))

    @property
    def coordinates(self) -> tuple[Coordinate, Coordinate, Coordinate, Coordinate]:
        return self.x, self.y, self.theta, self.surface

    @property
    def still(self) -> bool:
        """Does neither the shape nor the surface ever move?"""
        return all(coordinate.still for coordinate in self.coordinates)

    def evaluate(self, time) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(value, rate, second derivative) of x, y, theta and surface at times (n,): each (n, 4)."""
        parts = [coordinate.evaluate(time) for coordinate in self.coordinates]
        return tuple(np.stack([part[order] for part in parts], axis=-1) for order in range(3))

    def place(self, time: float) -> Pose:
        """Pose of the frame of the outline in the world."""
        x, y, theta, _ = self.evaluate(time)[0]
        shift = Pose(0.0, 0.0, theta).rotate(self.pivot)
        return Pose(float(x - shift[0]), float(y - shift[1]), float(theta))


def _judge_pieces(coordinate: Coordinate):
    """Each piece with how the motion goes on where it begins. Raises MotionError where the value itself jumps."""
    before = None
    for piece in coordinate.pieces:
        if before is None:
            yield piece, SMOOTH
        else:
            yield piece, _judge_break(before, piece)
        before = piece


def _judge_break(before: Piece, after: Piece) -> int:
    if not after.begin > before.begin:
        raise MotionError(f"the pieces of a motion must begin at rising times, not {before.begin!r}, {after.begin!r} s")
    sides = []
    for piece in (before, after):
        polynomial = np.polynomial.Polynomial(piece.coefficients)
        u = after.begin - piece.origin
        sides.append([polynomial(u), polynomial.deriv(1)(u), polynomial.deriv(2)(u)])
    left, right = np.array(sides)
    jumps = np.abs(right - left) > JUMP * np.maximum(np.abs(left), np.abs(right))
    if jumps[0] and abs(right[0] - left[0]) > JUMP:
        raise MotionError(f"a motion must not jump: at {after.begin!r} s from {left[0]!r} to {right[0]!r}")
    return BROKEN if jumps[1] else BENT if jumps[2] else SMOOTH


def build_movers(motions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables MOVER, PIECE and WAVE of a sequence of motions, in order; edges are not yet assigned."""
    mover = allocate_table(MOVER, len(motions))
    pieces, waves = [], []
    for row, motion in zip(mover, motions, strict=True):
        row.now = np.nan
        for k, coordinate in enumerate(motion.coordinates):
            row.first_piece[k], row.n_pieces[k], row.piece[k] = len(pieces), len(coordinate.pieces), len(pieces)
            row.first_wave[k], row.n_waves[k] = len(waves), len(coordinate.waves)
            pieces += list(_judge_pieces(coordinate))
            waves += coordinate.waves
    piece, wave = allocate_table(PIECE, len(pieces)), allocate_table(WAVE, len(waves))
    for row, (source, meets) in zip(piece, pieces, strict=True):
        row.begin, row.origin, row.meets = source.begin, source.origin, meets
        row.c[: len(source.coefficients)] = source.coefficients
    for row, source in zip(wave, waves, strict=True):
        row.amplitude, row.frequency, row.phase = source.amplitude, source.frequency, source.phase
    return mover, piece, wave


# ---- compiled --------------------------------------------------------------------------------------------------------


@kernel
def evaluate_mover(mover, piece, wave, m, time):
    """Write value, rate and second derivative of the coordinates of mover m, by the pieces in use."""
    for k in range(4):
        index = mover[m].piece[k]
        u = time - piece[index].origin
        c = piece[index].c
        value = c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))))
        rate = c[1] + u * (2.0 * c[2] + u * (3.0 * c[3] + u * (4.0 * c[4] + u * 5.0 * c[5])))
        bend = 2.0 * c[2] + u * (6.0 * c[3] + u * (12.0 * c[4] + u * 20.0 * c[5]))
        for i in range(mover[m].first_wave[k], mover[m].first_wave[k] + mover[m].n_waves[k]):
            a, w = wave[i].amplitude, wave[i].frequency
            s, c_ = sin(w * time + wave[i].phase), cos(w * time + wave[i].phase)
            value += a * s
            rate += a * w * c_
            bend -= a * w * w * s
        mover[m].value[k], mover[m].rate[k], mover[m].bend[k] = value, rate, bend


@jit
def _bound_coordinate(mover, piece, wave, m, k, time, h):
    """Upper bounds of |first derivative| and |second derivative| of a coordinate over [time, time + h]."""
    index = mover[m].piece[k]
    u, c = time - piece[index].origin, piece[index].c
    first = c[1] + u * (2.0 * c[2] + u * (3.0 * c[3] + u * (4.0 * c[4] + u * 5.0 * c[5])))
    second = 2.0 * c[2] + u * (6.0 * c[3] + u * (12.0 * c[4] + u * 20.0 * c[5]))
    third = abs(6.0 * c[3] + u * (24.0 * c[4] + u * 60.0 * c[5]))
    fourth = abs(24.0 * c[4] + u * 120.0 * c[5])
    fifth = abs(120.0 * c[5])
    rate = abs(first) + h * (abs(second) + h * (third / 2.0 + h * (fourth / 6.0 + h * fifth / 24.0)))
    bend = abs(second) + h * (third + h * (fourth / 2.0 + h * fifth / 6.0))
    for i in range(mover[m].first_wave[k], mover[m].first_wave[k] + mover[m].n_waves[k]):
        w = abs(wave[i].frequency)
        a = abs(wave[i].amplitude) * w
        rate += min(a, abs(a * cos(wave[i].frequency * time + wave[i].phase)) + h * a * w)
        bend += a * w
    return rate, bend


@kernel
def bound_mover(mover, piece, wave, m, interval):
    """Upper bounds over interval = (time, length): (speed of the frame, |omega|, |acceleration|, |alpha|)."""
    time, h = interval
    vx, ax = _bound_coordinate(mover, piece, wave, m, X, time, h)
    vy, ay = _bound_coordinate(mover, piece, wave, m, Y, time, h)
    omega, alpha = _bound_coordinate(mover, piece, wave, m, THETA, time, h)
    return np.sqrt(vx * vx + vy * vy), omega, np.sqrt(ax * ax + ay * ay), alpha


@kernel
def find_next_break(mover, piece):
    """(time at which the next piece of some mover begins, or inf; how it goes on there: SMOOTH, BENT or BROKEN)."""
    earliest, meets = inf, SMOOTH
    for m in range(mover.shape[0]):
        for k in range(4):
            following = mover[m].piece[k] + 1
            if following < mover[m].first_piece[k] + mover[m].n_pieces[k]:
                begin = piece[following].begin
                if begin == earliest:
                    meets = max(meets, piece[following].meets)
                elif begin < earliest:
                    earliest, meets = begin, piece[following].meets
    return earliest, meets


@kernel
def choose_pieces(mover, piece, time):
    """Use from now on the pieces that are valid from `time` on."""
    for m in range(mover.shape[0]):
        for k in range(4):
            first, n = mover[m].first_piece[k], mover[m].n_pieces[k]
            low, high = 0, n - 1
            while low < high:
                middle = (low + high + 1) // 2
                if piece[first + middle].begin <= time:
                    low = middle
                else:
                    high = middle - 1
            mover[m].piece[k] = first + low
        mover[m].now = np.nan
