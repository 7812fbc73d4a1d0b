"""Writing rows of the log from compiled code, and keeping the account: residuals, and work along a path by quadrature:
of friction, of obstacles that move, and of loads that change."""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

import numpy as np

from dynamics.loads.load import COMMAND, GRIPPER
from dynamics.motion.closed import BY_LETTERS, fill_from_mode, make_problem
from dynamics.motion.constrained import evaluate_mode
from dynamics.motion.mode import (
    CAPACITY,
    LETTER_N,
    SLIDING_TWICE,
    STATIC,
    compute_frame,
    compute_place,
    get_load,
    get_mu,
)
from dynamics.search.reactions import solve_forces
from geometry.compiled.jit import jit, kernel
from geometry.contact.moving import GRAVITY
from geometry.contact.series import evaluate_series
from geometry.prescribed.motion import THETA
from sim.engine.events import place_probe
from sim.engine.state import JAM, get_present


class WorkDone(NamedTuple):
    """Work per mass [J/kg]."""

    friction: float  # against the slip
    obstacles: float  # of those that move
    load: float  # where it changes; elsewhere it is told by the pose
    lost: float  # J, not per mass: in dampers and by drag, never negative


class EventHeader(NamedTuple):
    """What a row of /events says besides the contact and the state."""

    time: float  # s
    kind: int
    set_kind: int
    alternatives: int
    scale: float  # factor of the restitutions
    impact_class: int


@jit
def has_room(log):
    """Is there room for one more row of every table?"""
    counts = log.counts
    return (
        counts[0] + 2 <= log.steps.shape[0]
        and counts[1] + 2 * CAPACITY <= log.contacts.shape[0]
        and counts[2] + 5 <= log.events.shape[0]
        and counts[3] + 2 * CAPACITY <= log.impulses.shape[0]
    )


@kernel
def compute_load_work(body, state, pose):
    """Work of the load since the start [J]."""
    if body.varying:
        return body.mass * state.turned
    w, origin = body.w, state.origin
    turn = w[2] * body.rho * (pose[2] - origin[2])
    return body.mass * (w[0] * (pose[0] - origin[0]) + w[1] * (pose[1] - origin[1]) + turn)


@jit
def compute_kinetic(body, velocity):
    """Kinetic energy [J]."""
    v = velocity
    return 0.5 * body.mass * (v[0] * v[0] + v[1] * v[1] + body.rho * body.rho * v[2] * v[2])


@kernel
def fill_forces(body, options, state, tools, at, closed, a):
    """Write the mode's contacts at a MotionState with their forces per mass (fn, ft) into `closed`, and the
    acceleration (ax, ay, alpha) into `a`; returns the number of contacts.

    Where the basis carries everything these are its forces; else the least-norm forces that give the same acceleration.
    """
    mode = state.mode
    n = fill_from_mode(body, mode, at, BY_LETTERS, closed)
    if state.at_rest == 1:
        for k in range(n):
            closed.fn[k], closed.ft[k] = state.rest_force[k, 0], state.rest_force[k, 1]
        a[:] = 0.0
        if n == 0:  # springs alone hold it: what they leave is rounding of their forces
            w = get_load(body, at)
            a[0], a[1], a[2] = w[0], w[1], w[2] / body.rho
        return n
    force = tools.desk.force
    evaluate_mode(body, mode, at, a, force)
    carriers = 2 if mode.kind == SLIDING_TWICE else 1
    if n <= carriers:
        for k in range(n):
            second = mode.kind == SLIDING_TWICE and k == mode.second
            closed.fn[k], closed.ft[k] = (force[2], force[3]) if second else (force[0], force[1])
        return n
    target = tools.desk.wanted
    target[0], target[1], target[2] = a[0], a[1], a[2] * body.rho
    solve_forces(make_problem(closed, get_load(body, at)), target, options.tolerances, closed.fn, closed.ft)
    return n


@kernel
def write_row(body, options, state, tools, log, at, work):
    """One row of /steps and its rows of /contacts at a MotionState; work: WorkDone since the start."""
    time, pose, velocity = at.time, at.pose, at.velocity
    counts, closed, a, m = log.counts, tools.desk.closed, tools.desk.acceleration, body.mass
    if state.undecided != 0:
        n, a[0], a[1], a[2] = (closed.n if state.undecided == JAM else 0), 0.0, 0.0, 0.0
    else:
        n = fill_forces(body, options, state, tools, at, closed, a)
    w = get_load(body, at)
    row = log.steps[counts[0]]
    row["time"] = time
    row["x"], row["y"], row["theta"] = pose[0], pose[1], pose[2]
    row["vx"], row["vy"], row["omega"] = velocity[0], velocity[1], velocity[2]
    row["ax"], row["ay"], row["alpha"] = a[0], a[1], a[2]
    row["load_fx"], row["load_fy"], row["load_torque"] = m * w[0], m * w[1], m * body.rho * w[2]
    row["kinetic"] = compute_kinetic(body, velocity)
    row["work_load"] = m * work.load if body.varying else compute_load_work(body, state, pose)
    row["work_friction"] = m * work.friction
    row["work_obstacles"] = m * work.obstacles
    row["work_impact"] = m * state.impact
    _write_loads(body, row, work.lost)
    _write_wrist(body, row, a)
    row["set_kind"] = state.set_kind if time >= state.kind_time else state.kind_before
    row["first_contact"] = counts[4] + counts[1]
    row["n_contacts"] = n
    counts[0] += 1
    for k in range(n):
        write_contact(body, closed, k, log.contacts[counts[1]], at)
        state.penetration = max(state.penetration, -log.contacts[counts[1]]["gap"])
        counts[1] += 1
    if state.undecided == 0:
        _account_residuals(body, state, closed, n, a, w)
    state.last_row = time


