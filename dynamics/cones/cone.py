"""One contact in Erdmann's frame: the generalized friction cone, drawn and taught, and a check of the general core.

Sources: M. Erdmann, "A configuration space friction cone" (1991), called A here, and "Multiple point contact with
friction" (1993), called B. Configuration space is (x, y, q = rho theta); forces are (Fx, Fy, torque / rho).
Here t = (n_y, -n_x) has one fixed sign; the papers choose it so that t_r_perp.n0 >= 0, which gives their t_s = -t when
n_q v_q > 0. The sets of edges are the same; only which of them is called + changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynamics.tolerances import EQUILIBRIUM
from geometry.errors import InputError


def compute_rows(normal: Sequence[float] | np.ndarray, r: Sequence[float] | np.ndarray,
                 rho: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows N = Delta_n n = (n_x, n_y, n_q / rho) and T = v_f = (n_y, -n_x, v_q / rho) (A section 2).

    normal (2,): unit, from the obstacle towards the part; r (2,): from the contact to the centre of mass;
    rho: radius of gyration. n_q = n_x r_y - n_y r_x, v_q = n_x r_x + n_y r_y.
    """
    nx, ny = float(normal[0]), float(normal[1])
    rx, ry = float(r[0]), float(r[1])
    return np.array([nx, ny, (nx * ry - ny * rx) / rho]), np.array([ny, -nx, (nx * rx + ny * ry) / rho])


class Frame(NamedTuple):
    """Erdmann's vectors at one contact, in configuration space (A sections 2 to 5, B section 4.2)."""

    n0: np.ndarray  # (3,) real-space unit normal (n_x, n_y, 0)
    r: np.ndarray  # (3,) contact to centre of mass
    rho: float
    mu: float
    n: np.ndarray  # unit normal of the constraint surface
    t_r: np.ndarray  # unit tangent: counter-clockwise rotation about the contact
    t_r_perp: np.ndarray  # completes the orthonormal frame, t_r_perp.n0 >= 0
    t_s: np.ndarray  # real-space unit tangent, t_r_perp.t_s > 0
    v_f: np.ndarray  # direction of a friction force along t_s
    delta: float  # Delta_n = sqrt(rho^2 + n_q^2) / rho
    n_q: float
    v_q: float  # t_s x r, with the papers' sign of t_s

    @property
    def edges(self) -> np.ndarray:
        """(2, 3): Delta_n n + mu v_f and Delta_n n - mu v_f."""
        return np.array([self.delta * self.n + self.mu * self.v_f, self.delta * self.n - self.mu * self.v_f])

    @property
    def k1(self) -> float:
        """Slope of the edge on the side of +t_r_perp: F.n = k1 F.t_r_perp (A, Eq 5). Negative: that edge dips."""
        rise = self.t_r_perp @ self.t_s - self.mu * (self.t_r_perp @ self.n0)
        return float(rise / (self.mu * (self.n @ self.n0))) if self.mu > 0.0 else np.inf

    @property
    def k2(self) -> float:
        """Slope of the edge on the side of -t_r_perp (A, Eq 5); always negative."""
        rise = self.t_r_perp @ self.t_s + self.mu * (self.t_r_perp @ self.n0)
        return float(-rise / (self.mu * (self.n @ self.n0))) if self.mu > 0.0 else -np.inf

    @property
    def dips(self) -> bool:
        """Does the cone dip below its tangent plane: mu |n_q v_q| > rho^2 + n_q^2, the same as k1 < 0?

        Exactly then one contact alone can be ambiguous or inconsistent (A section 4).
        """
        return self.mu * abs(self.n_q * self.v_q) > self.rho**2 + self.n_q**2


def compute_frame(normal: Sequence[float] | np.ndarray, r: Sequence[float] | np.ndarray, rho: float,
                  mu: float) -> Frame:
    """Erdmann's frame of a contact (B, Eqs 1 and 2); arguments as for `compute_rows`."""
    nx, ny = float(normal[0]), float(normal[1])
    rx, ry = float(r[0]), float(r[1])
    n_q = nx * ry - ny * rx
    delta = np.sqrt(rho**2 + n_q**2) / rho
    n = np.array([nx, ny, n_q / rho]) / delta
    t_r = np.array([-ry, rx, rho]) / np.sqrt(rx**2 + ry**2 + rho**2)
    perp = np.array([rho**2 * ny - n_q * rx, -(rho**2 * nx + n_q * ry), rho * (rx * nx + ry * ny)])
    perp /= np.linalg.norm(perp)
    n0 = np.array([nx, ny, 0.0])
    t_s = np.array([ny, -nx, 0.0])
    side = perp @ n0
    if side < 0.0 or (side == 0.0 and perp @ t_s < 0.0):
        perp = -perp
    if perp @ t_s < 0.0:
        t_s = -t_s
    v_q = t_s[0] * ry - t_s[1] * rx
    v_f = np.array([t_s[0], t_s[1], v_q / rho])
    return Frame(n0, np.array([rx, ry, 0.0]), float(rho), float(mu), n, t_r, perp, t_s, v_f, float(delta), n_q, v_q)


