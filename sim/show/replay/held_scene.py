"""What holds the part of a motion: the scene with its gripper and springs, as far as it can still be read."""

from __future__ import annotations

from sim.log.trajectory import Trajectory
from sim.scene.scene import Scene
from sim.scene.scene_errors import SceneError


def find_scene(trajectory: Trajectory) -> Scene | None:
    """The scene of a motion whose part is held; None where it is not, or where the text of an old log can no longer be
    read: what holds the part is in no other place of a log, and the rest can be drawn without."""
    if not any(word in trajectory.record.text for word in ("gripper", "spring")):
        return None
    try:
        scene = trajectory.scene
    except SceneError:
        return None
    return scene if scene.gripper is not None or scene.springs else None


def find_release(trajectory: Trajectory) -> float:
    """When the gripper lets go, s; infinite where it does not."""
    released = trajectory.events["time"][trajectory.events["kind"] == "release"]
    return float(released[0]) if len(released) else float("inf")
