"""A controller that measures now and then and gives a wrench, held until its next sample: force and motion control by
the projections of contact, and impedance control.

Source: Featherstone, Sonck and Khatib, "A general contact model for dynamically-decoupled force/motion control";
equation numbers are theirs. All in (x, y, rho theta), where the inertia of the part is its mass m times the identity:
accelerations (ax, ay, rho alpha), wrenches (Fx, Fy, torque / rho) about the centre of mass. Contact i, with normal
force fn_i on the part, has the column N_i; its gap stays closed where N_i.a + b_i = 0. The force of the part on its
environment is f_c = -sum N_i fn_i.

Force and motion control (Eq 28, with Eqs 31 and 32 where it projects):

    F = m (Omega_m(B) a_m + a_b) - w_other + Omega_f(A) f_m
    a_m = a_ref + K_v (v_ref - v) + K_p (q_ref - q)
    f_m = wrench - sum N_i (alpha_d,i + K_f (alpha_d,i - alpha_i) + K_i integral (alpha_d,i - alpha_i) dt)

w_other is all that acts besides the command and the contacts, and a_b = -B N (N^T B N)^+ b what the constraints ask
for by themselves (T' beta + b_e of the paper). A and B are any positive definite matrices; see `span_contacts`. What
moves and what presses is then decoupled where there is no friction. Without projection Omega_m and Omega_f are left
out, which couples both as Eqs 29 and 30 say.

The wrist is between a hand, of inertia M_h, and the object M_o = m - M_h: it measures h = F - M_h a + (weight of the
hand). Projected (section 7.3), the force on the environment is Omega_f(M_o) (h + w_o - M_o a_b), in which a motion that
keeps the contacts has no part; raw, it is h + w_o. Amounts alpha_i follow by a generalized inverse of N (section 7.4).

Impedance control: M_d (a - a_ref) = D (v_ref - v) + K (q_ref - q) + F_ext is what the part shall do, so

    F = m (a_ref + M_d^-1 (D (v_ref - v) + K (q_ref - q) + F_ext)) - w_other - F_ext

with F_ext = -f_c as measured; where M_d is the inertia of the part F_ext cancels, and is not asked for.
"""

from __future__ import annotations

from math import cos, sin, sqrt

from dynamics.codes import MOST_NAMED
from dynamics.tolerances import RANK
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import allocate_table, define_record
from geometry.contact.contacts import is_same_contact
from geometry.prescribed.motion import THETA, X, Y

OUTSIDE, HYBRID, IMPEDANCE = 0, 1, 2  # who gives the wrench: somebody outside of compiled code, or one of the two laws

CONTROL = define_record(
    ("kind", "i8"),
    ("period", "f8"),  # s: sample k is at k periods
    ("projects", "?"),  # are commands filtered by Omega_m and Omega_f?
    ("named", "?"),  # is the contact space that of the contacts named, closed or not? Else that of all closed ones
    ("raw", "?"),  # is the wrench in the wrist taken as it is?
    ("shapes", "?"),  # does the law of impedance ask for F_ext?
    ("reference", "i8"), ("px", "f8"), ("py", "f8"),  # the mover to be followed, and the centre of mass in its frame, m
    ("first_force", "i8"), ("n", "i8"),  # the mover whose coordinates are the first three alpha_d; contacts named
    ("triple", "i8", (MOST_NAMED, 3)),
    ("force", "f8"),  # N: alpha_d of a closed contact that is not named
    ("wrench", "f8", (3,)),  # N: more of f_m
    ("position", "f8", (3, 3)), ("velocity", "f8", (3, 3)),  # 1/s^2, 1/s: K_p and K_v, or M_d^-1 K and M_d^-1 D
    ("yielding", "f8", (3, 3)),  # 1/kg: M_d^-1
    ("force_gain", "f8"), ("integral_gain", "f8"),  # 1, 1/s: K_f, K_i
    # triangular roots L, L L^T = A, and their inverses: of A, of B^-1 and of M_o, each by its size
    ("force_root", "f8", (3, 3)), ("force_back", "f8", (3, 3)),
    ("motion_root", "f8", (3, 3)), ("motion_back", "f8", (3, 3)),
    ("object_root", "f8", (3, 3)), ("object_back", "f8", (3, 3)),
    ("sense_back", "f8", (3, 3)),  # of the metric in which the generalized inverse of N is the least one
    ("hand", "f8", (3,)),  # kg: M_h
    ("hand_mass", "f8"),  # kg
)  # fmt: skip

NO_CONTROL = allocate_table(CONTROL, 0)