def check_equilibrium(frame: Frame, force: ArrayLike) -> tuple[bool, float]:
    """Can the contact hold the part at rest under an applied force (A, Eq 4)? Returns the verdict and the violation.

    F.t_r = 0, F.n <= k1 F.t_r_perp and F.n <= k2 F.t_r_perp. The violation is a force, <= 0 when in equilibrium with
    room to spare; the first condition counts with its absolute value.
    """
    force = np.asarray(force, float)
    along, across = force @ frame.n, force @ frame.t_r_perp
    if frame.mu == 0.0:
        worst = max(abs(force @ frame.t_r), abs(across), along)
    else:
        worst = max(
            abs(force @ frame.t_r),
            (along - frame.k1 * across) / np.hypot(1.0, frame.k1),
            (along - frame.k2 * across) / np.hypot(1.0, frame.k2),
        )
    size = np.linalg.norm(force)
    return bool(worst <= EQUILIBRIUM * size), float(worst)


def project_force(frame: Frame, force: ArrayLike) -> np.ndarray:
    """Reaction to an applied force, part at rest, cone above its tangent plane (A section 5.2, B section 4.4).

    First the part along t_r is dropped; if the rest is not held by the cone, it is moved along t_r_perp to the cone's
    edge, which leaves F.n alone and so keeps the contact. ValueError if the cone dips: then the rule does not hold.
    """
    return compute_reaction(frame, force, 1.0, 0.0, 0.0, 0.0)


def compute_reaction(frame: Frame, force: ArrayLike, mass: float, h_n: float, omega: float, slip: float) -> np.ndarray:
    """Reaction to an applied force on a part in motion with one contact (A section 5.6); the cone must not dip.

    h_n = h.n of the second variation n.(a + h) = 0 (in terms of rows, b = Delta_n h_n); omega: angular velocity;
    slip: slip velocity along t_s, of which the sign counts.

        f_n = max(0, -(F + m h).n),  C = v_t F.t_r_perp - v_n m h.n + m omega^2 r.v_f
        f_t = f_n / k2 if the slip is positive, f_n / k1 if negative, else -C / v_t clamped between the two
    """
    if frame.dips:
        raise InputError("the cone dips below its tangent plane: use dynamics.find_accelerations")
    force = np.asarray(force, float)
    v_n, v_t = frame.v_f @ frame.n, frame.v_f @ frame.t_r_perp
    f_n = max(0.0, -(force @ frame.n + mass * h_n))
    change = v_t * (force @ frame.t_r_perp) - v_n * mass * h_n + omega**2 * mass * (frame.r @ frame.v_f)
    low, high = f_n / frame.k2, f_n / frame.k1 if frame.k1 != 0.0 else np.inf
    f_t = low if slip > 0.0 else high if slip < 0.0 else min(max(-change / v_t, low), high)
    return f_n * frame.n + f_t * frame.t_r_perp


def find_intervals(problem: Any, point: np.ndarray,
                   direction: np.ndarray) -> list[tuple[tuple[float, float] | None, tuple[float, float] | None]]:
    """Where on the line a = point + c direction each friction edge may act (B section 5.5, Table 1).

    problem: rows as in `ContactProblem`. For each contact (I+, I-): the closed c-interval on which the edge N + mu T
    (I+) and N - mu T (I-) is legal, None where it never is. c_i = -(T.point + d) / (T.direction), Eq 10 in terms of
    rows. The misprint of section 5.5.3 (+ m h') is corrected: F_R(c) = -F_A - m h' + c t_c.
    """
    everywhere = (-np.inf, np.inf)
    out: list[tuple[tuple[float, float] | None, tuple[float, float] | None]] = []
    for i in range(len(problem.b)):
        slope = float(problem.T[i] @ direction)
        value = float(problem.T[i] @ point + problem.d[i])
        if problem.slip[i] > 0:
            out.append((None, everywhere))
        elif problem.slip[i] < 0:
            out.append((everywhere, None))
        elif slope > 0.0:
            out.append(((-np.inf, -value / slope), (-value / slope, np.inf)))
        elif slope < 0.0:
            out.append(((-value / slope, np.inf), (-np.inf, -value / slope)))
        else:
            out.append((everywhere if value <= 0.0 else None, everywhere if value >= 0.0 else None))
    return out


def find_dipping(problem: Any) -> np.ndarray:
    """Indices of the contacts whose friction cone dips below its tangent plane: mu |N.T| > N.N.

    The same as mu |n_q v_q| > rho^2 + n_q^2. At a contact that slips only the edge in use counts.
    """
    mixed = np.einsum("ij,ij->i", problem.N, problem.T)
    square = np.einsum("ij,ij->i", problem.N, problem.N)
    reach = np.where(problem.slip == 0, np.abs(mixed), problem.slip * mixed)
    with np.errstate(invalid="ignore"):
        dips = np.where(reach > 0.0, problem.mu * reach > square, False)
    return np.flatnonzero(dips)
