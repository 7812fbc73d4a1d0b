"""What a scene file may say of a controller: of force and motion, or of impedance."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from dynamics.codes import MOST_NAMED
from sim.scene.held.contact_schema import FormationContactSection
from sim.scene.held.held_schema import Ratio, Wrench, read_damping, read_stiffness
from sim.scene.held.matrices import check_matrix, read_matrix
from sim.scene.prescribed.motion_schema import MotionSection, read_rows
from sim.values.dimensions import FORCE
from sim.values.quantities import Force, Frequency, Mass, PositiveLength, Section, read_number, read_quantity

# Keys that one law has and the other one has not.
OF_HYBRID = ("projection", "space", "position_gain", "velocity_gain", "force_gain", "integral_gain", "force", "wrench",
             "force_metric", "motion_metric", "contact")
OF_IMPEDANCE = ("stiffness", "damping", "damping_ratio", "inertia")


def _read_gain(value: Any) -> float:
    gain = read_number(value, "a number, zero or positive")
    if gain < 0.0:
        raise ValueError("a gain must be zero or positive")
    return gain


def _read_gains(value: Any) -> tuple[float, float, float]:
    if not isinstance(value, list | tuple):
        gain = _read_gain(value)
        return gain, gain, gain
    if len(value) != 3:
        raise ValueError("must be a number, or three, for x, y and theta")
    return _read_gain(value[0]), _read_gain(value[1]), _read_gain(value[2])


def _read_inertia(value: Any):
    matrix = check_matrix(read_matrix(value, "inertia"))
    from numpy.linalg import LinAlgError, cholesky

    try:
        cholesky(matrix)
    except LinAlgError:
        raise ValueError("must be positive definite, to rounding") from None
    return matrix


Gain = Annotated[float, BeforeValidator(_read_gain)]
Gains = Annotated[Any, BeforeValidator(_read_gains)]
Inertia = Annotated[Any, BeforeValidator(_read_inertia)]


class ControlledContactSection(FormationContactSection):
    """A contact and the normal force that it shall have: a constant, or a table over time."""

    force: Force = 0.0
    table: list[tuple[float, ...]] | None = None
    interpolation: Literal["linear", "smooth", "step"] | None = None

    @field_validator("table", mode="before")
    @classmethod
    def _read_table(cls, value):
        return read_rows(value, (lambda number: read_quantity(number, FORCE),), "[t, force]")

    @model_validator(mode="after")
    def _check_table(self):
        if self.interpolation is not None and self.table is None:
            raise ValueError("interpolation says how to go from one row of the table to the next; there is no table")
        if self.table is not None and "force" in self.model_fields_set:
            raise ValueError("force and table both say how it shall press; keep one")
        if self.at is not None:
            raise ValueError("at is for formations; a contact with a force slides along its edge")
        return self


class HandSection(Section):
    """What of the inertia of the part lies behind the sensor in the wrist, with the same centre of mass."""

    mass: Mass
    rho: PositiveLength | None = None


class ControlSection(Section):
    """Who gives the wrench on the part, at a rate: force and motion control, or impedance control."""

    law: Literal["force and motion", "impedance"] = "force and motion"
    rate: Frequency
    motion: MotionSection | None = None
    wrist: Literal["projected", "raw"] = "projected"
    hand: HandSection | None = None
    # force and motion
    projection: Annotated[bool, Field(strict=True)] = True
    space: Literal["closed", "named"] = "closed"
    position_gain: Gains = (0.0, 0.0, 0.0)
    velocity_gain: Gains = (0.0, 0.0, 0.0)
    force_gain: Gain = 0.0
    integral_gain: Gain = 0.0
    force: Force = 0.0
    wrench: Wrench = (0.0, 0.0, 0.0)
    force_metric: Inertia = None
    motion_metric: Inertia = None
    contact: Annotated[list[ControlledContactSection], Field(max_length=MOST_NAMED)] = Field(default_factory=list)
    # impedance
    stiffness: Annotated[Any, BeforeValidator(read_stiffness)] = None
    damping: Annotated[Any, BeforeValidator(read_damping)] = None
    damping_ratio: Ratio = None
    inertia: Inertia = None

    @model_validator(mode="after")
    def _check_law(self):
        other = OF_HYBRID if self.law == "impedance" else OF_IMPEDANCE
        given = [key for key in other if key in self.model_fields_set]
        if given:
            raise ValueError(f"{given[0]} is not of this law, {self.law!r}")
        if self.law == "impedance" and self.stiffness is None:
            raise ValueError("impedance needs a stiffness; valid: [x, y, theta], or a 3 x 3 matrix")
        if self.damping is not None and self.damping_ratio is not None:
            raise ValueError("damping and damping_ratio both say how it is damped; keep one")
        if self.space == "named" and not self.contact:
            raise ValueError('space = "named" needs one or more [[control.contact]]')
        if self.motion is not None and self.motion.about is not None:
            raise ValueError("motion.about is for obstacles; the reference is the frame of the outline: give waypoints")
        return self
