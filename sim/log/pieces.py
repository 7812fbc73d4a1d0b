"""The motion between the rows of a log, as polynomials in time: one place for all that shows a part between rows.

Between two rows the motion has no jump: a log has a row at every event that changes it. Known are there

    q, v, a   pose, velocity and acceleration that leave the first row,
    q1, v1    pose of the second row, and the velocity that arrives there: that of the row, or, where events lie at its
              time, the velocity before the first of them,
    a1        the acceleration that arrives there: that of the row; not known where events lie at its time.

With u the time since the first row, h the time between both, and D, E, F what the parabola q + v u + a u^2 / 2 leaves
of q1, v1 h and a1 h^2 at u = h, the polynomial that meets all of them is the parabola plus (Hermite)

    a1 known      (10 D - 4 E + F/2) (u/h)^3 + (7 E - 15 D - F) (u/h)^4 + (6 D - 3 E + F/2) (u/h)^5
    a1 not known  (4 D - E) (u/h)^3 + (E - 3 D) (u/h)^4

For a constant acceleration it is the parabola. What D, E and F leave below `PIECE_ROUNDING` is rounding, and dropped:
so times that are too short to tell a higher power from noise have none. A condition that is not a number (no
acceleration exists where a part jams) is left out: without a the start has none of it, and the polynomial is the cubic
of q, v, q1, v1.

Rows in a line whose motion one such polynomial reproduces to `PIECE_ROUNDING` become one piece.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sim.tolerances import PIECE_ROUNDING

if TYPE_CHECKING:
    from sim.log.trajectory import Trajectory

TERMS = 6
LOOKS = np.array([0.25, 0.5, 0.75, 1.0])  # shares of the time between two rows at which a merged piece is compared


class Pieces(NamedTuple):
    """Polynomials (x, y [m], theta [rad])(t) = sum_k coefficients[i, :, k] (t - begin[i])^k, from begin[i] on until the
    next begins; the last ends at `end`."""

    begin: np.ndarray  # (n,) s, rising
    end: float  # s
    coefficients: np.ndarray  # (n, 3, TERMS) m/s^k, m/s^k, rad/s^k

    def evaluate(self, times: np.ndarray) -> np.ndarray:
        """(k, 3) poses at times (k,) [s], held within the span."""
        times = np.clip(np.asarray(times, dtype=np.float64), self.begin[0], self.end)
        which = np.searchsorted(self.begin, times, side="right") - 1
        return evaluate_polynomials(self.coefficients[which], times - self.begin[which])


class Spans(NamedTuple):
    """What is known of the motion from one row to a later one, for n pairs of rows."""

    first: np.ndarray  # (n,) rows that they leave
    length: np.ndarray  # (n,) s
    start: tuple[np.ndarray, np.ndarray, np.ndarray]  # pose, velocity, acceleration (n, 3) that leave
    end: tuple[np.ndarray, np.ndarray, np.ndarray]  # ... that arrive, NaN where they are not known


def build_pieces(trajectory: Trajectory) -> Pieces:
    """The motion of a trajectory with rows. Of rows at one instant the last one goes on."""
    time = trajectory.time
    arriving_velocity, arriving_acceleration, jumps = find_arrivals(trajectory)
    rows = np.append(np.flatnonzero(np.diff(time) > 0.0), len(time) - 1)  # that are left, and the last
    if len(rows) == 1:
        pose = trajectory.pose[-1:]
        return Pieces(time[-1:], float(time[-1]), np.concatenate([pose[..., None], np.zeros((1, 3, TERMS - 1))], 2))

    def span(first: np.ndarray, last: np.ndarray) -> Spans:
        leave, arrive = rows[first], rows[last - 1] + 1  # of rows at one instant a motion arrives at the first
        return Spans(leave, time[arrive] - time[leave],
                     (trajectory.pose[leave], trajectory.velocity[leave], trajectory.acceleration[leave]),
                     (trajectory.pose[arrive], arriving_velocity[arrive], arriving_acceleration[arrive]))

    n = len(rows) - 1
    scale = find_scale(trajectory)
    single = fit_spans(span(np.arange(n), np.arange(1, n + 1)), scale)
    breaks = jumps[rows] | (np.append(False, np.diff(rows) > 1))  # rows at which no piece goes on
    begin, coefficients, first = [], [], 0
    while first < n:
        count, best = 1, single[first]
        limit = first + 1
        while limit < n and not breaks[limit]:
            limit += 1
        stride = 1
        while first + count < limit:
            tried = min(count + stride, limit - first)
            fitted = fit_spans(span(np.array([first]), np.array([first + tried])), scale)[0]
            if reproduces(fitted, single[first : first + tried], time[rows[first : first + tried + 1]], scale):
                count, best, stride = tried, fitted, 2 * stride
            elif stride == 1:
                break
            else:
                stride = 1
        begin.append(time[rows[first]])
        coefficients.append(best)
        first += count
    return Pieces(np.array(begin), float(time[-1]), np.array(coefficients))


def find_arrivals(trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Velocity and acceleration (n, 3) with which the motion arrives at each row, NaN where they are not known; and
    whether (n,) an event lies there."""
    velocity, acceleration = np.array(trajectory.velocity), np.array(trajectory.acceleration)
    events, time = trajectory.event_rows, trajectory.time
    when, place = np.unique(events["time"], return_index=True)
    row = np.searchsorted(time, when, side="left")
    met = (row < len(time)) & (time[np.minimum(row, len(time) - 1)] == when)
    row, place = row[met], place[met]
    velocity[row] = np.column_stack([events[name][place] for name in ("vx_before", "vy_before", "omega_before")])
    acceleration[row] = np.nan
    jumps = np.zeros(len(time), dtype=bool)
    jumps[row] = True
    return velocity, acceleration, jumps


