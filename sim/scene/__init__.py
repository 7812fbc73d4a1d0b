"""From TOML to a frozen scene in SI units. Only here words and units become numbers; nothing runs.

    from sim.scene import Scene, SceneError, load_scene, parse_scene
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={
    "build": ["load_scene", "parse_scene"],
    "scene": ["Formation", "Goal", "Obstacle", "Run", "Scene", "Workpiece"],
    "scene_errors": ["OverlapError", "SceneError"],
})
