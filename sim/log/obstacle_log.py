"""What a log says of obstacles that move, and of loads that change: where their shapes are at every row of `/steps`,
and the work that they do.

    /obstacle_poses/NAME  (n, 3): one row for each row of /steps, of each obstacle whose shape moves
    /obstacle_work        one row for a run, or for each branch of a tree; a column for each obstacle that moves or runs
    /load_work            likewise, three columns for each load: work, stored more than at the start, taken by dampers

A point of the outline in `/bodies/NAME`, which is that at t = 0, is at (x, y) + R(theta) p. Pictures between two
rows follow the scene text; where it does not say what the rows say, or cannot be read, the rows are joined by lines.
"""

from __future__ import annotations

import h5py
import numpy as np

from geometry.prescribed.motion import Motion
from sim.files.columns import FILTERS
from sim.files.fixed_text import fix_text, fix_texts
from sim.files.opening import decode_text
from sim.log.bodies import BodyRecord, SceneRecord
from sim.tolerances import POSES_AGREE

POSE_BYTES = 24  # of one row
WORK_ROWS = 32  # rows of a chunk
WORK_WORDS = ("work", "stored", "lost")  # of a load


def create_poses(file: h5py.File, names: dict[int, str], record: SceneRecord, chunk_rows: int) -> list:
    """Make the datasets of poses: a list of (Motion, name of its dataset). names: of the obstacles in /bodies."""
    sets = []
    for index, body in enumerate(record.obstacles):
        if body.motion is None:
            continue
        dataset = file.create_dataset(f"obstacle_poses/{names[index]}", (0, 3), "f8", maxshape=(None, 3),
                                      chunks=(chunk_rows, 3), **FILTERS)  # fmt: skip
        dataset.attrs["unit"] = fix_text("m, m, rad")
        dataset.attrs["columns"] = fix_texts(("x", "y", "theta"))
        dataset.attrs["meaning"] = fix_text("what takes the outline in /bodies from t = 0 to the time of the row in "
                                            "/steps: (x, y) + R(theta) p")
        dataset.attrs["index"] = np.int64(index)
        sets.append((body.motion, dataset.name))
    return sets


def create_work(file: h5py.File, record: SceneRecord) -> int:
    """Make the dataset of works; returns the number of its columns, 0 where nothing moves and there is none."""
    names = [body.name for body in record.obstacles if body.moves]
    if not names:
        return 0
    dataset = file.create_dataset("obstacle_work", (0, len(names)), "f8", maxshape=(None, len(names)),
                                  chunks=(WORK_ROWS, len(names)), **FILTERS)  # fmt: skip
    dataset.attrs["unit"] = fix_text("J")
    dataset.attrs["columns"] = fix_texts(names)
    dataset.attrs["meaning"] = fix_text(
        "work done on the part by each obstacle that moves: of the run, or up to a branch's end")
    return len(names)


def create_load_work(file: h5py.File, record: SceneRecord) -> int:
    """Make the dataset of the works of loads that change; returns their number, 0 where there is none."""
    n = len(record.loads)
    if not n:
        return 0
    dataset = file.create_dataset("load_work", (0, 3 * n), "f8", maxshape=(None, 3 * n), chunks=(WORK_ROWS, 3 * n),
                                  **FILTERS)  # fmt: skip
    dataset.attrs["unit"] = fix_text("J")
    dataset.attrs["loads"] = fix_texts(record.loads)
    dataset.attrs["columns"] = fix_texts([f"{name}: {what}" for name in record.loads for what in WORK_WORDS])
    dataset.attrs["meaning"] = fix_text("of each load that changes: work done on the part, energy stored more than at "
                                        "the start, and taken by its dampers: of the run, or up to a branch's end")
    return n


def load_names(file: h5py.File) -> tuple[str, ...]:
    """The names of the loads that change."""
    return tuple(map(decode_text, file["load_work"].attrs["loads"])) if "load_work" in file else ()


def load_load_work(file: h5py.File, row: int = 0) -> tuple[tuple[float, float, float], ...]:
    """What each load that changes has done, as `Account.load_work`; () where it is not known."""
    if "load_work" not in file or row >= len(file["load_work"]):
        return ()
    work = file["load_work"][row].reshape(-1, 3)
    return () if np.isnan(work).any() else tuple((float(a), float(b), float(c)) for a, b, c in work)


def load_work(file: h5py.File, row: int = 0) -> tuple[float, ...]:
    """The work of each obstacle that moves, of a run or of the branch with this number; () where it is not known."""
    if "obstacle_work" not in file or row >= len(file["obstacle_work"]):
        return ()
    work = file["obstacle_work"][row]
    return () if np.isnan(work).any() else tuple(map(float, work))


def load_motions(file: h5py.File, n_steps: int, text: str) -> dict[int, Motion]:
    """How the shapes of obstacles move, by index of the obstacle."""
    if n_steps == 0 or "obstacle_poses" not in file:
        return {}
    times, told = file["steps/time"][:n_steps], read_motions(text)
    motions = {}
    for dataset in file["obstacle_poses"].values():
        index, poses = int(dataset.attrs["index"]), dataset[:n_steps]
        if len(poses) < n_steps:
            raise ValueError(f"{dataset.name} holds {len(poses)} of {n_steps} rows")
        motion = told.get(index)
        motions[index] = motion if motion is not None and agrees(motion, times, poses) else join_rows(times, poses)
    return motions


def read_motions(text: str) -> dict[int, Motion]:
    """The motions that a scene text prescribes; none if this version cannot read it."""
    from sim.log.bodies import describe_moves
    from sim.scene.build import parse_scene
    from sim.scene.scene_errors import SceneError

    try:
        obstacles = parse_scene(text).obstacles
    except SceneError:
        return {}
    return {index: describe_moves(other.motion).get("motion") for index, other in enumerate(obstacles)}


def agrees(motion: Motion, times: np.ndarray, poses: np.ndarray) -> bool:
    """Does a motion lead through the logged poses?"""
    return bool(np.abs(motion.evaluate_frame(times)[0] - poses).max() <= POSES_AGREE * max(1.0, np.abs(poses).max()))


def join_rows(times: np.ndarray, poses: np.ndarray) -> Motion:
    """The motion along straight lines from row to row."""
    from sim.scene.prescribed.motions import build_coordinate

    times, rows = np.unique(times, return_index=True)
    x, y, theta = (build_coordinate((times, column), kind="linear") for column in poses[rows].T)
    return Motion(x, y, theta)


def count_pose_bytes(obstacles: tuple[BodyRecord, ...], rows: int, entry: int) -> int:
    """Room that `rows` rows take, with an index entry for each dataset."""
    return sum(body.motion is not None for body in obstacles) * (rows * POSE_BYTES + entry)
