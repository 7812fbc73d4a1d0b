"""The poses of a contact formation, compiled: elimination of two contacts, roots of the third, poses, polish.

A formation is an array (3, 6), one row a contact: (b_x, b_y, P_x, P_y, n_x, n_y).

    type A   point b and outward unit normal n of an edge of the part (part frame), vertex P (world)
    type B   vertex b of the part (part frame), point P and outward unit normal n of an edge (world)
    pin      point b of the part is held at P (world); n is not used

and a code that says which rows are what: THREE_A, THREE_B, TWO_A_B (A, A, B), TWO_B_A (B, B, A), PIN_A and PIN_B (row 0
the pin, row 1 the contact, row 2 not used). With the pose (p, theta), R = c 1 + s K, K z = k x z, the gaps are

    A: n.(R^T (P - p) - b)        B: n.(p + R b - P)

**Duality.** Seen from the part, the world has the inverse pose p' = -R^T p, theta' = -theta, and b and P change places:
B becomes A. So THREE_B is THREE_A, TWO_B_A is TWO_A_B, and PIN_B is PIN_A of the world about the part.

**Elimination** (Farahat, Stiller and Trinkle, Section 3). Two A-contacts on edges that are not parallel give
u = R^T p = u0 + c u1 + s u2, a pin gives R^T p = R^T P - b. The gap of the contact that is left is then a function of
theta alone: of degree one (3A, pins; G c + H s + I, Equation (12)) or two (2AB: the corner of the two edges runs on a
circle). All are lengths, so that one tolerance serves; `trigonometric.py` finds and counts their roots.
"""

from __future__ import annotations

from math import cos, hypot, pi, sin

from geometry.compiled.jit import jit, kernel
from geometry.formation.trigonometric import EVERY_ANGLE, NO_ANGLE, evaluate, find_roots, wrap_angle
from geometry.tolerances import FORMATION_GAP, FORMATION_ROUNDINGS, PARALLEL_EDGES

THREE_A, THREE_B, TWO_A_B, TWO_B_A, PIN_A, PIN_B = 0, 1, 2, 3, 4, 5

# What `solve` returns when it is not the number of poses: why there are infinitely many, or none by accident.
TURNS = -1  # every theta: G = H = I = 0
NEVER = -2  # none: G = H = 0, I not
SLIDES = -3  # all three edges are parallel, or the third is at a solution: a translation is free
PARALLEL_APART = -4  # all three edges are parallel and cannot be touched at once
REDUNDANT = -5  # two contacts are one and the same constraint


@jit
def _cross(ax, ay, bx, by):
    return ax * by - ay * bx


@kernel
def solve(code, rows, poses, multiplicity, work):
    """All real poses of a formation: their number, or one of the codes above.

    rows (3, 6), see the head of this file; writes `poses` (4, 3) as x, y, theta and `multiplicity` (4,), by rising
    theta in (-pi, pi]; `work` (14, 6) is scratch. Multiplicity: 1 regular, 2 a branch point, 3 an inflection.
    """
    local, shift = work[0:3], work[3]
    dual = code == THREE_B or code == TWO_B_A or code == PIN_B
    used = 2 if code >= PIN_A else 3
    largest = _shift_rows(rows, dual, used, local, shift)
    if code <= THREE_B:
        count = _solve_three(local, largest, poses, multiplicity, work)
    elif code <= TWO_B_A:
        count = _solve_two_and_one(local, largest, poses, multiplicity, work)
    else:
        count = _solve_pin(local, largest, poses, multiplicity, work)
    for k in range(count):
        _restore_pose(poses[k], shift, dual)
        if multiplicity[k] == 1.0:
            _polish(code, rows, poses[k], work)
    _sort_poses(poses, multiplicity, count)
    return count


