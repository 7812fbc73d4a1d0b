"""Round corners: arcs that are tangent to both edges of a corner."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from geometry.shapes.cleaning import show_point
from geometry.shapes.features import Features, OutlineError, compute_rounding


class Joints(NamedTuple):
    """The features of an outline, and what their joints are like; see `Outline`."""

    features: Features
    loop: np.ndarray
    previous: np.ndarray
    next: np.ndarray
    length: np.ndarray
    turn: np.ndarray


def fillet_loops(outline: Joints, radius: ArrayLike) -> tuple[list[Features], list[list[str]]]:
    """Loops of an outline with fillets in place of its corners, and a name for each feature; see
    `Outline.with_fillets`. Raises OutlineError."""
    radii = _read_radii(outline, radius)
    turn = outline.turn
    # the fillet of radius r touches both edges at r tan(turn / 2) from the corner
    cut = radii * np.tan(0.5 * np.abs(turn))
    _check_room(outline, radii, cut)
    loops: list[Features] = []
    names: list[list[str]] = []
    for k in range(int(outline.loop[-1]) + 1):
        rows = np.flatnonzero(outline.loop == k)
        loops.append(_fillet_loop(outline, rows, radii, cut))
        pairs = [(f"the fillet of vertex {row}", f"feature {row}") for row in rows]
        names.append([name for row, pair in zip(rows, pairs, strict=True)
                      for name in (pair if radii[row] > 0.0 else pair[1:])])
    return loops, names


def _read_radii(outline: Joints, radius: ArrayLike) -> np.ndarray:
    """A radius (n,) for each joint, zero where there is no corner."""
    try:
        values = np.array(radius, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise OutlineError(f"the radius of fillets is a number, or a list of numbers ({error})") from None
    n = len(outline.loop)
    if values.shape not in ((), (n,)):
        raise OutlineError(f"fillets have one radius, or one for each of the {n} vertices; not an array of shape "
                           f"{values.shape}")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))
    if bad.size:
        where = f" of vertex {bad[0]}" if values.shape else ""
        raise OutlineError(f"the fillet radius{where} must be zero or positive, and finite, not "
                           f"{values.ravel()[bad[0]]:.9g} m")
    asked = np.broadcast_to(values, (n,)).copy()
    if not values.shape:
        asked[outline.turn == 0.0] = 0.0
        if values > 0.0 and not outline.turn.any():
            raise OutlineError("the outline has no corner that a fillet could round")
    rounding = compute_rounding(outline.features)
    for row in np.flatnonzero(asked > 0.0):
        if asked[row] <= rounding:
            raise OutlineError(f"the fillet of {asked[row]:.3g} m at vertex {row} is below the rounding of an outline "
                               f"of this size; valid are radii above {rounding:.3g} m, and 0 for a sharp corner")
        _check_corner(outline, int(row), asked[row])
    return asked


def _check_corner(outline: Joints, row: int, radius: float) -> None:
    what = f"vertex {row} at {show_point(outline.features.start[row])} m cannot have a fillet of {radius:.9g} m"
    if not outline.turn[row]:
        raise OutlineError(f"{what}: it is no corner, the outline goes on smoothly there; valid is 0")
    before = int(outline.previous[row])
    arcs = [feature for feature in (before, row) if outline.features.sign[feature]]
    if arcs:
        raise OutlineError(f"{what}: feature {arcs[0]} beside it is an arc; valid are corners between two edges, and 0 "
                           "elsewhere")


def _check_room(outline: Joints, radii: np.ndarray, cut: np.ndarray) -> None:
    """Refuse fillets that need more of an edge than there is, naming the vertex of the larger one."""
    need = cut + cut[outline.next]
    rounding = compute_rounding(outline.features)
    short = np.flatnonzero((need > outline.length + rounding) & (outline.features.sign == 0))
    if not short.size:
        return
    edge = int(short[int((need - outline.length)[short].argmax())])
    ends = edge, int(outline.next[edge])
    row, other = ends if cut[ends[0]] >= cut[ends[1]] else ends[::-1]
    both = outline.length[edge] / (math.tan(0.5 * abs(outline.turn[row])) + math.tan(0.5 * abs(outline.turn[other])))
    room = 0.0 if radii[row] == radii[other] else outline.length[edge] - cut[other]
    half = math.tan(0.5 * abs(outline.turn[row]))
    beside = f", of which the fillet of vertex {other} takes {cut[other]:.6g} m" if cut[other] > 0.0 else ""
    valid = (f"up to {room / half:.6g} m" if room > 0.0 else
             f"both up to {both:.6g} m")
    raise OutlineError(f"the fillet of {radii[row]:.9g} m at vertex {row} "
                       f"{show_point(outline.features.start[row])} m does not fit: it takes {cut[row]:.6g} m of "
                       f"edge {edge}, which is {outline.length[edge]:.6g} m long{beside}; valid: {valid}")


def _fillet_loop(outline: Joints, rows: np.ndarray, radii: np.ndarray, cut: np.ndarray) -> Features:
    """The features of one loop, each fillet before the feature that starts at its vertex."""
    features = outline.features
    length = np.where(outline.features.sign == 0, outline.length, 1.0)
    along = (features.end - features.start) / length[:, None]
    left = np.stack([-along[:, 1], along[:, 0]], axis=1)
    begin = features.start + np.where(radii > 0.0, cut, 0.0)[:, None] * along
    ends = cut[outline.next]
    end = np.where((ends > 0.0)[:, None], features.end - ends[:, None] * along, features.end)
    columns: list[tuple] = []
    for row in rows.tolist():
        if radii[row] > 0.0:
            sign = 1 if outline.turn[row] > 0.0 else -1
            before = int(outline.previous[row])
            # the mean of what both edges say, so that mirror images stay so
            centre = 0.5 * (end[before] + begin[row] + sign * radii[row] * (left[before] + left[row]))
            columns.append((end[before], begin[row], centre, radii[row], sign))
        centre = begin[row] if features.sign[row] == 0 else features.centre[row]
        columns.append((begin[row], end[row], centre, features.radius[row], features.sign[row]))
    start, stop, middle, radius, signs = (np.array(column) for column in zip(*columns, strict=True))
    return Features(start, stop, middle, radius, signs.astype(np.int64))
