"""Walls that move: where their edges are at a time, and how far they can get.

The tables of a run hold the walls at one time, that of their clock. `place_walls` moves them to another, by which also
steps that are tried and given up may ask for any time. Moving obstacles are not united with others: they may overlap
these, and are not seen by them.
"""

from __future__ import annotations

from math import cos, inf, sin, sqrt
from typing import Any

import numpy as np

from geometry.compiled.jit import jit, kernel
from geometry.contact.contacts import FEW_EDGES, Walls, build_wall_tree, fill_walls
from geometry.contact.nearby import measure_distance
from geometry.contact.trees import build_chain_tree
from geometry.prescribed.motion import STILL, SURFACE, THETA, Motion, X, Y
from geometry.prescribed.movers import bound_mover, build_movers, choose_pieces, evaluate_mover, start_clock

GRAVITY = 0  # the mover whose theta is the turn of gravity; it carries no edges


def build_moving_walls(boundaries, pairs, motions, gravity_turn, frames=()) -> Walls:
    """Arrays of walls of which some move.

    boundaries: [fixed obstacles, obstacle with shape i, ...] as (Boundary, index of the mover or 0); pairs = (mu, e,
    law) of each obstacle; motions: one for each mover but the first; surfaces that run on fixed obstacles have movers
    too. gravity_turn: Coordinate. frames: further motions, which carry nothing: the last movers.
    """
    movers = [Motion(theta=gravity_turn or STILL), *(motion for _, motion in motions), *frames]
    mover, piece, wave = build_movers(movers)
    mover["walls"][1 : 1 + len(motions)] = True
    tables: list[Any] = [fill_walls(boundary, *pairs) for boundary, _ in boundaries]
    first = np.cumsum([0, *(len(table) for table in tables)])
    for table, shift in zip(tables, first, strict=False):
        table.previous += shift
        table.next += shift
        table.across[table.across >= 0] += shift
        table.arc[table.arc >= 0] += shift
    edge = np.concatenate(tables).view(np.recarray)
    n_fixed = len(tables[0])
    for m, (owner, _) in enumerate(motions, start=1):
        edge.mover[edge.owner == owner] = m
    surface = {owner: motion.surface.shift_to_zero() for owner, motion in motions}
    for j in np.flatnonzero(edge.across >= 0):
        here, there = (surface.get(int(owner), STILL) for owner in (edge.owner[j], edge.owner[edge.across[j]]))
        edge.apart[j] = here != there
    nodes = [build_wall_tree(edge[:n_fixed])]
    for k, (_, m) in enumerate(boundaries):
        if m > 0:
            own: Any = edge[first[k] : first[k + 1]]
            _send_home(own, movers[m])
            mover[m].first_edge, mover[m].n_edges = first[k], len(own)
            mover[m].radius = (np.hypot(own.home_x, own.home_y) + np.abs(own.radius)).max()
            if len(own) > FEW_EDGES and not own.radius.any():  # its tree is one of edges
                mover[m].root = sum(map(len, nodes))
                nodes.append(_build_home_tree(own, int(mover[m].root), int(first[k])))
    return Walls(edge, np.concatenate(nodes).view(np.recarray), mover, piece, wave, start_clock())


def _build_home_tree(edge, root: int, first: int) -> np.recarray:
    """Tree over the edges of an obstacle in the frame of its mover, as a part of the tables of all walls, where it
    begins at a root and they at the first."""
    start = np.stack([edge.home_x, edge.home_y], axis=1)
    node = build_chain_tree(start, start + edge.length[:, None] * np.stack([edge.home_dx, edge.home_dy], axis=1))
    edge.order = first + np.arange(len(edge))
    leaf = node.first < 0
    node.first += np.where(leaf, -first, root)
    node.second += np.where(leaf, 0, root)
    return node


def copy_walls(walls: Walls) -> Walls:
    """The same walls, to be moved without moving these."""
    return walls._replace(edge=walls.edge.copy(), mover=walls.mover.copy(), clock=walls.clock.copy())


def _send_home(edge, motion: Motion) -> None:
    """Coordinates of edges in the frame of their mover, from those in the world at t = 0."""
    x, y, theta, _ = motion.evaluate(0.0)[0]
    c, s = cos(theta), sin(theta)
    dx, dy = edge.x - x, edge.y - y
    edge.home_x, edge.home_y = c * dx + s * dy, c * dy - s * dx
    edge.home_dx, edge.home_dy = c * edge.dx + s * edge.dy, c * edge.dy - s * edge.dx
    edge.home_nx, edge.home_ny = c * edge.nx + s * edge.ny, c * edge.ny - s * edge.nx


