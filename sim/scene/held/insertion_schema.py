"""What a scene file may say of an insertion: where the hole begins, which way it goes in, and how deep is in."""

from __future__ import annotations

from math import pi

from sim.values.quantities import Angle, Length, OutlineLength, PositiveLength, Section


class InsertionSection(Section):
    """`mouth`: a point of the world in the plane of the mouth; `direction`: of going in; `depth`: from which it is in.

    How deep the part is: how far its point `tip`, or else whatever of it is foremost, lies beyond the mouth.
    """

    mouth: tuple[Length, Length]
    direction: Angle = -0.5 * pi
    depth: PositiveLength
    tip: tuple[OutlineLength, OutlineLength] | None = None
