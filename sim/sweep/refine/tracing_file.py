"""Tracings in the file of their sweep: one group each, written when its search has ended.

    /tracings/0, 1, ...   attributes of, resolution, tolerance, n_levels, n_cells, ended
        axes, others      names of the two axes of the plane, and of the others
        x, y, sheets      values of the grid along the two; of the others, one row a sheet
        words             what codes mean
        points, codes     values of all axes in each run beyond those of the sweep, and what came out of it
        regions           pieces, vertices, segments, junctions, see `sim.sweep.refine.contours`
        coarse            likewise, of the squares of twice the finest size through which boundaries pass

How the group is put into the file: `refinement_file.replace_group`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np

from sim.files.fixed_text import fix_text, fix_texts
from sim.files.opening import decode_text
from sim.sweep.refine.contours import JUNCTION, PIECE, SEGMENT, Regions
from sim.sweep.refine.refinement_file import replace_group
from sim.sweep.refine.tracing import Tracing
from sim.sweep.sweep_file import read_from_sweep

GROUP = "tracings"
NUMBERS = ("resolution", "tolerance", "n_levels", "n_cells")
TEXTS = ("of", "ended")
NAMES = ("axes", "others", "words")
ARRAYS = ("x", "y", "sheets", "points", "codes")
TYPES = {"pieces": PIECE, "vertices": np.dtype("f8"), "segments": SEGMENT, "junctions": JUNCTION}


def read_tracings(path: str | Path) -> list[Tracing]:
    """What was traced of the sweep in a file, in the order in which it was begun. Raises SweepError."""
    return read_from_sweep(path, lambda file: [_read(file[GROUP][name]) for name in sorted(file.get(GROUP, ()),
                                                                                           key=int)])


def find_tracing(path: Path, axes: tuple[str, str], of: str) -> Tracing | None:
    """The tracing of these axes, in any order, and of this column."""
    found = [one for one in read_tracings(path) if (set(one.axes), one.of) == (set(axes), of)]
    return found[-1] if found else None


def write_tracing(path: str | Path, tracing: Tracing) -> None:
    """Add a tracing to the file of its sweep; it takes the place of one of the same axes and column. Raises OSError or
    SweepError, and then the file is as it was."""
    kept = [one for one in read_tracings(path) if (set(one.axes), one.of) != (set(tracing.axes), tracing.of)]
    tracings = [*kept, tracing]

    def write(group: h5py.Group) -> None:
        for number, one in enumerate(tracings):
            _write(group.create_group(str(number)), one)

    replace_group(path, GROUP, sum(map(_count_bytes, tracings)), write)


def _count_bytes(tracing: Tracing) -> int:
    return sum(array.nbytes for array in (*tracing.regions, *tracing.coarse, tracing.points, tracing.codes,
                                          tracing.sheets))


def _write(group: h5py.Group, tracing: Tracing) -> None:
    for name in TEXTS:
        group.attrs[name] = fix_text(getattr(tracing, name))
    for name in NUMBERS:
        group.attrs[name] = getattr(tracing, name)
    for name in NAMES:
        group.create_dataset(name, data=fix_texts(getattr(tracing, name)))
    for name in ARRAYS:
        group.create_dataset(name, data=getattr(tracing, name))
    for name in ("regions", "coarse"):
        part = group.create_group(name)
        for field, array in getattr(tracing, name)._asdict().items():
            part.create_dataset(field, data=array)


def _read(group: h5py.Group) -> Tracing:
    numbers: dict[str, Any] = {name: np.asarray(group.attrs[name]).item() for name in NUMBERS}
    texts: dict[str, Any] = {name: decode_text(group.attrs[name]) for name in TEXTS}
    names: dict[str, Any] = {name: tuple(map(decode_text, group[name][...].tolist())) for name in NAMES}
    arrays: dict[str, Any] = {name: group[name][...] for name in ARRAYS}
    regions, coarse = (Regions(*(group[name][field][...] for field in TYPES)) for name in ("regions", "coarse"))
    n_words, n_sheets = len(names["words"]), len(arrays["sheets"])
    codes = [arrays["codes"], *(part.pieces["code"] for part in (regions, coarse)),
             *(regions.segments[side] for side in ("left", "right"))]
    sheets = [rows["sheet"] for part in (regions, coarse) for rows in (part.pieces, part.segments, part.junctions)]
    for numbered, end in ((codes, n_words), (sheets, n_sheets)):
        if any(len(own) and not 0 <= own.min() <= own.max() < end for own in numbered):
            raise ValueError(f"/{GROUP} names words or sheets that are not there")
    if any(int(part.pieces["n"].sum()) != len(part.vertices) or (part.pieces["n"] < 2).any()
           for part in (regions, coarse)):
        raise ValueError(f"/{GROUP} has pieces whose vertices are not there")
    if len(names["axes"]) != 2 or len(arrays["points"]) != len(arrays["codes"]):
        raise ValueError(f"/{GROUP} has arrays that do not fit together")
    return Tracing(**texts, **numbers, **names, **arrays, regions=regions, coarse=coarse)
