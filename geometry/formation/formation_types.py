"""The types of contact formations (Farahat, Stiller and Trinkle): A an edge of the part on a vertex, B a vertex of the
part on an edge, R a contact that rolls.
"""

from __future__ import annotations

from typing import Literal, get_args

FormationType = Literal["3A", "3B", "2AB", "2BA", "ARA", "ARB", "BRA", "BRB"]
TYPES: tuple[FormationType, ...] = get_args(FormationType)