@kernel
def _shift_rows(rows, dual, used, local, shift):
    """The rows of the primal type, about the middles of their points: shift = (b0, P0). Returns the largest
    coordinate before."""
    largest = 0.0
    for c in range(4):
        shift[c] = 0.0
    for i in range(used):
        for c in range(2):
            b, P = (rows[i, 2 + c], rows[i, c]) if dual else (rows[i, c], rows[i, 2 + c])
            local[i, c], local[i, 2 + c], local[i, 4 + c] = b, P, rows[i, 4 + c]
            shift[c] += b / used
            shift[2 + c] += P / used
            largest = max(largest, abs(b), abs(P))
    for i in range(used):
        for c in range(4):
            local[i, c] -= shift[c]
    return largest


@kernel
def _restore_pose(pose, shift, dual):
    """Undo the shift (p = p' + P0 - R b0), and the duality."""
    c, s = cos(pose[2]), sin(pose[2])
    x = pose[0] + shift[2] - (c * shift[0] - s * shift[1])
    y = pose[1] + shift[3] - (s * shift[0] + c * shift[1])
    if dual:
        # p = -R(-theta')(p')
        x, y = -(c * x + s * y), -(c * y - s * x)
        pose[2] = wrap_angle(-pose[2])
    pose[0], pose[1] = x, y


@kernel
def _sort_poses(poses, multiplicity, count):
    for i in range(1, count):
        x, y, theta, value = poses[i, 0], poses[i, 1], poses[i, 2], multiplicity[i]
        j = i - 1
        while j >= 0 and poses[j, 2] > theta:
            for c in range(3):
                poses[j + 1, c] = poses[j, c]
            multiplicity[j + 1] = multiplicity[j]
            j -= 1
        poses[j + 1, 0], poses[j + 1, 1], poses[j + 1, 2] = x, y, theta
        multiplicity[j + 1] = value


@jit
def _meet_lines(ax, ay, first, bx, by, second):
    """The point z with a.z = first, b.z = second."""
    det = _cross(ax, ay, bx, by)
    return (first * by - second * ay) / det, (ax * second - bx * first) / det


@kernel
def _eliminate(rows, i, j, u):
    """u (3, 2) = u0, u1, u2 of u = R^T p = u0 + c u1 + s u2 from the contacts i, j of type A; returns its length scale.

    Each is n.u = n.R^T P - n.b = -n.b + c n.P + s (n x P)."""
    ix, iy, jx, jy = rows[i, 4], rows[i, 5], rows[j, 4], rows[j, 5]
    scale = 0.0
    for term in range(3):
        if term == 0:
            first, second = -(ix * rows[i, 0] + iy * rows[i, 1]), -(jx * rows[j, 0] + jy * rows[j, 1])
        elif term == 1:
            first, second = ix * rows[i, 2] + iy * rows[i, 3], jx * rows[j, 2] + jy * rows[j, 3]
        else:
            first, second = _cross(ix, iy, rows[i, 2], rows[i, 3]), _cross(jx, jy, rows[j, 2], rows[j, 3])
        u[term, 0], u[term, 1] = _meet_lines(ix, iy, first, jx, jy, second)
        scale += abs(first) + abs(second)
    return scale / abs(_cross(ix, iy, jx, jy))


@jit
def _fill_pin(rows, i, u):
    """u = R^T p where the point b of the part is at P: u = R^T P - b."""
    u[0, 0], u[0, 1] = -rows[i, 0], -rows[i, 1]
    u[1, 0], u[1, 1] = rows[i, 2], rows[i, 3]
    u[2, 0], u[2, 1] = rows[i, 3], -rows[i, 2]


@jit
def _size(rows, i):
    return hypot(rows[i, 0], rows[i, 1]) + hypot(rows[i, 2], rows[i, 3])


@kernel
def _fill_gap_a(rows, k, u, coefficients):
    """Gap of a contact of type A where R^T p = u(theta): n.(R^T P - u - b), of degree one, G c + H s + I."""
    nx, ny = rows[k, 4], rows[k, 5]
    coefficients[0] = -(nx * (u[0, 0] + rows[k, 0]) + ny * (u[0, 1] + rows[k, 1]))
    coefficients[1] = nx * (rows[k, 2] - u[1, 0]) + ny * (rows[k, 3] - u[1, 1])
    coefficients[2] = nx * (rows[k, 3] - u[2, 0]) + ny * (-rows[k, 2] - u[2, 1])
    coefficients[3], coefficients[4] = 0.0, 0.0


