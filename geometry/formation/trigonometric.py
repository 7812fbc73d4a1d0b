"""Real roots of a trigonometric polynomial of degree two, with their multiplicities, decided by its extrema.

    f(t) = k + c1 cos t + s1 sin t + c2 cos 2t + s2 sin 2t ,      coefficients in this order.

*Closed form.* With t = psi + phi, 2 psi = atan2(s2, c2), A = hypot(c2, s2), X = cos phi, Y = sin phi, the roots are the
meets of a parabola and the unit circle:

    f / 2A = X^2 + p X + q Y + m = 0 ,   X^2 + Y^2 = 1 .

In the pencil (parabola) - tau (circle) the conic (1 - tau) X^2 - tau Y^2 + p X + q Y + m + tau is a pair of lines where

    g(tau) = tau^3 + (m - 1) tau^2 + ((p^2 + q^2)/4 - m) tau - q^2/4 = 0     (the resolvent cubic of the quartic).

As g(0) <= 0 <= g(1) there is always a root in [0, 1], and there the lines are real:

    (a X + b Y + l1)(a X - b Y + l2) ,  a^2 = 1 - tau, b^2 = tau, l1 + l2 = p/a, l2 - l1 = q/b, l1 l2 = m + tau .

Each meets the circle like the line G c + H s + I = 0 of Farahat, Stiller and Trinkle (contact formation cells),
Equations (12) and (13).

*How many roots* is not left to the rounding of square roots: the closed form of f' gives all extrema, f is monotone
between them, so that each change of sign holds exactly one root, and an extremum where |f| is at most `tolerance` is a
double root. (The value at an extremum is insensitive to the extremum's own error.) For degree one this is the paper's
criterion, inequality (16): |I| against hypot(G, H).
"""

from __future__ import annotations

from math import acos, atan2, copysign, cos, hypot, pi, sin, sqrt

from geometry.compiled.jit import jit, kernel
from geometry.tolerances import RESOLVENT_BRACKET, RESOLVENT_ROUNDING, ROOT_BRACKET, ROOT_ROUNDING

EVERY_ANGLE = -1  # f vanishes everywhere, within the tolerance
NO_ANGLE = -2  # f is a constant that does not vanish


@kernel
def evaluate(coefficients, t):
    """f(t)."""
    return (coefficients[0] + coefficients[1] * cos(t) + coefficients[2] * sin(t)
            + coefficients[3] * cos(2.0 * t) + coefficients[4] * sin(2.0 * t))


@kernel
def differentiate(coefficients, derivative):
    """The coefficients of f'."""
    derivative[0] = 0.0
    derivative[1], derivative[2] = coefficients[2], -coefficients[1]
    derivative[3], derivative[4] = 2.0 * coefficients[4], -2.0 * coefficients[3]


@jit
def wrap_angle(t):
    """The same angle in (-pi, pi]."""
    while t > pi:
        t -= 2.0 * pi
    while t <= -pi:
        t += 2.0 * pi
    return t


@kernel
def find_roots(coefficients, tolerance, roots, multiplicity, work):
    """The number of distinct real roots in (-pi, pi], or EVERY_ANGLE or NO_ANGLE.

    Writes them in rising order to `roots` (4,) and `multiplicity` (4,) float64; `work` (4, 5) is scratch. `tolerance`
    is in the unit of f. A multiplicity is 1, 2, or 3 (two extrema that are one: an inflection).
    """
    first, second = hypot(coefficients[1], coefficients[2]), hypot(coefficients[3], coefficients[4])
    if first + second <= tolerance:
        return EVERY_ANGLE if abs(coefficients[0]) <= tolerance else NO_ANGLE
    if second <= tolerance:
        count = _solve_first_degree(coefficients, tolerance, roots, multiplicity)
    else:
        count = _solve_second_degree(coefficients, tolerance, roots, multiplicity, work)
    for k in range(count):
        roots[k] = wrap_angle(roots[k])
    sort_together(roots, multiplicity, count)
    return count


@jit
def sort_together(keys, values, count):
    """Sort the first `count` keys, values alongside."""
    for i in range(1, count):
        key, value = keys[i], values[i]
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1], values[j + 1] = keys[j], values[j]
            j -= 1
        keys[j + 1], values[j + 1] = key, value


@kernel
def _solve_first_degree(coefficients, tolerance, roots, multiplicity):
    """k + r cos(t - phase) = 0."""
    k, r = coefficients[0], hypot(coefficients[1], coefficients[2])
    phase = atan2(coefficients[2], coefficients[1])
    excess = abs(k) - r
    if abs(excess) <= tolerance:
        roots[0], multiplicity[0] = (phase if k < 0.0 else phase + pi), 2.0
        return 1
    if excess > 0.0:
        return 0
    half = atan2(sqrt((r - k) * (r + k)), -k)
    roots[0], roots[1] = phase - half, phase + half
    multiplicity[0], multiplicity[1] = 1.0, 1.0
    return 2


