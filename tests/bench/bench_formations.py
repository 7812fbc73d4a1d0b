"""What the closed form of a contact formation costs: one call, and a batch of 100 000, for every type."""

from __future__ import annotations

import numpy as np

from geometry.formation.formations import (
    TYPES,
    edge_on_vertex,
    pack_formation,
    solve_formation,
    solve_formations,
    solve_placements,
)
from geometry.formation.tracking import track_formation
from tests.bench.bench_cones import measure
from tests.geometry.formation_cases import make_formation

BATCH = 100_000


def run():
    """Yield (name, value, unit) for `make bench`."""
    rng = np.random.default_rng(5)
    for type_name in TYPES:
        formations = [make_formation(type_name, rng) for _ in range(1000)]
        rows = np.tile([pack_formation(contacts)[2] for contacts in formations], (BATCH // 1000, 1, 1))
        count = solve_formations(type_name, rows)[0]
        first = formations[int(np.argmax(count[:1000]))]
        yield f"{type_name}: one formation, with all checks", 1e6 * measure(lambda c=first: solve_formation(*c)), "us"
        seconds = measure(lambda t=type_name, r=rows: solve_formations(t, r))
        yield f"{type_name}: each of {BATCH}", 1e6 * seconds / BATCH, "us"
    contacts = [edge_on_vertex(0.0, 1.0, (0.0, 0.0), 0), edge_on_vertex(2.1, 1.0, (-0.4, 1.0)),
                edge_on_vertex(4.2, 1.0, (-0.6, -0.8))]

    def motion(t):
        return np.array([[1.2 + 0.1 * np.sin(t), 0.2, 0.0]]), np.array([[0.1 * np.cos(t), 0.0, 0.0]]), np.array(
            [[-0.1 * np.sin(t), 0.0, 0.0]])

    start = solve_formation(*contacts, poses=motion(0.0)[0]).poses[0]
    times = np.linspace(0.0, 6.0, 601)
    yield "a track of 601 times", 1e3 * measure(lambda: track_formation(contacts, motion, times, start)), "ms"
    places = np.stack([motion(t)[0] for t in np.linspace(0.0, 6.0, BATCH)])
    yield f"3A: each of {BATCH} placements", 1e6 * measure(lambda: solve_placements(contacts, places)) / BATCH, "us"
