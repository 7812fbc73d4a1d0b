"""How a scene file names a contact: by the numbers of two features."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from sim.values.quantities import Length, Name, Section

OWN_FEATURES = ("edge", "vertex", "arc")
OTHER_FEATURES = ("obstacle_edge", "obstacle_vertex", "obstacle_arc")
FEATURE_PAIRS = [[own, other] for own in OWN_FEATURES for other in OTHER_FEATURES
                 if (own, other) not in (("edge", "obstacle_edge"), ("vertex", "obstacle_vertex"))]


class FormationContactSection(Section):
    """An edge of the part on a vertex or arc of an obstacle, the other way round, or round on round.

    Features are counted from 0 as in the outline; edge or arc i starts at vertex i. With `at`, the distance of the
    contact from the start of the edge, a vertex on an edge rolls: it stays there.
    """

    obstacle: Name
    edge: Annotated[int, Field(strict=True, ge=0)] | None = None
    vertex: Annotated[int, Field(strict=True, ge=0)] | None = None
    arc: Annotated[int, Field(strict=True, ge=0)] | None = None
    obstacle_edge: Annotated[int, Field(strict=True, ge=0)] | None = None
    obstacle_vertex: Annotated[int, Field(strict=True, ge=0)] | None = None
    obstacle_arc: Annotated[int, Field(strict=True, ge=0)] | None = None
    at: Length | None = None

    @model_validator(mode="after")
    def _check_pair(self):
        given = [name for name in (*OWN_FEATURES, *OTHER_FEATURES) if getattr(self, name) is not None]
        if given not in FEATURE_PAIRS:
            valid = ", ".join(" and ".join(pair) for pair in FEATURE_PAIRS)
            raise ValueError(f"needs one of these pairs: {valid}; given: {' and '.join(given) or 'none'}")
        return self

    @property
    def own(self) -> tuple[str, int]:
        """Word and number of the feature of the part."""
        return next((name, number) for name in OWN_FEATURES if (number := getattr(self, name)) is not None)

    @property
    def other(self) -> tuple[str, int]:
        """Word and number of the feature of the obstacle."""
        return next((name.removeprefix("obstacle_"), number) for name in OTHER_FEATURES
                    if (number := getattr(self, name)) is not None)
