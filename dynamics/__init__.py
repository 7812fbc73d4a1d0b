"""Mass, force and friction at one instant. Imports geometry; knows no file, no plot and no time loop.

    from dynamics import ContactProblem, find_accelerations

Names load on first use; `dynamics/__init__.pyi` says where they live.
"""

from importlib.util import find_spec
from pathlib import Path

_spec = find_spec("geometry")  # that of a user would be found first
if _spec is None or list(_spec.submodule_search_locations or ()) != [str(Path(__file__).parents[1] / "geometry")]:
    raise ImportError(f"{__file__} needs its own package 'geometry' beside it, but "
                      + (f"{_spec.origin} hides it: rename that, or move it elsewhere" if _spec else "it is missing"))

from geometry.packages import keep_old_names, offer_names  # noqa: E402

__getattr__, __dir__, __all__ = offer_names(__name__)

keep_old_names(__name__, {
    "acceleration_set accelerations": "",
    "certificate explanation": "sets.*",
    "choose impact routh": "motion.*",
    "cone contact_set insertion modes peg polyhedral statics wrench": "cones.*",
    "projection transform": "spaces.*",
})
