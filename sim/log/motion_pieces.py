"""The motion between the rows of a log, as polynomials in time: one place for all that shows a part between rows.

Between two rows the motion has no jump, but for the last bounces before an accumulation: at all other events a log has
a row. Known are there

    q, v, a   pose, velocity and acceleration that leave the first row,
    q1, v1    pose of the second row, and the velocity that arrives there: that of the row, or, where events lie at its
              time, the velocity before the first of them,
    a1        the acceleration that arrives there: that of the row; not known where events lie at its time.

With u the time since the first row, h the time between both, and D, E, F what the parabola q + v u + a u^2 / 2 leaves
of q1, v1 h and a1 h^2 at u = h, the polynomial that meets all of them is the parabola plus (Hermite)

    a1 known      (10 D - 4 E + F/2) (u/h)^3 + (7 E - 15 D - F) (u/h)^4 + (6 D - 3 E + F/2) (u/h)^5
    a1 not known  (4 D - E) (u/h)^3 + (E - 3 D) (u/h)^4

For a constant acceleration it is the parabola. What of D, E and F is below `PIECE_ROUNDING` is rounding, and dropped:
so times that are too short to tell a higher power from noise have none. What is not a number is not known, and is left
out: without v1 the parabola is followed by D (u/h)^3; without a (none exists where a part jams) it has no square, and
(3 D - E) (u/h)^2 + (E - 2 D) (u/h)^3 follow, or without v1 as well D (u/h)^2. Where bounces lie between the rows, v1
and a1 are left out: the velocity jumps there. Where rows are too far apart for accelerations to say anything of the
motion between (`is_resolved`), these are left out too.

Where one such polynomial reproduces the motion through FEWEST or more rows to `PIECE_ROUNDING`, it is one piece.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from sim.tolerances import PIECE_RESOLVED, PIECE_ROUNDING

TERMS = 6
LOOKS = np.array([0.5, 1.0])  # shares of the time between two rows at which a merged piece is compared
FEWEST = 8  # stretches between rows that share a piece: fewer make a page hardly shorter, and a long log slow


class MotionRows(Protocol):
    """What is asked of a trajectory."""

    event_rows: np.ndarray  # (k,) EVENT_DTYPE

    @property
    def record(self) -> Any: ...  # SceneRecord

    @property
    def time(self) -> np.ndarray: ...  # (n,) s

    @property
    def pose(self) -> np.ndarray: ...  # (n, 3) m, m, rad

    @property
    def velocity(self) -> np.ndarray: ...  # (n, 3), as those that follow: by the second, and again

    @property
    def acceleration(self) -> np.ndarray: ...


class MotionPieces(NamedTuple):
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


def build_pieces(trajectory: MotionRows) -> MotionPieces:
    """The motion of a trajectory with rows. Of rows at one instant the last one goes on."""
    time = trajectory.time
    arriving_velocity, arriving_acceleration, jumps = find_arrivals(trajectory)
    rows = np.append(np.flatnonzero(np.diff(time) > 0.0), len(time) - 1)  # that are left, and the last
    if len(rows) == 1:
        pose = trajectory.pose[-1:]
        still = np.concatenate([pose[..., None], np.zeros((1, 3, TERMS - 1))], axis=2)
        return MotionPieces(time[-1:], float(time[-1]), still)

    def span(first: np.ndarray, last: np.ndarray) -> Spans:
        leave, arrive = rows[first], rows[last - 1] + 1  # of rows at one instant a motion arrives at the first
        return Spans(leave, time[arrive] - time[leave],
                     (trajectory.pose[leave], trajectory.velocity[leave], trajectory.acceleration[leave]),
                     (trajectory.pose[arrive], arriving_velocity[arrive], arriving_acceleration[arrive]))

    n = len(rows) - 1
    scale = find_scale(trajectory)
    single = fit_spans(span(np.arange(n), np.arange(1, n + 1)), scale)
    breaks = jumps[rows] | np.append(False, np.diff(rows) > 1)  # rows at which no piece goes on
    ends = np.append(np.flatnonzero(breaks[1:n]) + 1, n)
    windows = np.arange(max(n - FEWEST + 1, 0))[:, None] + np.arange(FEWEST + 1)  # spans that might be one piece
    joins = np.zeros(n, dtype=bool)
    if len(windows):
        fitted = fit_spans(span(windows[:, 0], windows[:, -1]), scale)
        joins[: len(windows)] = reproduces(fitted, single[windows[:, :-1]], time[rows[windows]], scale)
    begin, coefficients, first = [], [], 0
    while first < n:
        limit = int(ends[np.searchsorted(ends, first, side="right")])
        count, best, stride = 1, single[first], FEWEST - 1
        while joins[first] and first + count < limit:
            tried = min(count + stride, limit - first)
            fitted = fit_spans(span(np.array([first]), np.array([first + tried])), scale)[0]
            if reproduces(fitted, single[first : first + tried], time[rows[first : first + tried + 1]], scale):
                count, best, stride = tried, fitted, 2 * stride
            elif stride == 1:
                break
            else:
                stride = max(stride // 4, 1)
        begin.append(time[rows[first]])
        coefficients.append(best)
        first += count
    return MotionPieces(np.array(begin), float(time[-1]), np.array(coefficients))


def find_arrivals(trajectory: MotionRows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Velocity and acceleration (n, 3) with which the motion arrives at each row, NaN where they are not known; and
    whether (n,) an event lies there, or after the row before."""
    velocity, acceleration = np.array(trajectory.velocity), np.array(trajectory.acceleration)
    events, time = trajectory.event_rows, trajectory.time
    when, place = np.unique(events["time"], return_index=True)
    row = np.searchsorted(time, when, side="left")
    row, when, place = (given[row < len(time)] for given in (row, when, place))
    met = time[row] == when
    jumps = np.zeros(len(time), dtype=bool)
    jumps[row] = True
    acceleration[row] = np.nan
    velocity[row[met]] = np.column_stack([events[name][place[met]]
                                          for name in ("vx_before", "vy_before", "omega_before")])
    velocity[row[~met]] = np.nan
    return velocity, acceleration, jumps


