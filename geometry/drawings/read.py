"""The file of a drawing: which format it has, and whether it is one."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np

from geometry.drawings.drawing import Drawing, DrawingError, naming
from geometry.tolerances import LARGEST_DRAWING


def read_drawing(path: str | os.PathLike, own_units: bool = False) -> Drawing:
    """The drawing in a .dxf or .svg file; own_units: in the numbers of the file, whatever unit it says they have.
    Raises DrawingError, whatever is in the file."""
    name = os.fspath(path)
    # what overflows is found to be not finite, and told with the entity that it belongs to
    with naming(name), np.errstate(over="ignore", invalid="ignore"):
        suffix = Path(name).suffix.lower()
        if suffix not in (".dxf", ".svg"):
            said = f"the suffix {suffix!r}" if suffix else "no suffix"
            raise DrawingError(f"it has {said}; valid are drawings in .dxf and .svg")
        data = _read_bytes(name)
        if data.startswith(b"AC10"):
            raise DrawingError("it is a DWG file; valid is DXF, which every program that writes DWG writes too")
        if suffix == ".dxf":
            from geometry.drawings.dxf import read_dxf

            drawing = read_dxf(name, data)
        else:
            from geometry.drawings.svg import read_svg

            drawing = read_svg(name, data, own_units)
        return drawing._replace(sha256=hashlib.sha256(data).hexdigest())


def _read_bytes(name: str) -> bytes:
    try:
        size = os.path.getsize(name)
        if size > LARGEST_DRAWING:
            raise DrawingError(f"it has {size / 1e6:.0f} MB; valid are drawings up to {LARGEST_DRAWING / 1e6:.0f} MB, "
                               "of one part, without its pictures and sheets")
        data = Path(name).read_bytes()
    except OSError as error:
        raise DrawingError(f"cannot be read: {error.strerror or error}") from None
    if not data.strip():
        raise DrawingError("it is empty")
    return data
