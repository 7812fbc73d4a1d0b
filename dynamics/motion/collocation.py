"""The motion of a mode over a long step, where a stiff load holds the part: by Radau's collocation (IIA).

A power series is about 10 / omega long at most, omega the highest frequency of the load, even where nothing swings any
more. Here the accelerations a_i at the nodes c_i of the step, in (x, y, rho theta), solve

    a_i = A(t + c_i h, q_i, v_i),   v_i = v + h sum_j A_ij a_j,   q_i = q + c_i h v + h^2 sum_j (A A)_ij a_j

with A(t, q, v) that of `evaluate_mode`. The method is L-stable: what is stiff and has died away, to the tolerance, is
dead at the end of the step, and its length comes from the accuracy of the slow motion alone. What still swings shows as
coefficients that do not fall off, and the step is refused.

The accelerations are integrated with A A, not with the double integral of their own polynomial: that method (direct
collocation) grows without bound for h omega above 5 to 12 (van der Houwen, Sommeijer & Cong, BIT 31 (1991) 469-481). At
the end of the step both agree, since Radau's quadrature is exact there, so that the path is the double integral, whose
velocity is that of the nodes and of the start.

Source: Hairer & Wanner, Solving Ordinary Differential Equations II, sections IV.5 and IV.8.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from dynamics.motion.constrained import evaluate_mode, measure_stiffness
from dynamics.motion.mode import OK, SLIDING, SLIDING_TWICE, MotionState, lies_flat
from dynamics.motion.radau import INTEGRAL, LEGENDRE, NODES, POWERS, STAGES, TWICE
from dynamics.tolerances import DIFFERENCE, NEWTON_LEFT, NEWTON_ROUNDING
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record

# Unknowns of a step: three at each node.
_UNKNOWNS = 3 * STAGES

# Steps of Newton's method: a load that is linear in pose and velocity needs two, of which the second finds rounding.
# One that needs more than this has changed within the step, which had better be shorter.
_MOST_ITERATIONS = 10
# ... and the step is too long where a correction with new derivatives is not smaller than this share of the one before.
# They are computed anew for the second, since the first is the longest way, and where a correction is not smaller than
# the other share.
_SLOWEST, _GOOD = 0.5, 1e-3

# The next step is so much shorter than one whose error would be what is allowed, so that few are refused; and so much
# longer or shorter than the last one at most.
SAFETY, MOST_GROWTH, LEAST_SHRINK = 0.9, 8.0, 0.1

COLLOCATION = define_record(
    ("a", "f8", (STAGES, 3)),  # m/s^2 at the nodes, in (x, y, rho theta)
    ("terms", "f8", (STAGES, 3)),  # the same, as coefficients of Legendre's polynomials
    ("pose", "f8", (3,)), ("velocity", "f8", (3,)),  # of a node, (x, y, theta)
    ("trial", "f8", (3,)), ("force", "f8", (4,)), ("here", "f8", (3,)),
    # derivatives of the acceleration at the nodes, in (x, y, rho theta)
    ("by_pose", "f8", (STAGES, 3, 3)), ("by_velocity", "f8", (STAGES, 3, 3)),
    ("matrix", "f8", (_UNKNOWNS, _UNKNOWNS)), ("pivot", "i8", (_UNKNOWNS,)), ("right", "f8", (_UNKNOWNS,)),
)  # fmt: skip


class Accuracy(NamedTuple):
    """What the error of a step is measured by; angles count times the radius of gyration."""

    tolerance: float  # relative to the other two
    size: float  # m
    speed: float  # m/s


@kernel
def collocate(body, mode, at, h, accuracy, work):
    """Solve for the accelerations at the nodes of a step of length h from a MotionState; returns whether that has been
    done."""
    for i in range(STAGES):
        for c in range(3):
            work.a[i, c] = 0.0
    before, renew = inf, True
    for number in range(_MOST_ITERATIONS):
        if renew and not _renew_matrix(body, mode, at, h, accuracy, work):
            return False
        for i in range(STAGES):
            if not _fill_residual(body, mode, at, h, i, work):
                return False
        solve_factorised(work.matrix, work.pivot, work.right)
        change = _correct(body, h, accuracy, work)
        if not change < inf:
            return False
        rate = change / before if 0.0 < before < inf else 0.0
        if before < inf and (change <= NEWTON_LEFT or change * rate <= NEWTON_LEFT * (1.0 - rate)):
            return _keeps_sign(body, mode, at, h, work)
        if rate > _SLOWEST and renew and number > 1:  # the first goes to where the second can tell
            return change <= NEWTON_ROUNDING and _keeps_sign(body, mode, at, h, work)
        renew = rate > _GOOD or before == inf
        before = change
    return False


@jit
def _evaluate(body, mode, time, work):
    """Write the acceleration at the pose and the velocity of the work record to its trial, in (x, y, rho theta)."""
    status, _ = evaluate_mode(body, mode, MotionState(time, work.pose, work.velocity), work.trial, work.force)
    work.trial[2] *= body.rho
    if lies_flat(body, mode) and work.velocity[2] == 0.0:
        work.trial[2] = 0.0
    return status == OK


@kernel
def _renew_matrix(body, mode, at, h, accuracy, work):
    """Write the factors of I - h A (x) dA/dv - h^2 A A (x) dA/dq with the derivatives at each node; False where it is
    singular. Each node has its own: a contact that slides turns the direction in which a stiff load is borne, and what
    is stiff makes much of a small turn."""
    for i in range(STAGES):
        if not _differentiate(body, mode, at, h, accuracy, i, work):
            return False
    for i in range(STAGES):
        for j in range(STAGES):
            once, twice = h * INTEGRAL[i, j], h * h * TWICE[i, j]
            for r in range(3):
                for c in range(3):
                    entry = -once * work.by_velocity[i, r, c] - twice * work.by_pose[i, r, c]
                    work.matrix[3 * i + r, 3 * j + c] = entry + 1.0 if i == j and r == c else entry
    return factorise(work.matrix, work.pivot)


@kernel
def _differentiate(body, mode, at, h, accuracy, i, work):
    """Write the derivatives of the acceleration at node i by differences, central ones for the pose: of a stiff load
    also its small bend counts."""
    time, pose, velocity, trial, here = at.time + NODES[i] * h, work.pose, work.velocity, work.trial, work.here
    _place_node(body, at, h, i, work)
    if not _evaluate(body, mode, time, work):
        return False
    for r in range(3):
        here[r] = trial[r]
    for c in range(3):
        unit = body.rho if c == 2 else 1.0
        kept, step = pose[c], DIFFERENCE * accuracy.size / unit
        pose[c] = kept + step
        after = pose[c]
        if not _evaluate(body, mode, time, work):
            return False
        for r in range(3):
            work.by_pose[i, r, c] = trial[r]
        pose[c] = kept - step
        step = (after - pose[c]) * unit  # as it is after rounding
        if step == 0.0 or not _evaluate(body, mode, time, work):
            return False
        for r in range(3):
            work.by_pose[i, r, c] = (work.by_pose[i, r, c] - trial[r]) / step
        pose[c] = kept
        kept, step = velocity[c], DIFFERENCE * accuracy.speed / unit
        velocity[c] += step
        step = (velocity[c] - kept) * unit
        if step == 0.0 or not _evaluate(body, mode, time, work):
            return False
        for r in range(3):
            work.by_velocity[i, r, c] = (trial[r] - here[r]) / step
        velocity[c] = kept
    return True


@kernel
def _place_node(body, at, h, i, work):
    """Write pose and velocity at node i."""
    for c in range(3):
        unit = body.rho if c == 2 else 1.0
        speed, way = 0.0, 0.0
        for j in range(STAGES):
            speed += INTEGRAL[i, j] * work.a[j, c]
            way += TWICE[i, j] * work.a[j, c]
        work.velocity[c] = at.velocity[c] + h * speed / unit
        work.pose[c] = at.pose[c] + h * (NODES[i] * at.velocity[c] + h * way / unit)


@kernel
def _fill_residual(body, mode, at, h, i, work):
    """Write what the acceleration of the mode at node i has more than a_i; False where there is none."""
    _place_node(body, at, h, i, work)
    if not _evaluate(body, mode, at.time + NODES[i] * h, work):
        return False
    for c in range(3):
        work.right[3 * i + c] = work.trial[c] - work.a[i, c]
    return True


@kernel
def _correct(body, h, accuracy, work):
    """Add the correction to the accelerations; returns the change of poses and velocities that comes of it, in errors
    that are allowed."""
    largest = 0.0
    for i in range(STAGES):
        for c in range(3):
            work.a[i, c] += work.right[3 * i + c]
            speed, way = 0.0, 0.0
            for j in range(STAGES):
                speed += INTEGRAL[i, j] * work.right[3 * j + c]
                way += TWICE[i, j] * work.right[3 * j + c]
            change = h * max(abs(speed) / accuracy.speed, h * abs(way) / accuracy.size) / accuracy.tolerance
            if not change < inf:
                return inf
            largest = max(largest, change)
    return largest


@kernel
def _keeps_sign(body, mode, at, h, work):
    """Has the equation for the forces of a sliding basis a determinant of one sign at all nodes? See
    `sim.engine.step`."""
    if mode.kind != SLIDING and mode.kind != SLIDING_TWICE:
        return True
    start = measure_stiffness(body, mode, at.time, at.pose)
    for i in range(STAGES):
        _place_node(body, at, h, i, work)
        if start * measure_stiffness(body, mode, at.time + NODES[i] * h, work.pose) <= 0.0:
            return False
    return True


@kernel
def measure_error(h, accuracy, work):
    """Error of the path between the nodes, in errors that are allowed, of accelerations that have been solved for.

    What is left out is smaller than the last two terms, by the ratio of neighbouring ones; with these the path would be
    off by less than a / (2 k + 1) / (2 k - 1) h^2, and the velocity by a / (2 k + 1) h.
    """
    for k in range(STAGES):
        for c in range(3):
            term = 0.0
            for j in range(STAGES):
                term += LEGENDRE[k, j] * work.a[j, c]
            work.terms[k, c] = term
    error = 0.0
    for k in range(STAGES - 2, STAGES):
        term = max(abs(work.terms[k, 0]), abs(work.terms[k, 1]), abs(work.terms[k, 2])) * h / (2.0 * k + 1.0)
        error = max(error, term / accuracy.speed, term * h / (2.0 * k - 1.0) / accuracy.size)
    return error / accuracy.tolerance


@jit
def scale_step(error):
    """By what a step may change where one has had this error, in errors that are allowed: it grows with its power."""
    if error <= (SAFETY / MOST_GROWTH) ** STAGES:
        return MOST_GROWTH
    return max(SAFETY * error ** (-1.0 / STAGES), LEAST_SHRINK)


@kernel
def fill_collocation_path(body, at, h, work, path):
    """Write the path of a step whose error has been measured: the double integral of the accelerations."""
    path.degree = STAGES + 1
    for c in range(3):
        unit = body.rho if c == 2 else 1.0
        path.c[c, 0], path.c[c, 1] = at.pose[c], at.velocity[c]
        scale = 1.0 / unit
        for m in range(STAGES):  # the terms fall off faster than the powers grow, so that no digits are lost
            total = 0.0
            for k in range(STAGES - 1, m - 1, -1):
                total += POWERS[k, m] * work.terms[k, c]
            path.c[c, m + 2] = total * scale / ((m + 1.0) * (m + 2.0))
            scale /= h


@kernel
def factorise(matrix, pivot):
    """LU factors of a square matrix, in its place, with the rows in the order of `pivot`; False where it is singular.
    """
    n = matrix.shape[0]
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[best, k]):
                best = i
        pivot[k] = best
        if not 0.0 < abs(matrix[best, k]) < inf:
            return False
        if best != k:
            for j in range(n):
                matrix[k, j], matrix[best, j] = matrix[best, j], matrix[k, j]
        for i in range(k + 1, n):
            factor = matrix[i, k] / matrix[k, k]
            matrix[i, k] = factor
            for j in range(k + 1, n):
                matrix[i, j] -= factor * matrix[k, j]
    return True


@kernel
def solve_factorised(matrix, pivot, right):
    """Solve for a right side, in its place, with the factors of `factorise`."""
    n = matrix.shape[0]
    for k in range(n):
        right[k], right[pivot[k]] = right[pivot[k]], right[k]
    for i in range(n):
        for j in range(i):
            right[i] -= matrix[i, j] * right[j]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            right[i] -= matrix[i, j] * right[j]
        right[i] /= matrix[i, i]
