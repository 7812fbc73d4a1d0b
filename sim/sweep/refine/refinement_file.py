"""Refinements in the file of their sweep: one group each, written when its search has ended.

    /refinements/0, 1, ...   attributes axis, of, tolerance, n_cells, n_lines, span, n_runs, ended
        words                what `before` and `after` mean
        boundaries           one row a boundary, see `sim.sweep.refine.refinement.build_boundary_dtype`

A new file with the whole content takes the place of the old one in one step, so that a kill leaves the sweep as it was.
It is written from nothing: HDF5 does not use again what is deleted within a file, which would grow with every repeat.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from sim.files.fixed_text import fix_text, fix_texts
from sim.files.growing_file import create_whole
from sim.files.opening import decode_text
from sim.files.partial_file import prepare_place
from sim.rows.status import Status
from sim.sweep.axes import SweepError
from sim.sweep.refine.bisection import INTERRUPTED_EARLY
from sim.sweep.refine.refinement import Refinement
from sim.sweep.sweep_file import read_from_sweep, read_sweep_file

GROUP = "refinements"
NUMBERS = ("tolerance", "n_cells", "n_lines", "span", "n_runs")
TEXTS = ("axis", "of", "ended")
MEANING = ("the value of each axis (of the refined one, the middle), the interval in which the boundary lies, and what "
           "is at its ends, as places in `words`")


def check_target(path: Path) -> None:
    """See that the file of a sweep can be added to, before the work. Raises SweepError, OSError."""
    if read_sweep_file(path)[3] is Status.RUNNING:
        raise SweepError(f"{path} is still being written, or its sweep was killed: wait, or complete it with --resume")
    prepare_place(Path(os.path.realpath(path)))


def read_refinements(path: str | Path) -> list[Refinement]:
    """What was refined of the sweep in a file, in the order in which it was begun. Raises SweepError."""
    return read_from_sweep(path, lambda file: [_read(file[GROUP][name]) for name in sorted(file.get(GROUP, ()),
                                                                                           key=int)])


def find_refinement(path: Path, axis: str, of: str, n_cells: int) -> Refinement | None:
    """The refinement to go on with: along this axis, of this column, and of all cells that the sweep has now."""
    found = [one for one in read_refinements(path)
             if (one.axis, one.of, one.n_cells) == (axis, of, n_cells) and one.ended != INTERRUPTED_EARLY]
    return found[-1] if found else None


def write_refinement(path: str | Path, refinement: Refinement) -> None:
    """Add a refinement to the file of its sweep; it takes the place of one of the same axis and column."""
    kept = [one for one in read_refinements(path) if (one.axis, one.of) != (refinement.axis, refinement.of)]
    write_refinements(path, [*kept, refinement])


def write_refinements(path: str | Path, refinements: list[Refinement]) -> None:
    """Let the file of a sweep have these refinements and no others. Raises OSError or SweepError, and then the file is
    as it was."""
    def write(group: h5py.Group) -> None:
        for number, refinement in enumerate(refinements):
            _write(group.create_group(str(number)), refinement)

    replace_group(path, GROUP, sum(one.boundaries.nbytes for one in refinements), write)


def replace_group(path: str | Path, name: str, n_bytes: int, write: Callable[[h5py.Group], None]) -> None:
    """Write a group of the file of a sweep anew, n_bytes large, and keep all else. Raises OSError or SweepError, and
    then the file is as it was."""
    target = Path(os.path.realpath(path))
    with create_whole(target, target.stat().st_size + 2 * n_bytes) as new:
        def copy_and_write(old: h5py.File) -> None:
            new.clear()  # a reader may have to begin anew
            for attribute in old.attrs:
                value = old.attrs[attribute]
                new.attrs[attribute] = fix_text(decode_text(value)) if isinstance(value, str | bytes) else value
            for other in old:
                if other != name:
                    old.copy(other, new)
            write(new.create_group(name))

        read_from_sweep(path, copy_and_write)


def _write(group: h5py.Group, refinement: Refinement) -> None:
    for name in TEXTS:
        group.attrs[name] = fix_text(getattr(refinement, name))
    for name in NUMBERS:
        group.attrs[name] = getattr(refinement, name)
    group.create_dataset("words", data=fix_texts(refinement.words))
    group.create_dataset("boundaries", data=refinement.boundaries).attrs["meaning"] = fix_text(MEANING)


def _read(group: h5py.Group) -> Refinement:
    numbers: dict[str, Any] = {name: np.asarray(group.attrs[name]).item() for name in NUMBERS}
    texts: dict[str, Any] = {name: decode_text(group.attrs[name]) for name in TEXTS}
    words = tuple(map(decode_text, group["words"][...].tolist()))
    boundaries = group["boundaries"][...]
    for side in ("before", "after"):
        if len(boundaries) and not 0 <= boundaries[side].min() <= boundaries[side].max() < len(words):
            raise ValueError(f"/{GROUP} names words that are not there")
    return Refinement(**texts, **numbers, words=words, boundaries=boundaries)