@kernel
def _fill_gap_b(rows, k, u, coefficients):
    """Gap of a contact of type B where p = R u(theta): n.(R (u + b) - P), of degree two."""
    nx, ny = rows[k, 4], rows[k, 5]
    wx, wy = u[0, 0] + rows[k, 0], u[0, 1] + rows[k, 1]
    cc = nx * u[1, 0] + ny * u[1, 1]
    cs = nx * u[2, 0] + ny * u[2, 1] - nx * u[1, 1] + ny * u[1, 0]
    ss = ny * u[2, 0] - nx * u[2, 1]
    coefficients[0] = 0.5 * (cc + ss) - (nx * rows[k, 2] + ny * rows[k, 3])
    coefficients[1], coefficients[2] = nx * wx + ny * wy, ny * wx - nx * wy
    coefficients[3], coefficients[4] = 0.5 * (cc - ss), 0.5 * cs


@kernel
def _find_poses(tolerance, poses, multiplicity, work):
    """The roots of the gap that is left (coefficients in work[4]), and p = R u(theta) at each (u in work[6:9])."""
    roots, u = work[5], work[6:9]
    count = find_roots(work[4], tolerance, roots, multiplicity, work[9:13])
    if count < 0:
        return TURNS if count == EVERY_ANGLE else NEVER
    for n in range(count):
        c, s = cos(roots[n]), sin(roots[n])
        x = u[0, 0] + c * u[1, 0] + s * u[2, 0]
        y = u[0, 1] + c * u[1, 1] + s * u[2, 1]
        poses[n, 0], poses[n, 1], poses[n, 2] = c * x - s * y, s * x + c * y, roots[n]
    return count


@kernel
def _solve_three(rows, largest, poses, multiplicity, work):
    """3A. The pair of edges that are farthest from parallel is eliminated."""
    best, i, j = 0.0, 0, 1
    for a in range(3):
        b = a + 1 if a < 2 else 0
        det = abs(_cross(rows[a, 4], rows[a, 5], rows[b, 4], rows[b, 5]))
        if det > best:
            best, i, j = det, a, b
    if best <= PARALLEL_EDGES:
        return _solve_parallel_three(rows, largest, work, multiplicity)
    k = 3 - i - j
    scale = _eliminate(rows, i, j, work[6:9]) + _size(rows, k)
    _fill_gap_a(rows, k, work[6:9], work[4])
    return _find_poses(FORMATION_GAP * scale + FORMATION_ROUNDINGS * largest / best, poses, multiplicity, work)


@kernel
def _solve_two_and_one(rows, largest, poses, multiplicity, work):
    """2AB: the vertex of the B where both A-contacts are closed."""
    det = abs(_cross(rows[0, 4], rows[0, 5], rows[1, 4], rows[1, 5]))
    if det <= PARALLEL_EDGES:
        return _solve_parallel_two(rows, largest, poses, multiplicity, work)
    scale = _eliminate(rows, 0, 1, work[6:9]) + _size(rows, 2)
    _fill_gap_b(rows, 2, work[6:9], work[4])
    return _find_poses(FORMATION_GAP * scale + FORMATION_ROUNDINGS * largest / det, poses, multiplicity, work)


@kernel
def _solve_pin(rows, largest, poses, multiplicity, work):
    """Pin and A."""
    _fill_pin(rows, 0, work[6:9])
    _fill_gap_a(rows, 1, work[6:9], work[4])
    scale = _size(rows, 0) + _size(rows, 1)
    return _find_poses(FORMATION_GAP * scale + FORMATION_ROUNDINGS * largest, poses, multiplicity, work)


# ---- parallel edges --------------------------------------------------------------------------------------------------


