"""The motion while the mode is fixed, as a power series in time.

Accelerations and forces of a mode solve a linear system, whose coefficients are its rows (see `constrained.py`).
Order by order: the coefficients of pose and velocity up to order k give those of the rows at order k, these the
acceleration at order k, and that the pose at order k + 2. All of it are sums of products, so a step of any order needs
one pass, and its path *is* the solution up to the terms that are left out. Source: Jorba & Zou, Experimental
Mathematics 14 (2005) 99-117, also for order and length of a step.
"""

from __future__ import annotations

from math import ceil, cos, inf, log, sin

from dynamics.loads.load_series import begin_load, extend_load
from dynamics.motion.mode import (
    CARRIED,
    FREE,
    OK,
    ROLLING,
    SINGULAR,
    SLIDING,
    SLIDING_TWICE,
    get_friction_factor,
    get_load,
    get_mode_load,
    lies_flat,
)
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record
from geometry.contact.contact_series import CONTACT_SERIES, PART_SERIES, begin_contact, extend_contact
from geometry.contact.moving import GRAVITY
from geometry.contact.path import MAX_DEGREE, TERMS
from geometry.contact.series import WALL_SERIES, fill_wall_series, multiply, multiply_two

# One equation R.a + bias = 0, or the direction E of one unknown force, in (x, y, rho theta).
_ROW = define_record(
    ("x", "f8", (TERMS,)), ("y", "f8", (TERMS,)), ("q", "f8", (TERMS,)), ("bias", "f8", (TERMS,)),
    ("steady", "?"),  # do x and y never change?
)  # fmt: skip

MODE_SERIES = define_record(
    ("part", PART_SERIES),
    ("ax", "f8", (TERMS,)), ("ay", "f8", (TERMS,)), ("aq", "f8", (TERMS,)),  # m/s^2, in (x, y, rho theta)
    ("wx", "f8", (TERMS,)), ("wy", "f8", (TERMS,)), ("wq", "f8", (TERMS,)),  # the load per mass
    ("first", CONTACT_SERIES), ("second", CONTACT_SERIES), ("third", CONTACT_SERIES),  # the contacts of the basis
    ("row", _ROW), ("row_2", _ROW), ("row_3", _ROW),
    ("edge", _ROW), ("edge_2", _ROW),
    ("f", "f8", (TERMS,)), ("f_2", "f8", (TERMS,)),  # forces per mass along these
    ("work", "f8", (TERMS,)),  # J/kg, of friction since the start of the step; where no obstacle moves
    ("gravity", WALL_SERIES),  # its turn
    ("terms", "i8"),  # of the accelerations
)  # fmt: skip

# Orders above this gain nothing in double precision, below that cost more than they save.
LEAST_ORDER = 8


def find_order(tolerance: float) -> int:
    """Degree of the path that needs least work for a tolerance [relative to size and speed]: each step is then about
    e^-2 of the radius of convergence long (Jorba & Zou, section 3.2), or somewhat longer, since a step has other costs
    too."""
    return min(max(ceil(3.0 - 0.5 * log(tolerance)), LEAST_ORDER), MAX_DEGREE)


