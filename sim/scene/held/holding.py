"""What acts on the part besides obstacles, weight and constant forces: in SI units and radians, checked, and frozen.

A wrench here is (Fx, Fy, torque) in N, N, N m. Points of the part are relative to its centre of mass, unrotated.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from geometry.prescribed.motion import Motion, WrenchCourse

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
