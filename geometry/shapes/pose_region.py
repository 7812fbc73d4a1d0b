"""A region of poses of a frame of the part: is a pose in it, and for how long does that surely stay so.

A bound of the region is met where a margin is not negative. From a margin m, its rate r and a bound M of its second
derivative, it stays above m + r s - M s^2 / 2 for a time s, and so does the distance of a pose that is outside.
"""

from __future__ import annotations

from math import cos, inf, pi, sin, sqrt

from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record

TURN = 2.0 * pi

# x, y [m] and theta [rad] of the frame, each from `low` to `high`, infinite where it may be anything; theta counts
# modulo a turn. `origin` [m]: of the frame, seen from the centre of mass in an unrotated part; `reach`: how far off.
REGION = define_record(("low", "f8", (3,)), ("high", "f8", (3,)), ("origin", "f8", (2,)), ("reach", "f8"))


@kernel
def is_in_region(region, pose):
    """Is a pose (3,) of the centre of mass in the region?"""
    x, y = _place_frame(region, pose)
    if not (region.low[0] <= x <= region.high[0] and region.low[1] <= y <= region.high[1]):
        return False
    width = region.high[2] - region.low[2]
    return width >= TURN or (pose[2] - region.low[2]) % TURN <= width


@jit
def _place_frame(region, pose):
    """Where the origin of the frame is, m."""
    c, s, ox, oy = cos(pose[2]), sin(pose[2]), region.origin[0], region.origin[1]
    return pose[0] + c * ox - s * oy, pose[1] + s * ox + c * oy


@kernel
def measure_stay(region, pose, velocity, bounds, way):
    """(is a pose in the region, time [s] for which that surely stays so). way: 1 onwards, -1 back in time; bounds: of
    the motion of the centre of mass in that time (MotionBounds)."""
    x, y = _place_frame(region, pose)
    rx, ry, omega = x - pose[0], y - pose[1], velocity[2]
    bend = bounds.acceleration + (bounds.alpha + bounds.omega * bounds.omega) * region.reach
    in_x, stay_x = _measure_length(x, region.low[0], region.high[0], way * (velocity[0] - omega * ry), bend)
    in_y, stay_y = _measure_length(y, region.low[1], region.high[1], way * (velocity[1] + omega * rx), bend)
    in_theta, stay_theta = _measure_angle(pose[2], region.low[2], region.high[2], way * omega, bounds.alpha)
    if in_x and in_y and in_theta:
        return True, min(stay_x, stay_y, stay_theta)
    stay = 0.0  # it stays outside as long as any coordinate does
    if not in_x:
        stay = max(stay, stay_x)
    if not in_y:
        stay = max(stay, stay_y)
    if not in_theta:
        stay = max(stay, stay_theta)
    return False, stay


@jit
def _measure_length(value, low, high, rate, bend):
    """(is a value between two, for how long does that stay so)."""
    if value < low:
        return False, _stay_positive(low - value, -rate, bend)
    if value > high:
        return False, _stay_positive(value - high, rate, bend)
    return True, min(_stay_positive(value - low, rate, bend), _stay_positive(high - value, -rate, bend))


@jit
def _measure_angle(angle, low, high, rate, bend):
    """As `_measure_length`, modulo a turn."""
    width = high - low
    if width >= TURN:
        return True, inf
    above = (angle - low) % TURN
    if above <= width:
        return True, min(_stay_positive(above, rate, bend), _stay_positive(width - above, -rate, bend))
    return False, min(_stay_positive(above - width, rate, bend), _stay_positive(TURN - above, -rate, bend))


@jit
def _stay_positive(margin, rate, bend):
    """The first root of margin + rate s - bend s^2 / 2, inf if none; margin >= 0."""
    if margin == inf:
        return inf
    root = sqrt(rate * rate + 2.0 * bend * margin)
    if rate >= 0.0:
        return (rate + root) / bend if bend > 0.0 else inf
    return 2.0 * margin / (root - rate)