def find_scale(trajectory: MotionRows) -> np.ndarray:
    """(3,): lengths [m] and angle [rad] that the rounding of poses is relative to: the size of the part and how far it
    is from the origin, a radian and how far it has turned."""
    reach = trajectory.record.workpiece.outline.reach
    length = max(reach, float(np.abs(trajectory.pose[:, :2]).max()))
    return np.array([length, length, max(1.0, float(np.abs(trajectory.pose[:, 2]).max()))])


def fit_spans(spans: Spans, scale: np.ndarray) -> np.ndarray:
    """(n, 3, TERMS): the polynomial of each span. scale (3,): see `find_scale`."""
    h = spans.length[:, None]
    (q, v, a), (q1, v1, a1) = spans.start, spans.end
    bent, arrives = np.isfinite(a), np.isfinite(v1)
    known = bent & arrives & np.isfinite(a1)
    bent &= ~arrives | is_resolved(q1 - q - v * h, (v1 - v) * h, a * h * h, np.where(known, a1 * h * h, np.nan), scale)
    known &= bent
    a = np.where(bent, a, 0.0)
    D = q1 - (q + v * h + 0.5 * a * h * h)
    E = np.where(arrives, v1 - (v + a * h), 0.0) * h
    F = np.where(known, a1 - a, 0.0) * h * h
    D, E, F = (np.where(np.abs(part) <= PIECE_ROUNDING * scale, 0.0, part) for part in (D, E, F))
    none = np.zeros_like(D)
    more = np.select(
        [known[..., None], (bent & arrives)[..., None], bent[..., None], arrives[..., None]],
        [np.stack([none, 10.0 * D - 4.0 * E + 0.5 * F, 7.0 * E - 15.0 * D - F, 6.0 * D - 3.0 * E + 0.5 * F], axis=-1),
         np.stack([none, 4.0 * D - E, E - 3.0 * D, none], axis=-1),
         np.stack([none, D, none, none], axis=-1),
         np.stack([3.0 * D - E, E - 2.0 * D, none, none], axis=-1)],
        np.stack([D, none, none, none], axis=-1))
    more = more / np.stack([h**2, h**3, h**4, h**5], axis=-1)
    more[..., 0] += 0.5 * a
    return np.concatenate([q[..., None], v[..., None], more], axis=-1)


def is_resolved(D: np.ndarray, E: np.ndarray, first: np.ndarray, last: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(n, 3) bool: are rows near enough for accelerations to count? D, E: what is left of q1 - q - v h and (v1 - v) h;
    first, last: a h^2 and a1 h^2, NaN where it is not known.

    The parabola of q, v, q1 is off the line by |D| / 4, the cubic of q, v, q1, v1 off that by 4/27 |E - 2 D|, and
    what meets the accelerations off that by up to 1/32 of what those differ from the cubic's. These sink where rows
    are near. Where they do not, as just after a stroke against a stiff damper, the cubic is kept.
    """
    off = np.abs(first - 2.0 * (3.0 * D - E)) + np.where(np.isnan(last), 0.0, np.abs(last - 4.0 * E + 6.0 * D))
    before = np.maximum(0.25 * np.abs(D), 4.0 / 27.0 * np.abs(E - 2.0 * D))
    return off / 32.0 <= PIECE_RESOLVED * before + PIECE_ROUNDING * scale


def reproduces(fitted: np.ndarray, single: np.ndarray, times: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(...) bool: is a polynomial (..., 3, TERMS) that begins at times[..., 0] the same as those between times
    (..., n + 1), which are single (..., n, 3, TERMS)?"""
    u = np.diff(times)[..., None] * LOOKS
    own = evaluate_polynomials(single[..., None, :, :], u)
    other = evaluate_polynomials(fitted[..., None, None, :, :], u + (times[..., :-1] - times[..., :1])[..., None])
    return (np.abs(own - other) <= PIECE_ROUNDING * scale).all(axis=(-3, -2, -1))


def evaluate_polynomials(coefficients: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(..., 3): polynomials (..., 3, TERMS) at u (...)."""
    value = np.zeros(np.broadcast_shapes(coefficients.shape[:-1], (*np.shape(u), 3)))
    for k in range(TERMS - 1, -1, -1):
        value = value * np.asarray(u)[..., None] + coefficients[..., k]
    return value
