"""The log of a tree: every branch comes back, whatever happens to the process or the disk; older logs stay readable."""

import dataclasses
import os
import random
import signal
import time

import h5py
import numpy as np
import pytest

from sim import read_tree, simulate_branches
from sim.files.write_error import WriteError
from sim.log.check_log import check_log
from sim.log.reading import TrajectoryFileError, count_branches, describe_file, read_trajectory
from sim.log.tree_sink import H5TreeSink
from sim.rows.account import ACCOUNT_FIELDS
from sim.rows.branch_table import encode_cut
from sim.rows.status import Status
from sim.scene.build import load_scene
from tests.sim.log.test_storage import run_script
from tests.sim.synthetic import make_record, write_log
from tests.sim.trees import TABLES, make_branch, make_tree


def assert_same_rows(rows, expected):
    for table in ("steps", "contacts", "event_rows", "impulses"):
        assert getattr(rows, table).tobytes() == getattr(expected, table).tobytes(), table


def assert_same_tree(read, expected):
    assert len(read) == len(expected)
    for branch, other in zip(read.branches, expected.branches, strict=True):
        for field in dataclasses.fields(branch):
            if field.name != "rows":
                assert getattr(branch, field.name) == getattr(other, field.name), (branch.number, field.name)
        assert (branch.rows is None) == (other.rows is None)
        if branch.rows is not None:
            assert_same_rows(branch.rows, other.rows)
            for name in ("status", "account", "message"):
                assert getattr(branch.rows, name) == getattr(other.rows, name), (branch.number, name)


# ------------------------------------------------------------------------------------------------------ round trip


def test_every_bit_of_every_branch_comes_back(tmp_path):
    tree = make_tree()
    read = read_tree(tree.save(tmp_path / "new" / "tree.h5"))
    assert_same_tree(read, tree)
    assert read.status is tree.status is Status.NO_SOLUTION
    assert (read.leaves, read.outcomes()) == (tree.leaves, tree.outcomes()) == ([2, 3, 4, 5], [[2], [4]])
    assert read.record.name == "box_slides" and np.array_equal(read.record.workpiece.outline.vertices,
                                                               make_record().workpiece.outline.vertices)
    assert count_branches(tmp_path / "new" / "tree.h5") == 6
    assert_same_tree(read_tree(read.save(tmp_path / "again.h5")), tree)


def test_branches_are_written_as_they_end_and_read_by_number(tmp_path):
    tree = make_tree()
    with H5TreeSink(tmp_path / "a.h5", make_record()) as sink:
        for number in (0, 3, 1, 5, 4, 2):
            sink.add(tree.branches[number])
        sink.close(Status.NO_SOLUTION)
    assert_same_tree(read_tree(tmp_path / "a.h5"), tree)
    with h5py.File(tmp_path / "a.h5", "r") as file:
        assert list(file["branches/number"]) == [0, 3, 1, 5, 4, 2]


def test_plain_h5py_reads_it_and_links_count_from_the_start_of_a_table(tmp_path):
    tree = make_tree()
    tree.save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r") as file:
        group = file["branches"]
        assert list(file["committed"]) == [111, 222, 12, 12, 6]
        assert group["taken"].asstr()[2] == "velocity sn" and group["message"].asstr()[2] == "größe 日本"
        assert group["first_row"].attrs["columns"][0] == b"first_row_steps"
        for row, branch in enumerate(tree.branches[:5]):
            first, count = group["first_row"][row], group["n_rows"][row]
            step = first[0] + count[0] - 1
            contact = file["steps/first_contact"][step]
            assert first[1] <= contact < first[1] + count[1]
            assert file["contacts/point"][contact, 0] == branch.rows.contacts_at(-1)["px"][0]
            event = first[2] + count[2] - 1
            impulse = file["events/first_impulse"][event]
            assert file["impulses/point"][impulse, 0] == branch.rows.impulses_at(-1)["px"][0]
        for dataset in group.values():
            assert {"unit", "meaning"} <= set(dataset.attrs), dataset.name
        assert group["account"].shape == (6, len(ACCOUNT_FIELDS))


