"""The rows a run writes: one table of fields, their units and meaning, shared by engine, log file and replay.

Every table is a NumPy structured type with scalar fields only, so that compiled code fills it by name, and a column can
be read as `steps["x"]`. The unit and meaning of each field stand beside it and nowhere else.
"""

from __future__ import annotations

import numpy as np

from dynamics.codes import CONTACT_LETTERS, IMPACT_CLASSES, SET_KINDS

# (field, type, unit, meaning)
STEP_FIELDS = (
    ("time", "f8", "s", "time of the row"),
    ("x", "f8", "m", "centre of mass, world frame"),
    ("y", "f8", "m", "centre of mass, world frame"),
    ("theta", "f8", "rad", "orientation, counter-clockwise"),
    ("vx", "f8", "m/s", "velocity of the centre of mass"),
    ("vy", "f8", "m/s", "velocity of the centre of mass"),
    ("omega", "f8", "rad/s", "angular velocity"),
    ("ax", "f8", "m/s^2", "acceleration of the centre of mass"),
    ("ay", "f8", "m/s^2", "acceleration of the centre of mass"),
    ("alpha", "f8", "rad/s^2", "angular acceleration"),
    ("load_fx", "f8", "N", "applied force, weight included"),
    ("load_fy", "f8", "N", "applied force, weight included"),
    ("load_torque", "f8", "N m", "applied torque about the centre of mass"),
    ("kinetic", "f8", "J", "kinetic energy"),
    ("work_load", "f8", "J", "work done by the applied load (weight included) since the start"),
    ("work_friction", "f8", "J", "work done by friction since the start, against the slip (never positive)"),
    ("work_obstacles", "f8", "J", "work done by obstacles that move since the start"),
    ("work_impact", "f8", "J", "kinetic energy gained at impacts since the start, without the work of obstacles (never "
     "positive)"),
    ("gripper_fx", "f8", "N", "wrench of the gripper on the part, about the centre of compliance, world frame"),
    ("gripper_fy", "f8", "N", "wrench of the gripper on the part, about the centre of compliance, world frame"),
    ("gripper_torque", "f8", "N m", "wrench of the gripper on the part, about the centre of compliance, world frame"),
    ("command_fx", "f8", "N", "wrench of the controller on the part, about the centre of mass, world frame"),
    ("command_fy", "f8", "N", "wrench of the controller on the part, about the centre of mass, world frame"),
    ("command_torque", "f8", "N m", "wrench of the controller on the part, about the centre of mass, world frame"),
    ("wrist_fx", "f8", "N", "wrench of the hand on the part in the wrist, about the centre of mass"),
    ("wrist_fy", "f8", "N", "wrench of the hand on the part in the wrist, about the centre of mass"),
    ("wrist_torque", "f8", "N m", "wrench of the hand on the part in the wrist, about the centre of mass"),
    ("spring_energy", "f8", "J", "energy stored in the gripper and in springs"),
    ("damper_work", "f8", "J", "work done by dampers and drag since the start (never positive); a part of work_load"),
    ("set_kind", "i8", "1", "kind of the acceleration set: index into SET_KINDS"),
    ("first_contact", "i8", "1", "first row of this step in the contact table"),
    ("n_contacts", "i8", "1", "number of rows of this step in the contact table"),
)

CONTACT_FIELDS = (
    ("obstacle", "i8", "1", "index of the obstacle in the scene"),
    ("part_feature", "i8", "1", "part edge (type A), or what is round of the part (types B and C): a vertex or an arc"),
    ("obstacle_feature", "i8", "1", "obstacle edge (type B), or what is round of the "
     "obstacles (types A and C): a vertex or an arc; index in the boundary"),
    ("type", "i8", "1", "index into CONTACT_TYPES"),
    ("letter", "i8", "1", "index into CONTACT_LETTERS"),
    ("px", "f8", "m", "contact point, world frame"),
    ("py", "f8", "m", "contact point, world frame"),
    ("nx", "f8", "1", "unit normal, from the obstacle towards the part"),
    ("ny", "f8", "1", "unit normal, from the obstacle towards the part"),
    ("gap", "f8", "m", "distance along the normal"),
    ("fn", "f8", "N", "normal force (impulse in N s where the row belongs to an event)"),
    ("ft", "f8", "N", "friction force along t = (n_y, -n_x) (impulse in N s where the row belongs to an event)"),
    ("slip", "f8", "m/s", "slip velocity along t = (n_y, -n_x)"),
)

