"""Trees of motions on the command line."""

import signal
import time

import numpy as np
import pytest

from sim.cli.reports.report_tree import check_tree, describe_not_unique
from sim.log.reading import read_trajectory, read_tree
from sim.log.trajectory import Trajectory
from tests.sim.cli.test_cli import call, start_process, write_endless  # noqa: F401  (call is a fixture)
from tests.sim.synthetic import make_slide
from tests.sim.trees import make_fork


@pytest.fixture
def tree_log(call):  # noqa: F811
    assert call("run", "erdmann_figure_5", "--choice", "branch", "-o", "tree.h5")[0] == 0
    return call


def test_run_tells_branches_and_outcomes(call):  # noqa: F811
    code, out, err = call("run", "erdmann_figure_5", "--choice", "branch", "-o", "tree.h5")
    assert (code, err) == (0, "")
    assert "4 branches, 3 leaves, 3 outcomes" in out and "SPLIT into 1, 2, 3" in out
    assert "acceleration nss" in out and "up to 0.243149 m and 0.183692 rad" in out
    assert "0.5 s in 1 interval(s), first at t = 0 s; split at t = 0 s" in out
    assert len(read_tree("tree.h5")) == 4 and read_tree("tree.h5").record.text.count('"branch"') == 1


def test_a_limit_is_told_and_sets_the_exit_code(call):  # noqa: F811
    code, out, _ = call("run", "erdmann_figure_5", "--choice", "branch", "--set", "run.max_branches=2", "-o", "a.h5")
    assert code == 1 and "NOT_FOLLOWED" in out and "run.max_branches" in out and "2 branches" in out


def test_random_choice_is_the_same_for_the_same_seed(call):  # noqa: F811
    ends = []
    for seed, name in ((1, "a.h5"), (1, "b.h5"), *((seed, f"{seed}.h5") for seed in range(2, 8))):
        assert call("run", "erdmann_figure_5", "--choice", "random", "--seed", seed, "-o", name)[0] == 0
        ends.append(read_trajectory(name).pose.tobytes())
    assert ends[0] == ends[1] and len(set(ends)) > 1


def test_check_of_a_tree(tree_log):
    code, out, _ = tree_log("check", "tree.h5")
    assert code == 0 and "a sound log" in out and "VIOLATED" not in out and "SPLIT into 1, 2, 3" in out


def test_check_finds_a_broken_law_in_one_branch(tree_log):
    tree = read_tree("tree.h5")
    rows = tree.branches[2].rows
    steps = np.array(rows.steps)
    steps["ax"][3] += 0.1
    tree.branches[2].rows = Trajectory(None, steps, rows.contacts, rows.events, rows.impulses, rows.status,
                                       rows.account, record=rows.record)
    tree.save("bad.h5")
    code, out, _ = tree_log("check", "bad.h5")
    (line,) = [line for line in out.splitlines() if "VIOLATED" in line]
    assert code == 1 and "NOT a sound log" in out and line.startswith("mass times acceleration") and " 2 " in line
    assert [number for verdict, number in check_tree(tree) if not verdict.holds] == [2]


def test_accelerations_of_a_branch(tree_log):
    code, out, err = tree_log("accelerations", "tree.h5", "--at", "0.1", "--branch", "2")
    assert (code, err) == (0, "") and "t = 0.1 s" in out and "Several" in out
    code, first, err = tree_log("accelerations", "tree.h5", "--at", "0.1")
    assert code == 0 and first != out and "This is branch 1" in err
    code, _, err = tree_log("accelerations", "tree.h5", "--at", "0.1234", "--branch", "2")
    assert code == 2 and "nearest are at 0.12 and 0.13 s" in err


@pytest.mark.parametrize("words, said", [
    (["run", "erdmann_figure_5", "--seed", "3"], "only --choice random draws lots; the choice is continue"),
    (["run", "erdmann_figure_5", "--choice", "random", "--seed", "-1"], "run.seed"),
    (["accelerations", "erdmann_figure_5", "--branch", "1"], "erdmann_figure_5 is a scene"),
    (["accelerations", "erdmann_figure_5", "--at", "0.1", "--set", "run.choice=branch"], "run.choice=continue"),
    (["accelerations", "fork.h5", "--branch", "9"], "no branch 9; valid are 0 to 3"),
    (["replay", "fork.h5", "--branch", "9", "--save", "a.gif"], "no branch 9; valid are 0 to 3"),
    (["replay", "slide.h5", "--branch", "0", "--save", "a.gif"], "the log of one motion"),
])
def test_mistakes_get_one_clear_message(call, tmp_path, words, said):  # noqa: F811
    make_fork().save(tmp_path / "fork.h5")
    make_slide().save(tmp_path / "slide.h5")
    code, _, err = call(*words)
    assert code == 2 and said in err and "defect" not in err


def test_replay_shows_all_branches_or_one(call, tmp_path):  # noqa: F811
    make_fork().save(tmp_path / "fork.h5")
    for words in (("tree.gif",), ("one.gif", "--branch", "2")):
        assert call("replay", "fork.h5", "--save", *words)[0] == 0
    assert (tmp_path / "tree.gif").read_bytes() != (tmp_path / "one.gif").read_bytes()


def test_times_that_were_not_unique_are_joined_over_branches():
    assert describe_not_unique(make_fork()) == "0.08 s in 2 interval(s), first at t = 0.1 s; split at t = 0.1 s"


def test_interrupted_tree_keeps_its_branches(tmp_path):
    """Ctrl-C in the middle of a long branch: exit code 130, and the log holds all branches as far as they got."""
    write_endless(tmp_path / "endless.toml", "erdmann_figure_5")
    process = start_process("run", "endless.toml", "-o", "tree.h5", "--choice", "branch", "--duration", "1e7",
                            "--set", "run.output_interval=0.01", folder=tmp_path)
    deadline = time.monotonic() + 120.0
    while not (tmp_path / "tree.h5").exists():  # it is there as soon as the first branch has split
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "Traceback" not in err, err
    assert "NOT_FOLLOWED" in out
    tree = read_tree(tmp_path / "tree.h5")
    assert [branch.status.name for branch in tree.branches] == ["SPLIT", "INTERRUPTED", *["NOT_FOLLOWED"] * 2]
