"""Mass, force and friction at one instant. Imports geometry; knows no file and no plot.

    from dynamics import ContactProblem, find_accelerations
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynamics.accelerations import ContactProblem, find_accelerations

__all__ = ["ContactProblem", "find_accelerations"]

_HOMES = {"ContactProblem": "dynamics.accelerations", "find_accelerations": "dynamics.accelerations"}


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
