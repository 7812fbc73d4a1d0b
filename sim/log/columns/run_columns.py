"""Columns of a run by their names: fields of /steps, what follows from them, and the contacts of each obstacle.

    time, x, y, theta, vx, ..., kinetic, work_load, ...    fields of /steps; "pose", "velocity", "load" ... give three
    speed, potential, energy, gripper_force, depth         what follows from them, see DERIVED
    contact.fn, contact.ft, contact.slip ...               of each obstacle that was touched
    contact.floor.fn                                       of one; its name may hold dots and spaces
    obstacle.jaw.x, .y, .theta                             where an obstacle is that moves
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from geometry.errors import StictionError
from sim.instant.depth import measure_depth
from sim.log.columns.run_rows import Jumps, RunRows, extrapolate, find_jumps
from sim.log.columns.step_groups import (
    CONTACT_FORCE,
    CONTINUOUS,
    DEPTH,
    ENERGY,
    FAMILIES,
    GAP,
    ORIENTATION,
    POSITION,
    SLIP,
    SPEED,
    STEP_GROUPS,
    TOLD,
)
from sim.rows.records import ROW_WORDS, STEP_FIELDS
from sim.scene.scene_errors import SceneError
from sim.words.quoting import list_words, quote
from sim.words.suggestion import suggest

FIELDS = {name: (unit, meaning) for name, _, unit, meaning in STEP_FIELDS}
CONTACT_QUANTITIES = {  # name: (unit, what it is drawn together with, meaning)
    "fn": ("N", CONTACT_FORCE, "normal force on the part, the sum over the contacts with the obstacle; 0 without any"),
    "ft": ("N", CONTACT_FORCE, "friction force, the sum over the contacts, each along its own t = (n_y, -n_x)"),
    "fx": ("N", CONTACT_FORCE, "force of the obstacle on the part, world frame"),
    "fy": ("N", CONTACT_FORCE, "force of the obstacle on the part, world frame"),
    "slip": ("m/s", SLIP, "slip velocity along t = (n_y, -n_x), of the contact that slips fastest"),
    "gap": ("m", GAP, "gap of a closed contact, of that farthest from 0"),
}
POSE_PARTS = {"x": ("m", POSITION), "y": ("m", POSITION), "theta": ("rad", ORIENTATION)}
UNBOUNDED = "unbounded (jammed)"


class ColumnError(StictionError, ValueError):
    """A run has no such column, or a table cannot be made; the message says what there is."""


@dataclass(frozen=True, eq=False)
class RunColumn:
    """Values on the rows of a run: NaN where a quantity does not exist, inf where a force has no bound."""

    name: str
    unit: str  # as in the log: "m/s^2", "1" for none
    values: np.ndarray  # (n,)
    meaning: str
    family: str  # what it is drawn together with, in words
    words: tuple[str, ...] = ()  # for the whole numbers 0, 1, ...
    tell: Callable[[np.ndarray], np.ndarray] | None = None  # the values from rows of /steps, where those tell all

    def find_before(self, run: RunRows, jumps: Jumps | None = None) -> np.ndarray:
        """(k,) the values just before the rows of `find_jumps`: exact where the log tells them, else extrapolated."""
        jumps = find_jumps(run) if jumps is None else jumps
        return extrapolate(run.time, self.values, jumps.places) if self.tell is None else self.tell(jumps.before)

    def list_values(self) -> list:
        """Plain values, words where there are any."""
        return [self.words[value] for value in self.values.tolist()] if self.words else self.values.tolist()


class Derived(NamedTuple):
    """A column that follows from rows of /steps."""

    unit: str
    family: str
    meaning: str
    compute: Callable[[np.ndarray], np.ndarray]
    told: bool  # is it known just before an event?


def _get_potential(rows: np.ndarray) -> np.ndarray:
    return rows["damper_work"] - rows["work_load"]


DERIVED = {
    "speed": Derived("m/s", SPEED, "speed of the centre of mass", lambda rows: np.hypot(rows["vx"], rows["vy"]), True),
    "potential": Derived("J", ENERGY, "energy of the load relative to the start: weight, springs, gripper and pushes; "
                         "the work_load without what dampers took, with a minus", _get_potential, True),
    "energy": Derived("J", ENERGY, "kinetic + potential: falls by friction, impacts and dampers, rises only where "
                      "obstacles that move push", lambda rows: rows["kinetic"] + _get_potential(rows), True),
    "gripper_force": Derived("N", "gripper force", "size of the force of the gripper on the part",
                             lambda rows: np.hypot(rows["gripper_fx"], rows["gripper_fy"]), False),
}


def get_columns(run: RunRows, name: str) -> list[RunColumn]:
    """The columns of a name: one, or those of a group, or one for each obstacle. Raises ColumnError, SceneError."""
    if name in FIELDS:
        return [_get_field(run, name)]
    if name in STEP_GROUPS:
        return [_get_field(run, field) for field in STEP_GROUPS[name]]
    if name in DERIVED:
        unit, family, meaning, compute, told = DERIVED[name]
        values = _evaluate(compute, run.steps)
        return [RunColumn(name, unit, values, meaning, family, tell=compute if told else None)]
    if name == "depth":
        return [_get_depth(run)]
    if name.startswith("contact."):
        return _get_contacts(run, name)
    if name.startswith("obstacle."):
        return [_get_obstacle(run, name)]
    raise _unknown(run, name)


def get_all_columns(run: RunRows, names: Sequence[str]) -> list[RunColumn]:
    """The columns of several names, each once. Raises ColumnError, SceneError."""
    found = [column for name in names for column in get_columns(run, name)]
    return list({column.name: column for column in found}.values())


def get_column(run: RunRows, name: str) -> RunColumn:
    """The column of a name that stands for one. Raises ColumnError, SceneError."""
    columns = get_columns(run, name)
    if len(columns) > 1:
        raise ColumnError(f"{quote(name)} stands for {len(columns)} columns; say which: "
                          f"{', '.join(column.name for column in columns)}")
    return columns[0]


def list_columns(run: RunRows) -> list[tuple[str, str, str]]:
    """(name, unit, meaning) of every column of a run, those of obstacles that were never touched left out."""
    names: list[str] = [*FIELDS, *DERIVED, *(["depth"] if _get_insertion(run) is not None else [])]
    names.remove("first_contact")  # where rows stand in another table
    told = [(name, *(FIELDS[name] if name in FIELDS else (DERIVED[name].unit, DERIVED[name].meaning)))
            for name in names if name != "depth"]
    if "depth" in names:
        told.append(("depth", *_describe_depth()))
    bodies = run.record.obstacles
    told += [(f"contact.{bodies[index].name}.{quantity}", unit, meaning) for index in _list_touched(run)
             for quantity, (unit, _, meaning) in CONTACT_QUANTITIES.items()]
    told += [(f"obstacle.{body.name}.{part}", unit, "pose of the obstacle, from where it is at t = 0")
             for body in bodies if body.motion is not None for part, (unit, _) in POSE_PARTS.items()]
    return told


def find_contacts(run: RunRows, obstacle: str) -> tuple[np.ndarray, np.ndarray]:
    """(k,) rows of /contacts, and (k,) the step of each, of the contacts with an obstacle. Raises ColumnError."""
    names = [body.name for body in run.record.obstacles]
    if obstacle not in names:
        raise ColumnError(f"there is no obstacle {quote(obstacle)}{suggest(obstacle, names)}")
    counts = run.steps["n_contacts"]
    owner = np.repeat(np.arange(len(counts)), counts)
    places = np.repeat(run.steps["first_contact"] - np.cumsum(counts) + counts, counts) + np.arange(len(owner))
    own = run.contacts["obstacle"][places] == names.index(obstacle)
    return places[own], owner[own]


def _get_field(run: RunRows, name: str) -> RunColumn:
    unit, meaning = FIELDS[name]
    told = name in CONTINUOUS or name in TOLD
    return RunColumn(name, unit, run.steps[name], meaning, FAMILIES.get(name, ENERGY), ROW_WORDS.get(name, ()),
                     (lambda rows: rows[name]) if told else None)


def _evaluate(compute: Callable[[np.ndarray], np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Values of rows that may have no bound."""
    with np.errstate(invalid="ignore", over="ignore"):
        return compute(rows)


