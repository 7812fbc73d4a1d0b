"""Write a motion, a tree of motions or a sweep as one HTML page that needs nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.files.partial_file import PartialFile
from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.show.page.build_page import build_page
from sim.show.page.page_data import describe_branches, describe_cells, describe_trajectory
from sim.show.replay.frames import ReplayError
from sim.show.replay.movie import prepare_folder
from sim.sweep.sweep_result import Sweep

if TYPE_CHECKING:
    from sim.show.picture_options import PictureOptions

SUFFIXES = (".html", ".htm")


def save_page(source: Trajectory | Tree | Sweep | str | Path, path: str | Path, speed: float | None = None, *,
              runs: Mapping[int, Trajectory] | None = None, note: str = "",
              options: PictureOptions | None = None) -> Path:
    """Write a page of a trajectory, a tree or a sweep, or of the file with that name, to `path` (.html).

    speed: at which the motion is played at first, 1 for real time; a speed at which it takes some seconds if not given.
    Of a sweep: `runs` has the motions of cells, by their numbers, that play when they are clicked, and `note` what
    there is to say of them. options: title, and where the page looks at first. Raises ReplayError.
    """
    path = check_page(Path(path), speed)
    data = describe_source(source, speed, runs or {}, note)
    if options is not None:
        data["opening"] = {"title": options.title, "view": options.view, "follow": options.follow,
                           "names": options.names}
    page = build_page(data, (options and options.title) or data["name"] or path.stem)
    try:
        with PartialFile(path, path.suffix.lower()) as partial:
            with partial.open("w", encoding="utf-8") as file:
                file.write(page)
            partial.publish()
    except OSError as error:
        raise ReplayError(f"cannot write the page {path}: {error.strerror or error}") from error
    return path


def is_page(path: Path) -> bool:
    """Does the suffix ask for a page?"""
    return path.suffix.lower() in SUFFIXES


def check_page(path: Path, speed: float | None = None) -> Path:
    """See that a page can be written, before anything is computed. Raises ReplayError."""
    if not is_page(path):
        raise ReplayError(f"cannot write the page {path}: use .html")
    if speed is not None and not (math.isfinite(speed) and speed > 0.0):
        raise ReplayError(f"speed must be a positive number, not {speed!r}")
    prepare_folder(path, "page")
    return path


def describe_source(source: Any, speed: float | None, runs: Mapping[int, Trajectory], note: str) -> dict[str, Any]:
    """The data of the page of a trajectory, a tree, a sweep, or a file."""
    if isinstance(source, str | Path):
        from sim.log.reading import read_source
        from sim.sweep.sweep_file import is_sweep_file
        from sim.sweep.sweep_result import read_sweep

        source = read_sweep(source) if is_sweep_file(Path(source)) else read_source(source)
    if isinstance(source, Sweep):
        return describe_cells(source, runs, speed, note)
    return describe_branches(source, speed) if isinstance(source, Tree) else describe_trajectory(source, speed)
