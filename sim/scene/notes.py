"""What a user should know of a scene that is valid, but may not mean what it seems to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.scene.scene import Scene

NO_WEIGHT = ("there is friction, and neither gravity nor a load, gripper or spring that presses the part against an "
             "obstacle: it acts only where the part is struck or pushed. A part that lies on a table and is seen from "
             "above is not modelled: there is no friction of a table under it")


def list_notes(scene: Scene) -> list[str]:
    """Sentences, without a full stop, for `stiction check` and `stiction run`."""
    has_friction = any(obstacle.mu > 0.0 for obstacle in scene.obstacles)
    presses = any((*scene.gravity, *scene.load)) or scene.gripper or scene.springs or scene.loads or scene.control
    return [NO_WEIGHT] if has_friction and not presses else []