@kernel
def _fill_parallel(rows, i, j, u, coefficients):
    """Gap of contact j where contact i is closed, their edges being parallel, so that contact i may as well be a pin.

    Returns the scale of its tolerance."""
    _fill_pin(rows, i, u)
    _fill_gap_a(rows, j, u, coefficients)
    return _size(rows, i) + _size(rows, j)


@kernel
def _solve_parallel_three(rows, largest, work, multiplicity):
    """3A with parallel edges (Proposition 1): an angle that suits all three lets the part slide along them."""
    first, second, roots = work[4], work[13], work[5]
    scale = _fill_parallel(rows, 0, 1, work[6:9], first)
    scale += _fill_parallel(rows, 0, 2, work[6:9], second)
    tolerance = FORMATION_GAP * scale + FORMATION_ROUNDINGS * largest
    for case in range(2):
        own, other = (first, second) if case == 0 else (second, first)
        count = find_roots(own, tolerance, roots, multiplicity, work[9:13])
        if count == NO_ANGLE:
            return PARALLEL_APART
        if count == EVERY_ANGLE:
            count = find_roots(other, tolerance, roots, multiplicity, work[9:13])
            return SLIDES if count > 0 or count == EVERY_ANGLE else PARALLEL_APART
        for n in range(count):
            if abs(evaluate(other, roots[n])) <= tolerance:
                return SLIDES
    return PARALLEL_APART


@kernel
def _solve_parallel_two(rows, largest, poses, multiplicity, work):
    """2AB with parallel edges: theta from the two A-contacts, then the place, unless the third is parallel too."""
    coefficients, roots = work[4], work[5]
    scale = _fill_parallel(rows, 0, 1, work[6:9], coefficients) + _size(rows, 2)
    tolerance = FORMATION_GAP * scale + FORMATION_ROUNDINGS * largest
    count = find_roots(coefficients, tolerance, roots, multiplicity, work[9:13])
    if count < 0:
        return REDUNDANT if count == EVERY_ANGLE else PARALLEL_APART
    nx, ny = rows[2, 4], rows[2, 5]
    kept, lost = 0, 0
    for n in range(count):
        c, s = cos(roots[n]), sin(roots[n])
        ax, ay = c * rows[0, 4] - s * rows[0, 5], s * rows[0, 4] + c * rows[0, 5]
        # a.p = a.(P0 - R b0) ,  n.p = n.(P2 - R b2)
        qx, qy = rows[0, 2] - (c * rows[0, 0] - s * rows[0, 1]), rows[0, 3] - (s * rows[0, 0] + c * rows[0, 1])
        rx, ry = rows[2, 2] - (c * rows[2, 0] - s * rows[2, 1]), rows[2, 3] - (s * rows[2, 0] + c * rows[2, 1])
        if abs(_cross(ax, ay, nx, ny)) <= PARALLEL_EDGES:
            if abs(nx * (qx - rx) + ny * (qy - ry)) <= tolerance:
                return SLIDES
            lost += 1
            continue
        poses[kept, 0], poses[kept, 1] = _meet_lines(ax, ay, ax * qx + ay * qy, nx, ny, nx * rx + ny * ry)
        poses[kept, 2], multiplicity[kept] = roots[n], multiplicity[n]
        kept += 1
    return PARALLEL_APART if kept == 0 and lost > 0 else kept


# ---- the constraints themselves, as given ----------------------------------------------------------------------------


