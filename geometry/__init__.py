"""Shapes, poses and contacts. Knows no mass, no force, no time step, no file but drawings.

Names load on first use; `geometry/__init__.pyi` says where they live.
"""

from geometry.packages import keep_old_names, offer_names

__getattr__, __dir__, __all__ = offer_names(__name__)

keep_old_names(__name__, {
    "boundary": "shapes.union.*",
    "polygon pose units": "shapes.*",
    "formations": "formation.*",
    "formation_check": "formation.realised",
    "formation_sheets": "formation.sheets",
    "formation_tracking": "formation.tracking",
    "motion": "prescribed.*",
})
