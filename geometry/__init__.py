"""Shapes, poses and contacts. Knows no mass, no force, no time step, no file of results.

Names load on first use; `geometry/__init__.pyi` says where they live.
"""

import lazy_loader

from geometry.packages import keep_old_names

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

keep_old_names({"geometry.formations": "geometry.formation.formations",
                "geometry.formation_sheets": "geometry.formation.sheets",
                "geometry.formation_tracking": "geometry.formation.tracking"})
