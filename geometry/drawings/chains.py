"""Closed loops from loose traces: ends that meet are joined, whatever their order and direction.

Ends in one place are joined first; of those that are left, pairs that lie within a gap. Three ends in one place are a
branch and refused, since nothing tells which two of them go on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from geometry.drawings.drawing import DrawingError, Stretch, Trace, show_place
from geometry.tolerances import SAME_END

MOST_TOLD = 5  # open ends that a message lists


class Chain(NamedTuple):
    """Traces joined end to end."""

    stretches: tuple[Stretch, ...]  # each starts where the one before it ends
    closed: bool
    traces: tuple[Trace, ...]  # that it is made of
    gap: float  # the largest that was closed in it


def join_traces(traces: Sequence[Trace], size: float, gap: float) -> tuple[list[Chain], list[str]]:
    """Chains of traces whose parts are all stretches, and notes of what was left out because it is drawn twice.

    size: of the drawing; gap: up to which two ends are one, in its unit. Closed traces are chains by themselves. Chains
    that stay open are returned as such. Raises DrawingError at a branch.
    """
    traces, notes = _drop_doubles(traces, gap)
    chains = [_close_trace(trace, gap) for trace in traces if trace.closed]
    loose = [trace for trace in traces if not trace.closed]
    if not loose:
        return chains, notes
    ends = np.array([point for trace in loose for point in (trace.parts[0].start, trace.parts[-1].end)])
    mate = np.full(len(ends), -1)
    names = [trace.name for trace in loose]
    for distance in (SAME_END * size, gap):
        _pair_ends(ends, mate, distance, names)
    used = np.zeros(len(loose), dtype=bool)
    # open chains are walked from a free end, what is left then are loops
    for start in [*np.flatnonzero(mate < 0).tolist(), *range(0, len(ends), 2)]:
        if not used[start // 2]:
            chains.append(_walk(start, loose, ends, mate, used))
    return chains, notes


def _close_trace(trace: Trace, gap: float) -> Chain:
    """The chain of a closed trace. A last edge that is shorter than the gap is none: the trace comes back to where it
    began but for rounding, and is closed."""
    last = trace.parts[-1]
    length = math.dist(last.start, last.end)
    if len(trace.parts) < 3 or last.bulge != 0.0 or length > gap:
        return Chain(trace.parts, True, (trace,), 0.0)
    return Chain(tuple(_close_gaps(list(trace.parts[:-1]), True)), True, (trace,), length)


def _drop_doubles(traces: Sequence[Trace], gap: float) -> tuple[list[Trace], list[str]]:
    """Leave out an edge, arc or circle that is drawn a second time."""
    kept: list[Trace] = []
    notes: list[str] = []
    seen: dict[tuple, list[Trace]] = {}
    for trace in traces:
        simple = len(trace.parts) == 1 or (trace.closed and len(trace.parts) == 2 and all(
            abs(part.bulge) == 1.0 for part in trace.parts))
        if not simple:
            kept.append(trace)
            continue
        middle = np.mean([trace.parts[0].start, trace.parts[0].end], axis=0)
        cell = tuple(np.floor(middle / max(4.0 * gap, np.finfo(float).tiny)).astype(np.int64).tolist())
        cells = [(cell[0] + dx, cell[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        double = next((other for near in cells for other in seen.get(near, []) if _is_double(trace, other, gap)), None)
        if double is None:
            kept.append(trace)
            seen.setdefault(cell, []).append(trace)
        else:
            notes.append(f"{trace.name} lies on {double.name}: left out")
    return kept, notes


def _is_double(one: Trace, other: Trace, gap: float) -> bool:
    """Do two single edges, arcs or circles lie on each other within the gap?"""
    if len(one.parts) != len(other.parts):
        return False
    a, b = one.parts[0], other.parts[0]
    middle = math.dist(_find_middle(a), _find_middle(b))
    if len(one.parts) == 2:
        middle = min(middle, math.dist(_find_middle(a), _find_middle(other.parts[1])))
    there = max(math.dist(a.start, b.start), math.dist(a.end, b.end))
    back = max(math.dist(a.start, b.end), math.dist(a.end, b.start))
    return max(min(there, back), middle) <= gap


def _find_middle(part: Stretch) -> tuple[float, float]:
    """The point half way along an edge or arc: the sagitta is half the bulge of a chord to the right."""
    (x0, y0), (x1, y1) = part.start, part.end
    return (0.5 * (x0 + x1) + 0.5 * part.bulge * (y1 - y0), 0.5 * (y0 + y1) - 0.5 * part.bulge * (x1 - x0))


def _pair_ends(ends: np.ndarray, mate: np.ndarray, distance: float, names: Sequence[str]) -> None:
    """Set in `mate` which free ends lie within the distance of each other. Raises DrawingError where more than two "
    "do."""
    import shapely  # 50 ms

    free = np.flatnonzero(mate < 0)
    if not free.size:
        return
    points = shapely.points(ends[free])
    i, j = shapely.STRtree(points).query(points, predicate="dwithin", distance=distance)
    count = np.bincount(i, minlength=len(free))
    many = np.flatnonzero(count > 2)
    if many.size:
        k = int(many[0])
        there = free[j[i == k]]
        who = ", ".join(dict.fromkeys(names[end // 2] for end in there))
        raise DrawingError(f"{len(there)} ends meet at {show_place(ends[free[k]])}, where the outline would branch: of "
                           f"{who}; valid are two ends in one place, so leave out what is no outline, or put it on "
                           "another layer")
    for a, b in zip(free[i], free[j], strict=True):
        if a != b:
            mate[a] = b


def _walk(start: int, loose: Sequence[Trace], ends: np.ndarray, mate: np.ndarray, used: np.ndarray) -> Chain:
    """The chain that begins at an end: end 2k is the first of trace k, 2k + 1 its last."""
    stretches: list[Stretch] = []
    traces: list[Trace] = []
    end, widest = start, 0.0
    while True:
        row = end // 2
        used[row] = True
        traces.append(loose[row])
        parts = list(loose[row].parts)
        if end % 2:
            parts = [Stretch(part.end, part.start, -part.bulge) for part in reversed(parts)]
        stretches += parts
        far = end ^ 1
        following = int(mate[far])
        if following < 0 or used[following // 2]:
            break
        widest = max(widest, math.dist(ends[far], ends[following]))
        end = following
    closed = following == start
    if closed:
        widest = max(widest, math.dist(ends[far], ends[start]))
    return Chain(tuple(_close_gaps(stretches, closed)), closed, tuple(traces), widest)


def _close_gaps(stretches: list[Stretch], closed: bool) -> list[Stretch]:
    """Let neighbours meet in the middle of the gap between them."""
    starts = [stretch.start for stretch in stretches]
    ends = [stretch.end for stretch in stretches]
    for k in range(len(stretches) if closed else len(stretches) - 1):
        following = (k + 1) % len(stretches)
        if ends[k] != starts[following]:
            joint = (0.5 * (ends[k][0] + starts[following][0]), 0.5 * (ends[k][1] + starts[following][1]))
            ends[k] = starts[following] = joint
    return [Stretch(start, end, stretch.bulge) for start, end, stretch in zip(starts, ends, stretches, strict=True)]


def describe_gaps(open_chains: Sequence[Chain]) -> str:
    """Where open chains end, and how far from the nearest other end."""
    ends = [(chain, *pick) for chain in open_chains for pick in (
        (chain.stretches[0].start, chain.traces[0].name), (chain.stretches[-1].end, chain.traces[-1].name))]
    points = np.array([end[1] for end in ends])
    told: list[str] = []
    done: set[int] = set()
    for k, (_, point, name) in enumerate(ends):
        if k in done:
            continue
        distance = np.hypot(*(points - points[k]).T)
        distance[k] = np.inf
        other = int(distance.argmin())
        done |= {k, other}
        told.append(f"a gap of {distance[other]:.6g} from {show_place(point)}, the end of {name}, to "
                    f"{show_place(points[other])}, the end of {ends[other][2]}")
    more = f"; and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
    return "; ".join(told[:MOST_TOLD]) + more