@jit
def place_walls(walls, time):
    """Let the walls stand where they are at a time, by the pieces of their motions in use."""
    if walls.mover.shape[0] > 0 and walls.clock.now != time:
        _move_walls(walls, time)


@kernel
def _move_walls(walls, time):
    walls.clock.now = time
    for m in range(walls.mover.shape[0]):
        evaluate_mover(walls.mover, walls.piece, walls.wave, m, time)
        first, n = walls.mover[m].first_edge, walls.mover[m].n_edges
        if n == 0:
            continue
        x, y = walls.mover[m].value[X], walls.mover[m].value[Y]
        c, s = cos(walls.mover[m].value[THETA]), sin(walls.mover[m].value[THETA])
        walls.mover[m].cosine, walls.mover[m].sine = c, s
        for j in range(first, first + n):
            hx, hy, hdx, hdy = walls.edge[j].home_x, walls.edge[j].home_y, walls.edge[j].home_dx, walls.edge[j].home_dy
            hnx, hny = walls.edge[j].home_nx, walls.edge[j].home_ny
            walls.edge[j].x, walls.edge[j].y = x + c * hx - s * hy, y + s * hx + c * hy
            walls.edge[j].dx, walls.edge[j].dy = c * hdx - s * hdy, s * hdx + c * hdy
            walls.edge[j].nx, walls.edge[j].ny = c * hnx - s * hny, s * hnx + c * hny


@kernel
def begin_motion(walls, time):
    """Let the motions go on from a time by the pieces valid from there, and remember whether anything still moves."""
    if walls.mover.shape[0] == 0:
        return
    choose_pieces(walls.mover, walls.piece, time)
    clock = walls.clock
    clock.now, clock.turned, clock.ended = np.nan, np.nan, True
    for m in range(walls.mover.shape[0]):
        if walls.mover[m].gone:
            continue
        for k in range(4):
            last = walls.mover[m].first_piece[k] + walls.mover[m].n_pieces[k] - 1
            c = walls.piece[walls.mover[m].piece[k]].c
            goes = walls.mover[m].piece[k] < last or walls.mover[m].n_waves[k] > 0
            for i in range(1, c.shape[0]):
                goes = goes or c[i] != 0.0
            if goes:
                clock.ended = False


@jit
def is_moving(walls):
    """May anything move from now on?"""
    return walls.mover.shape[0] > 0 and not walls.clock.ended


@kernel
def get_wall_speed(walls):
    """Largest speed of a point of a moving wall or surface as the walls stand [m/s]."""
    fastest = 0.0
    for m in range(1, walls.mover.shape[0]):
        if not walls.mover[m].walls:
            continue
        rate = walls.mover[m].rate
        speed = abs(rate[X]) + abs(rate[Y]) + abs(rate[SURFACE]) + abs(rate[THETA]) * walls.mover[m].radius
        fastest = max(fastest, speed)
    return fastest


@kernel
def bound_walls(walls, time, h):
    """Largest speed of a point of a moving wall over [time, time + h]."""
    fastest = 0.0
    for m in range(1, walls.mover.shape[0]):
        if walls.mover[m].n_edges > 0:
            bounds = bound_mover(walls.mover, walls.piece, walls.wave, m, time, h)
            fastest = max(fastest, bounds.speed + bounds.omega * walls.mover[m].radius)
    return fastest


@kernel
def find_distance(walls, x, y, stack):
    """Distance of a point from all walls that do not move, and a lower bound of that from the others, by the circles
    around them. stack: room for the nodes of the tree, as `Scratch.stack`."""
    least, top = inf, 0
    stack[0] = 0
    while top >= 0:
        node = walls.node[stack[top]]
        top -= 1
        dx, dy = max(node.x_min - x, x - node.x_max, 0.0), max(node.y_min - y, y - node.y_max, 0.0)
        if dx * dx + dy * dy >= least * least:
            continue
        first, second = node.first, node.second
        if first < 0:
            for k in range(-1 - first, -1 - first + second):
                j = walls.edge[k].order
                least = min(least, measure_distance(walls.edge[j], x, y))
                if walls.edge[j].arc >= 0:
                    least = min(least, measure_distance(walls.edge[walls.edge[j].arc], x, y))
        else:
            stack[top + 1], stack[top + 2] = first, second
            top += 2
    for m in range(1, walls.mover.shape[0]):
        if walls.mover[m].n_edges > 0:
            dx, dy = x - walls.mover[m].value[X], y - walls.mover[m].value[Y]
            least = min(least, sqrt(dx * dx + dy * dy) - walls.mover[m].radius)
    return least
