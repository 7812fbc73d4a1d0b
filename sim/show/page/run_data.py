"""The motion of a run in a page: exact pieces, rows, contacts, events. See `page_columns` for what a column is."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.log.trajectory import Trajectory
from sim.rows.records import CONTACT_LETTERS, EVENT_KINDS, SET_KINDS
from sim.rows.status import Status
from sim.show.page.feature_names import KEYS, ContactPairs
from sim.show.page.page_columns import PageColumns

WORDS = {"letters": list(CONTACT_LETTERS), "kinds": list(SET_KINDS), "events": list(EVENT_KINDS)}
ENERGIES = ("kinetic", "work_load", "work_friction", "work_impact", "work_obstacles", "spring_energy", "damper_work")
GRIPPER = ("gripper_fx", "gripper_fy", "gripper_torque")


def describe_run(trajectory: Trajectory, columns: PageColumns) -> dict[str, Any]:
    """What the page knows of a trajectory with rows."""
    pieces, steps, pairs = trajectory.pieces, trajectory.steps, ContactPairs(trajectory)
    names = [name for name in (*ENERGIES, *GRIPPER) if name == "kinetic" or steps[name].any()]
    return {
        "pieces": {"begin": columns.add(pieces.begin), "end": pieces.end,
                   "coefficients": columns.add(pieces.coefficients)},
        "rows": {"time": columns.add(trajectory.time), "kind": columns.add(steps["set_kind"], "u1"),
                 "first": columns.add(steps["first_contact"], "i4"), "count": columns.add(steps["n_contacts"], "i4"),
                 **{name: columns.add(steps[name]) for name in names}},
        "pairs": pairs.pairs,
        "contacts": describe_contacts(trajectory, pairs, columns),
        "events": describe_events(trajectory, pairs, columns),
        "notUnique": trajectory.not_unique.tolist(),
        "ending": describe_ending(trajectory),
    }


def describe_ending(trajectory: Trajectory) -> dict[str, Any]:
    """How a run ended, in words; `well` where that needs no attention."""
    status = trajectory.status
    return {"status": status.name, "happened": trajectory.happened, "message": trajectory.message,
            "well": status in (Status.COMPLETED, Status.MERGED, Status.SPLIT)}


def describe_contacts(trajectory: Trajectory, pairs: ContactPairs, columns: PageColumns) -> dict[str, Any]:
    """PageColumns of the contact table."""
    rows = trajectory.contacts
    return {"pair": columns.add(pairs.column, "i4"), "letter": columns.add(rows["letter"], "u1"),
            **{name: columns.add(rows[name]) for name in ("px", "py", "nx", "ny", "fn", "ft", "slip")}}


def describe_events(trajectory: Trajectory, pairs: ContactPairs, columns: PageColumns) -> dict[str, Any]:
    """PageColumns of the events, and of their impulses (N s) and the places of these."""
    events, impulses = trajectory.event_rows, trajectory.impulses
    keys, impulse_keys = (zip(*(rows[name].tolist() for name in KEYS), strict=True) for rows in (events, impulses))
    impulse_pairs = np.array([pairs.find(key) for key in impulse_keys], dtype=np.int64)
    struck = np.flatnonzero(impulses["fn"] > 0.0)
    owner = np.searchsorted(events["first_impulse"] + events["n_impulses"], struck, side="right")
    return {"time": columns.add(events["time"]), "kind": columns.add(events["kind"], "u1"),
            "pair": columns.add([pairs.find(key) for key in keys], "i4"),
            "obstacle": columns.add(events["obstacle"], "i4"),
            "alternatives": columns.add(events["alternatives"], "i4"),
            "impulse_time": columns.add(events["time"][owner]),
            "impulse_x": columns.add(impulses["px"][struck]), "impulse_y": columns.add(impulses["py"][struck]),
            "impulse_fn": columns.add(impulses["fn"][struck]), "impulse_ft": columns.add(impulses["ft"][struck]),
            "impulse_pair": columns.add(impulse_pairs[struck], "i4"),
            "impulse_obstacle": columns.add(impulses["obstacle"][struck], "i4")}
