"""From what a scene says of a controller to its frozen form."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from geometry.prescribed.motion import STILL, Coordinate, CurvePiece, MotionError, Reference
from geometry.shapes.pose import Pose
from sim.scene.held.build_held import NO_MATRIX, Bodies, HeldError
from sim.scene.held.build_load import build_table
from sim.scene.held.holding import HYBRID, IMPEDANCE, Control, NamedContact
from sim.scene.held.matrices import build_mass_matrix, damp_by_ratio
from sim.scene.prescribed.motions import build_motion
from sim.words.quoting import quote
from sim.words.suggestion import suggest

if TYPE_CHECKING:
    from sim.scene.held.control_schema import ControlledContactSection, ControlSection, HandSection


def build_control(section: ControlSection, bodies: Bodies, outline: Any, others: Sequence[Any]) -> Control:
    """The controller of a scene; outline: of the workpiece; others: those of `Bodies.obstacles`. Raises HeldError."""
    reference = _build_reference(section, bodies)
    arm = (-bodies.origin[0], -bodies.origin[1])
    hand = None if section.hand is None else _build_hand(section.hand, bodies)
    shared = {"rate": section.rate, "raw": section.wrist == "raw", "hand": hand, "reference": reference, "arm": arm}
    if section.law == IMPEDANCE:
        damping = section.damping or NO_MATRIX
        if section.damping_ratio is not None:
            own = build_mass_matrix(bodies.mass, bodies.rho, (0.0, 0.0), 0.0)
            inertia = own if section.inertia is None else np.array(section.inertia)
            damping = damp_by_ratio(section.stiffness, section.damping_ratio, inertia)
        return Control(IMPEDANCE, stiffness=section.stiffness, damping=damping, inertia=section.inertia, **shared)
    contacts = tuple(_name_contact(contact, f"control.contact.{i}", bodies, outline, others)
                     for i, contact in enumerate(section.contact))
    for i, contact in enumerate(contacts):
        if contact in contacts[:i]:
            raise HeldError(f"control.contact.{i}: is control.contact.{contacts.index(contact)} once more")
    amounts = [_build_amount(contact, f"control.contact.{i}") for i, contact in enumerate(section.contact)]
    amounts += [STILL] * (-len(amounts) % 3)
    return Control(
        HYBRID,
        projection=section.projection,
        named=section.space == "named",
        position_gain=section.position_gain,
        velocity_gain=section.velocity_gain,
        force_gain=section.force_gain,
        integral_gain=section.integral_gain,
        force=section.force,
        wrench=section.wrench,
        force_metric=section.force_metric,
        motion_metric=section.motion_metric,
        contacts=contacts,
        forces=tuple(Reference(*amounts[k : k + 3]) for k in range(0, len(amounts), 3)),
        **shared,
    )


def _build_reference(section: ControlSection, bodies: Bodies) -> Reference:
    """The motion that the frame of the outline shall follow; where it starts, if the scene says none."""
    x, y = bodies.place(bodies.origin)
    try:
        motion = build_motion(section.motion, Pose(x, y, bodies.pose.theta), 0.0)
    except MotionError as error:
        raise HeldError(f"control.motion: {error}") from None
    return Reference(motion.x, motion.y, motion.theta)


def _build_hand(section: HandSection, bodies: Bodies) -> tuple[float, float]:
    mass, rho = section.mass, bodies.rho if section.rho is None else section.rho
    if not mass < bodies.mass:
        raise HeldError(f"control.hand.mass = {mass!r} kg: it is a part of workpiece.mass, {bodies.mass!r} kg, and "
                        "must be smaller")
    if not mass * rho**2 < bodies.mass * bodies.rho**2:
        raise HeldError(f"control.hand.rho = {rho!r} m: its moment of inertia is a part of that of the workpiece, and "
                        f"must be smaller; valid: below {bodies.rho * (bodies.mass / mass) ** 0.5:.9g} m")
    return mass, rho


def _name_contact(section: ControlledContactSection, key: str, bodies: Bodies, outline: Any,
                  others: Sequence[Any]) -> NamedContact:
    from geometry.formation.formations import FormationError, contact_of_features

    names = [name for name, _ in bodies.obstacles]
    if section.obstacle not in names:
        raise HeldError(f"{key}.obstacle = {quote(section.obstacle)}: there is no obstacle of this name"
                        f"{suggest(section.obstacle, names)}")
    index = names.index(section.obstacle)
    try:
        contact_of_features(outline, section.own, others[index], section.other, index)
    except FormationError as error:
        raise HeldError(f"{key} ({section.obstacle}): {str(error).replace('manipulator', 'obstacle')}") from None
    return NamedContact(section.own, index, section.other)


def _build_amount(section: ControlledContactSection, key: str) -> Coordinate:
    """The normal force of a contact over time."""
    if section.table is None:
        return Coordinate((CurvePiece(-inf, 0.0, (section.force,)),))
    times, values = np.array(section.table).T
    try:
        return build_table(times, values, section.interpolation or "step")
    except MotionError as error:
        raise HeldError(f"{key}.table: {error}") from None
