"""From a scene to a trajectory, to a file, to a picture.

    from sim import load_scene, simulate, read_trajectory
    trajectory = simulate(load_scene("peg_in_hole"), duration=1.0)

Names load on first use, so that reading a scene does not wait for the compiler; `sim/__init__.pyi` says where they live.
"""

import lazy_loader

from geometry.packages import keep_old_names

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

keep_old_names({"sim.cone_gallery": "sim.show.plots.cone_gallery", "sim.insertion": "sim.study.scene_insertion"})
