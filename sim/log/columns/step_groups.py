"""Which fields of a row of /steps belong together under one name, and what each is drawn together with."""

from __future__ import annotations

STEP_GROUPS = {  # name: the fields that are its columns, as a log has them in one dataset
    "pose": ("x", "y", "theta"),
    "velocity": ("vx", "vy", "omega"),
    "acceleration": ("ax", "ay", "alpha"),
    "load": ("load_fx", "load_fy", "load_torque"),
    "gripper": ("gripper_fx", "gripper_fy", "gripper_torque"),
    "command": ("command_fx", "command_fy", "command_torque"),
    "wrist": ("wrist_fx", "wrist_fy", "wrist_torque"),
}
POSITION, ORIENTATION, ENERGY, SET = "position", "orientation", "energy", "accelerations"
CONTACT_FORCE, SLIP, GAP, DEPTH, SPEED = "contact force", "slip velocity", "gap", "depth", "velocity"
FAMILIES = {  # field: the words of the axis that it shares with others of the same unit
    "time": "time", "x": POSITION, "y": POSITION, "theta": ORIENTATION,
    "vx": SPEED, "vy": SPEED, "omega": "angular velocity",
    "ax": "acceleration", "ay": "acceleration", "alpha": "angular acceleration",
    **{f"{name}_{axis}": f"{words} {'torque' if axis == 'torque' else 'force'}"
       for name, words in (("load", "load:"), ("gripper", "gripper"), ("command", "controller"), ("wrist", "wrist"))
       for axis in ("fx", "fy", "torque")},
    "set_kind": SET, "first_contact": "row", "n_contacts": "number of contacts",
}
# Fields that are as continuous as the pose: just before an event they are what they are in its row.
CONTINUOUS = ("time", "x", "y", "theta", "work_load", "work_friction", "spring_energy", "damper_work")
# Fields that jump with the velocity, which /events tells before and after.
TOLD = ("vx", "vy", "omega", "kinetic", "work_impact", "work_obstacles")
