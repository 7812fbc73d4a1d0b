"""Files that are broken, cut, foreign or newer are named, and never pass as logs."""

import random

import h5py
import numpy as np
import pytest

import scenes
from sim.files import growing_file
from sim.files.unfinished import SUPERBLOCK_BYTES, close_superblock, compute_checksum, is_marked_open
from sim.log.reading import TrajectoryFileError, describe_file, read_trajectories, read_trajectory
from sim.log.sink import H5Sink
from sim.rows.account import Account
from sim.rows.status import Status
from sim.scene.build import load_scene
from sim.scene.scene_errors import SceneError
from tests.sim.synthetic import make_record, make_rows, write_log


@pytest.mark.parametrize("name", scenes.names())
def test_a_scene_comes_back_from_its_log(tmp_path, name):
    scene = load_scene(name)
    with H5Sink(tmp_path / "a.h5", scene) as sink:
        sink.close(Status.COMPLETED, Account())
    read = read_trajectory(tmp_path / "a.h5")
    again = read.scene
    assert again is read.scene and again.text == scene.text and again.name == scene.name == read.record.name
    assert (again.workpiece.mass, again.workpiece.pose, again.run) == (
        scene.workpiece.mass, scene.workpiece.pose, scene.run)  # fmt: skip
    assert read.record.workpiece.outline == scene.workpiece.outline
    assert (read.record.workpiece.mass, read.record.workpiece.rho) == (scene.workpiece.mass, scene.workpiece.rho)
    for body, obstacle in zip(read.record.obstacles, scene.obstacles, strict=True):
        assert (body.name, body.mu, body.e) == (obstacle.name, obstacle.mu, obstacle.e)
        assert body.outline == obstacle.shape


def test_a_log_whose_scene_no_longer_parses_is_still_a_trajectory(tmp_path):
    rows = write_log(tmp_path / "a.h5", record=make_record(text="this = is not a scene"))
    read = read_trajectory(tmp_path / "a.h5")
    assert np.array_equal(read.time, rows[0]["time"]) and len(read.record.obstacles) == 2
    with pytest.raises(SceneError):
        _ = read.scene


def test_c01_many_files_one_broken(tmp_path):
    for name in ("a.h5", "b.h5", "c.h5"):
        write_log(tmp_path / name)
    (tmp_path / "b.h5").write_bytes((tmp_path / "b.h5").read_bytes()[:5000])
    results = list(read_trajectories([*sorted(tmp_path.glob("*.h5")), tmp_path / "missing.h5"]))
    assert [path.name for path, _ in results] == ["a.h5", "b.h5", "c.h5", "missing.h5"]
    assert len(results[0][1]) == len(results[2][1]) == 30
    assert isinstance(results[1][1], TrajectoryFileError) and "b.h5" in str(results[1][1])
    assert isinstance(results[3][1], FileNotFoundError) and "missing.h5" in str(results[3][1])




