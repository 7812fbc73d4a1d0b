"""Files of still pictures: the suffix and the folder are checked before the work, the file appears when complete."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from geometry.errors import StictionError
from sim.files.partial_file import PartialFile, prepare_place

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Metadata without dates: the same picture gives the same bytes.
METADATA: dict[str, dict] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


class PlotError(StictionError, ValueError):
    """A picture cannot be written; the message says why and what works instead."""


def check_plot_file(path: str | os.PathLike) -> Path:
    """The path of a picture that can be written; makes its folder. Raises PlotError."""
    path = Path(path)
    if path.suffix.lower() not in METADATA:
        said = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise PlotError(f"cannot draw {path}: it has {said}; valid: {', '.join(METADATA)}")
    if path.is_dir():
        raise PlotError(f"cannot draw {path}: it is a folder")
    try:
        prepare_place(path)
    except OSError as error:
        raise PlotError(f"cannot draw {path}: {error.strerror or error}") from error
    return path


def save_figure(figure: Figure, path: Path, dpi: float = 100.0, **metadata: object) -> Path:
    """Write a figure to a path that `check_plot_file` has seen; metadata: more than METADATA, as matplotlib takes it.

    Raises PlotError; an older file is kept until then.
    """
    import matplotlib

    suffix = path.suffix.lower()
    try:
        with matplotlib.rc_context({"svg.hashsalt": "stiction"}), PartialFile(path, suffix) as partial:
            figure.savefig(partial.path, dpi=dpi, metadata=METADATA[suffix] | metadata)
            partial.publish()
    except OSError as error:
        raise PlotError(f"cannot draw {path}: {error.strerror or error}") from error
    return path
