"""How a run ends before its time: in a goal at which it stops, or where the part has left the scene for good.

A goal is looked for on the path of a step by bounds of its motion: a look says how long the part surely stays outside,
and the next one is then. So a visit is found however short it is, but for what is less than rounding or the error of
the step, and but for steps in which more than FINE looks would be needed. It is located on the constraints of the mode,
so that the pose at the end is in the region to the last bit. A run stops in the first goal of the scene that holds.
"""

from __future__ import annotations

from math import inf, sqrt

from dynamics.motion.mode import get_load
from dynamics.tolerances import SPEED_ROUNDING
from geometry.compiled.jit import jit, kernel
from geometry.compiled.record import define_record
from geometry.contact.path import bound_path, evaluate_path
from geometry.shapes.pose_region import REGION, is_in_region, measure_stay
from sim.engine import events
from sim.engine.recorder import EventHeader, write_event
from sim.engine.state import get_present
from sim.engine.step import place_at
from sim.rows.ending_codes import AWAY, REACHED
from sim.tolerances import EVENT_BRACKET, STILL

GOAL = define_record(("region", REGION), ("at_rest", "i8"), ("stop", "i8"))

# Looks at one step and one goal, as far apart as bounds allow. Then they are at least so far apart as the last ones
# were, and four times as far after each. Larger: a part that stays beside the bounds of a goal costs time. Smaller: of
# a part that spins, or stays beside the bounds, a short visit is passed over.
FINE = 1000
GROWTH = 4.0


@kernel
def reaches_goal(body, options, state):
    """Is the part in a goal at which the run stops? Also keeps since when it has been still, and in which goals."""
    v, goals = state.velocity, options.goals
    speed = max(abs(v[0]), abs(v[1]), abs(v[2]) * body.part.radius)
    if speed > STILL * options.scales.speed / SPEED_ROUNDING:
        state.still_since = -1.0
    elif state.still_since < 0.0:
        state.still_since = state.time
    for i in range(goals.shape[0]):
        if not is_in_region(goals[i].region, state.pose):
            state.inside_since[i] = -1.0
            continue
        if state.inside_since[i] < 0.0:
            state.inside_since[i] = state.time
        if goals[i].stop == 1 and (goals[i].at_rest == 0 or state.at_rest == 1):
            state.ending = REACHED + i
            return True
    return False


@kernel
def locate_goal(body, options, state, tools, duration):
    """The first time in (0, duration] of the path at which the part comes into a goal at which the run stops, moving or
    not; inf if it does not."""
    first, goals, probe = inf, options.goals, tools.desk.probe
    bounds = bound_path(state.path, 0.0, duration)
    for i in range(goals.shape[0]):
        if goals[i].stop == 1 and goals[i].at_rest == 0:
            before, after = _find_turn(body, state, goals[i].region, probe, bounds, 0.0, min(duration, first), True)
            if after < inf:
                first = _close_in(body, state, goals[i].region, probe, before, after, True)[1]
    return first


@kernel
def follow_goals(body, options, state, tools):
    """Keep since when the part has been in each goal that does not stop the run, by the path of the step that it has
    just made."""
    goals, probe, tau = options.goals, tools.desk.probe, state.path_length
    bounds = bound_path(state.path, 0.0, tau)
    for i in range(goals.shape[0]):
        if goals[i].stop == 1 or goals[i].at_rest == 1 or not is_in_region(goals[i].region, state.pose):
            continue
        after, before = _find_turn(body, state, goals[i].region, probe, bounds, tau, 0.0, False)
        if before < inf:
            after = _close_in(body, state, goals[i].region, probe, after, before, False)[0]
            state.inside_since[i] = state.path_start + after
        elif state.inside_since[i] < 0.0:
            state.inside_since[i] = state.path_start


@kernel
def _find_turn(body, state, region, probe, bounds, begin, end, wanted):
    """(last place where the part is not as wanted, in a region or out of it; first place where it is) from `begin` of
    the path to `end`, which may lie before it; (inf, inf) if it never is."""
    way, length = 1.0 if end > begin else -1.0, abs(end - begin)
    before, place, least, looks = begin, begin, EVENT_BRACKET * length, 0
    while True:
        evaluate_path(state.path, place, probe.pose, probe.velocity)
        inside, stay = measure_stay(region, probe.pose, probe.velocity, bounds, way)
        if inside == wanted:
            stay = 0.0
            if place != begin:
                place_at(body, state, place, probe.pose, probe.velocity)
                if is_in_region(region, probe.pose) == wanted:
                    return before, place
        if place == end:
            return inf, inf
        looks += 1
        stride = max(stay, least)
        if stay < least or looks > FINE:
            least *= GROWTH
        before = place
        place = end if abs(place - begin) + stride >= length else place + way * stride


@kernel
def _close_in(body, state, region, probe, low, high, wanted):
    """The same two places, next to each other, between `low`, where the part is not as wanted, and `high`."""
    while abs(high - low) > EVENT_BRACKET * max(low, high):
        middle = low + 0.5 * (high - low)
        if middle == low or middle == high:
            break
        place_at(body, state, middle, probe.pose, probe.velocity)
        if is_in_region(region, probe.pose) == wanted:
            high = middle
        else:
            low = middle
    return low, high


@kernel
def find_leaving(body, options, state):
    """Time [s] from now on until a part that flies under a constant load is outside the box of the scene for good; inf
    if it never is, or may come back."""
    box, radius, at, v = options.box, body.part.radius, state.pose, state.velocity
    w = get_load(body, get_present(state))
    return min(_leave(box.left - at[0] - radius, -v[0], -w[0]), _leave(at[0] - radius - box.right, v[0], w[0]),
               _leave(box.bottom - at[1] - radius, -v[1], -w[1]), _leave(at[1] - radius - box.top, v[1], w[1]))


@jit
def _leave(distance, rate, bend):
    """Time from which on distance + rate t + bend t^2 / 2 is positive for ever: 0 where it is from now on."""
    if bend < 0.0 or (bend == 0.0 and rate <= 0.0) or distance == -inf:
        return inf
    if bend == 0.0:
        return max(0.0, -distance / rate)
    square = rate * rate - 2.0 * bend * distance
    if square < 0.0:
        return 0.0
    root = sqrt(square)
    return max(0.0, -2.0 * distance / (rate + root) if rate > 0.0 else (root - rate) / bend)


@kernel
def log_ending(body, state, log):
    """The event that ends a run before its time."""
    state.cause[:] = -1
    kind = events.LEFT if state.ending == AWAY else events.GOAL
    header = EventHeader(state.time, kind, state.set_kind, state.members, 1.0, 0)
    write_event(body, state, log, header, state.velocity, state.velocity)
