"""Stiction: every motion that Newton and Coulomb allow, for one rigid planar part against rigid obstacles.

    import stiction
    trajectory = stiction.simulate("peg_in_hole", duration=1.0)
    stiction.find_accelerations(stiction.ContactProblem(...))

All public names are here; each loads on first use. README.md tells what they are for.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynamics import *  # noqa: F403
    from geometry import *  # noqa: F403
    from sim import *  # noqa: F403

_PACKAGES = ("sim", "dynamics", "geometry")


def _check_neighbours() -> None:
    """Refuse to start where a user's own file or folder hides a package of Stiction. Raises ImportError."""
    for name in (*_PACKAGES, "scenes"):
        spec = find_spec(name)
        if spec is None or [*map(Path, spec.submodule_search_locations or ())] != [Path(__file__).parent / name]:
            what = f"{spec.origin} hides it: rename that, or move it elsewhere" if spec else "it is missing"
            raise ImportError(f"{__file__} needs its own package {name!r} beside it, but {what}")


_check_neighbours()
__version__ = import_module("geometry.packages").__version__
_HOMES = {name: package for package in _PACKAGES for name in import_module(package).__all__}
__all__ = ["__version__", *sorted(_HOMES)]


if not TYPE_CHECKING:  # a type checker takes it for a promise of any name
    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return value


def __dir__() -> list[str]:
    return list(__all__)