@kernel
def fill_mode_series(body, mode, at, order, path, series):
    """Write the path, of degree `order`, on which a mode leads from a MotionState, and the series of all that it is
    made of; returns OK or SINGULAR."""
    pose, velocity = at.pose, at.velocity
    get_load(body, at)  # and the walls stand as then
    kind, rho, c, part = mode.kind, body.rho, path.c, series.part
    path.degree, series.terms = order, order - 1
    for k in range(3):
        c[k, 0], c[k, 1] = pose[k], velocity[k]
    if kind == FREE and not body.varying:
        w = get_mode_load(body, mode)
        c[0, 2], c[1, 2], c[2, 2] = 0.5 * w[0], 0.5 * w[1], 0.5 * w[2] / rho
        path.degree, series.terms, series.work[0], series.work[1], series.work[2] = 2, 1, 0.0, 0.0, 0.0
        series.f[0], series.f_2[0] = 0.0, 0.0
        return OK
    part.cos[0], part.sin[0] = cos(pose[2]), sin(pose[2])
    count, moves = _begin_basis(body, mode, at, order + 1, series), body.walls.mover.shape[0] > 0
    flat = lies_flat(body, mode) and c[2, 1] == 0.0
    factors = rho, _get_factor(body, mode, mode.first), _get_factor(body, mode, mode.second)
    for k in range(order - 1):
        n = k + 1.0
        part.vx[k], part.vy[k], part.omega[k] = n * c[0, k + 1], n * c[1, k + 1], n * c[2, k + 1]
        part.omega2[k], part.cos[k + 1], part.sin[k + 1] = _square_and_turn(part, k)
        if body.loads.shape[0] > 0 and not _extend_loads(body, path, series, k):
            return SINGULAR
        if count > 0:
            extend_contact(path, part, series.first, k)
        if count > 1:
            extend_contact(path, part, series.second, k)
        if count > 2:
            extend_contact(path, part, series.third, k)
        status = _extend_acceleration(mode, factors, series, k)
        if status != OK:
            return status
        if flat and k == 0:
            series.aq[0] = 0.0
        share = 1.0 / (n * (n + 1.0))
        c[0, k + 2], c[1, k + 2] = series.ax[k] * share, series.ay[k] * share
        c[2, k + 2] = series.aq[k] / rho * share
        if k == 1 and not moves and c[2, 1] == 0.0 and c[2, 2] == 0.0 and _has_fixed_arms(series, count):
            path.degree, series.terms = 2, 2  # where nothing turns, nothing that acts changes
            break
    return OK


@jit
def _has_fixed_arms(series, count):
    """Do the contacts of the basis keep their arms where nothing turns? A vertex of an obstacle slides along the edge
    of the part, and the moment of its force with it."""
    return ((count < 1 or series.first.steady) and (count < 2 or series.second.steady)
            and (count < 3 or series.third.steady))


@jit
def _get_factor(body, mode, index):
    """ft / fn of a contact of the basis where it slides, else 0."""
    slides = mode.kind == SLIDING_TWICE or mode.kind == SLIDING
    return get_friction_factor(body, mode, index) if slides else 0.0


@jit
def _square_and_turn(part, k):
    """Coefficient k of omega^2, and k + 1 of cosine and sine: side by side, as in `multiply_two`."""
    square, along, across = part.omega[0] * part.omega[k], part.omega[0] * part.cos[k], part.omega[0] * part.sin[k]
    for j in range(1, k + 1):
        square += part.omega[j] * part.omega[k - j]
        along += part.omega[j] * part.cos[k - j]
        across += part.omega[j] * part.sin[k - j]
    return square, -across / (k + 1.0), along / (k + 1.0)


@jit
def _get_basis_contact(series, i):
    """Series of contact i of the basis."""
    return series.first if i == 0 else (series.second if i == 1 else series.third)


@kernel
def _begin_basis(body, mode, at, terms, series):
    """Let the load and the contacts of the basis begin at a MotionState; returns the number of these."""
    w, kind = get_mode_load(body, mode), mode.kind
    series.wx[0], series.wy[0], series.wq[0] = w
    for k in range(1, terms):
        series.wx[k], series.wy[k], series.wq[k] = 0.0, 0.0, 0.0
    if body.varying:
        gravity, gx, gy = series.gravity, body.load[3], body.load[4]
        fill_wall_series(body.walls, GRAVITY, at.time, terms, gravity)
        for k in range(1, terms):
            series.wx[k] = gravity.cos[k] * gx - gravity.sin[k] * gy
            series.wy[k] = gravity.sin[k] * gx + gravity.cos[k] * gy
        for i in range(body.loads.shape[0]):
            begin_load(body.loads[i], body.walls, at.time, terms)
    count = 0
    if kind == CARRIED:
        for i in range(3):
            contact = _get_basis_contact(series, i)
            begin_contact(body.part, body.walls, mode.triple[mode.rows[i, 0]], at.time, at.pose, terms, contact)
        count = 3
    elif kind != FREE:
        begin_contact(body.part, body.walls, mode.triple[mode.first], at.time, at.pose, terms, series.first)
        count = 1
        if kind == SLIDING_TWICE:
            begin_contact(body.part, body.walls, mode.triple[mode.second], at.time, at.pose, terms, series.second)
            count = 2
    return count


