"""Is a mode proved to last for a whole step? By the power series of its monitors (see `sim.engine.events`).

Most steps end without an event, and here that is told at once. What cannot be told so is looked at place by place.
"""

from __future__ import annotations

from math import sqrt

from dynamics.motion.mode import CARRIED, FREE, LETTER_N, LETTER_R, ROLLING, SLIDING_TWICE, STATIC, get_mu
from dynamics.motion.scales import find_least_speed
from dynamics.tolerances import DEPENDENT, FORCE_ROUNDING
from geometry.compiled.jit import jit, kernel
from geometry.contact.contact_series import begin_contact, extend_contact
from geometry.contact.contacts import TYPE_B, TYPE_C, compute_contact, compute_edge_length
from geometry.contact.joints import compute_passage, has_passage, measure_beside
from geometry.contact.moving import place_walls
from geometry.contact.path import bound_path
from geometry.contact.series import multiply, stays_positive
from geometry.prescribed.movers import bound_mover
from sim.tolerances import END_REACH, LOST_GAP

# How far the angle between two rows is from that at which their contacts merge, in units of the latter, where the
# bound of their lengths is not sharp.
CLEAR_OF_MERGING = 10.0


@kernel
def is_proved_to_last(watch, pose, series, duration):
    """Do all monitors of the mode stay above zero on its path, which begins at a pose, up to a time, as the series of
    the step tell?"""
    body, mode, kind = watch.body, watch.mode, watch.mode.kind
    if mode.n == 0 or kind == STATIC:
        return True
    if kind == FREE or kind == CARRIED:
        return False
    for k in range(mode.n):
        if mode.idle[k] == 1:
            return False
    if not watch.muted and not _pushes(body, mode, watch.scales, series, duration):
        return False
    if kind == SLIDING_TWICE and not _is_clear_of_merging(body, series, duration):
        return False
    for k in range(mode.n):
        if k == mode.first:
            contact = series.first
        elif kind == SLIDING_TWICE and k == mode.second:
            contact = series.second
        else:
            contact = series.third
            begin_contact(body.part, body.walls, mode.triple[k], watch.start, pose, series.terms + 2, contact)
            for order in range(series.terms):
                extend_contact(watch.path, series.part, contact, order)
        if not _is_kept(watch, pose, series, contact, k, duration):
            return False
    return True


@kernel
def _pushes(body, mode, scales, series, duration):
    """Do the contacts of the basis push, and does friction hold one that rolls?"""
    last, rounding, f, g = series.terms - 1, FORCE_ROUNDING * scales.force, series.f, series.f_2
    if not stays_positive(f, last, 1.0, 0.0, duration, rounding):
        return False
    if mode.kind == SLIDING_TWICE:
        return stays_positive(g, last, 1.0, 0.0, duration, rounding)
    if mode.kind == ROLLING:
        mu, up, down = get_mu(body, mode.triple[mode.first]), series.row_3.x, series.row_3.y
        for k in range(last + 1):
            up[k], down[k] = mu * f[k] + g[k], mu * f[k] - g[k]
        return (stays_positive(up, last, 1.0, 0.0, duration, rounding)
                and stays_positive(down, last, 1.0, 0.0, duration, rounding))
    return True


@kernel
def _is_clear_of_merging(body, series, duration):
    """Do the rows N of two sliding contacts stay apart? Their vector product is at least as long as its component along
    q, which is that of the normals, and as that along the tangent of the first."""
    one, two, last, rho = series.first, series.second, series.terms - 1, body.rho
    least = CLEAR_OF_MERGING * DEPENDENT * _bound_row(one, last, duration, rho) * _bound_row(two, last, duration, rho)
    across = series.row_3.x
    if one.steady and two.steady:
        z = one.nx[0] * two.ny[0] - one.ny[0] * two.nx[0]
        if abs(z) > least:
            return True
        cosine = one.nx[0] * two.nx[0] + one.ny[0] * two.ny[0]
        for k in range(last + 1):
            across[k] = (two.cross[k] - cosine * one.cross[k]) / rho
    else:
        for k in range(last + 1):
            across[k] = multiply(one.nx, two.ny, k) - multiply(one.ny, two.nx, k)
    sign = 1.0 if across[0] > 0.0 else -1.0
    return stays_positive(across, last, sign, -least, duration, 0.0)


@jit
def _bound_row(contact, last, duration, rho):
    """Bound of the length of the row N of a contact."""
    size = 0.0
    for k in range(last, -1, -1):
        size = size * duration + abs(contact.cross[k])
    return sqrt(1.0 + (size / rho) * (size / rho))


@kernel
def _is_kept(watch, pose, series, contact, k, duration):
    """Does contact k slip in its direction, stay on its edge, and, where the basis does not hold it, closed?"""
    body, mode, terms, touch = watch.body, watch.mode, series.terms, watch.scales.touch
    rolls = mode.letter[k] == LETTER_N
    in_basis = k == mode.first or (mode.kind == SLIDING_TWICE and k == mode.second)
    if not rolls:
        sign = 1.0 if mode.letter[k] == LETTER_R else -1.0
        least = find_least_speed(body, watch.scales, watch.start)
        if not stays_positive(contact.slip, terms - 1, sign, 0.0, duration, least):
            return False
    if has_passage(body.part, body.walls, mode.triple[k]):
        if not _stays_from_ends(watch, pose, mode.triple[k], duration):
            return False  # where the end of an arc may be near, it is looked at place by place
    elif not rolls or contact.runs:
        length, reach = compute_edge_length(body.part, body.walls, mode.triple[k]), END_REACH * touch
        if not (stays_positive(contact.along, terms, 1.0, reach, duration, 0.0)
                and stays_positive(contact.along, terms, -1.0, length + reach, duration, 0.0)):
            return False
    if in_basis:
        return True
    limit = LOST_GAP * touch
    return (stays_positive(contact.gap, terms, 1.0, limit, duration, 0.0)
            and stays_positive(contact.gap, terms, -1.0, limit, duration, 0.0))


@kernel
def _stays_from_ends(watch, pose, triple, duration):
    """Is a contact so far from the ends of the arcs and edges that it lies on that it reaches none? By the largest
    speeds on the path: along an edge it moves as fast as the bodies, along an arc as fast as that turns besides."""
    part, walls, kind, i, j = watch.body.part, watch.body.walls, triple[0], triple[1], triple[2]
    bounds = bound_path(watch.path, 0.0, duration)
    speed, omega = bounds.speed + bounds.omega * part.radius, bounds.omega
    m = walls.edge[j].mover
    if m >= 0 and walls.mover[m].n_edges > 0:
        wall = bound_mover(walls.mover, walls.piece, walls.wave, m, watch.start, duration)
        speed += wall.speed + wall.omega * walls.mover[m].radius
        omega += wall.omega
    place_walls(walls, watch.start)
    place = compute_contact(part, walls, triple, pose)
    room = compute_passage(part, walls, triple, pose, place, 0.0)
    r, s = part.edge[i].radius, walls.edge[j].radius
    if kind == TYPE_C:
        omega += speed / abs(r + s)
    radius = abs(r) + abs(s)
    if radius == 0.0:  # a vertex on an edge, which passes to an arc beside it
        radius = measure_beside(part.edge, i) if kind == TYPE_B else measure_beside(walls.edge, j)
    return room > (speed + radius * omega) * duration