@kernel
def _write_loads(body, row, lost):
    """What gripper, springs and controller do at the state of a row, for which the load was asked last."""
    row["gripper_fx"], row["gripper_fy"], row["gripper_torque"] = 0.0, 0.0, 0.0
    row["command_fx"], row["command_fy"], row["command_torque"] = 0.0, 0.0, 0.0
    stored = 0.0
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        wrench = load.wrench
        stored += load.stored
        if load.kind == GRIPPER:
            row["gripper_fx"], row["gripper_fy"], row["gripper_torque"] = wrench[0], wrench[1], wrench[2]
        elif load.kind == COMMAND:
            row["command_fx"], row["command_fy"], row["command_torque"] = wrench[0], wrench[1], wrench[2]
    row["spring_energy"], row["damper_work"] = stored, -lost


@kernel
def _write_wrist(body, row, a):
    """The wrench in the wrist at the acceleration (ax, ay, alpha) of a row."""
    fx, fy, torque = row["command_fx"], row["command_fy"], row["command_torque"]
    if body.control.shape[0] > 0:
        fx, fy, torque = compute_wrist(body, (fx, fy, torque), a)
    row["wrist_fx"], row["wrist_fy"], row["wrist_torque"] = fx, fy, torque


@jit
def compute_wrist(body, command, a):
    """The wrench in the wrist (Fx, Fy, torque) at an acceleration (ax, ay, alpha), under a command and the gravity of
    now: h = F - M_h a + (weight of the hand), see `dynamics.loads.control`."""
    control = body.control[0]
    gx, gy = compute_gravity(body)
    hand, m = control.hand, control.hand_mass
    return (command[0] - hand[0] * a[0] + m * gx, command[1] - hand[1] * a[1] + m * gy,
            command[2] - hand[2] * body.rho * body.rho * a[2])


@jit
def compute_gravity(body):
    """Gravity [m/s^2] at the time for which the load was asked last."""
    theta = body.walls.mover[GRAVITY].value[THETA]
    c, s = cos(theta), sin(theta)
    return c * body.load[3] - s * body.load[4], s * body.load[3] + c * body.load[4]


@kernel
def write_contact(body, closed, k, row, at):
    """One row of /contacts (or /impulses) from contact k of `closed`; forces per mass become newtons."""
    triple, pose, velocity = closed.triple[k], at.pose, at.velocity
    gap, _, nx, ny, rx, ry, _ = compute_place(body, triple, at.time, pose)
    row["obstacle"] = body.walls.edge[triple[2]].owner
    row["part_feature"], row["obstacle_feature"], row["type"] = triple[1], triple[2], triple[0]
    row["letter"] = closed.letter[k]
    row["px"], row["py"], row["nx"], row["ny"] = pose[0] - rx, pose[1] - ry, nx, ny
    row["gap"] = gap
    row["fn"], row["ft"] = body.mass * closed.fn[k], body.mass * closed.ft[k]
    row["slip"] = ny * velocity[0] - nx * velocity[1] + (nx * rx + ny * ry) * velocity[2] - closed.drag[k]


@kernel
def _account_residuals(body, state, closed, n, a, w):
    """Residuals of the row just written, from the rows of the contacts, the forces and the load w alone."""
    mode = state.mode
    sx, sy, sq = w[0] - a[0], w[1] - a[1], w[2] - a[2] * body.rho
    size = abs(w[0]) + abs(w[1]) + abs(w[2])
    for k in range(n):
        closed.letter[k] = mode.letter[k]
        fn, ft = closed.fn[k], closed.ft[k]
        size = max(size, abs(fn) + abs(ft))
        sx += fn * closed.normal[k, 0] + ft * closed.tangent[k, 0]
        sy += fn * closed.normal[k, 1] + ft * closed.tangent[k, 1]
        sq += fn * closed.normal[k, 2] + ft * closed.tangent[k, 2]
    if size == 0.0:
        return
    state.balance_residual = max(state.balance_residual, (abs(sx) + abs(sy) + abs(sq)) / size)
    for k in range(n):
        mu = get_mu(body, mode.triple[k])
        excess = max(abs(closed.ft[k]) - mu * closed.fn[k], -closed.fn[k])
        state.cone_residual = max(state.cone_residual, excess / (size * (1.0 + mu)))


