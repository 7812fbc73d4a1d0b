"""From a scene to a trajectory, to a file, to a picture.

    from sim import load_scene, simulate, read_trajectory
    trajectory = simulate(load_scene("peg_in_hole"), duration=1.0)

Names load on first use, so that reading a scene does not wait for the compiler; `sim/__init__.pyi` says where they
live.
"""

from importlib.util import find_spec
from pathlib import Path

for _name in ("geometry", "dynamics", "scenes"):  # those of a user would be found first
    _spec = find_spec(_name)
    if _spec is None or list(_spec.submodule_search_locations or ()) != [str(Path(__file__).parents[1] / _name)]:
        raise ImportError(f"{__file__} needs its own package {_name!r} beside it, but " + (
            f"{_spec.origin} hides it: rename that, or move it elsewhere" if _spec else "it is missing"))

from geometry.packages import keep_old_names, offer_names  # noqa: E402

__getattr__, __dir__, __all__ = offer_names(__name__)

keep_old_names(__name__, {
    "account records status": "rows.*",
    "scene_errors toml_text": "scene.*",
    "formation": "scene.formation_start",
    "check_log reading trajectory tree": "log.*",
    "storage": "log.sink",
    "tree_storage": "log.tree_sink",
    "branches simulation": "run.*",
    "axes sweep_result": "sweep.*",
    "sweep_run": "sweep.sweep",
    "refinement_file": "sweep.refine.*",
    "scene_contacts solution_map": "study.*",
    "insertion": "study.scene_insertion",
    "plot_file": "show.*",
    "cone_gallery": "show.plots.*",
    "frames movie still": "show.replay.*",
    "model motions refinement": "",
})
