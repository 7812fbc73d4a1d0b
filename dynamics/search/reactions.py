"""Contact letters of an acceleration, and the least-norm contact forces that realise it.

Forces need not be unique even where the acceleration is (a box at rest on two corners). Those of least norm,
min 1/2 sum fn^2 + ft^2 with sum fn N + ft T = a - w and every (fn, ft) in its friction cone C_i, are. Their dual has
three unknowns for any number of contacts: maximise (a - w).y - 1/2 sum |P_i(N_i.y, T_i.y)|^2, where P_i projects onto
C_i; then (fn, ft)_i = P_i(N_i.y, T_i.y). It is concave and piecewise quadratic, so Newton's method with an exact line
search ends after a few steps, and a flat or nearly half-plane cone (mu = 0, mu = 1e12, mu = inf) is no special case.
Where contacts nearly oppose each other its precision does not suffice, and forces along three edges take its place.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.search.basic_forces import find_basic_forces
from dynamics.search.problem import NO_FORCE, NOT_FINITE, OK, ROLLS, compute_scale, entrance, inner
from dynamics.tolerances import (
    BALANCED,
    DEPENDENT_EDGE,
    GUESS_SHIFT,
    HOLDS_ORIGIN,
    LINE_BRACKET,
    NEARLY_BALANCED,
    ON_EDGE,
    SLOPE_ZERO,
    STEP_SHIFT,
)

NOT_REALISED = 4  # no legal forces give this acceleration
NEWTON_STEPS = 60


@entrance
def compute_letters(problem, a, tolerances, out):
    """Letter of every contact at an acceleration: 0 s, 1 n, 2 r, 3 l, into out (k,) int64."""
    near = _find_near(problem, a, tolerances.letter)
    for i in range(problem.b.shape[0]):
        state = find_state(problem, a, i, near)
        out[i] = 0 if state == NO_FORCE else 1 if state == ROLLS else 2 if state > 0 else 3


@inner
def _find_near(problem, a, tolerance):
    """What counts as zero among the accelerations of a problem, at a."""
    scale = compute_scale(problem)
    return tolerance * (scale + sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]))


@inner
def _row_dot(rows, i, x, y, z):
    return rows[i, 0] * x + rows[i, 1] * y + rows[i, 2] * z


@inner
def _is_open(problem, a, i, near):
    """Does row i separate?"""
    n = problem.N
    size = sqrt(n[i, 0] * n[i, 0] + n[i, 1] * n[i, 1] + n[i, 2] * n[i, 2])
    return _row_dot(n, i, a[0], a[1], a[2]) + problem.b[i] > near * size


@inner
def find_state(problem, a, i, near):
    """State of row i at an acceleration: NO_FORCE, or the sign of its slip (0: rolls)."""
    n = problem.N
    gap = _row_dot(n, i, a[0], a[1], a[2]) + problem.b[i]
    size = sqrt(n[i, 0] * n[i, 0] + n[i, 1] * n[i, 1] + n[i, 2] * n[i, 2])
    if gap > near * size:
        return NO_FORCE
    other = problem.corner[i]
    if other >= 0 and (gap < -near * size or _is_open(problem, a, other, near)):
        return NO_FORCE  # of a corner-on-corner contact, this normal is not the one that holds
    if problem.slip[i] != 0:
        return problem.slip[i]
    t = problem.T
    slip = _row_dot(t, i, a[0], a[1], a[2]) + problem.d[i]
    size = sqrt(t[i, 0] * t[i, 0] + t[i, 1] * t[i, 1] + t[i, 2] * t[i, 2])
    return 1 if slip > near * size else -1 if slip < -near * size else ROLLS


@inner
def _project(state, mu, u, v):
    """Nearest point (fn, ft) of the friction cone to (u, v), and the part it is on: 0 apex, 1 edge, 2 inside.

    state: sign of the slip, 0 the whole cone. Returns (fn, ft, part, cn, ct) with (cn, ct) the unit edge in use.
    """
    if mu < inf:
        c = 1.0 / sqrt(1.0 + mu * mu)
        s = mu * c
    else:
        c, s = 0.0, 1.0
    if state != ROLLS or mu == 0.0:
        ct = -s if state > 0 else s
        along = c * u + ct * v
        return max(along, 0.0) * c, max(along, 0.0) * ct, (1 if along > 0.0 else 0), c, ct
    if u >= 0.0 and s * u >= c * abs(v):
        return u, v, (2 if u > 0.0 else 0), c, s
    ct = s if v >= 0.0 else -s
    along = c * u + ct * v
    if along <= 0.0:
        return 0.0, 0.0, 0, c, ct
    return along * c, along * ct, 1, c, ct


@inner
def _apply(problem, fn, ft, g, y):
    """What the forces at the dual point y leave of g, and the dual's (negative) Hessian; ft holds the states."""
    n, t = problem.N, problem.T
    rx, ry, rz = g
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(problem.b.shape[0]):
        state = _unpack_state(ft[i])
        if state == NO_FORCE:
            continue
        u, v = _row_dot(n, i, y[0], y[1], y[2]), _row_dot(t, i, y[0], y[1], y[2])
        f, h, part, cn, ct = _project(state, problem.mu[i], u, v)
        rx -= f * n[i, 0] + h * t[i, 0]
        ry -= f * n[i, 1] + h * t[i, 1]
        rz -= f * n[i, 2] + h * t[i, 2]
        if part == 1:
            ex, ey, ez = cn * n[i, 0] + ct * t[i, 0], cn * n[i, 1] + ct * t[i, 1], cn * n[i, 2] + ct * t[i, 2]
            xx, xy, xz = xx + ex * ex, xy + ex * ey, xz + ex * ez
            yy, yz, zz = yy + ey * ey, yz + ey * ez, zz + ez * ez
        elif part == 2:
            xx, xy = xx + n[i, 0] * n[i, 0] + t[i, 0] * t[i, 0], xy + n[i, 0] * n[i, 1] + t[i, 0] * t[i, 1]
            xz, yy = xz + n[i, 0] * n[i, 2] + t[i, 0] * t[i, 2], yy + n[i, 1] * n[i, 1] + t[i, 1] * t[i, 1]
            yz, zz = yz + n[i, 1] * n[i, 2] + t[i, 1] * t[i, 2], zz + n[i, 2] * n[i, 2] + t[i, 2] * t[i, 2]
    return (rx, ry, rz), (xx, xy, xz, yy, yz, zz)


