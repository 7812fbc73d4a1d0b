"""From what a scene says of an outline to the outline; each is made and checked once, however many scenes share it."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from geometry.drawings.conversion import Conversion
from geometry.errors import InputError
from geometry.shapes.outline import Outline
from geometry.shapes.outline_table import read_outline_table, simplify_outline, tabulate_outline
from geometry.shapes.polygon import Polygon
from geometry.shapes.units import to_metres
from sim.scene.outline_schema import DrawnSection, OutlineSection
from sim.values.quantities import Metres

AnyOutline = Polygon | Outline


class _Recipe(NamedTuple):
    """All that an outline is made from, in metres, as a key that can be looked up."""

    shape: str  # of outline_schema.SHAPES
    numbers: bytes  # float64
    n: int = 0  # corners of a regular polygon
    bulge: bytes = b""
    fillet: bytes = b""  # one number for all vertices, or one for each
    holes: tuple[_Recipe, ...] = ()


def build_outline_of(section: OutlineSection, drawn: DrawnSection | None) -> AnyOutline:
    """The outline of a section, m; drawn: what its drawing holds, if it is one. Raises InputError, PolygonError."""
    return _make(_describe(section, drawn))


def read_drawn(section: OutlineSection, folder: Path) -> DrawnSection:
    """What the drawing of a section holds; a relative path begins in the folder. Raises InputError."""
    given = {name: getattr(section, name) for name in ("file", "layer", "unit", "tolerance")}
    known = section.drawn
    if known is not None and all(getattr(known, name) == value for name, value in given.items()):
        return known
    path = folder / str(section.file)
    try:
        state = os.stat(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    tolerance = section.tolerance
    found = _read_file(os.fspath(path), (state.st_mtime_ns, state.st_size), section.layer, section.unit,
                       None if tolerance is None else float(tolerance), isinstance(tolerance, Metres))
    return DrawnSection(**given, **found)


@lru_cache(maxsize=16)
def _read_file(path: str, state: tuple, layer: str | None, unit: str | None, tolerance: float | None,
               in_metres: bool) -> dict[str, Any]:
    """Numbers of a drawing as it is on the disk in this `state`; the tolerance is in metres or in its unit."""
    if tolerance is not None and in_metres:
        tolerance /= _get_conversion(Outline.from_file(path, layer, unit)).metres
    outline = Outline.from_file(path, layer, unit, tolerance)
    told = _get_conversion(outline)
    return {"sha256": told.sha256, "metres": told.metres, "deviation": told.deviation,
            "features": tabulate_outline(outline).tolist()}


def _get_conversion(outline: Outline) -> Conversion:
    assert outline.conversion is not None  # it was read from a file
    return outline.conversion


def convert_lengths(lengths, section: OutlineSection, drawn: DrawnSection | None = None) -> tuple[float, ...]:
    """In metres: lengths that the section, or what goes with it, gives in its unit."""
    plain = np.array([length for length in lengths if not isinstance(length, Metres)])
    if drawn is not None and section.unit is None:
        scaled = (plain * drawn.metres).tolist()
    else:
        scaled = to_metres(plain, section.unit or "m").tolist()
    if len(plain) == len(lengths):
        return tuple(scaled)
    following = iter(scaled)
    return tuple(float(length) if isinstance(length, Metres) else next(following) for length in lengths)


def _describe(section: OutlineSection, drawn: DrawnSection | None) -> _Recipe:
    def pack(lengths) -> bytes:
        return np.array(convert_lengths(lengths, section, drawn)).tobytes()

    shape, n = section.shape, 0
    if shape == "vertices":
        numbers = pack([length for vertex in section.vertices for length in vertex])
    elif shape == "regular":
        numbers, n = pack([section.regular.circumradius]), section.regular.n
    elif shape == "capsule":
        numbers = pack([section.capsule.length, section.capsule.radius])
    elif shape == "disc":
        numbers = pack([section.disc, *(section.center or (0.0, 0.0))])
    elif shape == "file":
        numbers = np.array(drawn.features).tobytes()
    else:
        numbers = pack(section.box)
    fillet = section.fillet
    return _Recipe(
        shape, numbers, n,
        bulge=b"" if section.bulge is None else np.array(section.bulge, dtype=np.float64).tobytes(),
        fillet=b"" if fillet is None else pack(fillet if isinstance(fillet, list) else [fillet]),
        holes=tuple(_describe(hole.model_copy(update={"unit": hole.unit or section.unit}), None)
                    for hole in section.holes or ()),
    )  # fmt: skip


# Outlines cannot change, and checking them takes most of the time of a scene. Many scenes of a study share them, or
# what stands below their fillets and holes.
@lru_cache(maxsize=64)
def _make(recipe: _Recipe) -> AnyOutline:
    if recipe.holes:
        outer = _make(recipe._replace(holes=()))
        return _open(outer).with_holes(*(_open(_make(hole)) for hole in recipe.holes))
    if recipe.fillet:
        fillet = np.frombuffer(recipe.fillet)
        sharp = _open(_make(recipe._replace(fillet=b"")))
        return simplify_outline(sharp.with_fillets(fillet if len(fillet) > 1 else float(fillet[0])))
    return _make_plain(recipe)


@lru_cache(maxsize=16)
def _open(outline: AnyOutline) -> Outline:
    """A polygon as an Outline."""
    return Outline.from_vertices(outline.vertices) if isinstance(outline, Polygon) else outline


def _make_plain(recipe: _Recipe) -> AnyOutline:
    """Without fillets and holes."""
    numbers = np.frombuffer(recipe.numbers)
    match recipe.shape:
        case "box":
            return Polygon.box(*numbers.tolist())
        case "regular":
            return Polygon.regular(recipe.n, float(numbers[0]))
        case "disc":
            return Outline.disc(float(numbers[0]), numbers[1:])
        case "capsule":
            return Outline.capsule(*numbers.tolist())
        case "file":
            return read_outline_table(numbers.reshape(-1, 6))
    vertices = numbers.reshape(-1, 2)
    if recipe.bulge:
        return simplify_outline(Outline.from_vertices(vertices, np.frombuffer(recipe.bulge)))
    return Polygon.from_vertices(vertices)


@lru_cache(maxsize=64)
def translate_outline(outline: AnyOutline, dx: float, dy: float) -> AnyOutline:
    """A copy moved by (dx, dy), m."""
    return outline.translated(dx, dy)
