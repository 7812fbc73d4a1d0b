"""Files of still pictures: the suffix and the folder are checked before the work, the file appears when complete."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

from geometry.errors import StictionError
from sim.files.partial_file import PartialFile, prepare_place
from sim.show.picture_options import PictureFile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Metadata without dates: the same picture gives the same bytes.
METADATA: dict[str, dict] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}


class PlotError(StictionError, ValueError):
    """A picture cannot be written; the message says why and what works instead."""


def check_plot_file(file: str | os.PathLike | PictureFile) -> PictureFile:
    """A picture whose path can be written, with what the user says about it; makes its folder. Raises PlotError."""
    file = file if isinstance(file, PictureFile) else PictureFile(Path(file))
    path = file.path
    if path.suffix.lower() not in METADATA:
        said = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
        raise PlotError(f"cannot draw {path}: it has {said}; valid: {', '.join(METADATA)}")
    if path.is_dir():
        raise PlotError(f"cannot draw {path}: it is a folder")
    try:
        prepare_place(path)
    except OSError as error:
        raise PlotError(f"cannot draw {path}: {error.strerror or error}") from error
    return file


def save_figure(figure: Figure, file: PictureFile | Path, dpi: float = 100.0, **metadata: object) -> Path:
    """Write a figure to a file that `check_plot_file` has seen; metadata: more than METADATA, as matplotlib takes it.

    Raises PlotError; an older file is kept until then.
    """
    import matplotlib

    path, suffix = Path(file), file.suffix.lower()
    memory = io.BytesIO()  # where nothing fails half-way: of a full disk the writer of PDF says something else
    with matplotlib.rc_context({"svg.hashsalt": "stiction"}):
        figure.savefig(memory, format=suffix.removeprefix("."), dpi=dpi, metadata=METADATA[suffix] | metadata)
    try:
        with PartialFile(path, suffix) as partial:
            with partial.open() as out:
                out.write(memory.getbuffer())
            partial.publish()
    except OSError as error:
        raise PlotError(f"cannot draw {path}: {error.strerror or error}") from error
    return path