@inner
def _unpack_state(mark):
    """The state that `solve_forces` keeps in ft while it works."""
    return NO_FORCE if mark > 1.5 else 1 if mark > 0.5 else -1 if mark < -0.5 else 0


@inner
def _solve(h, r, shift):
    """(H + shift I) x = r for a symmetric, positive semidefinite H (xx, xy, xz, yy, yz, zz), by Cholesky's method."""
    xx, xy, xz, yy, yz, zz = h
    a = sqrt(xx + shift)
    b, c = xy / a, xz / a
    d = sqrt(max(yy + shift - b * b, shift))
    e = (yz - b * c) / d
    f = sqrt(max(zz + shift - c * c - e * e, shift))
    p = r[0] / a
    q = (r[1] - b * p) / d
    s = (r[2] - c * p - e * q) / f
    z = s / f
    y = (q - e * z) / d
    return (p - b * y - c * z) / a, y, z


@inner
def _search_line(problem, fn, ft, g, y, step):
    """How far to go from y along a step of ascent: where the slope of the dual vanishes; inf if it never does."""
    low, high = 0.0, 1.0
    r, _ = _apply(problem, fn, ft, g, y)
    at_low = r[0] * step[0] + r[1] * step[1] + r[2] * step[2]
    start = at_low
    for _ in range(60):
        r, _ = _apply(problem, fn, ft, g, (y[0] + high * step[0], y[1] + high * step[1], y[2] + high * step[2]))
        at_high = r[0] * step[0] + r[1] * step[1] + r[2] * step[2]
        if abs(at_high) <= SLOPE_ZERO * start:
            return high
        if at_high < 0.0:
            break
        low, at_low = high, at_high
        high *= 8.0
    else:
        return inf
    for _ in range(80):
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        if not low < middle < high:
            middle = 0.5 * (low + high)
        r, _ = _apply(problem, fn, ft, g, (y[0] + middle * step[0], y[1] + middle * step[1], y[2] + middle * step[2]))
        at = r[0] * step[0] + r[1] * step[1] + r[2] * step[2]
        if abs(at) <= SLOPE_ZERO * start or high - low <= LINE_BRACKET * high:
            return middle
        if at > 0.0:
            low, at_low, at_high = middle, at, 0.5 * at_high
        else:
            high, at_high, at_low = middle, at, 0.5 * at_low
    return 0.5 * (low + high)


