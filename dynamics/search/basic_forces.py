"""Forces along three friction edges at most: what is left where contacts nearly oppose each other.

Two contacts whose edges are an angle eps from opposed hold a load across them by forces that are 1/eps times as large.
The dual that gives forces of least norm has then a Hessian of condition 1/eps^2, beyond double precision from eps of
about 1e-7 on. A system of three edges has the condition 1/eps, and its residual can be refined down to the rounding of
the forces themselves. A force that exists can be had from three edges (Caratheodory).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from dynamics.search.problem import inner
from dynamics.tolerances import FORCE_ULPS, LARGEST_FORCE, NEGATIVE_FORCE
from geometry.compiled.jit import jit

# Edges that are tried in all threes; each contact has one to three. Reason: 48 make 17 000 threes, a few milliseconds.
# Consequence: where more contacts push, forces near the limit of double precision may be said not to be found.
MOST_EDGES = 48


@inner
def find_basic_forces(problem, g, tolerance, fn, ft):
    """Legal forces along at most three edges with the sum g (3,), the smallest ones: True, fn and ft (k,), if found.

    ft holds the sign of each slip, 0 for a contact that rolls, 2 for one that cannot push. The residual is at most
    `tolerance` relative to g, plus FORCE_ULPS of the forces.
    """
    table = np.empty((MOST_EDGES, 6))
    count = _list_edges(problem, ft, table)
    size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    least, f, three = LARGEST_FORCE * size, (0.0, 0.0, 0.0), (-1, -1, -1)
    for p in range(count):
        for q in range(p, count):
            for r in range(q, count):
                if q == p and r > q:
                    continue  # one, two or three different edges: (p, p, p), (p, q, q), (p, q, r)
                found, residual = _solve_edges(table, (p, q, r), g)
                largest = max(found[0], found[1], found[2])
                if largest < least and min(found[0], found[1], found[2]) >= -NEGATIVE_FORCE * largest:
                    if residual <= tolerance * size + FORCE_ULPS * largest:
                        least, f, three = largest, found, (p, q, r)
    if three[0] < 0:
        return False
    for i in range(problem.b.shape[0]):
        fn[i], ft[i] = 0.0, 0.0
    for m in range(3):
        row, force = three[m], max(f[m], 0.0)
        i = int(table[row, 5])
        fn[i] += force * table[row, 3]
        ft[i] += force * table[row, 4]
    return True


@inner
def _list_edges(problem, ft, table):
    """Rows (edge (3,), its fn and ft, contact) of all edges, and the normals of rolling contacts; how many, 0 if they
    do not fit."""
    n, t, count = problem.N, problem.T, 0
    for i in range(problem.b.shape[0]):
        if ft[i] > 1.5:
            continue
        rolls = abs(ft[i]) < 0.5 and problem.mu[i] > 0.0
        for side in range(3 if rolls else 1):
            if count == table.shape[0]:
                return 0
            sign = side - 1.0 if rolls else (-1.0 if ft[i] > 0.5 else 1.0)
            cn, ct = _get_edge(problem.mu[i], sign)
            for c in range(3):
                table[count, c] = cn * n[i, c] + ct * t[i, c]
            table[count, 3], table[count, 4], table[count, 5] = cn, ct, i
            count += 1
    return count


@jit
def _get_edge(mu, sign):
    """(fn, ft) of length one on the edge of a cone where ft has this sign, or on its normal (sign 0)."""
    if sign == 0.0 or mu == 0.0:
        return 1.0, 0.0
    if mu == np.inf:
        return 0.0, sign
    c = 1.0 / sqrt(1.0 + mu * mu)
    return c, sign * mu * c


@inner
def _solve_edges(table, three, g):
    """Forces along three edges, the nearest along two or one, and the length of what they leave of g."""
    f = (0.0, 0.0, 0.0)
    left = g
    size = 0.0
    for _ in range(4):  # the residual of one solution is the load of the next
        more = _solve_once(table, three, left)
        f = (f[0] + more[0], f[1] + more[1], f[2] + more[2])
        left = g
        for m in range(3):
            row = three[m]
            left = (left[0] - f[m] * table[row, 0], left[1] - f[m] * table[row, 1], left[2] - f[m] * table[row, 2])
        before, size = size, sqrt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2])
        if before > 0.0 and size >= 0.5 * before:
            break
    return f, size


@inner
def _solve_once(table, three, g):
    """One solution by Cramer's rule, of a relative error of the condition of the edges; zeros if they are dependent."""
    p, q, r = three
    a, b, c = table[p], table[q], table[r]
    if p == q:
        return (g[0] * a[0] + g[1] * a[1] + g[2] * a[2]) / (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), 0.0, 0.0
    yx, yy, yz = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    if q == r:
        cx, cy, cz = yx, yy, yz
    else:
        cx, cy, cz = c[0], c[1], c[2]
    det = yx * cx + yy * cy + yz * cz
    if det == 0.0:
        return 0.0, 0.0, 0.0
    ux, uy, uz = b[1] * cz - b[2] * cy, b[2] * cx - b[0] * cz, b[0] * cy - b[1] * cx
    vx, vy, vz = cy * a[2] - cz * a[1], cz * a[0] - cx * a[2], cx * a[1] - cy * a[0]
    f = (g[0] * ux + g[1] * uy + g[2] * uz) / det, (g[0] * vx + g[1] * vy + g[2] * vz) / det
    return f[0], f[1], 0.0 if q == r else (g[0] * yx + g[1] * yy + g[2] * yz) / det