def _get_insertion(run: RunRows):
    """The hole of the scene, None where there is none, or the scene cannot be read any more."""
    try:
        return run.scene.insertion
    except SceneError:
        return None


def _describe_depth() -> tuple[str, str]:
    return "m", "how far the tip of the part lies beyond the mouth of the hole"


def _get_depth(run: RunRows) -> RunColumn:
    insertion = run.scene.insertion
    if insertion is None:
        raise ColumnError("depth: the scene names no hole; a table [insertion] in it would")
    outline = run.record.workpiece.outline

    def tell(rows: np.ndarray) -> np.ndarray:
        return measure_depth(insertion, outline, np.column_stack((rows["x"], rows["y"], rows["theta"])))

    unit, meaning = _describe_depth()
    return RunColumn("depth", unit, tell(run.steps), meaning, DEPTH, tell=tell)


def _list_touched(run: RunRows) -> list[int]:
    """The obstacles that were touched, by their number; all where none was."""
    touched = np.unique(run.contacts["obstacle"]).tolist()
    return touched or list(range(len(run.record.obstacles)))


def _get_contacts(run: RunRows, name: str) -> list[RunColumn]:
    """contact.QUANTITY of all that was touched, contact.NAME.QUANTITY of one obstacle."""
    obstacle, _, quantity = name.removeprefix("contact.").rpartition(".")
    bodies = run.record.obstacles
    if quantity not in CONTACT_QUANTITIES or (obstacle and obstacle not in [body.name for body in bodies]):
        raise _unknown(run, name)
    unit, family, meaning = CONTACT_QUANTITIES[quantity]
    names = [obstacle] if obstacle else [bodies[index].name for index in _list_touched(run)]
    return [RunColumn(f"contact.{each}.{quantity}", unit, _gather(run, each, quantity), meaning, family)
            for each in names]


