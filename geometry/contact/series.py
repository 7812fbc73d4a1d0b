"""Power series in time: sums, products and bounds, and the motion of a wall as one.

A series is an array (TERMS,) of coefficients in rising powers of the time since the start of a step. Whoever computes
one goes up order by order: a coefficient of a product needs those of its factors up to the same order only (Jorba &
Zou, Experimental Mathematics 14, 2005).
"""

from __future__ import annotations

from math import cos, inf, sin, sqrt

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record
from geometry.contact.path import TERMS
from geometry.prescribed.motion import SURFACE, THETA, X, Y
from geometry.prescribed.movers import TERMS as PIECE_TERMS
from geometry.tolerances import LEFT_OUT

# Strides in which a series is followed before it counts as not proved.
STRIDES = 24

# The frame of a wall that moves; all zero where the wall stands still.
WALL_SERIES = define_record(
    ("x", "f8", (TERMS,)), ("y", "f8", (TERMS,)), ("theta", "f8", (TERMS,)), ("surface", "f8", (TERMS,)),
    ("cos", "f8", (TERMS,)), ("sin", "f8", (TERMS,)),
    ("vx", "f8", (TERMS,)), ("vy", "f8", (TERMS,)), ("omega", "f8", (TERMS,)), ("speed", "f8", (TERMS,)),
)  # fmt: skip


@jit
def multiply(a, b, k):
    """Coefficient k of the product of two series."""
    total = a[0] * b[k]
    for j in range(1, k + 1):
        total += a[j] * b[k - j]
    return total


@jit
def multiply_two(a, b, c, d, k):
    """Coefficient k of the products a b and c d. Sums that go side by side cost hardly more than one: a sum waits for
    each of its terms, and each loop for the guess how long it is."""
    one, two = a[0] * b[k], c[0] * d[k]
    for j in range(1, k + 1):
        one += a[j] * b[k - j]
        two += c[j] * d[k - j]
    return one, two


@jit
def multiply_four(a, b, c, d, k):
    """Coefficient k of the products a c, a d, b c and b d."""
    ac, ad, bc, bd = a[0] * c[k], a[0] * d[k], b[0] * c[k], b[0] * d[k]
    for j in range(1, k + 1):
        x, y, u, v = a[j], b[j], c[k - j], d[k - j]
        ac += x * u
        ad += x * v
        bc += y * u
        bd += y * v
    return ac, ad, bc, bd


@kernel
def evaluate_series(series, degree, tau):
    """(value, first derivative) at a time."""
    value, rate = series[degree], 0.0
    for j in range(degree - 1, -1, -1):
        rate = rate * tau + value
        value = value * tau + series[j]
    return value, rate


@kernel
def stays_positive(series, degree, sign, offset, duration, rounding):
    """Is sign * series + offset proved to be positive on (0, duration]? It may begin with a zero, to `rounding`, from
    which it rises.

    Strides outwards: from f and f' at a time, and a bound M of |f''|, it is positive up to the root of f + f' x -
    M x^2 / 2. False only says that strides have become short against the duration. At its end, where a series is least
    exact, a positive value must not be of the size of what is left out.
    """
    size, bound = 0.0, 0.0
    for j in range(degree, 0, -1):
        size = (size + abs(series[j])) * duration
        if j >= 2:
            bound = bound * duration + j * (j - 1.0) * abs(series[j])
    start, left_out = sign * series[0] + offset, LEFT_OUT * size
    if start > size + left_out:
        return True
    tau = 0.0
    for _ in range(STRIDES):
        value, rate = evaluate_series(series, degree, tau)
        value, rate = sign * value + offset, sign * rate
        if value <= 0.0 and (tau > 0.0 or value < -rounding or rate <= 0.0):
            return False
        root = rate * rate + 2.0 * bound * value
        if root < 0.0:
            return False
        root = sqrt(root)
        if rate >= 0.0:
            stride = (rate + root) / bound if bound > 0.0 else inf
        else:
            stride = 2.0 * value / (root - rate)
        if tau + stride >= duration:
            return sign * evaluate_series(series, degree, duration)[0] + offset > left_out
        tau += stride
    return False


@kernel
def turn(angle, rate, c, s, terms):
    """Write the series of cosine and sine of an angle, whose derivative is the series `rate`."""
    c[0], s[0] = cos(angle), sin(angle)
    for k in range(terms - 1):
        across, along = multiply_two(rate, s, rate, c, k)
        c[k + 1], s[k + 1] = -across / (k + 1.0), along / (k + 1.0)


@kernel
def fill_wall_series(walls, m, time, terms, wall):
    """Write the series of mover m of the walls from a time on, by the pieces of its motion in use."""
    _fill_coordinate(walls, m, X, time, terms, wall.x)
    _fill_coordinate(walls, m, Y, time, terms, wall.y)
    _fill_coordinate(walls, m, THETA, time, terms, wall.theta)
    _fill_coordinate(walls, m, SURFACE, time, terms, wall.surface)
    for k in range(terms - 1):
        wall.vx[k], wall.vy[k] = (k + 1.0) * wall.x[k + 1], (k + 1.0) * wall.y[k + 1]
        wall.omega[k], wall.speed[k] = (k + 1.0) * wall.theta[k + 1], (k + 1.0) * wall.surface[k + 1]
    turn(wall.theta[0], wall.omega, wall.cos, wall.sin, terms)


@kernel
def _fill_coordinate(walls, m, which, time, terms, series):
    mover, piece, wave = walls.mover[m], walls.piece, walls.wave
    index = mover.piece[which]
    u = time - piece[index].origin
    for k in range(terms):
        series[k] = piece[index].c[k] if k < PIECE_TERMS else 0.0
    for k in range(PIECE_TERMS - 1):  # the same polynomial in powers of the time since the start of the step
        for j in range(PIECE_TERMS - 2, k - 1, -1):
            series[j] += u * series[j + 1]
    for i in range(mover.first_wave[which], mover.first_wave[which] + mover.n_waves[which]):
        w, factor = wave[i].frequency, wave[i].amplitude
        s, c = sin(w * time + wave[i].phase), cos(w * time + wave[i].phase)
        for k in range(terms):
            series[k] += factor * s
            s, c = c, -s
            factor *= w / (k + 1.0)
