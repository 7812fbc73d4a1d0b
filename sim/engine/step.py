"""One step of the motion in a fixed mode: a power series in time, with projection on the constraints.

The path of a step is a polynomial whose order fits the tolerance (see `dynamics.motion.mode_series`), so it is as exact
between its ends as there. Where a stiff load holds the part and nothing swings, such a step is much shorter than the
motion asks for; then it is one by collocation (see `dynamics.motion.collocation`), also a polynomial. A place on it is
moved back to gap 0 and its velocity to gap' = 0 by the shortest way in the kinetic metric; both corrections are of the
order of the error.
"""

from __future__ import annotations

from math import sqrt

from dynamics.motion.collocation import (
    Accuracy,
    collocate,
    fill_collocation_path,
    measure_error,
    scale_step,
)
from dynamics.motion.constrained import project_pose, project_velocity
from dynamics.motion.mode import CARRIED, FREE, OK, SLIDING, SLIDING_TWICE, STATIC, MotionState, get_load
from dynamics.motion.mode_series import fill_mode_series, find_step_length
from geometry.compiled.jit import jit, kernel
from geometry.contact.path import evaluate_path
from geometry.tolerances import SMALLEST_STEP
from sim.engine.state import get_present
from sim.rows.status_codes import GO_ON, STEP_TOO_SMALL

# Length of the first step of a free flight, in sizes of the part, and how later ones grow. A flight is exact in steps
# of any length, but the search for contacts takes strides by the largest speed in a step.
FLIGHT, FLIGHT_GROWTH = 1e3, 8.0

# A power series of degree n whose last terms are those of a load of frequency omega, which swings with an amplitude
# of the tolerance, is about 0.4 n / omega long: shorter while it swings more widely, longer when it has died away, up
# to about 0.7 n / omega where rounding swings. So a step by collocation is tried between these, in n / omega: below the
# first the part swings, above the second it is not the load that limits the series.
SWINGS, NOT_STIFF = 0.25, 2.5

# A step by collocation is taken where it is so many times longer than the series, which has been computed before. Its
# equations take five times as long as the series, and with all that belongs to a step it costs about three times as
# much.
LONGER = 4.0
# It is tried at so many lengths. Where none is good, it is not tried again for 1, 3, 7, ... steps, at most for the
# second: a part that swings for ever costs a few per cent more.
TRIES, LONGEST_PAUSE = 3, 63
# It is shortened by this where there is no solution of its equations.
NOT_SOLVED = 0.4


@kernel
def take_step(body, options, state, tools, left):
    """Write the path of a step whose error is small enough, at most `left` [s] long; returns (code, its length)."""
    mode, path, series = state.mode, state.path, tools.desk.series
    state.collocated = 0
    status = fill_mode_series(body, mode, get_present(state), options.order, path, series)
    state.evaluations += 1
    if status != OK:
        return STEP_TOO_SMALL, 0.0
    for k in range(path.degree + 1):
        state.friction_path[k] = series.work[k] if k <= series.terms else 0.0
    size, v, w = body.part.radius, state.velocity, get_load(body, get_present(state))
    load = abs(w[0]) + abs(w[1]) + abs(w[2])
    speed = max(abs(v[0]) + abs(v[1]) + abs(v[2]) * body.rho, sqrt(load * size))
    if options.step > 0.0:
        h = options.step
    elif mode.kind == FREE and not body.varying:
        h = state.next_step
        if h <= 0.0:
            pull = 2.0 * (abs(path.c[0, 2]) + abs(path.c[1, 2]) + abs(path.c[2, 2]) * body.rho)
            h = FLIGHT * size / max(speed, sqrt(pull * size)) if speed + pull > 0.0 else left
        state.next_step = FLIGHT_GROWTH * h
    else:
        h = min(find_step_length(path, options.tolerance, size, speed, body.rho), body.longest)
    h = min(h, left)
    while h >= SMALLEST_STEP * options.duration and not _keeps_stiffness(mode, series, h):
        h *= 0.5
    if options.step == 0.0 and h < left:
        # of a part that is held the loads may balance: then its speed is that which the forces of the scene would make
        accuracy = Accuracy(options.tolerance, size, max(speed, sqrt(options.scales.force * size)))
        h = _lengthen(body, options, state, tools.desk.collocation, h, min(left, body.longest), accuracy)
    if h >= left:
        return GO_ON, left
    if state.time + h <= state.time or h < SMALLEST_STEP * options.duration:
        return STEP_TOO_SMALL, 0.0
    return GO_ON, h


