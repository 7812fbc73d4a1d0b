"""The poses of a contact formation with round on round (type C): two contacts eliminated, all roots of one polynomial.

With e = exp(i theta) and complex numbers for points, each contact is a line or a circle for the place p of the part:

    A   Re(conj(e n) p) = Re(conj(n) conj(e) P) - Re(conj(n) b)       B   Re(conj(n) p) = Re(conj(n) (P - e b))
    C   |p - K| = s ,  K = P - e b ,  s = |r + R|       ARC, BRC: p = P - e b for the point b that is held at P

Two circles are one of them and their radical line, Re(conj(K2 - K1) p) = (|K2|^2 - s2^2 - |K1|^2 + s1^2) / 2. So there
are two lines Re(conj(a) p) = g and a circle, and with d = Im(conj(a1) a2) the lines meet in p = i (g2 a1 - g1 a2) / d.
That the point lies on the circle is

    f(theta) = |M|^2 - s^2 d^2 = 0 ,   M = d (p - K) = i (g2 a1 - g1 a2) - d K .

The a have terms e^0 and e^1, the g terms e^-1 to e^1, so M has e^-1 to e^2 and f is of degree three: six poses at most
(as of the planar platform on three legs, which 3C is), four of 2AC and 2BC, two of ARC and BRC.

*All roots.* f is monotone between neighbouring angles of the zeros of f', six complex ones: also where such a zero lies
off the unit circle, for an angle more does no harm. Each change of sign between them holds one root. The sign is not
that of f, whose rounding is squared, but that of h = |M| - s |d|, which is |d| times the gap that is left.

*Where the lines coincide* M and d vanish together, which f shows as a double root, or by an accident of the placement
always (parallel edges); the places then are those where the line cuts the circle.
"""

from __future__ import annotations

import cmath
import math
from typing import NamedTuple

import numpy as np

from geometry.formation.trigonometric import wrap_angle
from geometry.tolerances import (
    FORMATION_GAP,
    FORMATION_ROUNDINGS,
    MEETING_LINES,
    ROOT_BRACKET,
    ROOT_ROUNDING,
    SAME_POSE,
)

# What `solve` returns in place of poses; the numbers are those of `geometry/formation/kernels.py`.
TURNS, NEVER, SLIDES, REDUNDANT, CONCENTRIC = -1, -2, -3, -5, -6

Found = list[tuple[np.ndarray, int]]  # pose (3,) and multiplicity


class _Line(NamedTuple):
    """Re(conj(a) p) = g: terms e^0, e^1 of a (2,) and e^-1 to e^1 of g (3,)."""

    a: np.ndarray
    g: np.ndarray


class _Problem(NamedTuple):
    """Two lines and a circle, and what follows from them; all lengths in units of `scale`."""

    lines: list[_Line]
    centre: np.ndarray  # (2,) terms e^0, e^1 of K
    radius: float
    M: np.ndarray  # (4,) terms e^-1 to e^2
    d: np.ndarray  # (3,) terms e^-1 to e^1
    f: np.ndarray  # (7,) terms e^-3 to e^3
    tolerance: float  # of h


def solve(letters: str, rows: np.ndarray) -> Found | int:
    """All poses, or one of the codes above. letters: A, B, C, P (held) of each row, C last; rows: see `pack_formation`.
    """
    used = len(letters)
    local, middle = rows[:used].copy(), rows[:used, :4].mean(axis=0)
    local[:, :4] -= middle
    held = np.array([letter == "C" for letter in letters])
    scale = float(np.abs(local[:, :4]).sum() + local[held, 4].sum())
    local[:, :4] /= scale
    local[held, 4] /= scale
    tolerance = FORMATION_GAP + FORMATION_ROUNDINGS * float(np.abs(rows[:used, :4]).max()) / scale
    problem = _set_up(letters, local, tolerance)
    if isinstance(problem, int):
        return problem
    found = _find_places(problem)
    if isinstance(found, int):
        return found
    b0, P0 = complex(*middle[:2]), complex(*middle[2:])
    poses: Found = []
    for theta, place, multiplicity in found:
        p = place * scale + P0 - cmath.exp(1j * theta) * b0
        pose = np.array([p.real, p.imag, theta])
        if multiplicity == 1:
            pose = _polish(letters, rows, pose)
        pose[2] = wrap_angle(pose[2])
        poses.append((pose, multiplicity))
    return sorted(_drop_repeated(poses, scale), key=lambda each: each[0][2])


# ---- lines, circle, polynomial ---------------------------------------------------------------------------------------


