"""The outline that a drawing holds: its features, its measures, and what reading it has changed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from geometry.drawings.conversion import Conversion
from geometry.shapes.outline import Outline
from sim.cli.reports.cli_words import decode_word
from sim.cli.reports.console import count_features, format_number, make_console, make_table, print_fields

if TYPE_CHECKING:
    from sim.show.picture_options import PictureFile

KINDS = {0: "edge", 1: "convex arc", -1: "concave arc"}


def print_outline(path: Path, layer: str | None, unit: str | None, tolerance: float | None,
                  plot: PictureFile | None) -> None:
    """Print the outline of a DXF or SVG file, in the unit of the drawing, and draw it. Raises InputError, PlotError."""
    layer, unit = (None if word is None else decode_word(word) for word in (layer, unit))
    outline = Outline.from_file(path, layer, unit, tolerance)
    conversion = outline.conversion
    console = make_console()
    console.print(f"{path}: {count_features(outline)}", style="bold")
    _print_measures(console, outline, conversion)
    _print_reading(console, conversion)
    _print_features(console, outline, conversion.metres, conversion.unit)
    if plot is not None:
        from sim.show.plots.parts.outline_picture import save_outline_picture

        save_outline_picture(plot, outline, path.name)
        console.print(f"Drawn: {plot}")


def _print_measures(console, outline: Outline, conversion: Conversion) -> None:
    m, unit = conversion.metres, conversion.unit
    low, high = outline.bounds / m
    x, y = outline.centroid / m
    corners = int(outline.corner.sum())
    joints = sum(1 for k, following in enumerate(outline.next) if following != k)
    print_fields(console, [
        ("size", f"{format_number(high[0] - low[0])} x {format_number(high[1] - low[1], unit)}, x from "
                 f"{format_number(low[0])} to {format_number(high[0])}, y from {format_number(low[1])} to "
                 f"{format_number(high[1])}"),
        ("area", f"{outline.area / m**2:.9g} {unit}^2"),
        ("centroid", f"({x + 0.0:.9g}, {y + 0.0:.9g}) {unit}"),
        ("rho", f"{outline.rho / m:.9g} {unit}, the radius of gyration of uniform density about the centroid"),
        ("joints", f"{corners} corners, {joints - corners} smooth"),
    ])


def _print_reading(console, conversion: Conversion) -> None:
    m, unit = conversion.metres, conversion.unit
    fields = [("unit", f"1 {unit} = {m:.9g} m")]
    if conversion.converted:
        off = f"{conversion.deviation / m:.3g} {unit} off, of {conversion.tolerance / m:.3g} allowed"
        fields.append(("curves", f"{conversion.n_arcs} arcs stand for curves; they are at most {off}"))
        fields += [("", line) for line in conversion.converted]
    if conversion.gap:
        fields.append(("gaps", f"the largest that was closed has {conversion.gap / m:.3g} {unit}"))
    if conversion.moved:
        fields.append(("tangents", f"joints and arcs were moved by {conversion.moved / m:.3g} {unit} at most"))
    fields += [("note", note) for note in conversion.notes]
    console.print("Reading it", style="bold")
    print_fields(console, fields)


def _print_features(console, outline: Outline, m: float, unit: str) -> None:
    """One line a feature: it runs to where the next one of its loop starts; the joint is where it starts itself."""
    table = make_table(f"Features [{unit}, deg]", ["number", "loop", "kind", "from", "centre", "radius", "length",
                                                   "turns",
                                                   "joint"], words=("loop", "kind", "joint"))
    for k in range(len(outline)):
        arc = outline.sign[k] != 0
        table.add_row(
            str(k), "outer" if outline.loop[k] == 0 else f"hole {outline.loop[k] - 1}", KINDS[int(outline.sign[k])],
            _show(outline.start[k] / m), _show(outline.centre[k] / m) if arc else "",
            format_number(outline.radius[k] / m) if arc else "", format_number(outline.length[k] / m),
            format_number(outline.sign[k] * math.degrees(outline.sweep[k])) if arc else "", _describe_joint(outline, k))
    console.print(table)


def _show(point) -> str:
    return f"({format_number(point[0])}, {format_number(point[1])})"


def _describe_joint(outline: Outline, k: int) -> str:
    if outline.next[k] == k:
        return "none"
    if not outline.corner[k]:
        return "smooth"
    return f"corner {format_number(math.degrees(outline.turn[k]))}"
