"""Mass, force and friction at one instant. Imports geometry; knows no file, no plot and no time loop.

    from dynamics import ContactProblem, find_accelerations

Names load on first use; `dynamics/__init__.pyi` says where they live.
"""

import lazy_loader

from geometry.packages import keep_old_names

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

keep_old_names({"dynamics.contact_set": "dynamics.cones.contact_set",
                "dynamics.insertion": "dynamics.cones.insertion",
                "dynamics.peg": "dynamics.cones.peg",
                "dynamics.projection": "dynamics.spaces.projection",
                "dynamics.wrench": "dynamics.cones.wrench"})
