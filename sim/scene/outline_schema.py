"""What a scene file may say of an outline: a box, vertices, arcs between them, a disc, a capsule, a drawing, holes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, field_validator, model_validator

from geometry.shapes.outline_table import COLUMNS
from geometry.shapes.units import LengthUnit
from sim.values.quantities import (
    Name,
    Number,
    OutlineLength,
    Section,
    read_number,
    read_outline_length,
    read_plain_pairs,
)
from sim.words.quoting import list_words, quote

# What an outline is made of, and the keys that go with each beside `unit`.
SHAPES = {
    "box": ("fillet", "holes"),
    "regular": ("fillet", "holes"),
    "vertices": ("bulge", "fillet", "holes"),
    "disc": ("center", "holes"),
    "capsule": ("holes",),
    "file": ("layer", "tolerance", "fillet", "drawn"),
}


class RegularSection(Section):
    """Regular polygon: lowest edge level, centre at the origin of the outline."""

    n: Annotated[int, Field(strict=True, ge=3, le=100_000)]
    circumradius: OutlineLength


class CapsuleSection(Section):
    """Two half discs, their centres `length` apart on the x axis, and straight sides between."""

    length: OutlineLength
    radius: OutlineLength


def _read_features(value: Any) -> list[tuple[float, ...]]:
    """Rows of numbers in m, see `geometry.shapes.outline_table`."""
    if not isinstance(value, list) or not all(isinstance(row, list | tuple) and len(row) == len(COLUMNS)
                                              for row in value):
        raise ValueError(f"must be a list of rows [{', '.join(COLUMNS)}]")
    return [tuple(map(read_number, row)) for row in value]


class DrawnSection(Section):
    """What a drawing held when it was read, so that the scene does not need it any more: it is used as long as file,
    layer, unit and tolerance are those of the outline."""

    file: Name
    layer: Name | None = None
    unit: LengthUnit | None = None
    tolerance: Any = None
    sha256: Annotated[str, Field(strict=True, pattern=r"^[0-9a-f]{64}$")]
    metres: Number  # the unit of the drawing
    deviation: Number  # m, how far arcs lie off the ellipses and splines that they stand for
    features: Annotated[list[tuple[float, ...]], BeforeValidator(_read_features)]


def _read_fillet(value: Any) -> Any:
    """A length, or one for each vertex."""
    return list(map(read_outline_length, value)) if isinstance(value, list) else read_outline_length(value)


class OutlineSection(Section):
    """An outline: exactly one of the keys of SHAPES, with those that go with it; plain numbers are in `unit`."""

    box: tuple[OutlineLength, OutlineLength] | None = None
    regular: RegularSection | None = None
    vertices: list[tuple[Any, Any]] | None = None
    disc: OutlineLength | None = None  # radius
    capsule: CapsuleSection | None = None
    file: Name | None = None  # DXF or SVG, from the folder of the scene
    bulge: list[Number] | None = None  # tan(sweep / 4) of the feature from each vertex, 0 for an edge
    fillet: Annotated[Any, BeforeValidator(_read_fillet)] = None
    center: tuple[OutlineLength, OutlineLength] | None = None  # of a disc
    layer: Name | None = None
    tolerance: OutlineLength | None = None
    holes: list[OutlineSection] | None = None
    drawn: DrawnSection | None = None
    unit: LengthUnit | None = None  # None: m, or that of the drawing

    @field_validator("vertices", mode="before")
    @classmethod
    def _check_vertices(cls, value):
        if not isinstance(value, list):
            raise ValueError("must be a list of [x, y] pairs")
        if (plain := read_plain_pairs(value)) is not None:
            return plain
        read = []
        for i, pair in enumerate(value):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise ValueError(f"vertex {i} is {quote(pair)}; valid: a pair [x, y] of numbers")
            try:
                read.append((read_outline_length(pair[0]), read_outline_length(pair[1])))
            except ValueError as error:
                raise ValueError(f"vertex {i} is {quote(pair)}; valid: a pair [x, y] of numbers: {error}") from None
        return read

    @model_validator(mode="after")
    def _check_one(self):
        given = [name for name in type(self).model_fields if name != "unit" and getattr(self, name) is not None]
        shapes = [name for name in given if name in SHAPES]
        if len(shapes) != 1:
            said = " and ".join(shapes) if shapes else "none"
            raise ValueError(f"needs exactly one of {', '.join(SHAPES)}; given: {said}")
        for name in given:
            if name not in (shapes[0], *SHAPES[shapes[0]]):
                others = [shape for shape, keys in SHAPES.items() if name in keys]
                raise ValueError(f"{name} goes with {list_words(others)}, and this is an outline of {shapes[0]}")
        if self.holes and any(hole.holes or hole.file for hole in self.holes):
            raise ValueError("a hole is a box, vertices, a disc or the like without holes of its own")
        return self

    @property
    def shape(self) -> str:
        """Which of SHAPES it is."""
        return next(name for name in SHAPES if getattr(self, name) is not None)