@kernel
def _extend_loads(body, path, series, k):
    """Add coefficient k of all loads; False where one has no direction. That of order 0 is known, but not to them."""
    share, ok = 1.0 / body.mass, True
    for i in range(body.loads.shape[0]):
        fx, fy, torque, known = extend_load(body.loads[i], path, series.part, k)
        ok = ok and known
        if k > 0:
            series.wx[k] += share * fx
            series.wy[k] += share * fy
            series.wq[k] += share * torque / body.rho
    return ok


@jit
def _put_normal(contact, rho, row, k):
    """Coefficient k of the equation gap'' = 0."""
    row.x[k], row.y[k], row.q[k], row.bias[k] = contact.nx[k], contact.ny[k], contact.cross[k] / rho, contact.b[k]
    row.steady = contact.steady


@jit
def _put_tangent(contact, rho, row, k):
    """Coefficient k of the equation slip' = 0."""
    arm = contact.dot[k] + contact.offset if k == 0 else contact.dot[k]
    row.x[k], row.y[k], row.q[k], row.bias[k] = contact.ny[k], -contact.nx[k], arm / rho, contact.d[k]
    row.steady = contact.steady


@jit
def _put_edge(contact, rho, factor, edge, k):
    """Coefficient k of N + factor T, along which a sliding contact pushes."""
    nx, ny = contact.nx[k], contact.ny[k]
    edge.x[k], edge.y[k] = nx + factor * ny, ny - factor * nx
    arm = contact.dot[k] + contact.offset if k == 0 else contact.dot[k]
    edge.q[k] = (contact.cross[k] + factor * arm) / rho
    edge.steady = contact.steady


@jit
def _sum_rest(row, edge, force, series, k):
    """Coefficient k of R.a, and of E f for one force, without the terms of the last coefficients of a and f: (R.a, the
    components of E f), all sums side by side, as in `multiply_two`."""
    total, x, y, q = 0.0, 0.0, 0.0, 0.0
    for j in range(1, k + 1):
        total += row.q[j] * series.aq[k - j]
        q += edge.q[j] * force[k - j]
    if not row.steady:
        for j in range(1, k + 1):
            total += row.x[j] * series.ax[k - j] + row.y[j] * series.ay[k - j]
    if not edge.steady:
        for j in range(1, k + 1):
            x += edge.x[j] * force[k - j]
            y += edge.y[j] * force[k - j]
    return total, x, y, q


@jit
def _apply(row, x, y, q):
    return row.x[0] * x + row.y[0] * y + row.q[0] * q


@kernel
def _extend_acceleration(mode, factors, series, k):
    """Coefficient k of acceleration, forces and work of friction; returns OK or SINGULAR. factors: rho, and ft / fn of
    the contacts of a sliding basis."""
    kind, first, second = mode.kind, series.first, series.second
    rho, factor, other = factors
    if kind == FREE:
        series.ax[k], series.ay[k], series.aq[k] = series.wx[k], series.wy[k], series.wq[k]
        return OK
    if kind == CARRIED:
        return _extend_carried(mode, rho, series, k)
    _put_normal(first, rho, series.row, k)
    if kind == ROLLING:
        _put_tangent(first, rho, series.row_2, k)
        _put_normal(first, rho, series.edge, k)
        _put_tangent(first, rho, series.edge_2, k)
        status = _solve_two(series, k)
        power = 0.0
    else:
        _put_edge(first, rho, factor, series.edge, k)
        if kind == SLIDING_TWICE:
            _put_normal(second, rho, series.row_2, k)
            _put_edge(second, rho, other, series.edge_2, k)
            status = _solve_two(series, k)
            one, two = multiply_two(series.f, first.slip, series.f_2, second.slip, k)
            power = factor * one + other * two
        else:
            status = _solve_one(series, k)
            power = factor * multiply(series.f, first.slip, k)
    more, part = mode.preload, series.part
    power += more[0] * part.vx[k] + more[1] * part.vy[k] + more[2] * part.omega[k] * rho
    series.work[0], series.work[k + 1] = 0.0, power / (k + 1.0)
    return status


@jit
def _solve_one(series, k):
    """Coefficient k of one force and of the acceleration."""
    row, e, f = series.row, series.edge, series.f
    rest, x, y, q = _sum_rest(row, e, f, series, k)
    x, y, q = x + series.wx[k], y + series.wy[k], q + series.wq[k]
    scale = _apply(row, e.x[0], e.y[0], e.q[0])
    if scale == 0.0:
        return SINGULAR
    f[k] = -(row.bias[k] + rest + _apply(row, x, y, q)) / scale
    series.ax[k], series.ay[k], series.aq[k] = x + e.x[0] * f[k], y + e.y[0] * f[k], q + e.q[0] * f[k]
    return OK