# Room of a sample: what was measured, and what is computed on the way.
SAMPLE = define_record(
    ("wrist", "f8", (3,)), ("carried", "f8", (3,)),  # N: h, and w_o, as they were before the sample
    ("other", "f8", (3,)),  # m/s^2: w_other / m
    ("basis", "f8", (3, 3)), ("along", "f8", (3,)), ("row", "f8", (3,)),  # see `span_contacts`
    ("omega_f", "f8", (3, 3)), ("omega_m", "f8", (3, 3)), ("bias", "f8", (3,)),  # m/s^2: a_b
    ("motion", "f8", (3,)), ("push", "f8", (3,)),  # m/s^2: a_m; N: f_m
    ("measured", "f8", (3,)),  # N: f_c
    ("equations", "f8", (3, 4)),
)  # fmt: skip


@kernel
def span_contacts(closed, back, sample):
    """Orthonormal rows of `sample.basis` that span L^-1 N for the contacts `closed`, with L^-1 = `back`; returns how
    many. `sample.along` is what the constraints ask for, in this basis: y = L^T a with N^T a = -b.

    Columns count at unit length, as in `dynamics.spaces.projection`; those that are dependent to RANK are left out.
    """
    basis, row = sample.basis, sample.row
    rank = 0
    for _ in range(3):
        best, which = RANK, -1
        for k in range(closed.n):
            size, _ = _take_rest(closed, k, back, sample, rank)
            if size > best:
                best, which = size, k
        if which < 0:
            break
        size, bias = _take_rest(closed, which, back, sample, rank)
        for c in range(3):
            basis[rank, c] = row[c] / size
        sample.along[rank] = bias / size
        rank += 1
    return rank


@jit
def _take_rest(closed, k, back, sample, rank):
    """Write into `sample.row` what of the unit column L^-1 N_k lies outside of the first rows of the basis: (its
    length, what of -b_k these leave)."""
    row, basis, n = sample.row, sample.basis, closed.normal[k]
    size = 0.0
    for c in range(3):
        row[c] = back[c, 0] * n[0] + back[c, 1] * n[1] + back[c, 2] * n[2]
        size += row[c] * row[c]
    size = sqrt(size)
    bias = -closed.b[k] / size
    for c in range(3):
        row[c] /= size
    for _ in range(2):  # the second time for what rounding has left
        for j in range(rank):
            share = row[0] * basis[j, 0] + row[1] * basis[j, 1] + row[2] * basis[j, 2]
            bias -= share * sample.along[j]
            for c in range(3):
                row[c] -= share * basis[j, c]
    return sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]), bias


@kernel
def fill_projection(root, back, sample, rank, omega):
    """Omega_f = L Q Q^T L^-1 (Eq 12) from the basis Q of `span_contacts`, (3, 3)."""
    basis = sample.basis
    for i in range(3):
        for c in range(3):
            omega[i, c] = 0.0
    for j in range(rank):
        q = basis[j]
        for i in range(3):
            one = root[i, 0] * q[0] + root[i, 1] * q[1] + root[i, 2] * q[2]
            for c in range(3):
                omega[i, c] += one * (q[0] * back[0, c] + q[1] * back[1, c] + q[2] * back[2, c])


@kernel
def fill_bias(control, closed, sample):
    """Omega_m(B) (Eq 14) and a_b of the contacts. The complement of Omega_m(B) is the transpose of Omega_f(B^-1)."""
    rank = span_contacts(closed, control.motion_back, sample)
    fill_projection(control.motion_root, control.motion_back, sample, rank, sample.omega_f)
    back, omega = control.motion_back, sample.omega_m
    for i in range(3):
        sample.bias[i] = 0.0
        for j in range(rank):
            y = 0.0
            for c in range(3):
                y += back[c, i] * sample.basis[j, c]
            sample.bias[i] += y * sample.along[j]
        for c in range(3):
            omega[i, c] = (1.0 if i == c else 0.0) - sample.omega_f[c, i]


@kernel
def measure_force(control, closed, sample, object_mass):
    """Write f_c [N], the force on the environment, as the wrist tells it into `sample.measured`; object_mass (3,)
    tuple, kg: M_o. Asks for `fill_bias` first."""
    h, w, found = sample.wrist, sample.carried, sample.measured
    for c in range(3):
        found[c] = h[c] + w[c]
    if control.raw:
        return
    for c in range(3):
        sample.push[c] = found[c] - object_mass[c] * sample.bias[c]
    rank = span_contacts(closed, control.object_back, sample)
    fill_projection(control.object_root, control.object_back, sample, rank, sample.omega_f)
    _apply(sample.omega_f, sample.push, found)


@kernel
def _apply(matrix, vector, result):
    for i in range(3):
        result[i] = matrix[i, 0] * vector[0] + matrix[i, 1] * vector[1] + matrix[i, 2] * vector[2]


