"""Runs at sampled points in the file of the sweep of the first ones: written after each stage.

    /samples      attribute of, description (JSON of the distributions, and how points were drawn)
        words     what codes mean
        points    (sequences, n, axes) values of the axes
        codes     (sequences, n) what came out of them; -1 of runs that have not been made
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

from sim.files.fixed_text import fix_text, fix_texts
from sim.files.opening import decode_text
from sim.sweep.refine.refinement_file import replace_group
from sim.sweep.sweep_file import read_from_sweep

GROUP = "samples"


class Samples(NamedTuple):
    """Points, and what came out of the runs at them."""

    of: str
    description: str
    words: tuple[str, ...]
    points: np.ndarray
    codes: np.ndarray


def read_samples(path: str | Path) -> Samples | None:
    """The samples in the file of a sweep, None if it has none. Raises SweepError."""
    def load(file: h5py.File) -> Samples | None:
        if GROUP not in file:
            return None
        group = file[GROUP]
        words = tuple(map(decode_text, group["words"][...].tolist()))
        points, codes = group["points"][...], group["codes"][...]
        if points.shape[:2] != codes.shape or (
                codes.size and not -1 <= codes.min() <= codes.max() < len(words)):
            raise ValueError(f"/{GROUP} has codes that name no words, or not as many as points")
        return Samples(decode_text(group.attrs["of"]), decode_text(group["description"][()]), words, points, codes)

    return read_from_sweep(path, load)


def write_samples(path: str | Path, samples: Samples) -> None:
    """Let the file of a sweep have these samples. Raises OSError or SweepError, and then the file is as it was."""
    def write(group: h5py.Group) -> None:
        group.attrs["of"] = fix_text(samples.of)
        group.create_dataset("description", data=fix_text(samples.description))
        group.create_dataset("words", data=fix_texts(samples.words))
        group.create_dataset("points", data=samples.points)
        group.create_dataset("codes", data=samples.codes)

    size = samples.points.nbytes + samples.codes.nbytes + len(samples.description)
    replace_group(path, GROUP, size, write)
