"""From a drawing to an outline: unit, layer, curves into arcs, loops from loose ends, holes, one tangent at joints."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from geometry.drawings.biarcs import convert_curve
from geometry.drawings.chains import Chain, describe_gaps, join_traces
from geometry.drawings.conversion import Conversion
from geometry.drawings.drawing import Curve, Drawing, DrawingError, Stretch, Trace
from geometry.drawings.read import read_drawing
from geometry.shapes.cleaning import Loop, clean_loop
from geometry.shapes.crossings import check_simple
from geometry.shapes.features import (
    Features,
    OutlineError,
    build_circle,
    build_features,
    compute_boxes,
    compute_rounding,
    compute_sweeps,
    join_features,
)
from geometry.shapes.moments import compute_moments
from geometry.shapes.nesting import find_enclosing
from geometry.shapes.tangency import make_tangent
from geometry.shapes.units import LARGEST_LENGTH, LENGTH_UNITS
from geometry.tolerances import CURVE_TOLERANCE, DRAWING_GAP

MOST_LISTED = 8  # loops and layers that a message lists


class Ring(NamedTuple):
    """A closed loop of a drawing, in metres, and what drew it."""

    features: Features
    chain: Chain


class PartLoops(NamedTuple):
    """What an outline is built from."""

    loops: list[Features]  # the outer one first
    names: list[list[str]]  # of the features, for messages
    conversion: Conversion


@contextmanager
def naming_file(path: str) -> Iterator[None]:
    """Begin messages from inside with the name of the file."""
    try:
        yield
    except (DrawingError, OutlineError) as error:
        raise type(error)(f"{path}: {error}") from None


def read_part(path: str | os.PathLike, layer: str | None, unit: str | None, tolerance: float | None) -> PartLoops:
    """See `Outline.from_file`."""
    drawing = read_drawing(path, unit is not None)
    with naming_file(drawing.path):
        return _make_part(drawing, layer, unit, tolerance)


def _make_part(drawing: Drawing, layer: str | None, unit: str | None, tolerance: float | None) -> PartLoops:
    metres, said = _choose_unit(drawing, unit)
    factor = metres[0] / metres[1]
    traces = _choose_layer(drawing, layer)
    size = _measure_size(traces)
    if not size * factor <= LARGEST_LENGTH:
        raise DrawingError(f"it is {size:.3g} {said} across; valid are outlines up to {LARGEST_LENGTH:g} m")
    wanted = _choose_tolerance(tolerance, size)
    traces, converted, count, deviation = _convert_curves(traces, wanted)
    chains, doubles = _join(traces, size, layer)
    rings = [Ring(_build_ring(chain, metres, DRAWING_GAP * size), chain) for chain in chains]
    kept, fillings = _nest(rings, said, metres)
    loops, mended, moved = _smooth(kept, DRAWING_GAP * size * factor)
    notes = [*drawing.notes, *doubles, *fillings]
    if mended:
        notes.append(f"{mended} joints were given one tangent")
    conversion = Conversion(drawing.path, said, factor, tuple(converted), count, wanted * factor, deviation * factor,
                            max(ring.chain.gap for ring in kept) * factor, moved, tuple(notes), drawing.sha256)
    return PartLoops(loops, _name_features(loops, kept), conversion)


# ------------------------------------------------------------------------------------------- unit, layer, tolerance


def _choose_unit(drawing: Drawing, unit: str | None) -> tuple[tuple[int, int], str]:
    """Numerator and denominator of the unit in metres, and its name."""
    if unit is not None:
        if unit not in LENGTH_UNITS:
            raise DrawingError(f"unknown unit of length {unit!r}; valid: {', '.join(LENGTH_UNITS)}")
        return LENGTH_UNITS[unit], unit
    if drawing.metres is None:
        raise DrawingError(f"in which unit it is drawn is not known: {drawing.unit}; give the unit: "
                           f"{', '.join(LENGTH_UNITS)}")
    return drawing.metres, drawing.unit


def _choose_layer(drawing: Drawing, layer: str | None) -> list[Trace]:
    """The traces on a layer, or all."""
    if layer is None:
        return list(drawing.traces)
    found = [trace for trace in drawing.traces if layer in trace.groups] or [  # DXF does not tell cases apart
        trace for trace in drawing.traces if layer.casefold() in map(str.casefold, trace.groups)]
    if not found:
        names = sorted({name for trace in drawing.traces for name in trace.groups})
        shown = ", ".join(map(repr, names[:MOST_LISTED])) + (" ..." if len(names) > MOST_LISTED else "")
        raise DrawingError(f"nothing is drawn on layer {layer!r}; valid: {shown or 'no layer has a name'}")
    return found


def _choose_tolerance(tolerance: float | None, size: float) -> float:
    if tolerance is None:
        return CURVE_TOLERANCE * size
    if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not (
            math.isfinite(tolerance) and tolerance > 0.0):
        raise DrawingError(f"the tolerance is {tolerance!r}; valid is a positive number, in the unit of the drawing")
    return float(tolerance)


def _list_points(trace: Trace) -> np.ndarray:
    """Points of a trace that tell how far it reaches."""
    points: list = []
    for part in trace.parts:
        points += [part.start, part.end]
        if isinstance(part, Curve):
            points += list(part.point(np.linspace(part.breaks[0], part.breaks[-1], 4 * len(part.breaks))))
        elif part.bulge:
            (x0, y0), (x1, y1) = part.start, part.end
            points.append((0.5 * (x0 + x1 + part.bulge * (y1 - y0)), 0.5 * (y0 + y1 - part.bulge * (x1 - x0))))
    return np.array(points)


def _measure_size(traces: Sequence[Trace]) -> float:
    """Diagonal of the box of what is drawn, in its unit."""
    with np.errstate(over="ignore", invalid="ignore"):
        groups = [_list_points(trace) for trace in traces]
    for trace, group in zip(traces, groups, strict=True):
        if not (np.abs(group) <= LARGEST_LENGTH).all():
            raise DrawingError(f"{trace.name} has coordinates that are not finite, or beyond {LARGEST_LENGTH:g}")
    points = np.concatenate(groups)
    return float(np.hypot(*np.ptp(points, axis=0)))


# ---------------------------------------------------------------------------------------------------- curves, loops


def _convert_curves(traces: Sequence[Trace], tolerance: float) -> tuple[list[Trace], list[str], int, float]:
    """Traces whose curves have become arcs, what became what, how many arcs, and how far they are off."""
    done, converted, total, worst = [], [], 0, 0.0
    for trace in traces:
        parts: list[Stretch] = []
        kinds: dict[str, int] = {}
        count = 0
        for part in trace.parts:
            if isinstance(part, Stretch):
                parts.append(part)
                continue
            try:
                stretches, deviation = convert_curve(part, tolerance)
            except DrawingError as error:
                raise DrawingError(f"{trace.name}: {error}") from None
            parts += stretches
            kinds[part.kind] = kinds.get(part.kind, 0) + 1
            count, worst = count + len(stretches), max(worst, deviation)
        if kinds:
            words = ", ".join(f"{n} {kind}{'s' if n > 1 else ''}" for kind, n in kinds.items())
            converted.append(f"{trace.name}: {words}, {count} arcs")
        total += count
        done.append(trace._replace(parts=tuple(parts)))
    return done, converted, total, worst


def _join(traces: Sequence[Trace], size: float, layer: str | None) -> tuple[list[Chain], list[str]]:
    """Closed chains, and notes. Raises DrawingError where one stays open."""
    layers = sorted({trace.layer for trace in traces})
    try:
        chains, notes = join_traces(traces, size, DRAWING_GAP * size)
    except DrawingError as error:
        raise DrawingError(f"{error}{_list_layers(layers, layer)}") from None
    closed, still = [], []
    for chain in chains:
        area = len(chain.stretches) > 1 or chain.stretches[0].bulge != 0.0
        if chain.closed:
            closed.append(chain)
        elif len(chain.traces) == 1 and chain.traces[0].filled and area:
            last, first = chain.stretches[-1].end, chain.stretches[0].start
            notes.append(f"{chain.traces[0].name} is open and filled: a straight line of {math.dist(last, first):.6g} "
                         "closes it, as it is filled")
            closed.append(chain._replace(stretches=(*chain.stretches, Stretch(last, first)), closed=True))
        else:
            still.append(chain)
    if still:
        found = f"; closed: {_list_chains(closed)}" if closed else ""
        raise DrawingError(f"the outline is open: {describe_gaps(still)}; valid are gaps up to {DRAWING_GAP * size:.3g}"
                           f" (in the unit of the drawing); open: {_list_chains(still)}{found}"
                           f"{_list_layers(layers, layer)}")
    return closed, notes


def _list_layers(layers: Sequence[str], layer: str | None) -> str:
    """Advice where choosing a layer may help."""
    if layer is not None or len(layers) < 2:
        return ""
    return f"; if the part is on one layer, give it: {', '.join(map(repr, layers[:MOST_LISTED]))}"


def _list_chains(chains: Sequence[Chain]) -> str:
    shown = [f"{_name_chain(chain)} on layer {chain.traces[0].layer!r}" for chain in chains[:MOST_LISTED]]
    return ", ".join(shown) + (f" and {len(chains) - MOST_LISTED} more" if len(chains) > MOST_LISTED else "")


def _name_chain(chain: Chain) -> str:
    more = len(chain.traces) - 1
    return chain.traces[0].name + (f" and {more} more" if more else "")


def _build_ring(chain: Chain, metres: tuple[int, int], gap: float) -> Features:
    """The features of a closed chain in metres, each length converted with one rounding."""
    start = np.array([stretch.start for stretch in chain.stretches]) * metres[0] / metres[1]
    bulge = np.array([stretch.bulge for stretch in chain.stretches])
    features = build_features(start, np.roll(start, -1, axis=0), bulge)
    circle = _find_circle(features, gap * metres[0] / metres[1])
    return features if circle is None else circle


def _find_circle(features: Features, gap: float) -> Features | None:
    """The circle that arcs make all together, if their centres and radii are one within the gap (m)."""
    sign = features.sign[0]
    if sign == 0 or (features.sign != sign).any():
        return None
    apart = max(float(np.ptp(features.centre, axis=0).max()), float(np.ptp(features.radius)))
    if apart > gap or abs(float(compute_sweeps(features).sum()) - 2.0 * math.pi) > 0.5:
        return None
    return build_circle(features.centre.mean(axis=0), float(features.radius.mean()), int(sign))


# ------------------------------------------------------------------------------------------------------------ holes


def _nest(rings: Sequence[Ring], unit: str, metres: tuple[int, int]) -> tuple[list[Ring], list[str]]:
    """The outer loop and its holes, and notes. Raises DrawingError where there are several outer loops, OutlineError
    where loops cross."""
    tolerance = compute_rounding(join_features([ring.features for ring in rings]))
    names = [_name_chain(ring.chain) for ring in rings]
    cleaned = [clean_loop(ring.features, tolerance, f"{name}, feature")
               for ring, name in zip(rings, names, strict=True)]
    check_simple(cleaned, tolerance, [[f"{name}, feature {label}" for label in loop.label]
                                      for loop, name in zip(cleaned, names, strict=True)])
    inside = find_enclosing([loop.features for loop in cleaned])
    edge = _find_edges(rings, cleaned, inside)
    notes = [f"{name} lies inside what is filled, and is no hole by the rule 'nonzero': left out"
             for name, keep in zip(names, edge, strict=True) if not keep]
    depth = [sum(edge[j] for j in around) for around in inside]
    outer = [k for k in range(len(rings)) if edge[k] and depth[k] % 2 == 0]
    if len(outer) > 1:
        listed = [_describe_ring(rings[k], names[k], unit, metres) for k in outer[:MOST_LISTED]]
        more = f" and {len(outer) - MOST_LISTED} more" if len(outer) > MOST_LISTED else ""
        layers = sorted({rings[k].chain.traces[0].layer for k in outer})
        raise DrawingError(f"it has {len(outer)} outer loops, where a part has one: {'; '.join(listed)}{more}"
                           + _list_layers(layers, None))
    holes = [k for k in range(len(rings)) if edge[k] and depth[k] % 2 == 1]
    return [rings[k]._replace(features=cleaned[k].features) for k in [*outer, *holes]], notes


def _find_edges(rings: Sequence[Ring], loops: Sequence[Loop], inside: Sequence[set[int]]) -> list[bool]:
    """Is one side of each loop filled and the other not, by the rule of what draws it together with others?"""
    ruled = [len(ring.chain.traces) == 1 and ring.chain.traces[0].rule == "nonzero" for ring in rings]
    group = [ring.chain.traces[0].group for ring in rings]
    wind = [(1 if compute_moments(loop.features).area > 0.0 else -1) if rule else 0
            for loop, rule in zip(loops, ruled, strict=True)]
    around = [sum(wind[j] for j in inside[k] if group[j] == group[k]) for k in range(len(rings))]
    return [not ruled[k] or (around[k] == 0) != (around[k] + wind[k] == 0) for k in range(len(rings))]


def _describe_ring(ring: Ring, name: str, unit: str, metres: tuple[int, int]) -> str:
    low, high = compute_boxes(ring.features)
    width, height = (high.max(axis=0) - low.min(axis=0)) * metres[1] / metres[0]
    return f"{name} on layer {ring.chain.traces[0].layer!r}, {width:.6g} x {height:.6g} {unit}"


def _smooth(rings: Sequence[Ring], gap: float) -> tuple[list[Features], int, float]:
    """The loops with one tangent at joints that were rounded, how many, and how far they were moved (m)."""
    loops, mended, farthest = [], 0, 0.0
    for ring in rings:
        features, count, moved = make_tangent(ring.features, gap)
        loops.append(features)
        mended, farthest = mended + count, max(farthest, moved)
    return loops, mended, farthest


def _name_features(loops: Sequence[Features], rings: Sequence[Ring]) -> list[list[str]]:
    """A name for each feature, for messages."""
    return [[f"feature {k} of {_name_chain(ring.chain)}" for k in range(len(loop.sign))]
            for loop, ring in zip(loops, rings, strict=True)]