@kernel
def _lengthen(body, options, state, work, h, longest, accuracy):
    """Let the path be one by collocation, up to `longest` [s], where a stiff load makes the series of length h short;
    returns the length of the step."""
    mode, phase = state.mode, h * body.stiffness
    # without an obstacle that moves, work of friction is told by the series
    if mode.kind == CARRIED or mode.kind == STATIC or body.walls.mover.shape[0] == 0 or accuracy.speed == 0.0:
        return h
    if phase < SWINGS * options.order or phase > NOT_STIFF * options.order or longest < LONGER * h:
        return h
    if state.long_wait > 0:
        state.long_wait -= 1
        return h
    at, length = get_present(state), min(max(state.long_step, LONGER * h), longest)
    for _ in range(TRIES):
        state.evaluations += 1
        if collocate(body, mode, at, length, accuracy, work):
            error = measure_error(length, accuracy, work)
            scale = scale_step(error)
            if error <= 1.0:
                fill_collocation_path(body, at, length, work, state.path)
                known = state.long_step if length == longest else 0.0  # that the rest is short says nothing of the next
                state.collocated, state.long_step, state.long_pause = 1, max(known, scale * length), 0
                return length
        else:
            scale = NOT_SOLVED
        state.rejected += 1
        length *= scale
        if length < LONGER * h:
            break
    state.long_step, state.long_pause = 0.0, min(2 * state.long_pause + 1, LONGEST_PAUSE)
    state.long_wait = state.long_pause
    return h


@jit
def _keeps_stiffness(mode, series, h):
    """Has the equation for the forces of a sliding basis a determinant of the same sign at the end of a step as at its
    start?

    Where it is zero forces have a pole, and no motion leads through it; but a pole of a small residue changes the pose
    by less than the tolerance, so that the length of the step does not tell. See `measure_stiffness`.
    """
    if mode.kind != SLIDING and mode.kind != SLIDING_TWICE:
        return True
    last, row, edge = series.terms - 1, series.row, series.edge
    start, end = _apply_at(row, edge, last, 0.0), _apply_at(row, edge, last, h)
    if mode.kind == SLIDING_TWICE:
        row_2, edge_2 = series.row_2, series.edge_2
        start = start * _apply_at(row_2, edge_2, last, 0.0)
        start -= _apply_at(row, edge_2, last, 0.0) * _apply_at(row_2, edge, last, 0.0)
        end = end * _apply_at(row_2, edge_2, last, h)
        end -= _apply_at(row, edge_2, last, h) * _apply_at(row_2, edge, last, h)
    return start * end > 0.0


@kernel
def _apply_at(row, edge, last, tau):
    """R.E at a time, for the series of a row and of an edge."""
    rx, ry, rq, ex, ey, eq = row.x[last], row.y[last], row.q[last], edge.x[last], edge.y[last], edge.q[last]
    for j in range(last - 1, -1, -1):
        rx, ry, rq = rx * tau + row.x[j], ry * tau + row.y[j], rq * tau + row.q[j]
        ex, ey, eq = ex * tau + edge.x[j], ey * tau + edge.y[j], eq * tau + edge.q[j]
    return rx * ex + ry * ey + rq * eq


@kernel
def place_at(body, state, tau, pose, velocity):
    """Write the state of the motion at time tau of the path, on the constraints of its mode."""
    time = state.path_start + tau
    evaluate_path(state.path, tau, pose, velocity)
    project_pose(body, state.mode, time, pose)
    project_velocity(body, state.mode, MotionState(time, pose, velocity))
