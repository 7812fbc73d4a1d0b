"""Work along a path by quadrature: of friction, of obstacles that move, and of a load that turns."""

from __future__ import annotations

from math import sqrt

from dynamics.motion.constrained import evaluate_mode
from dynamics.motion.mode import set_time
from geometry.compiled.jit import kernel
from geometry.contact.path import evaluate_path
from sim.engine.recorder import fill_forces

# Nodes and weights of Gauss and Legendre's quadrature with three points on [0, 1].
NODES = (0.5 - 0.5 * sqrt(0.6), 0.5, 0.5 + 0.5 * sqrt(0.6))
WEIGHTS = (5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0)


@kernel
def integrate_friction(body, state, tools, tau):
    """Work of friction per mass along the path up to tau; as exact as the path."""
    probe = tools.desk.probe
    if state.at_rest == 1:
        return 0.0
    work = 0.0
    for k in range(3):
        evaluate_path(state.path, NODES[k] * tau, probe.pose, probe.velocity)
        _, power = evaluate_mode(body, state.mode, probe.pose, probe.velocity, probe.acceleration, probe.force)
        work += WEIGHTS[k] * power * tau
    return work


@kernel
def integrate_work(body, options, state, tools, tau, keep):
    """(work of friction against the slip, of the obstacles, of the load) per mass along the path up to tau, where
    obstacles move. With `keep` the work of each obstacle is added to its account."""
    probe, closed, edge = tools.desk.probe, tools.desk.closed, body.walls.edge
    friction, pushed, turned = 0.0, 0.0, 0.0
    if keep:
        for m in range(body.walls.mover.shape[0]):
            body.walls.mover[m].work = body.walls.mover[m].work_start
    for node in range(3):
        evaluate_path(state.path, NODES[node] * tau, probe.pose, probe.velocity)
        set_time(body, state.path_start + NODES[node] * tau)
        v, weight = probe.velocity, WEIGHTS[node] * tau
        n = fill_forces(body, options, state, tools, probe.pose, v)
        turned += weight * (body.w[0] * v[0] + body.w[1] * v[1] + body.w[2] * v[2] * body.rho)
        for k in range(n):
            t = closed.tangent[k]
            slip = t[0] * v[0] + t[1] * v[1] + t[2] * v[2] * body.rho - closed.drag[k]
            work = weight * (closed.fn[k] * closed.push[k] + closed.ft[k] * closed.drag[k])
            friction += weight * closed.ft[k] * slip
            pushed += work
            m = edge[closed.triple[k, 2]].mover
            if keep and m >= 0:
                body.walls.mover[m].work += work
    set_time(body, state.path_start + tau)
    return friction, pushed, turned
