"""What the keys of a scene, and the columns of a sweep, are called where a person reads them: on the axes of pictures.

One table, without units: these belong to the values. A key that is not in it is called by its own words, with the name
of what it belongs to in front: obstacle.wall.pose.x is "obstacle wall: pose.x".
"""

from __future__ import annotations

from collections.abc import Sequence

# Dotted keys; a star stands for one word, which is put in the place of {0}, {1} ...
_KEYS = {
    "friction.default": "friction coefficient",
    "friction.*": "friction coefficient of {0}",
    "restitution.default": "coefficient of restitution",
    "restitution.*": "coefficient of restitution of {0}",
    "workpiece.rho": "radius of gyration",
    "workpiece.mass": "mass of the part",
    "workpiece.pose.x": "x at the start",
    "workpiece.pose.y": "y at the start",
    "workpiece.pose.theta": "angle at the start",
    "workpiece.pose.height": "height of the lowest point at the start",
    "workpiece.pose.rest": "rest pose at the start",
    "workpiece.velocity.vx": "velocity along x at the start",
    "workpiece.velocity.vy": "velocity along y at the start",
    "workpiece.velocity.omega": "angular velocity at the start",
    "workpiece.center_of_mass.x": "centre of mass, x in the part",
    "workpiece.center_of_mass.y": "centre of mass, y in the part",
    "workpiece.outline": "size of the part",
    "workpiece.outline.fillet": "fillet of the part",
    "workpiece.outline.disc": "radius of the part",
    "gravity.gx": "gravity along x",
    "gravity.gy": "gravity along y",
    "gravity.angle": "direction of gravity",
    "gravity.magnitude": "gravity",
    "obstacle.*.mu": "friction coefficient of {0}",
    "obstacle.*.e": "coefficient of restitution of {0}",
    "obstacle.*.surface_speed": "surface speed of {0}",
    "obstacle.*.pose.theta": "angle of {0}",
    "load.*.force.fx": "load {0}: force along x",
    "load.*.force.fy": "load {0}: force along y",
    "load.*.torque": "load {0}: torque",
    "run.choice": "rule of choice",
    "run.duration": "duration of the run",
    "run.seed": "seed",
}
_ENTRIES = [(key.split("."), words) for key, words in _KEYS.items()]
# Tables of a scene whose members have names or numbers.
_NAMED = ("obstacle", "load", "spring", "goal")

_COLUMNS = {
    "outcome": "outcome",
    "status": "how the run ended",
    "end_time": "time at the end",
    "goal_time": "time until the goal",
    "x": "x at the end",
    "y": "y at the end",
    "theta": "angle at the end",
    "turns": "whole turns",
    "vx": "velocity along x at the end",
    "vy": "velocity along y at the end",
    "omega": "angular velocity at the end",
    "mean_velocity": "mean velocity along x",
    "largest_fn": "largest normal force",
    "largest_gripper_force": "largest force of the gripper",
    "time_not_unique": "time with several possible motions",
    "modes": "contact modes in their order",
    "message": "message of the run",
    "n_events": "number of events",
    "n_impacts": "number of impacts",
    "n_steps": "number of steps",
    "penetration": "largest penetration",
    "gap_residual": "largest gap of a closed contact",
    "slip_residual": "largest slip of a rolling contact",
    "balance_residual": "residual of the balance of forces",
    "cone_residual": "residual of the friction cones",
    "energy_residual": "unexplained energy",
    "merged_outcome": "outcome, symmetric rest poses together",
    "basin": "outcome, by choice or not",
    "merged_basin": "outcome, by choice or not, symmetric rest poses together",
}


def describe_key(keys: Sequence[str]) -> str:
    """The words for a key of a scene, given as the words of its path: ["friction", "default"]."""
    for pattern, words in _ENTRIES:
        if len(pattern) == len(keys) and all(own in ("*", key) for own, key in zip(pattern, keys, strict=True)):
            return words.format(*(key for own, key in zip(pattern, keys, strict=True) if own == "*"))
    if len(keys) > 2 and keys[0] in _NAMED:
        return f"{keys[0]} {keys[1]}: {'.'.join(keys[2:])}"
    return ".".join(keys)


def describe_column(name: str) -> str:
    """The words for a column of the table of a sweep; its name where there are none."""
    return _COLUMNS.get(name, name)
