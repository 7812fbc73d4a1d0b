"""The force and the torque of a load over time: the sum of a constant, sinusoids, a ramp and a table."""

from __future__ import annotations

from math import comb, inf
from typing import TYPE_CHECKING

import numpy as np

from geometry.prescribed.motion import Coordinate, CurvePiece, WrenchCourse
from sim.scene.prescribed.motions import build_coordinate, build_waves

if TYPE_CHECKING:
    from sim.scene.held.held_schema import LoadSection


def build_wrench(section: LoadSection) -> WrenchCourse:
    """Force and torque of a load over time."""
    constant = (*section.force, section.torque)
    return WrenchCourse(*(_build_component(section, constant[column], column) for column in range(3)))


def _build_component(section: LoadSection, constant: float, column: int) -> Coordinate:
    """One of fx, fy, torque."""
    parts = [build_coordinate(constant)]
    if section.ramp is not None:
        ramp = section.ramp
        end = (*ramp.force, ramp.torque)[column]
        parts.append(build_coordinate((np.array([ramp.start, ramp.end]), np.array([0.0, end])), kind="linear"))
    if section.table is not None:
        rows = np.array(section.table)
        parts.append(build_table(rows[:, 0], rows[:, 1 + column], section.interpolation or "linear"))
    return Coordinate(add_pieces(parts), build_waves(section.sinusoid, column))


def build_table(times: np.ndarray, values: np.ndarray, kind: str) -> Coordinate:
    """Values between the rows of a table; before the first row and after the last it has theirs, and a step is made at
    the time of the row."""
    if kind != "step":
        return build_coordinate((times, values), kind=kind)
    pieces = [CurvePiece(-inf, 0.0, (float(values[0]),))]
    pieces += [CurvePiece(float(time), float(time), (float(after),))
               for time, before, after in zip(times[1:], values[:-1], values[1:], strict=True) if after != before]
    return Coordinate(tuple(pieces))


def add_pieces(parts: list[Coordinate]) -> tuple[CurvePiece, ...]:
    """The sum of piecewise polynomials, each constant before its first break."""
    begins = sorted({piece.begin for part in parts for piece in part.pieces})
    return tuple(_add_at(parts, begin) for begin in begins)


def _add_at(parts: list[Coordinate], begin: float) -> CurvePiece:
    """The sum of the pieces that are valid from a time on, in powers of the time since then."""
    origin = 0.0 if begin == -inf else begin
    total = np.zeros(1)
    for part in parts:
        piece = [piece for piece in part.pieces if piece.begin <= begin][-1]
        terms = shift_terms(piece.coefficients, origin - piece.origin)
        total = np.pad(total, (0, max(0, len(terms) - len(total))))
        total[: len(terms)] += terms
    return CurvePiece(begin, origin, tuple(total.tolist()))


def shift_terms(coefficients: tuple[float, ...], shift: float) -> np.ndarray:
    """The coefficients of the same polynomial in powers of u - shift (Taylor)."""
    n = len(coefficients)
    return np.array([sum(comb(k, power) * coefficients[k] * shift ** (k - power) for k in range(power, n))
                     for power in range(n)])
