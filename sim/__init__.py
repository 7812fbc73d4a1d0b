"""From a scene to a trajectory, to a file, to a picture.

    from sim import load_scene, simulate, read_trajectory
    trajectory = simulate(load_scene("peg_in_hole"), duration=1.0)

Names are loaded on first use, so that reading a scene does not wait for the compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.branches import simulate_branches
    from sim.motions import set_motion
    from sim.reading import read_trajectory, read_tree
    from sim.scene import load_scene
    from sim.simulation import simulate

__all__ = [
    "compute_map", "load_scene", "read_refinements", "read_sweep", "read_trajectory", "read_tree", "refine",
    "set_motion", "simulate",
    "simulate_branches", "sweep",
]

_HOMES = {"load_scene": "sim.scene", "simulate": "sim.simulation", "read_trajectory": "sim.reading",
          "compute_map": "sim.solution_map", "read_tree": "sim.reading", "simulate_branches": "sim.branches",
          "set_motion": "sim.motions", "sweep": "sim.sweep_run", "read_sweep": "sim.sweep_result",
          "refine": "sim.refinement", "read_refinements": "sim.refinement_file"}


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