def test_a_branch_reads_as_an_ordinary_trajectory(tmp_path):
    tree = make_tree()
    path = tree.save(tmp_path / "a.h5")
    whole = read_trajectory(path, branch=4)
    assert np.array_equal(whole.steps["x"], np.arange(60)) and np.array_equal(whole.contacts["px"], np.arange(120))
    assert np.array_equal(whole.steps["first_contact"], 2 * np.arange(60))
    assert np.array_equal(whole.impulses["px"], whole.events["first_impulse"])
    assert (whole.status, whole.account.n_steps) == (Status.NO_SOLUTION, 11)
    assert_same_rows(read_trajectory(whole.save(tmp_path / "b.h5")), whole)
    assert_same_rows(read_trajectory(path), tree.trajectory(2))  # the first leaf that was followed
    beyond = read_trajectory(path, branch=5)
    assert beyond.status is Status.NOT_FOLLOWED and len(beyond) == 35


def test_a_branch_that_is_not_there_is_named(tmp_path):
    path = make_tree().save(tmp_path / "a.h5")
    for number in (6, -1):
        with pytest.raises(TrajectoryFileError, match=rf"no branch {number}; valid are 0 to 5"):
            read_trajectory(path, branch=number)
        with pytest.raises(IndexError, match=f"no branch {number}"):
            read_tree(path).trajectory(number)
    write_log(tmp_path / "one.h5")
    with pytest.raises(TrajectoryFileError, match="the log of one motion, without branches"):
        read_trajectory(tmp_path / "one.h5", branch=0)
    with pytest.raises(TrajectoryFileError, match="not of a tree: use read_trajectory"):
        read_tree(tmp_path / "one.h5")
    assert count_branches(tmp_path / "one.h5") == 0


def test_a_description_counts_branches(tmp_path):
    text = "\n".join(describe_file(make_tree().save(tmp_path / "a.h5")))
    assert "6 branches" in text and "each branch has its own" in text and "NO_SOLUTION" in text


def test_texts_that_are_too_long_are_cut_and_show_it(tmp_path):
    tree = make_tree()
    tree.branches[4].taken, tree.branches[4].rows.message = "acceleration " + "n" * 300, "ß" * 2000
    read = read_tree(tree.save(tmp_path / "a.h5")).branches[4]
    assert read.taken == "acceleration " + "n" * 240 + "…"
    assert read.rows.message == "ß" * 510 + "…"
    assert encode_cut("n" * 256, 256) == b"n" * 256


def test_out_of_order_is_refused(tmp_path):
    tree = make_tree()
    with H5TreeSink(tmp_path / "a.h5", make_record()) as sink:
        with pytest.raises(ValueError, match="branch 1 comes before branch 0"):
            sink.add(tree.branches[1])
        sink.add(tree.branches[0])
        with pytest.raises(ValueError, match="branch 0 is in the log already"):
            sink.add(tree.branches[0])
        assert len(sink) == 1
        sink.close(Status.COMPLETED)
    with pytest.raises(ValueError, match="is closed"):
        sink.add(tree.branches[1])


# ----------------------------------------------------------------------------------- unfinished, killed, interrupted


def test_a_growing_tree_can_be_read_after_every_branch(tmp_path):
    tree = make_tree()
    with H5TreeSink(tmp_path / "a.h5", make_record()) as sink:
        assert not sink.in_place and not (tmp_path / "a.h5").exists()
        for known, unfinished, branch in zip((1, 2, 3, 4, 5, 6), (3, 4, 3, 2, 1, 0), tree.branches, strict=True):
            sink.add(branch)
            assert sink.in_place
            read = read_tree(tmp_path / "a.h5")
            assert read.status is Status.RUNNING and len(read) == known + unfinished
            assert [each.rows is None for each in read.branches[:known]] == [k == 5 for k in range(known)]
            assert all(each.rows is None for each in read.branches[known:])
            for number in range(known, known + unfinished):
                expected = tree.branches[number]
                assert (read.branches[number].parent, read.branches[number].depth) == (expected.parent, expected.depth)
            assert_same_rows(read_trajectory(tmp_path / "a.h5", branch=0), tree.branches[0].rows)
        sink.close(Status.COMPLETED, "all of them")
    read = read_tree(tmp_path / "a.h5")
    assert (read.status, read.message) == (Status.COMPLETED, "all of them")