@kernel
def account_contacts(body, state):
    """Gap and slip residuals of the closed contacts at the current state."""
    mode = state.mode
    if mode.kind == STATIC:
        return
    at = get_present(state)
    for k in range(mode.n):
        gap = compute_place(body, mode.triple[k], at.time, at.pose).gap
        state.gap_residual = max(state.gap_residual, abs(gap))
        state.penetration = max(state.penetration, -gap)
        if mode.letter[k] == LETTER_N:
            state.slip_residual = max(state.slip_residual, abs(compute_frame(body, mode.triple[k], at).slip))


@kernel
def write_event(body, state, log, header, before, after):
    """One row of /events, of the contact `state.cause`; header: EventHeader; before, after: velocities (3,)."""
    time, kind, set_kind, alternatives, scale, impact_class = header
    row = log.events[log.counts[2]]
    cause = state.cause
    row["time"], row["kind"] = time, kind
    row["part_feature"], row["obstacle_feature"], row["type"] = cause[1], cause[2], cause[0]
    row["obstacle"] = body.walls.edge[cause[2]].owner if cause[2] >= 0 else -1
    row["x"], row["y"], row["theta"] = state.pose[0], state.pose[1], state.pose[2]
    row["vx_before"], row["vy_before"], row["omega_before"] = before[0], before[1], before[2]
    row["vx_after"], row["vy_after"], row["omega_after"] = after[0], after[1], after[2]
    row["set_kind"], row["alternatives"], row["restitution_scale"] = set_kind, alternatives, scale
    row["impact_class"] = impact_class
    row["first_impulse"], row["n_impulses"] = log.counts[5] + log.counts[3], 0
    log.counts[2] += 1
    state.events += 1


@kernel
def write_impulses(body, state, log, struck):
    """Rows of /impulses for the event just written: impulses per mass are in `struck` (fn, ft)."""
    for k in range(struck.n):
        write_contact(body, struck, k, log.impulses[log.counts[3]], get_present(state))
        log.counts[3] += 1
    log.events[log.counts[2] - 1]["n_impulses"] = struck.n
    state.impacts += 1


# ---- work ------------------------------------------------------------------------------------------------------------


# Nodes and weights of Gauss and Legendre's quadrature on [0, 1], of order 16: that of the path.
_X, _W = np.polynomial.legendre.leggauss(8)
NODES, WEIGHTS = tuple((0.5 + 0.5 * _X).tolist()), tuple((0.5 * _W).tolist())


@jit
def get_friction_work(state, tau):
    """Work of friction per mass along the path up to tau, where no obstacle moves."""
    if state.at_rest == 1:
        return 0.0
    return evaluate_series(state.friction_path, state.path.degree, tau)[0]


@kernel
def integrate_work(body, options, state, tools, tau, keep):
    """WorkDone along the path up to tau, where obstacles move or loads change. With `keep` the work of each obstacle
    and of each load is added to its account."""
    probe, closed, edge = tools.desk.probe, tools.desk.closed, body.walls.edge
    friction, pushed, turned, lost = 0.0, 0.0, 0.0, 0.0
    if keep:
        for m in range(body.walls.mover.shape[0]):
            body.walls.mover[m].work = body.walls.mover[m].work_start
        for i in range(body.loads.shape[0]):
            state.load_work[i], state.load_lost[i] = state.load_work_start[i], state.load_lost_start[i]
    for node in range(len(NODES)):
        at = place_probe(probe, state.path, state.path_start, NODES[node] * tau)
        v, weight = at.velocity, WEIGHTS[node] * tau
        n = fill_forces(body, options, state, tools, at, closed, probe.acceleration)
        w = get_load(body, at)
        turned += weight * (w[0] * v[0] + w[1] * v[1] + w[2] * v[2] * body.rho)
        for i in range(body.loads.shape[0]):
            load = body.loads[i]
            lost += weight * load.lost
            if keep:
                state.load_work[i] += weight * get_power(load, v)
                state.load_lost[i] += weight * load.lost
        for k in range(n):
            t = closed.tangent[k]
            slip = t[0] * v[0] + t[1] * v[1] + t[2] * v[2] * body.rho - closed.drag[k]
            work = weight * (closed.fn[k] * closed.push[k] + closed.ft[k] * closed.drag[k])
            friction += weight * closed.ft[k] * slip
            pushed += work
            m = edge[closed.triple[k, 2]].mover
            if keep and m >= 0:
                body.walls.mover[m].work += work
    return WorkDone(friction, pushed, turned, lost)


@jit
def get_power(load, velocity):
    """Power [W] of a load on the part."""
    return load.wrench[0] * velocity[0] + load.wrench[1] * velocity[1] + load.torque * velocity[2]


@kernel
def add_short_work(body, state, pose, at):
    """Add the work of the loads at a MotionState along the short way there from a pose, and return it per mass."""
    w = get_load(body, at)
    x, y, theta = at.pose[0] - pose[0], at.pose[1] - pose[1], at.pose[2] - pose[2]
    work = w[0] * x + w[1] * y + w[2] * body.rho * theta
    state.turned += work
    for i in range(body.loads.shape[0]):
        load = body.loads[i]
        state.load_work[i] += load.wrench[0] * x + load.wrench[1] * y + load.torque * theta
    return work
