"""One step of the motion in a fixed mode: a power series in time, with projection on the constraints.

The path of a step is a polynomial whose order fits the tolerance (see `dynamics.motion.mode_series`), so it is as exact
between its ends as there. A place on it is moved back to gap 0 and its velocity to gap' = 0 by the shortest way in the
kinetic metric; both corrections are of the order of the error.
"""

from __future__ import annotations

from math import sqrt

from dynamics.motion.constrained import project_pose, project_velocity
from dynamics.motion.mode import FREE, OK, SLIDING, SLIDING_TWICE, MotionState, get_load
from dynamics.motion.mode_series import fill_mode_series, find_step_length
from geometry.compiled.jit import jit, kernel
from geometry.contact.path import evaluate_path
from geometry.tolerances import SMALLEST_STEP
from sim.engine.state import get_present
from sim.rows.status_codes import GO_ON, STEP_TOO_SMALL

# Length of the first step of a free flight, in sizes of the part, and how later ones grow. A flight is exact in steps
# of any length, but the search for contacts takes strides by the largest speed in a step.
FLIGHT, FLIGHT_GROWTH = 1e3, 8.0


@kernel
def take_step(body, options, state, tools, left):
    """Write the path of a step whose error is small enough, at most `left` [s] long; returns (code, its length)."""
    mode, path, series = state.mode, state.path, tools.desk.series
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
    if h >= left:
        return GO_ON, left
    if state.time + h <= state.time or h < SMALLEST_STEP * options.duration:
        return STEP_TOO_SMALL, 0.0
    return GO_ON, h


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