WRITER = """
import sys
from tests.sim.synthetic import make_record
from tests.sim.trees import make_branch
from sim.rows.status import Status
from sim.log.tree_sink import H5TreeSink
sink, number = H5TreeSink(sys.argv[1], make_record()), 0
while True:
    sink.add(make_branch(number, number - 1, number, first=10 * number, n=10, status=Status.SPLIT,
                         children=(number + 1,)))
    number += 1
    print(number, flush=True)
"""


@pytest.mark.parametrize("seed", range(8))
def test_killed_at_any_moment(tmp_path, seed):
    path = tmp_path / "a.h5"
    writer = run_script(WRITER, path)
    reported = int(writer.stdout.readline())
    time.sleep(random.Random(seed).uniform(0.0, 0.25))
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read().split("\n")
    writer.communicate()
    reported = max([reported, *(int(line) for line in rest[:-1] if line)])
    read = read_tree(path)
    finished = [branch for branch in read.branches if branch.rows is not None]
    assert read.status is Status.RUNNING and len(finished) >= reported > 0
    assert len(read) == len(finished) + 1  # the one that had begun
    for branch in finished:
        assert_same_rows(branch.rows, make_branch(branch.number, first=10 * branch.number, n=10).rows)
    assert np.array_equal(read.trajectory(len(finished) - 1).steps["x"], np.arange(10 * len(finished)))


@pytest.mark.parametrize("error, status", [(KeyboardInterrupt, Status.INTERRUPTED), (ZeroDivisionError, Status.FAILED)])
def test_left_by_an_error(tmp_path, error, status):
    write_log(tmp_path / "a.h5")
    older = (tmp_path / "a.h5").read_bytes()
    with pytest.raises(error), H5TreeSink(tmp_path / "a.h5", make_record()):
        raise error
    assert (tmp_path / "a.h5").read_bytes() == older  # nothing had been finished
    with pytest.raises(error), H5TreeSink(tmp_path / "a.h5", make_record()) as sink:
        sink.add(make_tree().branches[0])
        raise error
    read = read_tree(tmp_path / "a.h5")
    assert read.status is status and len(read) == 4 and read.branches[0].rows is not None
    assert list(tmp_path.iterdir()) == [tmp_path / "a.h5"]


