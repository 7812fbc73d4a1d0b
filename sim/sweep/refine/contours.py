"""From what is known on the rims of squares to regions: polygons that tile each square, and the lines between them.

Round the rim of a square stand crossings, places where the code changes, and between them arcs of one code. An arc
whose neighbours have one and the same code is cut off by a chord from crossing to crossing, the shortest first; so
every boundary that passes goes through. Where no such arc is left, and there are more than two, all that is left meets
in a junction: the point nearest to the lines on which the chords of the squares beside arrive, or else the middle of
the crossings.

    polygon of an arc = the rim from crossing to crossing, and the chord; or, at a junction, by way of the junction

The polygons of a square add up to it, so that the shares of all words add up to one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.sweep.refine.lattice import CORNERS, Known, Lattice
from sim.tolerances import JUNCTION_SPREAD

PIECE = np.dtype([
    ("sheet", "i8"), ("code", "i8"),
    ("square", "i8"),  # number of the smallest square that holds it, where a boundary passes; -1 elsewhere
    ("parent", "i8"),  # number of the square of twice the size, where a boundary passes; -1 elsewhere
    ("n", "i8"),  # vertices, counter-clockwise; two where a code begins and ends on one edge, without an area
])  # fmt: skip
SEGMENT = np.dtype([
    ("sheet", "i8"),
    ("x0", "f8"), ("y0", "f8"), ("x1", "f8"), ("y1", "f8"),
    ("left", "i8"), ("right", "i8"),  # codes, as seen from (x0, y0) towards (x1, y1), with x to the right and y up
])  # fmt: skip
JUNCTION = np.dtype([("sheet", "i8"), ("x", "f8"), ("y", "f8"), ("n", "i8")])  # n boundaries meet
SIDES = ((1, 0), (0, 1), (-1, 0), (0, -1))  # directions of the sides of a square, counter-clockwise

Point = tuple[float, float]


class Arc(NamedTuple):
    """A part of a rim, from a crossing to the next, counter-clockwise."""

    code: int
    path: list[Point]


class Division(NamedTuple):
    """A square as it is divided."""

    polygons: list[Arc]  # closed
    chords: list[tuple[Point, Point, int, int]]  # from, to, left, right
    around: list[Arc]  # arcs that meet in a junction; none, or three and more


class Rims:
    """Walks round squares: knows the codes of points and the crossings of edges between neighbours of the lattice."""

    def __init__(self, lattice: Lattice, known: Known):
        self._lattice, self._known = lattice, known
        self._crossings: dict[int, list[tuple[Point, int, int]]] = {}
        self._x = lattice.place_x(np.arange(lattice.shape[0] + 1)).tolist()
        self._y = lattice.place_y(np.arange(lattice.shape[1] + 1)).tolist()

    def list_edges(self, squares: np.ndarray) -> np.ndarray:
        """(n,) keys of the edges of the smallest squares whose ends differ, rising."""
        get = self._lattice.get_keys
        sheet, i, j = squares["sheet"], squares["i"], squares["j"]
        edges = np.unique(np.concatenate([2 * get(sheet, i, j), 2 * get(sheet, i, j + 1),
                                          2 * get(sheet, i, j) + 1, 2 * get(sheet, i + 1, j) + 1]))
        before, after = self.find_ends(edges)
        return edges[before != after]

    def find_ends(self, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,), (n,) codes of the ends of edges."""
        sheet, i, j, along = self.split_edges(edges)
        return (self._known.find(edges // 2),
                self._known.find(self._lattice.get_keys(sheet, i + (along == 0), j + (along == 1))))

    def split_edges(self, edges: np.ndarray) -> tuple[np.ndarray, ...]:
        """(sheet, i, j, axis that it goes along) of edges."""
        return *self._lattice.split_keys(edges // 2), edges % 2

    def keep(self, changes: np.ndarray, edges: np.ndarray) -> None:
        """Take the crossings from changes (`bisection.CHANGE`, in order) of edges, by share of the span."""
        lattice = self._lattice
        low, span = lattice.low, lattice.span
        _, i, j, along = self.split_edges(edges)
        self._crossings = {}
        for line, start, end, before, after in changes.tolist():
            axis = int(along[line])
            value = float(low[axis] + span[axis] * (0.5 * start + 0.5 * end))
            point = (value, self._y[j[line]]) if axis == 0 else (self._x[i[line]], value)
            self._crossings.setdefault(int(edges[line]), []).append((point, before, after))

    def take(self, sheet: int, i: int, j: int, size: int) -> Arc:
        """The rim of a square of which the corners are known, with one code."""
        corners = [(self._x[i + a * size], self._y[j + b * size]) for a, b in CORNERS.tolist()]
        return Arc(self._find_code(sheet, i, j), corners)

    def _find_code(self, sheet: int, i: int, j: int) -> int:
        return int(self._known.find(self._lattice.get_keys(sheet, i, j)))

    def walk(self, sheet: int, i: int, j: int, size: int) -> list[Arc]:
        """The arcs of the rim of a square."""
        code = self._find_code(sheet, i, j)
        arcs: list[Arc] = []
        path = [(self._x[i], self._y[j])]
        for a, b in SIDES:
            for _ in range(size):
                forward = a + b > 0
                edge = 2 * int(self._lattice.get_keys(sheet, min(i, i + a), min(j, j + b))) + (a == 0)
                found = self._crossings.get(edge, ())
                for point, before, after in found if forward else reversed(found):
                    arcs.append(Arc(code, [*path, point]))
                    path, code = [point], after if forward else before
                i, j = i + a, j + b
                path.append((self._x[i], self._y[j]))
        if not arcs:
            return [Arc(code, path[:-1])]
        arcs[0] = Arc(code, [*path[:-1], *arcs[0].path])
        return arcs


def cut_square(arcs: list[Arc], scale: np.ndarray) -> Division:
    """Divide a square by chords; where more than two arcs are left, they meet. scale: (2,) lengths that are alike."""
    polygons, chords, arcs = [], [], list(arcs)
    while len(arcs) > 2:
        closed = [k for k in range(len(arcs)) if arcs[k - 1].code == arcs[(k + 1) % len(arcs)].code]
        if not closed:
            return Division(polygons, chords, arcs)
        k = min(closed, key=lambda k: (_measure(arcs[k], scale), k))
        arc, before, after = arcs[k], arcs[k - 1], arcs[(k + 1) % len(arcs)]
        polygons.append(arc)
        chords.append((arc.path[-1], arc.path[0], arc.code, before.code))
        joined = Arc(before.code, [*before.path, *after.path])
        arcs = [joined, *(arcs[(k + 2 + m) % len(arcs)] for m in range(len(arcs) - 3))]
    if len(arcs) == 2:
        chords.append((arcs[0].path[-1], arcs[0].path[0], arcs[0].code, arcs[1].code))
    return Division([*polygons, *arcs], chords, [])


def _measure(arc: Arc, scale: np.ndarray) -> float:
    """Squared length of the chord of an arc."""
    (x0, y0), (x1, y1) = arc.path[0], arc.path[-1]
    return ((x1 - x0) / scale[0]) ** 2 + ((y1 - y0) / scale[1]) ** 2


def place_junction(arcs: list[Arc], arriving: dict[Point, list[Point]], box, scale: np.ndarray) -> Point:
    """Where the boundaries between arcs meet. arriving: of a crossing the other ends of chords; box: (2, 2) lower left
    and upper right corner of the square."""
    low, high = box
    crossings = np.array([arc.path[0] for arc in arcs])
    middle = crossings.mean(axis=0)
    normals, offsets = [], []
    for crossing in crossings:
        for other in arriving.get(tuple(crossing.tolist()), ()):
            if ((low <= other) & (other <= high)).all():  # a chord of this square
                continue
            along = (crossing - other) / scale
            length = float(np.hypot(*along))
            if length > 0.0:
                normal = np.array([-along[1], along[0]]) / length
                normals.append(normal)
                offsets.append(normal @ ((crossing - middle) / scale))
    if len(normals) < 2:
        return tuple(middle.tolist())
    rows = np.array(normals)
    spread = np.linalg.svd(rows, compute_uv=False)
    if spread[1] < JUNCTION_SPREAD * spread[0]:
        return tuple(middle.tolist())
    point = middle + scale * np.linalg.lstsq(rows, np.array(offsets), rcond=None)[0]
    return tuple((point if ((low <= point) & (point <= high)).all() else middle).tolist())


class Regions(NamedTuple):
    """Polygons that tile all sheets or some squares of them, and the lines between them."""

    pieces: np.ndarray  # PIECE
    vertices: np.ndarray  # (v, 2) of the pieces, one after the other
    segments: np.ndarray  # SEGMENT
    junctions: np.ndarray  # JUNCTION


def build_regions(lattice: Lattice, rims: Rims, squares: np.ndarray) -> tuple[Regions, Regions]:
    """The regions of all sheets, and those of the squares of twice the smallest size through which boundaries pass, as
    they are if nothing is known within these. squares: all that are left of splitting."""
    small = squares[squares["size"] == 1]
    corners = small.copy()
    corners["i"] -= small["i"] % 2
    corners["j"] -= small["j"] % 2
    parents, number = np.unique(corners, return_inverse=True)
    parents["size"] = 2
    scale = lattice.span / np.array(lattice.shape)
    fine = _Builder(lattice, rims, scale)
    whole = squares[squares["size"] > 1]
    fine.add(whole, np.full(len(whole), -1))
    fine.add(small, number.ravel())
    coarse = _Builder(lattice, rims, scale)
    coarse.add(parents, np.arange(len(parents)))
    fine.place_junctions(fine.arriving)
    coarse.place_junctions(fine.arriving)
    return fine.build(), coarse.build()


class _Builder:
    """Collects the pieces of squares."""

    def __init__(self, lattice: Lattice, rims: Rims, scale: np.ndarray):
        self._lattice, self._rims, self._scale = lattice, rims, scale
        self._pieces: list[tuple] = []
        self._vertices: list[Point] = []
        self._segments: list[tuple] = []
        self._junctions: list[tuple] = []
        self._open: list[tuple] = []
        self._n_squares = 0
        self.arriving: dict[int, dict[Point, list[Point]]] = {}  # by sheet: of a crossing the other ends of its chords

    def add(self, squares: np.ndarray, parents: np.ndarray) -> None:
        """Divide squares; parents (n,): see PIECE."""
        for (sheet, i, j, size), parent in zip(squares.tolist(), parents.tolist(), strict=True):
            # no boundary passes through one that is larger than the smallest: nothing is known on its rim but corners
            arcs = self._rims.walk(sheet, i, j, size) if parent >= 0 else [self._rims.take(sheet, i, j, size)]
            if len(arcs) == 1:
                self._keep(sheet, arcs[0], -1, parent)
                continue
            number, self._n_squares = self._n_squares, self._n_squares + 1
            cut = cut_square(arcs, self._scale)
            for arc in cut.polygons:
                self._keep(sheet, arc, number, parent)
            ends = self.arriving.setdefault(sheet, {})
            for begin, end, left, right in cut.chords:
                self._segments.append((sheet, *begin, *end, left, right))
                ends.setdefault(begin, []).append(end)
                ends.setdefault(end, []).append(begin)
            if cut.around:
                self._open.append((sheet, i, j, size, cut.around, number, parent))

    def _keep(self, sheet: int, arc: Arc, square: int, parent: int) -> None:
        self._pieces.append((sheet, arc.code, square, parent, len(arc.path)))
        self._vertices += arc.path

    def place_junctions(self, arriving: dict[int, dict[Point, list[Point]]]) -> None:
        """Divide the squares that have one, when the chords of all others are known."""
        for sheet, i, j, size, arcs, square, parent in self._open:
            box = np.array([(self._lattice.place_x(at), self._lattice.place_y(up))
                            for at, up in ((i, j), (i + size, j + size))])
            point = place_junction(arcs, arriving.get(sheet, {}), box, self._scale)
            self._junctions.append((sheet, *point, len(arcs)))
            for k, arc in enumerate(arcs):
                self._keep(sheet, Arc(arc.code, [*arc.path, point]), square, parent)
                self._segments.append((sheet, *point, *arc.path[0], arc.code, arcs[k - 1].code))
        self._open = []

    def build(self) -> Regions:
        return Regions(np.array(self._pieces, PIECE), np.array(self._vertices, float).reshape(-1, 2),
                       np.array(self._segments, SEGMENT), np.array(self._junctions, JUNCTION))
