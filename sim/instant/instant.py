"""The contact problem of one state of a scene."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynamics.motion.closed import CLOSED, find_closed, is_closing, keep_contacts, pair_corners
from dynamics.motion.mode import CAPACITY, MODE, MotionState, get_load
from dynamics.motion.scales import Zeros, find_zero_speed
from dynamics.sets.contact_problem import ContactProblem
from geometry.compiled.kernel import get_function
from geometry.compiled.record import allocate_record
from geometry.contact.contacts import compute_contact
from geometry.contact.detection import allocate_scratch
from geometry.errors import InputError
from sim.files.held_interrupt import hold_interrupts
from sim.instant.body import build_body, build_scales, restart_motion
from sim.rows.records import CONTACT_TYPES
from sim.scene.build import take_scene
from sim.scene.scene import AnyScene


def contact_problem(scene: AnyScene, pose: ArrayLike | None = None, velocity: ArrayLike | None = None,
                    time: float = 0.0) -> tuple[ContactProblem, list[dict]]:
    """The contact problem of a state (default: the start): (ContactProblem, list of contacts).

    time [s]: when, for obstacles that move; pose (3,): x, y, theta of the centre of mass; velocity (3,). Each contact
    is a dict with obstacle (name), type, part_feature, obstacle_feature, point (2,), normal (2,), gap_rate, slip.
    Contacts that open are left out, unless others close: then an impact comes first, and all take part.
    """
    scene = take_scene(scene)
    body = build_body(scene)
    restart_motion(body, time)
    start = scene.workpiece.pose
    pose = np.array([start.x, start.y, start.theta] if pose is None else pose, dtype=np.float64)
    velocity = np.array(scene.workpiece.velocity if velocity is None else velocity, dtype=np.float64)
    scales = build_scales(scene, body, velocity)
    closed, scratch = allocate_record(CLOSED), allocate_scratch(body.part, body.walls)
    at = MotionState(float(time), pose, velocity)
    zeros = Zeros(scales.touch, find_zero_speed(body, scales, at))
    if find_closed(body, allocate_record(MODE), at, zeros, closed, scratch) < 0:
        raise InputError(f"more than {CAPACITY} contacts are closed at once")
    closing = is_closing(closed, zeros.speed)
    if closing:
        pair_corners(closed)
    else:
        keep_contacts(closed, zeros.speed)
    k = int(closed.n)
    with hold_interrupts():  # Ctrl-C where compiled code makes objects of Python ends in a crash
        places = [compute_contact(body.part, body.walls, closed.triple[i], pose) for i in range(k)]
    contacts = []
    for i, place in enumerate(places):
        kind, feature, wall = (int(c) for c in closed.triple[i])
        t = closed.tangent[i]
        slip = t[0] * velocity[0] + t[1] * velocity[1] + t[2] * body.rho * velocity[2] - closed.drag[i]
        contacts.append({
            "obstacle": scene.obstacles[int(body.walls.edge[wall].owner)].name,
            "type": CONTACT_TYPES[kind],
            "part_feature": feature,
            "obstacle_feature": wall,
            "point": (pose[0] - place.rx, pose[1] - place.ry),
            "normal": (place.nx, place.ny),
            "gap_rate": float(closed.rate[i]) if closing else 0.0,  # zero to rounding: no impact comes
            "slip": float(slip),
        })  # fmt: skip
    load = np.array(get_function(get_load)(body, at))
    problem = ContactProblem(
        w=load, N=closed.normal[:k], b=closed.b[:k], T=closed.tangent[:k], d=closed.d[:k],
        slip=closed.slip[:k], mu=closed.mu[:k], corner=closed.partner[:k],
    )  # fmt: skip
    return problem, contacts
