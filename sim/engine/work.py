"""Work along a path by quadrature: of friction, of obstacles that move, and of loads that change."""

from __future__ import annotations

import numpy as np

from dynamics.motion.mode import get_load
from geometry.compiled.jit import jit, kernel
from geometry.contact.series import evaluate_series
from sim.engine.events import place_probe
from sim.engine.recorder import WorkDone, fill_forces

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
