"""Refinements in the file of their sweep: one group each, written when its search has ended.

    /refinements/0, 1, ...   attributes axis, of, tolerance, n_cells, n_lines, span, n_runs, ended
        words                what `before` and `after` mean
        boundaries           one row a boundary, see `sim.refinement.build_boundary_dtype`

A new file with the whole content takes the place of the old one in one step, so that a kill leaves the sweep as it was.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

import h5py
import numpy as np

from sim.axes import SweepError
from sim.refinement import Refinement
from sim.status import Status
from sim.sweep_file import FORMAT, read_sweep_file

GROUP = "refinements"
NUMBERS = ("tolerance", "n_cells", "n_lines", "span", "n_runs")
TEXTS = ("axis", "of", "ended")
MEANING = ("the value of each axis (of the refined one, the middle), the interval in which the boundary lies, and what "
           "is at its ends, as places in `words`")


def check_target(path: Path) -> None:
    """See that the file of a sweep can be added to, before the work. Raises SweepError, OSError."""
    if read_sweep_file(path)[3] is Status.RUNNING:
        raise SweepError(f"{path} is still being written, or its sweep was killed: wait, or complete it with --resume")
    probe = _name_partial(path)
    probe.touch()
    probe.unlink()


def read_refinements(path: str | Path) -> list[Refinement]:
    """What was refined of the sweep in a file, in the order in which it was begun. Raises SweepError."""
    try:
        with h5py.File(path, "r", swmr=True, locking=False) as file:
            if file.attrs.get("format") != FORMAT:
                raise SweepError(f"{path} is not the file of a sweep")
            groups = file.get(GROUP, {})
            return [_read(groups[name]) for name in sorted(groups, key=int)]
    except (OSError, KeyError, RuntimeError, ValueError) as error:
        if isinstance(error, SweepError):
            raise
        raise SweepError(f"{path} cannot be read: {str(error).splitlines()[0]}") from error


def find_refinement(path: Path, axis: str, of: str, n_cells: int) -> Refinement | None:
    """The refinement to go on with: along this axis, of this column, and of all cells that the sweep has now."""
    found = [one for one in read_refinements(path) if (one.axis, one.of, one.n_cells) == (axis, of, n_cells)]
    return found[-1] if found else None


def write_refinement(path: str | Path, refinement: Refinement) -> None:
    """Add a refinement to the file of its sweep; it takes the place of one of the same axis and column."""
    kept = [one for one in read_refinements(path) if (one.axis, one.of) != (refinement.axis, refinement.of)]
    write_refinements(path, [*kept, refinement])


def write_refinements(path: str | Path, refinements: list[Refinement]) -> None:
    """Let the file of a sweep have these refinements and no others. Raises OSError, and then the file is as it was."""
    target = Path(os.path.realpath(path))
    partial = _name_partial(target)
    try:
        shutil.copyfile(target, partial)
        with h5py.File(partial, "r+", libver=("v110", "v110"), locking=False) as file:
            if GROUP in file:
                del file[GROUP]
            for number, refinement in enumerate(refinements):
                _write(file.create_group(f"{GROUP}/{number}"), refinement)
        os.replace(partial, target)
    except RuntimeError as error:
        raise OSError(f"cannot write {path}: {str(error).splitlines()[0]}") from error
    finally:
        partial.unlink(missing_ok=True)


def _write(group: h5py.Group, refinement: Refinement) -> None:
    for name in (*TEXTS, *NUMBERS):
        group.attrs[name] = getattr(refinement, name)
    group.create_dataset("words", data=list(refinement.words), dtype=h5py.string_dtype())
    group.create_dataset("boundaries", data=refinement.boundaries).attrs["meaning"] = MEANING


def _read(group: h5py.Group) -> Refinement:
    numbers = {name: np.asarray(group.attrs[name]).item() for name in NUMBERS}
    texts = {name: str(group.attrs[name]) for name in TEXTS}
    words = tuple(group["words"].asstr()[...].tolist())
    return Refinement(**texts, **numbers, words=words, boundaries=group["boundaries"][...])


def _name_partial(path: Path) -> Path:
    return path.parent / f".stiction-{os.getpid()}-{secrets.token_hex(6)}.partial"
