"""The types of contact formations (Farahat, Stiller and Trinkle): A an edge of the part on a vertex or an arc, B a
vertex or an arc of the part on an edge, R a contact that rolls. C is ours: round on round, which has no closed form.
"""

from __future__ import annotations

from typing import Literal, get_args

FormationType = Literal["3A", "3B", "2AB", "2BA", "ARA", "ARB", "BRA", "BRB",
                        "2AC", "ABC", "2BC", "2CA", "2CB", "3C", "ARC", "BRC"]
TYPES: tuple[FormationType, ...] = get_args(FormationType)[:8]  # in closed form
SOLVED_TYPES: tuple[FormationType, ...] = get_args(FormationType)[8:]
