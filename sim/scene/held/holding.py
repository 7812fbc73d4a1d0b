"""What acts on the part besides obstacles, weight and constant forces: in SI units and radians, checked, and frozen.

A wrench here is (Fx, Fy, torque) in N, N, N m. Points of the part are relative to its centre of mass, unrotated.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geometry.prescribed.motion import Motion, Reference, WrenchCourse

Matrix3 = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

WORLD = -1  # the obstacle of a spring whose other end is a point of the world


@dataclass(frozen=True)
class Gripper:
    """A frame that moves as prescribed and holds the part by springs and dampers about a centre of compliance.

    The wrench on the part, about that centre, is K (q_g(t) - q) + D (q_g'(t) - q') + preload, with q = (x, y, theta)
    of the centre of compliance and of the part, and q_g those of the frame.
    """

    stiffness: Matrix3  # K: N/m, N; N (by rad), N m/rad; symmetric, positive semidefinite
    damping: Matrix3  # D: N s/m, N s; N m s/rad; symmetric, positive semidefinite
    center: tuple[float, float]  # m, the centre of compliance, a point of the part
    turned: bool  # are K, D and the preload in the axes of the gripper, which turn with it, not in those of the world?
    motion: Motion  # of its frame, whose origin is where the centre of compliance would be without force
    release_time: float = inf  # s: when it lets go
    release_force: float = inf  # N: it lets go where its force is larger than this
    preload: tuple[float, float, float] = (0.0, 0.0, 0.0)  # N, N, N m


@dataclass(frozen=True)
class Spring:
    """A spring and a damper between a point of the part and a point of the world or of an obstacle."""

    name: str
    point: tuple[float, float]  # m, of the part
    obstacle: int  # index of the obstacle, or WORLD
    anchor: tuple[float, float]  # m, in the frame of the obstacle, or in the world
    stiffness: float  # N/m
    rest_length: float  # m
    damping: float  # N s/m, along the spring
    pull_only: bool  # does it go slack instead of pushing?


@dataclass(frozen=True)
class Drag:
    """A force against the velocity of the centre of mass, and a torque against the angular velocity."""

    linear: float  # N s/m
    rotational: float  # N m s/rad


@dataclass(frozen=True)
class TimedLoad:
    """A force and a torque that change with time, turn with the part, or act at a point of it."""

    name: str
    point: tuple[float, float]  # m, of the part
    turned: bool  # do they turn with the part?
    wrench: WrenchCourse  # x, y: the force [N] over time; theta: the torque [N m]; values and slopes may jump


OUTSIDE, HYBRID, IMPEDANCE = "outside", "force and motion", "impedance"


@dataclass(frozen=True)
class NamedContact:
    """A contact of two features: word ("edge", "vertex", "arc") and number of each, as outlines count them."""

    own: tuple[str, int]
    obstacle: int
    other: tuple[str, int]


@dataclass(frozen=True)
class Control:
    """Who gives the wrench on the part at every sample, which is then held; the laws: `dynamics.loads.control`."""

    law: str  # OUTSIDE: a function of Python; HYBRID or IMPEDANCE
    rate: float  # Hz
    raw: bool = False  # is the wrench in the wrist taken as it is, with the inertia of the part in it?
    hand: tuple[float, float] | None = None  # kg, m: mass and radius of gyration of what is behind the sensor
    reference: Reference | None = None  # of the frame of the outline
    arm: tuple[float, float] = (0.0, 0.0)  # m, the centre of mass in that frame
    # force and motion
    projection: bool = True
    named: bool = False  # is the contact space that of the contacts that are named, whether they are closed or not?
    position_gain: tuple[float, float, float] = (0.0, 0.0, 0.0)  # 1/s^2, of x, y, theta
    velocity_gain: tuple[float, float, float] = (0.0, 0.0, 0.0)  # 1/s
    force_gain: float = 0.0
    integral_gain: float = 0.0  # 1/s
    force: float = 0.0  # N, of a closed contact that is not named
    wrench: tuple[float, float, float] = (0.0, 0.0, 0.0)  # N, N, N m: more on the environment, besides these forces
    force_metric: Matrix3 | None = None  # A: kg, kg m, kg m^2; None: the inertia of the part
    motion_metric: Matrix3 | None = None  # inverse of B
    contacts: tuple[NamedContact, ...] = ()
    forces: tuple[Reference, ...] = ()  # N, of the contacts named: x, y, theta of each are those of three
    # impedance
    stiffness: Matrix3 | None = None
    damping: Matrix3 | None = None
    inertia: Matrix3 | None = None  # None: that of the part

    def get_desired(self, contact: int, times):
        """Normal forces [N] (n,) that a named contact shall have at times (n,) [s]."""
        return self.forces[contact // 3].evaluate(times)[0][:, contact % 3]