def _gather(run: RunRows, obstacle: str, quantity: str) -> np.ndarray:
    """(n,) a quantity of the contacts with an obstacle, one value a row."""
    places, owner = find_contacts(run, obstacle)

    def take(name: str) -> np.ndarray:
        return run.contacts[name][places]

    if quantity in ("slip", "gap"):
        values, found = np.full(len(run.steps), np.nan), take(quantity)
        order = np.argsort(np.abs(found), kind="stable")  # the largest comes last, and stays
        values[owner[order]] = found[order]
        return values
    with np.errstate(invalid="ignore"):  # of a jam
        if quantity == "fx":
            force = take("fn") * take("nx") + take("ft") * take("ny")
        elif quantity == "fy":
            force = take("fn") * take("ny") - take("ft") * take("nx")
        else:
            force = take(quantity)
        return np.bincount(owner, force, minlength=len(run.steps))


def _get_obstacle(run: RunRows, name: str) -> RunColumn:
    """obstacle.NAME.x, .y or .theta of one that moves."""
    obstacle, _, part = name.removeprefix("obstacle.").rpartition(".")
    moving = [body.name for body in run.record.obstacles if body.motion is not None]
    if part not in POSE_PARTS or obstacle not in moving:
        raise _unknown(run, name)
    column, (unit, family) = list(POSE_PARTS).index(part), POSE_PARTS[part]
    motion = next(body.motion for body in run.record.obstacles if body.name == obstacle)

    def tell(rows: np.ndarray) -> np.ndarray:
        return motion.evaluate_frame(rows["time"])[0][:, column]

    meaning = "pose of the obstacle, from where it is at t = 0"
    return RunColumn(name, unit, tell(run.steps), meaning, family, tell=tell)


def _unknown(run: RunRows, name: str) -> ColumnError:
    """What is valid: names of groups and of sums first, for there may be very many of single obstacles."""
    moving = [body.name for body in run.record.obstacles if body.motion is not None]
    short = [f"contact.{quantity}" for quantity in CONTACT_QUANTITIES]
    fields = [name for name in FIELDS if name != "first_contact"]
    valid = [*fields, *STEP_GROUPS, *DERIVED, *(["depth"] if _get_insertion(run) is not None else []), *short]
    near = suggest(name, [*valid, *(told[0] for told in list_columns(run))]).partition(" (valid")[0]
    more = ", contact.NAME.fn of one obstacle" + (", obstacle.NAME.x of " + list_words(moving) if moving else "")
    hint = near if near.startswith(";") else ""
    return ColumnError(f"there is no column {quote(name)}{hint} (valid: {', '.join(valid)}{more})")