@kernel
def evaluate_constraints(code, rows, pose, gap, jacobian):
    """The three constraints `gap` (3,) at a pose and their derivatives `jacobian` (3, 3) by x, y, theta.

    A pin is two constraints, its x and its y. For A the row is minus that of the wrench of a normal force on the part,
    taken about the frame of the part (the wrench matrix W_n of the paper).
    """
    c, s = cos(pose[2]), sin(pose[2])
    row = 0
    if code >= PIN_A:
        rx, ry = c * rows[0, 0] - s * rows[0, 1], s * rows[0, 0] + c * rows[0, 1]
        gap[0], gap[1] = pose[0] + rx - rows[0, 2], pose[1] + ry - rows[0, 3]
        jacobian[0, 0], jacobian[0, 1], jacobian[0, 2] = 1.0, 0.0, -ry
        jacobian[1, 0], jacobian[1, 1], jacobian[1, 2] = 0.0, 1.0, rx
        row = 2
    first = 1 if code >= PIN_A else 0
    last = 2 if code >= PIN_A else 3
    for i in range(first, last):
        type_a = code == THREE_A or code == PIN_A or (code == TWO_A_B and i < 2) or (code == TWO_B_A and i == 2)
        nx, ny = rows[i, 4], rows[i, 5]
        if type_a:
            dx, dy = rows[i, 2] - pose[0], rows[i, 3] - pose[1]
            yx, yy = c * dx + s * dy, c * dy - s * dx
            gap[row] = nx * (yx - rows[i, 0]) + ny * (yy - rows[i, 1])
            jacobian[row, 0], jacobian[row, 1] = -(c * nx - s * ny), -(s * nx + c * ny)
            jacobian[row, 2] = nx * yy - ny * yx
        else:
            rx, ry = c * rows[i, 0] - s * rows[i, 1], s * rows[i, 0] + c * rows[i, 1]
            gap[row] = nx * (pose[0] + rx - rows[i, 2]) + ny * (pose[1] + ry - rows[i, 3])
            jacobian[row, 0], jacobian[row, 1], jacobian[row, 2] = nx, ny, ny * rx - nx * ry
        row += 1


@kernel
def solve_linear(matrix, right, answer):
    """Solve a 3 x 3 system by cofactors; False where the determinant is 0."""
    a0, a1, a2 = matrix[0, 0], matrix[0, 1], matrix[0, 2]
    b0, b1, b2 = matrix[1, 0], matrix[1, 1], matrix[1, 2]
    c0, c1, c2 = matrix[2, 0], matrix[2, 1], matrix[2, 2]
    x, y, z = b1 * c2 - b2 * c1, b2 * c0 - b0 * c2, b0 * c1 - b1 * c0
    det = a0 * x + a1 * y + a2 * z
    if det == 0.0:
        return False
    r0, r1, r2 = right[0], right[1], right[2]
    answer[0] = (r0 * x + r1 * (c1 * a2 - c2 * a1) + r2 * (a1 * b2 - a2 * b1)) / det
    answer[1] = (r0 * y + r1 * (a0 * c2 - a2 * c0) + r2 * (a2 * b0 - a0 * b2)) / det
    answer[2] = (r0 * z + r1 * (a1 * c0 - a0 * c1) + r2 * (a0 * b1 - a1 * b0)) / det
    return True


@kernel
def _polish(code, rows, pose, work):
    """Newton steps on the constraints as they were given, while they lower the largest of them."""
    gap, jacobian, step, trial = work[4], work[6:9], work[5], work[13]
    evaluate_constraints(code, rows, pose, gap, jacobian)
    largest = max(abs(gap[0]), abs(gap[1]), abs(gap[2]))
    for _ in range(4):
        if largest == 0.0 or not solve_linear(jacobian, gap, step) or abs(step[2]) > 0.5 * pi:
            return
        for c in range(3):
            trial[c] = pose[c] - step[c]
        evaluate_constraints(code, rows, trial, gap, jacobian)
        reached = max(abs(gap[0]), abs(gap[1]), abs(gap[2]))
        if reached >= largest:
            return
        largest = reached
        pose[0], pose[1], pose[2] = trial[0], trial[1], wrap_angle(trial[2])


@kernel
def solve_batch(code, rows, poses, multiplicity, count, work):
    """`solve` for n formations of one type: rows (n, 3, 6), poses (n, 4, 3), multiplicity (n, 4), count (n,)."""
    for k in range(rows.shape[0]):
        count[k] = solve(code, rows[k], poses[k], multiplicity[k], work)