def _write_line(letter: str, row: np.ndarray) -> _Line:
    """The line of a contact of type A or B."""
    b, P, n = complex(*row[0:2]), complex(*row[2:4]), complex(*row[4:6])
    if letter == "A":
        w = n.conjugate() * P
        return _Line(np.array([0.0, n]), np.array([0.5 * w, -(n.conjugate() * b).real, 0.5 * w.conjugate()]))
    w = n.conjugate() * b
    return _Line(np.array([n, 0.0]), np.array([-0.5 * w.conjugate(), (n.conjugate() * P).real, -0.5 * w]))


def _write_power(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(K, |K|^2 - s^2) of the circle of a contact of type C, as terms e^0, e^1 and e^-1 to e^1."""
    b, P = complex(*row[0:2]), complex(*row[2:4])
    w = P.conjugate() * b
    return np.array([P, -b]), np.array([-w.conjugate(), abs(P) ** 2 + abs(b) ** 2 - row[4] ** 2, -w])


def _set_up(letters: str, rows: np.ndarray, tolerance: float) -> _Problem | int:
    circles = [row for letter, row in zip(letters, rows, strict=True) if letter == "C"]
    K, power = _write_power(circles[0])
    radius = float(circles[0][4])
    if radius <= tolerance:
        return CONCENTRIC
    if letters[0] == "P":
        point = np.array([complex(*rows[0, 2:4]), -complex(*rows[0, 0:2])])
        M, d = np.array([0.0, *(point - K), 0.0]), np.array([0.0, 1.0 + 0.0j, 0.0])
        return _finish([], K, radius, M, d, tolerance)
    lines = [_write_line(letter, row) for letter, row in zip(letters, rows, strict=True) if letter != "C"]
    for row in circles[1:]:
        other, other_power = _write_power(row)
        size = float(np.abs(other - K).sum())
        if size <= tolerance:
            return REDUNDANT if abs(row[4] - radius) <= tolerance else NEVER
        lines.append(_Line((other - K) / size, (other_power - power) / (2.0 * size)))
    first, second = lines
    d = np.convolve(first.a[::-1].conj(), second.a)
    d = (d - d[::-1].conj()) / 2j
    M = 1j * (np.convolve(second.g, first.a) - np.convolve(first.g, second.a)) - np.convolve(d, K)
    return _finish(lines, K, radius, M, d, tolerance)


def _finish(lines, K, radius: float, M, d, tolerance: float) -> _Problem:
    f = np.convolve(M, M[::-1].conj())
    f[1:6] -= radius**2 * np.convolve(d, d)
    return _Problem(lines, K, radius, M, d, f, tolerance)


def _evaluate(terms: np.ndarray, theta: float) -> complex:
    """A sum of terms up to e^(n // 2): e^-1 to e^2 of four, e^-1 to e^1 of three, e^0 and e^1 of two."""
    e = cmath.exp(1j * theta)
    value = 0j
    for term in terms[::-1]:
        value = value * e + complex(term)
    return value * e ** (len(terms) // 2 + 1 - len(terms))


def _measure(problem: _Problem, theta: float) -> tuple[float, float]:
    """(h, f) at an angle: f = h (|M| + s |d|)."""
    size, reach = abs(_evaluate(problem.M, theta)), problem.radius * abs(_evaluate(problem.d, theta))
    return size - reach, (size - reach) * (size + reach)


# ---- roots -----------------------------------------------------------------------------------------------------------


def _find_extrema(problem: _Problem) -> list[tuple[float, float, float]]:
    """(angle, h, f) of the extrema of f, by rising angle: of the angles of all zeros of f' those at which f turns."""
    slope = 1j * np.arange(-3, 4) * problem.f
    kept = np.abs(slope) > ROOT_ROUNDING * np.abs(slope).max()
    slope = np.where(kept, slope, 0.0)
    angles = sorted({float(angle) for angle in np.angle(np.roots(slope[::-1]))}) or [0.0]
    points = [(angle, *_measure(problem, angle)) for angle in angles]
    k = 0
    while k < len(points) and len(points) > 2:
        before, here, after = points[k - 1][2], points[k][2], points[(k + 1) % len(points)][2]
        if (here - before) * (after - here) >= 0.0:
            del points[k]
            k = max(k - 2, 0)
        else:
            k += 1
    return points


def _find_places(problem: _Problem) -> list[tuple[float, complex, int]] | int:
    """(theta, place, multiplicity) of every pose, in the units of the problem; or a code."""
    points = _find_extrema(problem)
    zero = [abs(h) <= problem.tolerance for _, h, _ in points]
    if all(zero):
        return TURNS
    if len(points) == 1:
        return NEVER
    found: list[tuple[float, complex, int]] = []
    for k, (angle, h, _) in enumerate(points):
        j = (k + 1) % len(points)
        if zero[k]:
            if not zero[k - 1]:
                places = _place_touch(problem, angle, 3 if zero[j] else 2)
                if places is None:
                    return SLIDES
                found += places
        elif not zero[j] and h * points[j][1] < 0.0:
            end = points[j][0] + (2.0 * math.pi if j <= k else 0.0)
            theta = _refine(problem, angle, end, points[j][1] > 0.0)
            d = _evaluate(problem.d, theta).real
            if abs(d) > MEETING_LINES:
                found.append((theta, _evaluate(problem.M, theta) / d + _evaluate(problem.centre, theta), 1))
            else:
                found += _cut_circle(problem, theta) or ()
    return found


def _refine(problem: _Problem, low: float, high: float, rising: bool) -> float:
    """The root between two extrema by Newton's method on f, which may not leave the bracket."""
    slope = 1j * np.arange(-3, 4) * problem.f
    t = 0.5 * (low + high)
    for _ in range(100):
        h, value = _measure(problem, t)
        if h == 0.0:
            return t
        if (h > 0.0) == rising:
            high = t
        else:
            low = t
        rate = _evaluate(slope, t).real
        following = t - value / rate if rate != 0.0 else low
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - t) <= ROOT_ROUNDING * abs(t) or high - low <= ROOT_BRACKET:
            return following
        t = following
    return t


def _place_touch(problem: _Problem, theta: float, multiplicity: int) -> list[tuple[float, complex, int]] | None:
    """The places at a double root: one, at which poses meet, or those of lines that coincide."""
    d = _evaluate(problem.d, theta).real
    if abs(d) <= MEETING_LINES:
        return _cut_circle(problem, theta)
    return [(theta, _evaluate(problem.M, theta) / d + _evaluate(problem.centre, theta), multiplicity)]


def _cut_circle(problem: _Problem, theta: float) -> list[tuple[float, complex, int]] | None:
    """Where the lines that coincide cut the circle: none, one where they touch, two; None: nothing is left of them."""
    centre = _evaluate(problem.centre, theta)
    a, g = max(((_evaluate(line.a, theta), _evaluate(line.g, theta).real) for line in problem.lines),
               key=lambda line: abs(line[0]))
    if abs(a) <= MEETING_LINES:
        return None
    n = a / abs(a)
    offset = g / abs(a) - (n.conjugate() * centre).real
    room = problem.radius - abs(offset)
    if abs(room) <= problem.tolerance:
        return [(theta, centre + offset * n, 2)]
    if room < 0.0:
        return []
    half = math.sqrt(room * (problem.radius + abs(offset)))
    return [(theta, centre + offset * n + side * 1j * half * n, 1) for side in (-1.0, 1.0)]


# ---- the constraints themselves, as given ----------------------------------------------------------------------------


def evaluate_constraints(letters: str, rows: np.ndarray, pose) -> tuple[np.ndarray, np.ndarray]:
    """(gap (3,), derivatives (3, 3) by x, y, theta) of the constraints at a pose; a held point is two constraints."""
    p, e = complex(pose[0], pose[1]), cmath.exp(1j * pose[2])
    gaps, slopes = [], []
    for letter, row in zip(letters, rows, strict=False):
        arm, P = e * complex(*row[0:2]), complex(*row[2:4])
        away = p + arm - P
        if letter == "P":
            gaps += [away.real, away.imag]
            slopes += [(1.0, 0.0, -arm.imag), (0.0, 1.0, arm.real)]
            continue
        if letter == "C":
            distance = abs(away)
            n = away / distance if distance else 1.0 + 0.0j
            gaps.append(distance - row[4])
        elif letter == "A":
            n, arm = -e * complex(*row[4:6]), P - p
            gaps.append((n.conjugate() * away).real)
        else:
            n = complex(*row[4:6])
            gaps.append((n.conjugate() * away).real)
        slopes.append((n.real, n.imag, (n.conjugate() * 1j * arm).real))
    return np.array(gaps), np.array(slopes)


def _polish(letters: str, rows: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Newton steps on the constraints as they were given, while they lower the largest of them."""
    gap, slope = evaluate_constraints(letters, rows, pose)
    for _ in range(6):
        largest = np.abs(gap).max()
        if largest == 0.0:
            break
        try:
            step = np.linalg.solve(slope, gap)
        except np.linalg.LinAlgError:
            break
        trial = pose - step
        gap, slope = evaluate_constraints(letters, rows, trial)
        if abs(step[2]) > 0.5 * math.pi or np.abs(gap).max() >= largest:
            break
        pose = trial
    return pose


def _drop_repeated(poses: Found, scale: float) -> Found:
    """Without poses that were found twice: beside an angle at which the lines coincide both roots tell the same."""
    kept: Found = []
    for pose, multiplicity in poses:
        if not any(abs(math.remainder(pose[2] - other[2], 2.0 * math.pi)) < SAME_POSE
                   and math.dist(pose[:2], other[:2]) < SAME_POSE * scale for other, _ in kept):
            kept.append((pose, multiplicity))
    return kept
