"""The motion of a run in a page: exact pieces, rows, contacts, events. See `columns` for what a column is."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.log.pieces import build_pieces
from sim.log.trajectory import Trajectory
from sim.rows.records import CONTACT_LETTERS, CONTACT_TYPES, EVENT_KINDS, SET_KINDS
from sim.show.page.columns import Columns
from sim.show.replay.frames import find_radii

WORDS = {"letters": list(CONTACT_LETTERS), "types": list(CONTACT_TYPES), "kinds": list(SET_KINDS),
         "events": list(EVENT_KINDS)}
TYPE_A = CONTACT_TYPES.index("A")
TYPE_B = CONTACT_TYPES.index("B")
ENERGIES = ("kinetic", "work_load", "work_friction", "work_impact", "work_obstacles", "spring_energy", "damper_work")


def describe_run(trajectory: Trajectory, columns: Columns) -> dict[str, Any]:
    """What the page knows of the rows of a trajectory."""
    pieces = build_pieces(trajectory)
    steps = trajectory.steps
    return {
        "pieces": {"begin": columns.add(pieces.begin), "end": pieces.end,
                   "coefficients": columns.add(pieces.coefficients)},
        "rows": {"time": columns.add(trajectory.time), "kind": columns.add(steps["set_kind"], "u1"),
                 "first": columns.add(steps["first_contact"], "i4"), "count": columns.add(steps["n_contacts"], "i4"),
                 **{name: columns.add(steps[name]) for name in ENERGIES if steps[name].any()}},
        "contacts": describe_contacts(trajectory, columns),
        "events": describe_events(trajectory, columns),
        "notUnique": trajectory.not_unique.tolist(),
        "status": str(trajectory.status),
        "happened": trajectory.happened,
        "message": trajectory.message,
    }


def describe_contacts(trajectory: Trajectory, columns: Columns) -> dict[str, Any]:
    """Columns of the contact table, and the radii of the arcs that meet there: (own, other), 0 of corners and edges."""
    rows = trajectory.contacts
    found: dict[str, Any] = {name: columns.add(rows[name], "i4") for name in
                             ("obstacle", "part_feature", "obstacle_feature", "type", "letter")}
    found |= {name: columns.add(rows[name]) for name in ("px", "py", "nx", "ny", "gap", "fn", "ft", "slip")}
    radii = find_contact_radii(trajectory)
    if radii.any():
        found |= {"own_radius": columns.add(radii[0]), "other_radius": columns.add(radii[1])}
    return found


def find_contact_radii(trajectory: Trajectory) -> np.ndarray:
    """(2, k) m: radius of the arc of the part and of the obstacle of each contact, negative where it is concave."""
    rows, steps, record = trajectory.contacts, trajectory.steps, trajectory.record
    radii = np.zeros((2, len(rows)))
    outlines = [record.workpiece.outline, *(body.outline for body in record.obstacles)]
    if not any((outline.features.sign != 0).any() for outline in outlines if hasattr(outline, "features")):
        return radii
    for i in range(len(steps)):
        own = slice(steps["first_contact"][i], steps["first_contact"][i] + steps["n_contacts"][i])
        points = np.column_stack((rows["px"][own], rows["py"][own]))
        normals = np.column_stack((rows["nx"][own], rows["ny"][own]))
        kind, obstacle = rows["type"][own], rows["obstacle"][own]
        radii[0, own] = find_radii(outlines[0], trajectory.pose[i], points, normals, kind != TYPE_A)
        for k in np.unique(obstacle):
            body, at = record.obstacles[k], np.flatnonzero(obstacle == k)
            pose = np.zeros(3) if body.motion is None else body.motion.evaluate_frame(trajectory.time[i : i + 1])[0][0]
            radii[1, own.start + at] = find_radii(body.outline, pose, points[at], -normals[at], kind[at] != TYPE_B)
    return radii


def describe_events(trajectory: Trajectory, columns: Columns) -> dict[str, Any]:
    """Columns of the events; impulses by event."""
    events, impulses = trajectory.event_rows, trajectory.impulses
    found = {name: columns.add(events[name], "i4") for name in
             ("kind", "obstacle", "part_feature", "obstacle_feature", "type", "alternatives")}
    found |= {"time": columns.add(events["time"]), "first": columns.add(events["first_impulse"], "i4"),
              "count": columns.add(events["n_impulses"], "i4")}
    found |= {name: columns.add(impulses[name]) for name in ("px", "py", "fn")}
    return found