FULL = """
import resource, sys
from tests.sim.synthetic import make_record
from tests.sim.trees import make_branch
from sim.files.write_error import WriteError
from sim.rows.status import Status
from sim.log.tree_sink import H5TreeSink
resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, 4_000_000))
number = 0
try:
    with H5TreeSink(sys.argv[1], make_record()) as sink:
        while True:
            sink.add(make_branch(number, number - 1, number, first=300 * number, n=300, status=Status.SPLIT,
                                 children=(number + 1,)))
            number += 1
except WriteError as error:
    print(error.status.name, number)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs limits of POSIX")
def test_a_full_disk_keeps_all_finished_branches(tmp_path):
    process = run_script(FULL, tmp_path / "a.h5")
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    status, number = output.split()
    read = read_tree(tmp_path / "a.h5")
    assert status == "DISK_FULL" and read.status is Status.DISK_FULL and "too large" in read.message
    assert int(number) > 4 and len(read) == int(number) + 1 and read.branches[-2].rows is not None
    assert np.array_equal(read.trajectory(int(number) - 1).steps["x"], np.arange(300 * int(number)))


def test_impossible_places_are_refused_at_once(tmp_path):
    with pytest.raises(WriteError, match="cannot write the log"):
        H5TreeSink(tmp_path, make_record())


# ------------------------------------------------------------------------------------------- damage, older versions


def damage(path, change):
    make_tree().save(path)
    with h5py.File(path, "r+") as file:
        change(file)


@pytest.mark.parametrize("change, said", [
    (lambda file: file["branches/first_row"].__setitem__((4, 0), 100), "branch 4 has rows that are not there"),
    (lambda file: file["branches/n_rows"].__setitem__((2, 1), 3), "points past the end"),
    (lambda file: file["branches/first_row"].__setitem__((2, 1), 44), "points past the end"),
    (lambda file: file["branches/parent"].__setitem__(1, 4), "no place for branch 1"),
    (lambda file: file["branches/number"].__setitem__(3, 2), "no place for branch 2"),
    (lambda file: file["committed"].__setitem__(4, 7), "/branches holds 6 of 7 rows"),
    (lambda file: file.__delitem__("branches/status"), "damaged"),
    (lambda file: file.__delitem__("events/impact_class"), "damaged"),
])
def test_damage_is_found(tmp_path, change, said):
    damage(tmp_path / "a.h5", change)
    with pytest.raises(TrajectoryFileError, match=said):
        read_tree(tmp_path / "a.h5")
    with pytest.raises(TrajectoryFileError, match=said):
        read_trajectory(tmp_path / "a.h5", branch=2)


def make_older(path, ahead=False):
    """A log as version 1 wrote it: four tables, events without their class unless they were ahead."""
    rows = write_log(path)
    with h5py.File(path, "r+") as file:
        file.attrs["format_version"] = 1
        del file["branches"], file["committed"]
        file["committed"] = [len(table) for table in rows]
        file["committed"].attrs["columns"] = TABLES
        if not ahead:
            del file["events/impact_class"]
    return rows


@pytest.mark.parametrize("ahead", [False, True])
def test_logs_of_version_1_can_be_read(tmp_path, ahead):
    steps, contacts, events, impulses = make_older(tmp_path / "a.h5", ahead)
    read = read_trajectory(tmp_path / "a.h5")
    expected = events.copy()
    if not ahead:
        assert expected["impact_class"].any()
        expected["impact_class"] = 0
    for table, rows in zip(("steps", "contacts", "event_rows", "impulses"), (steps, contacts, expected, impulses),
                           strict=True):
        assert getattr(read, table).tobytes() == rows.tobytes(), table
    assert (read.status, count_branches(tmp_path / "a.h5")) == (Status.COMPLETED, 0)
    assert "version 1" in describe_file(tmp_path / "a.h5")[1]
    with pytest.raises(TrajectoryFileError, match="not of a tree"):
        read_tree(tmp_path / "a.h5")
    assert_same_rows(read_trajectory(read.save(tmp_path / "b.h5")), read)


def test_a_log_of_version_1_without_an_old_dataset_is_damaged(tmp_path):
    make_older(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        del file["events/alternatives"]
    with pytest.raises(TrajectoryFileError, match="damaged"):
        read_trajectory(tmp_path / "a.h5")


def test_entries_of_the_account_are_found_by_name(tmp_path):
    """A later version may have more of them, in another order."""
    tree = make_tree()
    tree.save(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        old = file["branches/account"]
        columns, block = list(old.attrs["columns"]), old[...]
        del file["branches/account"]
        file["branches/account"] = np.column_stack((block[:, ::-1], np.ones(6)))
        file["branches/account"].attrs["columns"] = [*columns[::-1], b"account_of_the_future"]
    assert_same_tree(read_tree(tmp_path / "a.h5"), tree)


# ------------------------------------------------------------------------------------------------------ with the engine


def test_a_run_into_a_file_is_the_run_in_memory(tmp_path):
    scene = load_scene("erdmann_figure_5")
    with H5TreeSink(tmp_path / "a.h5", scene) as sink:
        tree = simulate_branches(scene, duration=0.5, sink=sink)
        sink.close(tree.status)
    assert len(tree) == 4 and tree.status is Status.COMPLETED
    read = read_tree(tmp_path / "a.h5")
    assert_same_tree(read, tree)
    assert read.record.text == scene.text
    for number in (1, 2, 3):
        path = read_trajectory(tmp_path / "a.h5", branch=number)
        assert path.time[-1] == 0.5 and all(verdict.holds for verdict in check_log(path))


def test_parents_are_written_before_branches_beyond_the_limit(tmp_path):
    scene = load_scene("erdmann_figure_5")
    with H5TreeSink(tmp_path / "a.h5", scene) as sink:
        tree = simulate_branches(scene, duration=0.1, sink=sink, max_branches=2)
        sink.close(tree.status)
    read = read_tree(tmp_path / "a.h5")
    assert [branch.status for branch in read.branches] == [Status.SPLIT, Status.COMPLETED, *[Status.NOT_FOLLOWED] * 2]
    assert read.status is Status.NOT_FOLLOWED
    assert_same_tree(read, tree)