@jit
def _solve_two(series, k):
    """Coefficient k of two forces and of the acceleration."""
    row, other, e, g, f, h = series.row, series.row_2, series.edge, series.edge_2, series.f, series.f_2
    rest, x, y, q = _sum_rest(row, e, f, series, k)
    other_rest, gx, gy, gq = _sum_rest(other, g, h, series, k)
    x, y, q = x + gx + series.wx[k], y + gy + series.wy[k], q + gq + series.wq[k]
    a, b = _apply(row, e.x[0], e.y[0], e.q[0]), _apply(row, g.x[0], g.y[0], g.q[0])
    c, d = _apply(other, e.x[0], e.y[0], e.q[0]), _apply(other, g.x[0], g.y[0], g.q[0])
    det = a * d - b * c
    if det == 0.0:
        return SINGULAR
    u, v = -(row.bias[k] + rest + _apply(row, x, y, q)), -(other.bias[k] + other_rest + _apply(other, x, y, q))
    f[k], h[k] = (d * u - b * v) / det, (a * v - c * u) / det
    series.ax[k] = x + e.x[0] * f[k] + g.x[0] * h[k]
    series.ay[k] = y + e.y[0] * f[k] + g.y[0] * h[k]
    series.aq[k] = q + e.q[0] * f[k] + g.q[0] * h[k]
    return OK


@kernel
def _extend_carried(mode, rho, series, k):
    """Coefficient k of the acceleration of a part that is carried: three equations, by Cramer's rule."""
    for i in range(3):
        contact = _get_basis_contact(series, i)
        row = series.row if i == 0 else (series.row_2 if i == 1 else series.row_3)
        if mode.rows[i, 1] == 0:
            _put_normal(contact, rho, row, k)
        else:
            _put_tangent(contact, rho, row, k)
    a, b, c = series.row, series.row_2, series.row_3
    ux, uy, uz = _cross(b, c)
    vx, vy, vz = _cross(c, a)
    wx, wy, wz = _cross(a, b)
    det = a.x[0] * ux + a.y[0] * uy + a.q[0] * uz
    if det == 0.0:
        return SINGULAR
    p, q, r = a.bias[k], b.bias[k], c.bias[k]
    for j in range(1, k + 1):
        x, y, z = series.ax[k - j], series.ay[k - j], series.aq[k - j]
        p += a.x[j] * x + a.y[j] * y + a.q[j] * z
        q += b.x[j] * x + b.y[j] * y + b.q[j] * z
        r += c.x[j] * x + c.y[j] * y + c.q[j] * z
    p, q, r = -p / det, -q / det, -r / det
    series.ax[k], series.ay[k] = p * ux + q * vx + r * wx, p * uy + q * vy + r * wy
    series.aq[k] = p * uz + q * vz + r * wz
    series.f[k], series.f_2[k], series.work[k + 1] = 0.0, 0.0, 0.0
    return OK


@jit
def _cross(a, b):
    """Vector product of two rows at the start of the step."""
    x, y = a.y[0] * b.q[0] - a.q[0] * b.y[0], a.q[0] * b.x[0] - a.x[0] * b.q[0]
    return x, y, a.x[0] * b.y[0] - a.y[0] * b.x[0]


@kernel
def find_step_length(path, tolerance, size, speed, rho):
    """Longest step whose last two terms, of pose and velocity, are below the tolerance relative to a size [m] and a
    speed [m/s]: what is left out is smaller by the ratio of neighbouring terms."""
    shortest = inf
    for j in range(path.degree - 1, path.degree + 1):
        if path.degree <= 2:
            break
        term = max(abs(path.c[0, j]), abs(path.c[1, j]), abs(path.c[2, j]) * rho)
        if not term < inf:
            return 0.0
        if term > 0.0:
            shortest = min(shortest, (tolerance * size / term) ** (1.0 / j))
            if speed > 0.0:
                shortest = min(shortest, (tolerance * speed / (j * term)) ** (1.0 / (j - 1.0)))
    return shortest
