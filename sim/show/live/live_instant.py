"""One state as the page shows it: contacts, cones, and every acceleration that is possible, in plain values."""

from __future__ import annotations

import math
from typing import Any

from dynamics.sets.acceleration_set import AccelerationSet, find_accelerations
from dynamics.sets.contact_problem import ContactProblem
from dynamics.sets.explanation import describe_mode
from sim.instant.instant import contact_problem
from sim.scene.scene import Scene

HEADLINES = {
    "none": "No acceleration satisfies the laws of rigid bodies with Coulomb friction.",
    "one": "One acceleration is possible.",
    "several": "Several accelerations are possible.",
    "continuum": "A continuum of accelerations is possible.",
}


def describe_instant(scene: Scene) -> dict[str, Any]:
    """The start of a scene: its contacts and its set of accelerations. SI units; forces in N; lists for vectors.

    Rows of configuration space are (x, y, rho theta), as in `dynamics`; accelerations are told as (ax, ay, alpha).
    """
    problem, contacts = contact_problem(scene)
    found = find_accelerations(problem)
    part = scene.workpiece
    impact = any(contact["gap_rate"] < 0.0 for contact in contacts)
    return {
        "kind": found.kind,
        "headline": HEADLINES[found.kind],
        "impact": impact,
        "explanation": _explain(found, contacts),
        "doubts": list(found.doubts),
        "mass": part.mass,
        "rho": part.rho,
        "pose": [part.pose.x, part.pose.y, part.pose.theta],
        "velocity": list(part.velocity),
        "load": [part.mass * problem.w[0], part.mass * problem.w[1], part.mass * problem.w[2] * part.rho],
        "free": _tell(problem.w, part.rho),
        "contacts": [_describe_contact(contact, problem, index) for index, contact in enumerate(contacts)],
        "pieces": [_describe_piece(piece, scene, contacts) for piece in found.pieces],
    }


def _explain(found: AccelerationSet, contacts: list[dict]) -> list[str]:
    """Lines on why there is none, or are several; without the first, which the headline says."""
    if found.kind == "one":
        return []
    names = [f"contact {index} ({contact['obstacle']})" for index, contact in enumerate(contacts)]
    lines = found.explain(names, " m/s²").splitlines()
    return [line.strip() for line in (lines[1:] if found.kind == "none" else lines)]


def _describe_contact(contact: dict, problem: ContactProblem, index: int) -> dict[str, Any]:
    return {
        "obstacle": contact["obstacle"],
        "type": contact["type"],
        "point": _list(contact["point"]),
        "normal": _list(contact["normal"]),
        "mu": float(problem.mu[index]),
        "half_angle": math.atan(float(problem.mu[index])),
        "slip": contact["slip"],
        "gap_rate": contact["gap_rate"],
        "row_normal": _list(problem.N[index]),
        "row_tangent": _list(problem.T[index]),
    }


def _describe_piece(piece: Any, scene: Scene, contacts: list[dict]) -> dict[str, Any]:
    """A piece of the set: its corners with the forces that make each."""
    mass, rho = scene.workpiece.mass, scene.workpiece.rho
    names = [str(index) for index in range(len(contacts))]
    return {
        "mode": piece.mode,
        "words": describe_mode(piece.mode, names) if piece.mode else "free flight",
        "dimension": piece.dimension,
        "vertices": [_tell(vertex, rho) for vertex in piece.vertices],
        "rays": [_tell(ray, rho) for ray in piece.rays],
        "forces": [[_list(mass * force) for force in forces] for forces in piece.forces],  # (fn, ft) of each contact
        "forces_unique": piece.forces_unique,
        "certified": piece.certified,
        "residual": max(residuals.worst for residuals in piece.residuals),
    }


def _tell(acceleration: Any, rho: float) -> list[float]:
    """(ax, ay, alpha) of a vector of configuration space."""
    x, y, q = acceleration
    return [float(x) + 0.0, float(y) + 0.0, float(q / rho) + 0.0]


def _list(vector: Any) -> list[float]:
    return [float(value) + 0.0 for value in vector]