def find_scale(trajectory: Trajectory) -> np.ndarray:
    """(3,): lengths [m] and angle [rad] that the rounding of poses is relative to: the size of the part and how far it
    is from the origin, a radian and how far it has turned."""
    reach = trajectory.record.workpiece.outline.reach
    length = max(reach, float(np.abs(trajectory.pose[:, :2]).max()))
    return np.array([length, length, max(1.0, float(np.abs(trajectory.pose[:, 2]).max()))])


def fit_spans(spans: Spans, scale: np.ndarray) -> np.ndarray:
    """(n, 3, TERMS): the polynomial of each span."""
    h = spans.length[:, None]
    q, v, a = spans.start
    q1, v1, a1 = spans.end
    v1 = np.where(np.isfinite(v1), v1, np.nan)
    bent = np.isfinite(a)
    parabola = np.where(bent, a, 0.0)
    D = q1 - (q + v * h + 0.5 * parabola * h * h)
    E = (v1 - (v + parabola * h)) * h
    F = (a1 - parabola) * h * h
    small = PIECE_ROUNDING * scale
    D, E, F = (np.where(np.abs(part) <= small, 0.0, part) for part in (D, E, F))
    known = np.isfinite(F) & np.isfinite(E) & bent
    F = np.where(known, F, 0.0)
    quintic = np.stack([10.0 * D - 4.0 * E + 0.5 * F, 7.0 * E - 15.0 * D - F, 6.0 * D - 3.0 * E + 0.5 * F])
    quartic = np.stack([4.0 * D - E, E - 3.0 * D, np.zeros_like(D)])
    higher = np.where(known, quintic, quartic)
    square = np.where(bent, 0.5 * parabola, 3.0 * D / h**2 - E / h**2)
    cubic = np.stack([E - 2.0 * D, np.zeros_like(D), np.zeros_like(D)])
    higher = np.where(bent, higher, cubic)
    alone = np.isnan(E)  # no velocity arrives: the parabola of q, v, q1
    square = np.where(alone, (q1 - q - v * h) / h**2, square)
    higher = np.where(alone, 0.0, higher)
    powers = np.stack([h**3, h**4, h**5])
    return np.stack([q, v, square, *(higher / powers)], axis=-1)


def reproduces(fitted: np.ndarray, single: np.ndarray, times: np.ndarray, scale: np.ndarray) -> bool:
    """Is one polynomial (3, TERMS) from times[0] on the same as those (n, 3, TERMS) between times (n + 1,)?"""
    u = np.diff(times)[:, None] * LOOKS
    own = evaluate_polynomials(single[:, None], u)
    other = evaluate_polynomials(fitted, u + (times[:-1] - times[0])[:, None])
    return bool((np.abs(own - other) <= PIECE_ROUNDING * scale).all())


def evaluate_polynomials(coefficients: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(..., 3): polynomials (..., 3, TERMS) at u (...)."""
    value = np.zeros(np.broadcast_shapes(coefficients.shape[:-1], (*np.shape(u), 3)))
    for k in range(TERMS - 1, -1, -1):
        value = value * np.asarray(u)[..., None] + coefficients[..., k]
    return value
