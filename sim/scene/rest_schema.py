"""How a scene file says where the part starts by an obstacle: at rest on it in which pose, or how high above it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sim.values.quantities import Angle, Length, Name, PositiveLength, Section


class RestSection(Section):
    """A rest pose of the part, by its number on a level floor (see `stiction rest`), on an edge of an obstacle.

    `edge` is the number of that edge; the one whose free side is nearest to the top if it is not given. `at` is how far
    from the left end of the edge, its free side up, the centre of mass stands over it; the middle if it is not given.
    """

    rest: Annotated[int, Field(strict=True, ge=0)]
    on: Name
    edge: Annotated[int, Field(strict=True, ge=0)] | None = None
    at: Length | None = None


class AboveSection(Section):
    """An orientation of the part, its lowest point at a height above an edge of an obstacle, along the edge's normal.

    `theta` is that of the outline's frame; `edge` and `at` as in a RestSection.
    """

    above: Name
    height: PositiveLength
    theta: Angle = 0.0
    edge: Annotated[int, Field(strict=True, ge=0)] | None = None
    at: Length | None = None


PoseSection = RestSection | AboveSection
