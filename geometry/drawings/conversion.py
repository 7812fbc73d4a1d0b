"""What reading a drawing has done to it, told with the outline."""

from __future__ import annotations

from typing import NamedTuple


class Conversion(NamedTuple):
    """How an outline came out of a file. Lengths in metres."""

    path: str
    unit: str  # of the drawing, and where that is known from
    metres: float  # that unit
    converted: tuple[str, ...]  # what became arcs: 'ELLIPSE #2F: ellipse, 16 arcs'
    n_arcs: int  # that stand for it
    tolerance: float  # how far they may lie off
    deviation: float  # how far they lie off, the largest that was measured
    gap: float  # the largest that was closed between two ends
    moved: float  # how far joints were moved to have one tangent
    notes: tuple[str, ...]  # how the file was read, and what was left out
    sha256: str  # of the file