@entrance
def solve_forces(problem, a, tolerances, fn, ft):
    """Least-norm forces per unit mass, fn and ft (k,) out, that give the acceleration a by the laws of contact.

    Returns (status, unique): status 0, or NOT_REALISED if no legal forces give a (then fn, ft hold the nearest), or
    NOT_FINITE; unique 1 if no other forces do, else 0. Where contacts are so nearly opposed that the least norm is
    beyond double precision, the forces are those of `find_basic_forces`, and not said to be unique.
    """
    k = problem.b.shape[0]
    near = _find_near(problem, a, tolerances.letter)
    g = (a[0] - problem.w[0], a[1] - problem.w[1], a[2] - problem.w[2])
    goal = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    for i in range(k):
        fn[i] = 0.0
        ft[i] = find_state(problem, a, i, near)
    if not goal < inf or not near < inf:
        for i in range(k):
            ft[i] = 0.0
        return NOT_FINITE, 0
    y = (0.0, 0.0, 0.0)
    left = goal
    if goal > near:
        y, left = _maximise(problem, fn, ft, g, goal, tolerances.force)
    if left > tolerances.force * goal and goal > near and find_basic_forces(problem, g, tolerances.force, fn, ft):
        return OK, 0
    unique = 1 if _is_unique(problem, fn, ft, y) else 0
    n, t = problem.N, problem.T
    for i in range(k):
        state = _unpack_state(ft[i])
        if state == NO_FORCE:
            ft[i] = 0.0
        else:
            u, v = _row_dot(n, i, y[0], y[1], y[2]), _row_dot(t, i, y[0], y[1], y[2])
            f, h, _, _, _ = _project(state, problem.mu[i], u, v)
            fn[i], ft[i] = f, h
    return (OK if left <= tolerances.force * goal or goal <= near else NOT_REALISED), unique


@inner
def _maximise(problem, fn, ft, g, goal, tolerance):
    """Newton's method for the dual; returns its best point and the residual of the force balance there."""
    # first guess: no cone is in the way, all of the fn and ft of rolling contacts are free
    n, t = problem.N, problem.T
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(problem.b.shape[0]):
        state = _unpack_state(ft[i])
        if state == NO_FORCE:
            continue
        _, _, _, cn, ct = _project(state, problem.mu[i], 1.0, 0.0)
        for part in range(2 if state == ROLLS and problem.mu[i] > 0.0 else 1):
            if state == ROLLS and problem.mu[i] > 0.0:
                cn, ct = 1.0 - part, 0.0 + part
            ex, ey, ez = cn * n[i, 0] + ct * t[i, 0], cn * n[i, 1] + ct * t[i, 1], cn * n[i, 2] + ct * t[i, 2]
            xx, xy, xz = xx + ex * ex, xy + ex * ey, xz + ex * ez
            yy, yz, zz = yy + ey * ey, yz + ey * ez, zz + ez * ez
    full = xx + yy + zz
    if full == 0.0:
        return (0.0, 0.0, 0.0), goal
    y = _solve((xx, xy, xz, yy, yz, zz), g, GUESS_SHIFT * full)
    best_y, best = (0.0, 0.0, 0.0), goal
    stalled = 0
    for _ in range(NEWTON_STEPS):
        r, h = _apply(problem, fn, ft, g, y)
        left = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
        stalled = 0 if left < 0.5 * best else stalled + 1
        if left < best:
            best_y, best = y, left
        if best <= BALANCED * goal or (stalled > 2 and best <= tolerance * goal):
            break
        step = _solve(h, r, STEP_SHIFT * full)
        ahead = (y[0] + step[0], y[1] + step[1], y[2] + step[2])
        after, _ = _apply(problem, fn, ft, g, ahead)
        left_after = sqrt(after[0] * after[0] + after[1] * after[1] + after[2] * after[2])
        if left_after < 0.5 * left:
            y = ahead
            continue
        if best <= NEARLY_BALANCED * goal:  # what is left is rounding, in which a search would find nothing
            return (ahead, left_after) if left_after < best else (best_y, best)
        move = _search_line(problem, fn, ft, g, y, step)
        if move == inf:
            break
        y = (y[0] + move * step[0], y[1] + move * step[1], y[2] + move * step[2])
    return best_y, best