@kernel
def fill_amounts(control, closed, sample):
    """Write the normal forces alpha [N] that `sample.measured` stands for into `closed.e`: -N^+ f_c, with the inverse
    that gives the least ones, of the least error in the metric of `sense_back`."""
    back, basis, f, system = control.sense_back, sample.basis, sample.measured, sample.equations
    rank = span_contacts(closed, back, sample)
    for i in range(rank):
        q = basis[i]
        for j in range(3):
            system[i, j] = 0.0
        system[i, 3] = 0.0
        for c in range(3):
            system[i, 3] -= q[c] * (back[c, 0] * f[0] + back[c, 1] * f[1] + back[c, 2] * f[2])
        for j in range(rank):
            for k in range(closed.n):
                system[i, j] += _share(closed, k, back, q) * _share(closed, k, back, basis[j])
    _solve(system, rank)
    for k in range(closed.n):
        closed.e[k] = 0.0
        for i in range(rank):
            closed.e[k] += system[i, 3] * _share(closed, k, back, basis[i])


@jit
def _share(closed, k, back, q):
    """q . L^-1 N_k."""
    n, found = closed.normal[k], 0.0
    for c in range(3):
        found += q[c] * (back[c, 0] * n[0] + back[c, 1] * n[1] + back[c, 2] * n[2])
    return found


@kernel
def _solve(system, rank):
    """Solve a positive definite system of up to three equations in place; the last column becomes the answer."""
    for i in range(rank):
        for j in range(i + 1, rank):
            factor = system[j, i] / system[i, i]
            for c in range(i, rank):
                system[j, c] -= factor * system[i, c]
            system[j, 3] -= factor * system[i, 3]
    for i in range(rank - 1, -1, -1):
        for c in range(i + 1, rank):
            system[i, 3] -= system[i, c] * system[c, 3]
        system[i, 3] /= system[i, i]


@kernel
def follow_reference(control, mover, at, rho, sample):
    """Write a_m into `sample.motion`: what the reference and the errors of a MotionState ask for."""
    frame, pose, v, motion = mover[control.reference], at.pose, at.velocity, sample.motion
    theta, omega, alpha = frame.value[THETA], frame.rate[THETA], frame.bend[THETA]
    c, s = cos(theta), sin(theta)
    rx, ry = c * control.px - s * control.py, s * control.px + c * control.py
    motion[0] = frame.bend[X] - alpha * ry - omega * omega * rx
    motion[1] = frame.bend[Y] + alpha * rx - omega * omega * ry
    motion[2] = rho * alpha
    ex, ey, eq = frame.value[X] + rx - pose[0], frame.value[Y] + ry - pose[1], rho * (theta - pose[2])
    ux, uy = frame.rate[X] - omega * ry - v[0], frame.rate[Y] + omega * rx - v[1]
    uq = rho * (omega - v[2])
    p, d = control.position, control.velocity
    for i in range(3):
        motion[i] += p[i, 0] * ex + p[i, 1] * ey + p[i, 2] * eq + d[i, 0] * ux + d[i, 1] * uy + d[i, 2] * uq


@jit
def get_desired(control, mover, index):
    """alpha_d [N] of a contact by its number among those named; -1: one that is not."""
    if index < 0:
        return control.force
    return mover[control.first_force + index // 3].value[index % 3]


@kernel
def find_named(control, triple):
    """Number of a contact among those named, -1 if it is not there."""
    for i in range(control.n):
        if is_same_contact(control.triple[i], triple):
            return i
    return -1


@kernel
def fill_push(control, closed, mover, integral, knows, sample):
    """Write f_m [N] into `sample.push`, and go on with the integrals of the errors of forces; knows: has anything been
    measured? Else the forces count as those desired. Asks for `fill_amounts` first."""
    push = sample.push
    for c in range(3):
        push[c] = control.wrench[c]
    for k in range(closed.n):
        index = find_named(control, closed.triple[k])
        desired = get_desired(control, mover, index)
        amount = desired
        if knows:
            error = desired - closed.e[k]
            amount += control.force_gain * error
            if index >= 0:
                integral[index] += error * control.period
        if index >= 0:
            amount += control.integral_gain * integral[index]
        for c in range(3):
            push[c] -= closed.normal[k, c] * amount


@kernel
def combine(control, closed, sample, mass, result):
    """Write F [N] of force and motion control from a_m and f_m. Asks for `fill_bias` first."""
    f, a, bias, other = sample.push, sample.motion, sample.bias, sample.other
    if control.projects:
        rank = span_contacts(closed, control.force_back, sample)
        fill_projection(control.force_root, control.force_back, sample, rank, sample.omega_f)
        _apply(sample.omega_f, f, result)
        _apply(sample.omega_m, a, f)
        for c in range(3):
            result[c] += mass * (f[c] + bias[c] - other[c])
    else:
        for c in range(3):
            result[c] = f[c] + mass * (a[c] + bias[c] - other[c])


@kernel
def yield_to(control, sample, mass, result):
    """Write F [N] of impedance control from a_m, and from what was measured where that is asked for."""
    a, f, other = sample.motion, sample.measured, sample.other
    for c in range(3):
        result[c] = mass * (a[c] - other[c])
    if control.shapes:
        _apply(control.yielding, f, sample.push)
        for c in range(3):
            result[c] += f[c] - mass * sample.push[c]
