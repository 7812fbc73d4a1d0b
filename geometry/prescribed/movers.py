"""Motions as compiled code sees them: tables of movers, of their polynomial pieces and of their waves.

A mover evaluates the piece that it has been told to use also a little beyond its ends, so that a step that ends at a
break sees a smooth motion.
"""

from __future__ import annotations

from math import cos, inf, sin
from typing import NamedTuple

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_record, allocate_table, define_record
from geometry.prescribed.motion import SMOOTH, THETA, X, Y, judge_pieces

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
    ("gone", "?"),  # does nothing depend on it any more?
    ("walls", "?"),  # does it carry walls or a surface? Others are frames of grippers, or loads over time
    ("root", "i8"),  # of the tree over these edges, -1 where there is none
    ("cosine", "f8"), ("sine", "f8"),  # of theta at the present time, where it carries edges
    ("work", "f8"), ("work_start", "f8"),  # J/kg that it has done on the part, now and at the start of the step
)  # fmt: skip

# What is known of the time of a table of movers, and of the walls that they carry. NaN: not known.
CLOCK = define_record(
    ("now", "f8"),  # s: the time at which they stand
    ("turned", "f8"),  # s: the time for which whoever knows a load has turned gravity with its mover
    ("ended", "?"),  # has all motion ended?
)


def start_clock():
    """The clock of movers that stand at no time yet."""
    clock = allocate_record(CLOCK)
    clock.now = clock.turned = np.nan
    return clock


@jit
def copy_clock(target, source):
    """Set one clock to the time of another."""
    target.now, target.turned, target.ended = source.now, source.turned, source.ended


def build_movers(motions) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tables MOVER, PIECE and WAVE of a sequence of motions, or of what else is a Course, in order; edges are not yet
    assigned."""
    mover = allocate_table(MOVER, len(motions))
    mover.root = -1
    pieces, waves = [], []
    for row, motion in zip(mover, motions, strict=True):
        for k, coordinate in enumerate(motion.coordinates):
            row.first_piece[k], row.n_pieces[k], row.piece[k] = len(pieces), len(coordinate.pieces), len(pieces)
            row.first_wave[k], row.n_waves[k] = len(waves), len(coordinate.waves)
            pieces += [(piece, SMOOTH if motion.read_only_at_samples else meets)
                       for piece, meets in judge_pieces(coordinate, motion.may_jump)]
            waves += coordinate.waves
    piece, wave = allocate_table(PIECE, len(pieces)), allocate_table(WAVE, len(waves))
    for row, (source, meets) in zip(piece, pieces, strict=True):
        row.begin, row.origin, row.meets = source.begin, source.origin, meets
        row.c[: len(source.coefficients)] = source.coefficients
    for row, source in zip(wave, waves, strict=True):
        row.amplitude, row.frequency, row.phase = source.amplitude, source.frequency, source.phase
    return mover, piece, wave


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


class MotionBounds(NamedTuple):
    """Upper bounds over an interval of time, of the motion of a frame or of the centre of mass."""

    speed: float  # m/s
    omega: float  # rad/s, of |omega|
    acceleration: float  # m/s^2, of |acceleration|
    alpha: float  # rad/s^2, of |alpha|
    jerk: float  # m/s^3, of the derivative of the acceleration; infinity where nobody asks
    angular_jerk: float  # rad/s^3


@kernel
def bound_mover(mover, piece, wave, m, time, h):
    """MotionBounds of the frame of mover m over [time, time + h]."""
    vx, ax = _bound_coordinate(mover, piece, wave, m, X, time, h)
    vy, ay = _bound_coordinate(mover, piece, wave, m, Y, time, h)
    omega, alpha = _bound_coordinate(mover, piece, wave, m, THETA, time, h)
    return MotionBounds(np.sqrt(vx * vx + vy * vy), omega, np.sqrt(ax * ax + ay * ay), alpha, inf, inf)


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
