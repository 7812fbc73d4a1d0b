"""The complete set of accelerations of one contact problem, as users get it.

    found = find_accelerations(ContactProblem(...))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

import numpy as np

from dynamics.sets.contact_problem import ContactProblem, show_vector
from dynamics.sets.doubts import describe_doubts
from dynamics.sets.explanation import explain_set
from dynamics.sets.pieces import Piece, find_pieces
from dynamics.tolerances import DEFAULT_TOLERANCES, Tolerances


@dataclass(frozen=True)
class AccelerationSet:
    """Every acceleration that Newton's and Coulomb's laws allow. `kind` counts accelerations, not modes.

    doubts: sentences on what double precision does not decide, where there is such a thing: contacts whose planes are
    neither one nor clearly two (1e-12 to 1e-7 rad), and members whose certificate does not hold. Without doubts the set
    is complete, and each certificate holds to 1e-8 of the accelerations plus 1e-14 of the forces.
    """

    problem: ContactProblem = field(repr=False)
    kind: str  # "none", "one", "several" or "continuum"
    pieces: tuple[Piece, ...]
    doubts: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [f"  {line}" for line in (*map(repr, self.pieces), *self.doubts)]
        return "\n".join([f"AccelerationSet, {self.kind}", *lines])

    def _repr_html_(self) -> str:
        """What a notebook shows: a table of the pieces."""
        heads = ("mode", "(ax, ay, rho alpha), m/s^2", "unbounded along", "(fn, ft) of each contact, N/kg")
        rows = [(piece.mode or "(free)", _list_vectors(piece.vertices), _list_vectors(piece.rays),
                 "\n".join(" ".join(map(show_vector, forces)) for forces in piece.forces)) for piece in self.pieces]
        lines = "".join("<tr>" + "".join(f'<td style="text-align:left;white-space:pre-line;vertical-align:top">'
                                         f"{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        doubts = "".join(f"<p>{escape(doubt)}</p>" for doubt in self.doubts)
        head = "".join(f'<th style="text-align:left">{word}</th>' for word in heads)
        return f"<b>Accelerations: {escape(self.kind)}</b><table><tr>{head}</tr>{lines}</table>{doubts}"

    def explain(self, names: list[str] | None = None, unit: str = "") -> str:
        """Lines of text on why the set is empty or has several members; see `dynamics.sets.explanation.explain_set`."""
        return explain_set(self.problem, self.kind, self.pieces, names, unit)


def _list_vectors(vectors: np.ndarray) -> str:
    return "\n".join(show_vector(vector) for vector in vectors)


def find_accelerations(problem: ContactProblem, tolerances: Tolerances = DEFAULT_TOLERANCES) -> AccelerationSet:
    """All accelerations of a contact problem, as a list of pieces (empty if there is none).

    Every vertex carries least-norm forces and the residuals of its certificate. A piece that lies in another is left
    out. Planes less than 1e-10 rad apart are one, and no force may exceed 1e10 times what it makes of the acceleration;
    where planes between 1e-12 and 1e-7 rad apart, or a certificate that does not hold, leave something uncertain, the
    set says so in its `doubts`. ValueError only for what cannot be asked: more than four corner-on-corner contacts.
    """
    kind, pieces = find_pieces(problem, tolerances)
    return AccelerationSet(problem, kind, pieces, describe_doubts(problem, pieces))