@kernel
def _solve_second_degree(coefficients, tolerance, roots, multiplicity, work):
    derivative, extremum, value, guess = work[0], work[1], work[2], work[3]
    differentiate(coefficients, derivative)
    n = _solve_closed_form(derivative, extremum)
    for i in range(n):
        extremum[i] = wrap_angle(extremum[i])
        value[i] = evaluate(coefficients, extremum[i])
    sort_together(extremum, value, n)
    zeros = 0
    for i in range(n):
        zeros += abs(value[i]) <= tolerance
    if zeros == n:
        return EVERY_ANGLE
    guesses = _solve_closed_form(coefficients, guess)
    count = 0
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        before = i - 1 if i > 0 else n - 1
        if abs(value[i]) <= tolerance:
            if abs(value[before]) > tolerance:  # else told already, by the extremum before
                roots[count] = extremum[i]
                multiplicity[count] = 3.0 if abs(value[j]) <= tolerance else 2.0
                count += 1
        elif abs(value[j]) > tolerance and value[i] * value[j] < 0.0:
            end = extremum[j] if j > i else extremum[j] + 2.0 * pi
            start = _choose_guess(guess, guesses, extremum[i], end)
            roots[count] = _refine_root(coefficients, derivative, extremum[i], end, start)
            multiplicity[count] = 1.0
            count += 1
    return count


@kernel
def _choose_guess(guess, guesses, low, high):
    """The root in closed form that lies in the interval, its middle if rounding has moved it out."""
    for k in range(guesses):
        turned = guess[k] + 2.0 * pi if guess[k] < low else guess[k]
        if low < turned < high:
            return turned
    return 0.5 * (low + high)


@kernel
def _refine_root(coefficients, derivative, low, high, t):
    """The root between two extrema by Newton's method, which may not leave the bracket."""
    rising = evaluate(coefficients, high) > 0.0
    for _ in range(100):
        value = evaluate(coefficients, t)
        if value == 0.0:
            return t
        if (value > 0.0) == rising:
            high = t
        else:
            low = t
        slope = evaluate(derivative, t)
        step = value / slope if slope != 0.0 else 0.0
        following = t - step
        if slope == 0.0 or not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - t) <= ROOT_ROUNDING * abs(t) or high - low <= ROOT_BRACKET:
            return following
        t = following
    return t


@kernel
def _solve_closed_form(coefficients, angle):
    """The real roots, c2 and s2 not both zero; writes them to `angle` in [-2 pi, 2 pi], returns their number."""
    scale = hypot(coefficients[3], coefficients[4])
    psi = 0.5 * atan2(coefficients[4], coefficients[3])
    cosine, sine = cos(psi), sin(psi)
    p = (coefficients[1] * cosine + coefficients[2] * sine) / (2.0 * scale)
    q = (coefficients[2] * cosine - coefficients[1] * sine) / (2.0 * scale)
    m = 0.5 * (coefficients[0] / scale - 1.0)
    tau = _solve_resolvent(p, q, m)
    a, b = sqrt(1.0 - tau), sqrt(tau)
    if tau <= 0.5:
        total = p / a
        difference = copysign(sqrt(max(total * total - 4.0 * (m + tau), 0.0)), q)
    else:
        difference = q / b
        total = copysign(sqrt(max(difference * difference + 4.0 * (m + tau), 0.0)), p)
    # The larger of l1 and l2 by the sum, the smaller by their product: no digits cancel.
    if total * difference >= 0.0:
        l2 = 0.5 * (total + difference)
        l1 = (m + tau) / l2 if l2 != 0.0 else 0.0
    else:
        l1 = 0.5 * (total - difference)
        l2 = (m + tau) / l1
    count = 0
    phase = atan2(b, a)
    for k in range(2):
        offset = l1 if k == 0 else l2
        direction = phase if k == 0 else -phase
        if abs(offset) <= 1.0:
            half = acos(-offset)
            angle[count], angle[count + 1] = wrap_angle(psi + direction - half), wrap_angle(psi + direction + half)
            count += 2
    return count


@kernel
def _solve_resolvent(p, q, m):
    """A root of g in [0, 1] at which g rises: Newton's method between g(low) <= 0 <= g(high)."""
    c2, c1, c0 = m - 1.0, 0.25 * (p * p + q * q) - m, -0.25 * q * q
    low, high, tau = 0.0, 1.0, 0.5
    for _ in range(200):
        value = ((tau + c2) * tau + c1) * tau + c0
        if value > 0.0:
            high = tau
        else:
            low = tau
        slope = (3.0 * tau + 2.0 * c2) * tau + c1
        following = tau - value / slope if slope > 0.0 else -1.0
        if not low < following < high:
            following = 0.5 * (low + high)
        if following == tau or high - low <= RESOLVENT_BRACKET:
            return following
        if abs(following - tau) <= RESOLVENT_ROUNDING * tau:
            return following
        tau = following
    return tau