EVENT_FIELDS = (
    ("time", "f8", "s", "time of the event"),
    ("kind", "i8", "1", "index into EVENT_KINDS"),
    ("obstacle", "i8", "1", "obstacle of the contact that caused the event, -1 if none"),
    ("part_feature", "i8", "1", "as in the contact table, -1 if none"),
    ("obstacle_feature", "i8", "1", "as in the contact table, -1 if none"),
    ("type", "i8", "1", "index into CONTACT_TYPES, -1 if none"),
    ("x", "f8", "m", "centre of mass at the event"),
    ("y", "f8", "m", "centre of mass at the event"),
    ("theta", "f8", "rad", "orientation at the event"),
    ("vx_before", "f8", "m/s", "velocity before"),
    ("vy_before", "f8", "m/s", "velocity before"),
    ("omega_before", "f8", "rad/s", "velocity before"),
    ("vx_after", "f8", "m/s", "velocity after"),
    ("vy_after", "f8", "m/s", "velocity after"),
    ("omega_after", "f8", "rad/s", "velocity after"),
    ("set_kind", "i8", "1", "kind of the set that the choice was made from: index into SET_KINDS"),
    ("alternatives", "i8", "1", "number of isolated members or extreme points of that set"),
    ("restitution_scale", "f8", "1", "factor applied to every restitution so that energy does not grow (1: none)"),
    ("impact_class", "i8", "1", "index into IMPACT_CLASSES: class of an impact of a single contact"),
    ("first_impulse", "i8", "1", "first row of this event in the impulse table (same fields as the contact table)"),
    ("n_impulses", "i8", "1", "number of rows of this event in the impulse table"),
)

CONTACT_TYPES = ("A", "B", "C")
EVENT_KINDS = (
    "start",  # the mode chosen at the start
    "contact",  # a contact closed without an impact
    "impact",  # velocities jumped
    "separation",  # the normal force of a contact reached zero
    "slip",  # friction reached the edge of its cone
    "stick",  # slip reached zero
    "edge end",  # a contact reached the end of its edge
    "mode lost",  # contacts that held together as one no longer do
    "uniqueness",  # another acceleration became possible, or ceased to be
    "accumulation",  # infinitely many impacts ended in contact
    "rest",  # the part came to rest for good
    "impact without collision",  # no acceleration was possible: an impulse ended the slip
    "break",  # the velocity or the acceleration of an obstacle that moves jumped, or a load that changes
    "bridge",  # events piled up at one instant: a short time was passed over in one step at the level of velocities
    "release",  # the gripper let go
    "slack",  # a spring that only pulls lost its tension
    "taut",  # ... and has it again
    "sample",  # the controller measured, and gave a new wrench
    "goal",  # the part came into a goal at which the run stops, or to rest in it
    "left",  # the part left the scene for good: it flies away from all that is there
)


def build_dtype(fields: tuple) -> np.dtype:
    """The NumPy structured type of a table of fields."""
    return np.dtype([(name, kind) for name, kind, _, _ in fields])


STEP_DTYPE = build_dtype(STEP_FIELDS)
CONTACT_DTYPE = build_dtype(CONTACT_FIELDS)
EVENT_DTYPE = build_dtype(EVENT_FIELDS)

# Integers of a row that stand for words: of steps and contacts, and of events. Compiled code and files hold the
# integers, users of events get the words; -1, which stands for none, is "".
ROW_WORDS = {"set_kind": SET_KINDS, "type": CONTACT_TYPES, "letter": CONTACT_LETTERS}
EVENT_WORDS = {"kind": EVENT_KINDS, "type": CONTACT_TYPES, "set_kind": SET_KINDS, "impact_class": IMPACT_CLASSES}
WORDED_EVENT_DTYPE = np.dtype([
    (name, f"U{max(map(len, EVENT_WORDS[name]))}" if name in EVENT_WORDS else kind) for name, kind, *_ in EVENT_FIELDS])


def word_events(rows: np.ndarray) -> np.ndarray:
    """Events with words (WORDED_EVENT_DTYPE) from rows with integers (EVENT_DTYPE)."""
    events = np.zeros(len(rows), WORDED_EVENT_DTYPE)
    for name in rows.dtype.names or ():
        if name not in EVENT_WORDS:
            events[name] = rows[name]
            continue
        words, codes = np.array([*EVENT_WORDS[name], ""]), rows[name]
        events[name] = words[np.where((codes >= 0) & (codes < len(words)), codes, -1)]
    return events


def number_events(events: np.ndarray) -> np.ndarray:
    """The inverse of `word_events`; rows that have integers already stay as they are. Raises ValueError."""
    if events.dtype is EVENT_DTYPE or events.dtype != WORDED_EVENT_DTYPE:  # comparing types takes long
        return events
    rows = np.zeros(len(events), EVENT_DTYPE)
    for name in rows.dtype.names:
        if name in EVENT_WORDS:
            rows[name] = [EVENT_WORDS[name].index(word) if word else -1 for word in events[name].tolist()]
        else:
            rows[name] = events[name]
    return rows
