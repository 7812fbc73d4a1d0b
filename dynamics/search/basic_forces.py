"""Forces along three friction edges at most: what is left where contacts nearly oppose each other.

Two contacts whose edges are an angle eps from opposed hold a load across them by forces that are 1/eps times as large.
The dual that gives forces of least norm has then a Hessian of condition 1/eps^2, beyond double precision from eps of
about 1e-7 on. A system of three edges has the condition 1/eps, and its residual can be refined down to the rounding of
the forces themselves. A force that exists can be had from three edges (Caratheodory).
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.search.problem import inner
from dynamics.tolerances import FORCE_ULPS, LARGEST_FORCE, NEGATIVE_FORCE

# Edges that are tried in all threes; each contact has one to three. Reason: 48 make 17 000 threes, a few milliseconds.
# Consequence: where more contacts push, forces near the limit of double precision may be said not to be found.
MOST_EDGES = 48


@inner
def find_basic_forces(problem, g, tolerance, fn, ft):
    """Legal forces along at most three edges with the sum g (3,), the smallest ones: True, fn and ft (k,), if found.

    ft holds the sign of each slip, 0 for a contact that rolls, 2 for one that cannot push. The residual is at most
    `tolerance` relative to g, plus FORCE_ULPS of the forces.
    """
    if _count_edges(problem, ft) > MOST_EDGES:
        return False
    size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    least, f, three = LARGEST_FORCE * size, (0.0, 0.0, 0.0), (-1, -1, -1)
    end = 3 * problem.b.shape[0]
    for p in range(end):
        if not _is_edge(problem, ft, p):
            continue
        a = _get_edge(problem, ft, p)
        for q in range(p, end):
            if not _is_edge(problem, ft, q):
                continue
            b = _get_edge(problem, ft, q)
            for r in range(q, end if q > p else q + 1):  # one, two or three different: (p, p, p), (p, q, q), (p, q, r)
                if not _is_edge(problem, ft, r):
                    continue
                found, residual = _solve_edges((p, q, r), (a, b, _get_edge(problem, ft, r)), g)
                largest = max(found[0], found[1], found[2])
                if largest < least and min(found[0], found[1], found[2]) >= -NEGATIVE_FORCE * largest:
                    if residual <= tolerance * size + FORCE_ULPS * largest:
                        least, f, three = largest, found, (p, q, r)
    if three[0] < 0:
        return False
    a, b, c = _get_edge(problem, ft, three[0]), _get_edge(problem, ft, three[1]), _get_edge(problem, ft, three[2])
    for i in range(problem.b.shape[0]):
        fn[i], ft[i] = 0.0, 0.0
    _add_force(fn, ft, three[0] // 3, f[0], a)
    _add_force(fn, ft, three[1] // 3, f[1], b)
    _add_force(fn, ft, three[2] // 3, f[2], c)
    return True


@inner
def _is_edge(problem, ft, p):
    """Is p the number of an edge? Contact i has 3 i, 3 i + 1 and 3 i + 2 where it rolls, 3 i where it slides, and none
    where it cannot push."""
    state = ft[p // 3]
    return state < 1.5 and (p % 3 == 0 or (abs(state) < 0.5 and problem.mu[p // 3] > 0.0))


@inner
def _count_edges(problem, ft):
    count = 0
    for p in range(3 * problem.b.shape[0]):
        if _is_edge(problem, ft, p):
            count += 1
    return count


@inner
def _get_edge(problem, ft, p):
    """Edge number p, (x, y, z), and its fn and ft, of length one: the edge against the slip, or, of a contact that
    rolls, the two edges and between them the normal."""
    i = p // 3
    mu, state = problem.mu[i], ft[i]
    rolls = abs(state) < 0.5 and mu > 0.0
    sign = p % 3 - 1.0 if rolls else (-1.0 if state > 0.5 else 1.0)
    if sign == 0.0 or mu == 0.0:
        cn, ct = 1.0, 0.0
    elif mu == inf:
        cn, ct = 0.0, sign
    else:
        c = 1.0 / sqrt(1.0 + mu * mu)
        cn, ct = c, sign * mu * c
    n, t = problem.N, problem.T
    return cn * n[i, 0] + ct * t[i, 0], cn * n[i, 1] + ct * t[i, 1], cn * n[i, 2] + ct * t[i, 2], cn, ct


@inner
def _add_force(fn, ft, i, force, edge):
    fn[i] += max(force, 0.0) * edge[3]
    ft[i] += max(force, 0.0) * edge[4]


@inner
def _solve_edges(three, edges, g):
    """Forces along three edges, the nearest along two or one, and the length of what they leave of g."""
    a, b, c = edges
    f = (0.0, 0.0, 0.0)
    left = g
    size = 0.0
    for _ in range(4):  # the residual of one solution is the load of the next
        more = _solve_once(three, edges, left)
        f = (f[0] + more[0], f[1] + more[1], f[2] + more[2])
        left = (g[0] - f[0] * a[0], g[1] - f[0] * a[1], g[2] - f[0] * a[2])
        left = (left[0] - f[1] * b[0], left[1] - f[1] * b[1], left[2] - f[1] * b[2])
        left = (left[0] - f[2] * c[0], left[1] - f[2] * c[1], left[2] - f[2] * c[2])
        before, size = size, sqrt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2])
        if before > 0.0 and size >= 0.5 * before:
            break
    return f, size


@inner
def _solve_once(three, edges, g):
    """One solution by Cramer's rule, of a relative error of the condition of the edges; zeros if they are dependent."""
    p, q, r = three
    a, b, c = edges
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