def write_newer(path):
    write_log(path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 99


def drop_dataset(path):
    write_log(path)
    with h5py.File(path, "r+") as file:
        del file["steps/pose"]


def cut_rows(path):
    write_log(path)
    with h5py.File(path, "r+") as file:
        file["contacts/gap"].resize(3, axis=0)


def cut_contacts(path):
    write_log(path)
    with h5py.File(path, "r+") as file:
        file["committed"][1] = 5


def write_foreign(path):
    with h5py.File(path, "w") as file:
        file["x"] = 1


BROKEN = {
    "empty": (lambda path: path.write_bytes(b""), "is empty"),
    "text": (lambda path: path.write_text("time,x,y\n" * 100), "is not an HDF5 file"),
    "folder": (lambda path: path.mkdir(), "is a folder"),
    "foreign": (write_foreign, "not a stiction trajectory"),
    "newer": (write_newer, "newer version .*format 99"),
    "no dataset": (drop_dataset, "is damaged.*pose"),
    "few rows": (cut_rows, "holds 3 of 60 rows"),
    "few contacts": (cut_contacts, "points past the end of /contacts"),
    "signature only": (lambda path: path.write_bytes(b"\x89HDF\r\n\x1a\n"), "is damaged|cannot be opened"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_named(tmp_path, name):
    make, pattern = BROKEN[name]
    path = tmp_path / "broken.h5"
    make(path)
    for read in (read_trajectory, describe_file) if name not in ("no dataset", "few contacts") else (read_trajectory,):
        with pytest.raises(TrajectoryFileError, match=pattern) as caught:
            read(path)
        assert str(caught.value).startswith(str(path)) and caught.value.path == path


@pytest.fixture(scope="module")
def whole_logs(tmp_path_factory):
    """The bytes of a closed log and of the same log before it was closed."""
    path = tmp_path_factory.mktemp("logs") / "a.h5"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growing_file, "COMMIT_AFTER", 0.0)
        sink = H5Sink(path, make_record())
        for first in range(0, 3000, 500):
            sink.write(*make_rows(first, 500, np.random.default_rng(first)))
        killed = path.read_bytes()
        sink.close(Status.COMPLETED, Account())
    return {"closed": path.read_bytes(), "killed": killed}


@pytest.mark.parametrize("state", ["closed", "killed"])
@pytest.mark.parametrize("seed", range(12))
def test_cut_files_never_pass_as_complete(tmp_path, whole_logs, state, seed):
    """A copy that ends early is refused, at once, whether its run had ended or was killed."""
    whole, rng = whole_logs[state], random.Random(seed)
    used = len(whole_logs["closed"])  # what lies behind is reserved, and empty
    assert used > 1_000_000
    sizes = [rng.randrange(1, 50_000), rng.randrange(50_000, int(0.9 * used))]
    for size in sizes:
        (tmp_path / "cut.h5").write_bytes(whole[:size])
        with pytest.raises(TrajectoryFileError):
            read_trajectory(tmp_path / "cut.h5")
            pytest.fail(f"seed {seed}: {size} of {len(whole)} bytes pass as a log")


def test_checksum_is_that_of_hdf5(whole_logs):
    superblock = whole_logs["closed"][:SUPERBLOCK_BYTES]
    assert not is_marked_open(superblock) and is_marked_open(whole_logs["killed"])
    assert close_superblock(superblock, int.from_bytes(superblock[28:36], "little")) == superblock
    assert not is_marked_open(close_superblock(whole_logs["killed"][:SUPERBLOCK_BYTES], 1000))
    assert compute_checksum(b"") == 0xDEADBEEF  # from the author's own test of lookup3
    assert compute_checksum(b"Four score and seven years ago") == 0x17770551


def test_a_killed_log_reads_like_the_closed_one(tmp_path, whole_logs):
    for state, content in whole_logs.items():
        (tmp_path / f"{state}.h5").write_bytes(content)
    closed, killed = (read_trajectory(tmp_path / f"{state}.h5") for state in ("closed", "killed"))
    for name in ("steps", "contacts", "event_rows", "impulses"):
        assert getattr(closed, name).tobytes() == getattr(killed, name).tobytes()
    assert (closed.status, killed.status) == (Status.COMPLETED, Status.RUNNING)
    assert (tmp_path / "killed.h5").read_bytes() == whole_logs["killed"], "reading repairs nothing in place"


def test_description(tmp_path):
    write_log(tmp_path / "a.h5", message="all is well")
    text = "\n".join(describe_file(tmp_path / "a.h5"))
    for part in ("stiction trajectory, version 5", "box_slides: A box slides", "30 steps, 60 contacts, 3 events",
                 "0 s to 0.029 s", "COMPLETED", "all is well", "penetration", "obstacle 1"):  # fmt: skip
        assert part in text, f"{part!r} not in\n{text}"