@inner
def _free_part(problem, fn, ft, y, i):
    """Which part of its cone the force of row i is on, to rounding: -1 none, 0 apex, 1 edge, 2 inside; and the edge in
    use."""
    state = _unpack_state(ft[i])
    if state == NO_FORCE:
        return -1, 0, 0.0, 0.0
    u = _row_dot(problem.N, i, y[0], y[1], y[2])
    v = _row_dot(problem.T, i, y[0], y[1], y[2])
    _, _, part, cn, ct = _project(state, problem.mu[i], u, v)
    zero = ON_EDGE * sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) * (_get_size(problem.N, i) + _get_size(problem.T, i))
    if part == 2 and ct * u - cn * abs(v) <= zero:
        part, ct = 1, (ct if v >= 0.0 else -ct)
    if part > 0 and max(u, cn * u + ct * v) <= zero:
        part = 0
    return part, state, cn, ct


@inner
def _get_size(rows, i):
    return sqrt(rows[i, 0] * rows[i, 0] + rows[i, 1] * rows[i, 1] + rows[i, 2] * rows[i, 2])


@inner
def _mix(problem, i, cn, ct):
    n, t = problem.N, problem.T
    return cn * n[i, 0] + ct * t[i, 0], cn * n[i, 1] + ct * t[i, 1], cn * n[i, 2] + ct * t[i, 2]


@inner
def _remove(e, basis, rank):
    """e without its parts along an orthonormal basis, and the share of its length that is left."""
    x, y, z = e
    size = sqrt(x * x + y * y + z * z)
    for m in range(rank):
        q = basis[m]
        s = x * q[0] + y * q[1] + z * q[2]
        x, y, z = x - s * q[0], y - s * q[1], z - s * q[2]
    left = sqrt(x * x + y * y + z * z)
    if left <= DEPENDENT_EDGE * size:
        return (0.0, 0.0, 0.0), 0.0
    return (x / left, y / left, z / left), left / size


@inner
def _is_unique(problem, fn, ft, y):
    """Are the forces at y the only ones? No change of them, allowed by the cones, may leave the sum as it is.

    Forces inside a cone or on one of its edges can change both ways along it: those directions must be independent.
    The rest can change one way: with the former projected out, they must lie strictly in one half-space.
    """
    o = (0.0, 0.0, 0.0)
    basis = (o, o, o)
    rank = 0
    for i in range(problem.b.shape[0]):
        part, _, cn, ct = _free_part(problem, fn, ft, y, i)
        for m in range(max(part, 0)):
            if rank == 3:
                return False
            e = _mix(problem, i, cn, ct) if part == 1 else _mix(problem, i, 1.0 - m, 0.0 + m)
            q, share = _remove(e, basis, rank)
            if share == 0.0:
                return False
            basis = (q if rank == 0 else basis[0], q if rank == 1 else basis[1], q if rank == 2 else basis[2])
            rank += 1
    return _is_pointed(problem, fn, ft, y, basis, rank)


@inner
def _is_pointed(problem, fn, ft, y, basis, rank):
    """Do the one-way changes lie strictly in a half-space? Gilbert's method for the point of their hull nearest 0."""
    px, py, pz = 0.0, 0.0, 0.0
    for step in range(300):
        lowest, qx, qy, qz, count = inf, 0.0, 0.0, 0.0, 0
        for i in range(problem.b.shape[0]):
            part, state, cn, ct = _free_part(problem, fn, ft, y, i)
            wide = state == ROLLS and problem.mu[i] > 0.0
            if part < 0 or part == 2 or (part == 1 and not wide):
                continue
            for side in range(2 if wide and part == 0 else 1):
                if part == 1:
                    e = _mix(problem, i, abs(ct), -cn if ct > 0.0 else cn)  # from the edge into the cone
                else:
                    e = _mix(problem, i, cn, ct if side == 0 else -ct)
                q, share = _remove(e, basis, rank)
                if share == 0.0:
                    return False
                value = q[0] * px + q[1] * py + q[2] * pz
                count += 1
                if value < lowest:
                    lowest, qx, qy, qz = value, q[0], q[1], q[2]
        if count == 0 or (step > 0 and lowest > 0.0):
            return True
        if step == 0:
            px, py, pz = qx, qy, qz
            continue
        dx, dy, dz = qx - px, qy - py, qz - pz
        size = dx * dx + dy * dy + dz * dz
        if size == 0.0:
            return False
        s = min(1.0, max(0.0, -(px * dx + py * dy + pz * dz) / size))
        px, py, pz = px + s * dx, py + s * dy, pz + s * dz
        if px * px + py * py + pz * pz < HOLDS_ORIGIN:
            return False
    return False
