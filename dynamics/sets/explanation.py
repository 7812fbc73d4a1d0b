"""Why an acceleration set is empty, or has several members: in words, with the numbers that decide.

At the edge of a friction cone that opposes the slip, one unit of normal force changes the gap acceleration by
N.(N - s mu T) = (rho^2 + n_q^2 - s mu n_q v_q) / rho^2. Where this is negative the edge lies below the tangent plane
(Erdmann 1991, section 4): pushing drives the part deeper into the contact that pushes.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from dynamics.cones.cone import find_dipping
from dynamics.sets.contact_problem import ContactProblem
from dynamics.sets.pieces import Piece, find_pieces
from dynamics.tolerances import PUSHES

# An acceleration or force in R^3 needs at most three friction edges (Caratheodory), so at most three contacts.
MOST_AT_ONCE = 3
MOST_COMBINATIONS = 14  # all of four contacts; with more only a summary is readable
LETTER_WORDS = {"n": ("rolls or rests", "roll or rest"), "r": ("slides with positive slip", "slide with positive slip"),
                "l": ("slides with negative slip", "slide with negative slip")}  # fmt: skip


def explain_set(problem: ContactProblem, kind: str, pieces: tuple[Piece, ...], names: list[str] | None = None,
                unit: str = "") -> str:
    """Lines of text on why the set of this kind, with these pieces, is what it is; the first is a sentence of its own.

    names: what to call each contact, "contact 0" and so on if not given; unit: of accelerations, " m/s^2" for SI.
    An empty set is refuted face by face: free flight, then each combination of contacts that could push.
    """
    names = [f"contact {i}" for i in range(len(problem))] if names is None else list(names)
    if kind == "one":
        return "There is exactly one acceleration."
    if kind == "none":
        return "\n".join(_explain_none(problem, names, unit))
    return "\n".join(_explain_several(problem, kind, pieces, names))


def describe_mode(mode: str, names: list[str]) -> str:
    """A mode in words: which contact rolls or slides, the rest separates. "free flight" if none stays closed."""
    if set(mode) <= {"s"}:
        return "free flight"
    parts = []
    for letter, (singular, plural) in LETTER_WORDS.items():
        held = [name for name, own in zip(names, mode, strict=True) if own == letter]
        if held:
            parts.append(f"{_join(held)} {singular if len(held) == 1 else plural}")
    return ", ".join(parts) + (" (the rest separates)" if "s" in mode else "")


# --------------------------------------------------------------------------------------------------------------- none


def _explain_none(problem: ContactProblem, names: list[str], unit: str) -> list[str]:
    lines = ["No acceleration satisfies all laws at once."]
    gaps = problem.N @ problem.w + problem.b
    into = [f"{names[i]} at {-gaps[i]:.6g}{unit}" for i in np.flatnonzero(gaps < 0.0)]
    lines.append(f"Without contact forces the part would accelerate into {_join(into)}.")
    if (problem.corner >= 0).any():
        return [*lines, "No contact or combination of contacts, either side of each corner, can prevent that."]
    sizes = range(1, min(len(problem), MOST_AT_ONCE) + 1)
    subsets = [list(subset) for size in sizes for subset in combinations(range(len(problem)), size)]
    if len(subsets) > MOST_COMBINATIONS:
        lines += [_explain_dip(problem, int(i), names) for i in find_dipping(problem)]
        lines.append(f"None of the {len(subsets)} combinations of one to three of the {len(problem)} contacts can "
                     "prevent that; more are never needed at once.")
        return lines
    return lines + [_refute(problem, subset, names, unit) for subset in subsets]


def _refute(problem: ContactProblem, subset: list[int], names: list[str], unit: str) -> str:
    """Why no answer has exactly these contacts pushing."""
    called = _join([names[i] for i in subset])
    alone = "alone" if len(subset) == 1 else "together"
    members = [piece for piece in find_pieces(restrict_problem(problem, subset))[1] if _all_push(piece)]
    if members:
        others = [i for i in range(len(problem)) if i not in subset]
        vertices = np.vstack([piece.vertices for piece in members])
        gaps = vertices @ problem.N[others].T + problem.b[others]
        nearest = int(gaps.min(axis=1).argmax())  # the member that comes closest to being one
        worst = int(gaps[nearest].argmin())
        return (f"{_capital(called)} {alone} can push, but then the part accelerates into {names[others[worst]]} at "
                f"{-gaps[nearest, worst]:.6g}{unit}.")
    if len(subset) == 1 and subset[0] in find_dipping(problem) and _gap(problem, subset[0]) < 0.0:
        return _explain_dip(problem, subset[0], names)
    if len(subset) == 1:
        return f"{_capital(called)} alone: nothing presses the part against it (without force its gap accelerates by " \
               f"{_gap(problem, subset[0]) + 0.0:.6g}{unit})."
    if (problem.slip[subset] != 0).all():
        return f"{_capital(called)} together: {_explain_pull(problem, subset, names, unit)}."
    return f"{_capital(called)} together: no forces inside their friction cones hold all of them closed."


def restrict_problem(problem: ContactProblem, subset: list[int]) -> ContactProblem:
    """The problem in which only the given contacts exist (no corner-on-corner contact may be among them)."""
    return ContactProblem(problem.w, problem.N[subset], problem.b[subset], problem.T[subset], problem.d[subset],
                          problem.slip[subset], problem.mu[subset])


def _all_push(piece: Piece) -> bool:
    return bool((piece.forces[:, :, 0] > PUSHES * np.abs(piece.forces).max(initial=0.0)).all(axis=1).any())


def _gap(problem: ContactProblem, i: int) -> float:
    return float(problem.N[i] @ problem.w + problem.b[i])


def _explain_pull(problem: ContactProblem, subset: list[int], names: list[str], unit: str) -> str:
    """All slip: the forces on the edges that would keep all gaps closed, of which one at least is negative."""
    if not np.isfinite(problem.mu[subset]).all():
        return "friction without limit leaves no normal force that holds them"
    N = problem.N[subset]
    edges = N - (problem.slip[subset] * problem.mu[subset])[:, None] * problem.T[subset]
    matrix, wanted = N @ edges.T, -(N @ problem.w + problem.b[subset])
    if np.linalg.cond(matrix) > 1e12:
        return "their friction edges, against the slip, cannot hold all these gaps closed at once"
    forces = np.linalg.solve(matrix, wanted)
    pulls = [f"{names[i]} would have to pull with {-f:.6g}{unit} times the mass"
             for i, f in zip(subset, forces, strict=True) if f < 0.0]
    # without a pull the forces would be an answer of this combination, and the caller would have found it
    return "to keep all these gaps closed, " + _join(pulls or ["at least one of them would not push"])


def _explain_dip(problem: ContactProblem, i: int, names: list[str]) -> str:
    square, mixed = float(problem.N[i] @ problem.N[i]), float(problem.N[i] @ problem.T[i])
    reach, limit = abs(problem.mu[i] * mixed), square / abs(mixed)
    start = f"The friction cone of {names[i]} dips below its tangent plane: mu |n_q v_q| = {reach:.6g} rho^2 exceeds " \
            f"rho^2 + n_q^2 = {square:.6g} rho^2, as it does for every mu above {limit:.6g}."
    if problem.slip[i] == 0:
        return start
    rate = square - problem.slip[i] * problem.mu[i] * mixed
    return (f"{start} It slips, so only the edge against the slip can push, and its friction turns the part so that "
            f"each unit of normal force per mass accelerates the contact point by {-rate:.6g} further in.")


# ------------------------------------------------------------------------------------------------------------ several


def _explain_several(problem: ContactProblem, kind: str, pieces: tuple[Piece, ...], names: list[str]) -> list[str]:
    dipping = find_dipping(problem)
    lines = ["More than one acceleration satisfies all laws."]
    if kind == "several":
        lines[0] = f"{len(pieces)} accelerations satisfy all laws: " + \
                   "; ".join(describe_mode(piece.mode, names) for piece in pieces) + "."
    if len(dipping) == 0:
        return [*lines, "No single friction cone dips below its tangent plane: the contacts do it together, because "
                "their forces can brace the part between them."]
    return lines + [_explain_dip(problem, int(i), names) for i in dipping]


def _join(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
