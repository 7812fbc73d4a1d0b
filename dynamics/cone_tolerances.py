"""Every tolerance of wrench cones, contact modes and projections, in one place.

Rows, generators and face normals get length one before anything is compared, so that the numbers below are sines of
angles: no unit and no size of a part or a force enters. They stand apart from `dynamics.tolerances` because compiled
code depends on that file and not on this one.
"""

from __future__ import annotations

EPSILON = 2.220446049250313e-16  # of float64

# Two directions closer than this are one, and a direction this close to a plane lies in it. Larger: contacts whose
# normals meet at such an angle are taken as parallel. Smaller: a scene that is turned (rounding of about 1e-16 times
# the condition of its contacts) loses what lies exactly on a boundary.
ANGLE = 1e-10

# The line common to two planes that meet at a sine s is known to EPSILON / s only; that, times this, is added to ANGLE.
ROUNDING = 16.0

# A wrench this close to a boundary (relative to its size) lies on it: inside where the boundary belongs to the cone.
MEMBER = 1e-10

# Singular values of a matrix with unit columns, below this, count as zero: the rank of a set of contacts. The numbers
# beside it, up to RANK_WARNING, are reported as badly conditioned.
RANK = 1e-10
RANK_WARNING = 1e-6


def widen(sine):
    """How close to zero counts as zero for a direction found from two others at this sine (number or array)."""
    return ANGLE + ROUNDING * EPSILON / sine
