"""The soak of `python -m tests.bench soak` keeps working: a few seeds of each kind, and every fault is found."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from sim.log.trajectory import Trajectory
from tests import scene_builders as builders
from tests import soak_judge
from tests.bench import bench_soak
from tests.soak_judge import Judgement, find_faults, judge, run
from tests.soak_scenes import KINDS, Case, build_case

SEEDS = range(6)
NO_SOLUTION = Case("drop", builders.a09("i", choice="stop"), 1.0)  # ends at once


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_seeds(kind):
    found = {seed: judge(build_case(kind, seed)) for seed in SEEDS}
    assert not {seed: faults for seed, (faults, *_) in found.items() if faults}
    assert sum(not one.left_out for one in found.values()) >= len(SEEDS) // 2


@pytest.mark.parametrize("seed", [
    78, 114,  # springs at rest hold the part: all forces are rounding, and must balance
    553, 696,  # a slack spring has the direction of an earlier step: that it is at right angles to it is no event
    151,  # a gripper without stiffness in one direction has no damping there
])  # fmt: skip
def test_held_parts_that_once_went_wrong(seed):
    found = judge(build_case("held", seed))
    assert found.faults == [] and found.n_bridges == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_is_one_scene(kind):
    first, again, other = build_case(kind, 1), build_case(kind, 1), build_case(kind, 2)
    assert first == again and first.text != other.text
    assert kind == first.kind


def test_twins_are_those_of_the_drop():
    plain = build_case("drop", 3).text.split("[run]")[0]
    assert all(build_case(kind, 3).twin.split("[run]")[0] == plain for kind in ("moving", "turned"))


# Each case said to be something that it is not: what is known of its end, and what must be found.
@pytest.mark.parametrize("kind, lie, word", [
    ("moving", {"drift": (1e-3, 0.0)}, "off by"),
    ("turned", {"turn": 0.01}, "off by"),
    ("wall", {"gravity": (0.0, -9.0)}, "off free fall"),
    ("wall", {"gravity": (0.0, -9.0)}, "energy grows"),
    ("knee", {"until": 1e9}, "the velocity changes"),
    ("feeder", {"size": 1e-14}, "cycles differ"),
])  # fmt: skip
def test_a_wrong_end_is_a_failure(kind, lie, word):
    found = [judge(replace(build_case(kind, seed), **lie)).faults for seed in SEEDS]
    assert any(word in fault for faults in found for fault in faults), found


def test_an_impact_before_the_knee_is_a_failure():
    bounce = replace(build_case("knee", 0), text=builders.s6(), until=1.0)
    assert any("impact at 0.45" in fault for fault in judge(bounce).faults)


def test_a_twin_that_does_not_complete_is_left_out():
    assert judge(replace(build_case("moving", 0), twin=NO_SOLUTION.text)).left_out
    assert judge(None).left_out


def test_a_failed_status_is_a_failure():
    (fault,) = judge(NO_SOLUTION).faults
    assert fault.startswith("NO_SOLUTION at t = 0")


def test_a_log_that_breaks_a_law_and_a_slow_run_are_failures():
    case = build_case("wall", 0)
    good, _ = run(case.text)
    steps = good.steps.copy()
    steps["kinetic"][1] *= 1.01
    bad = Trajectory(good.scene, steps, good.contacts, good.events, good.impulses, good.status, good.account)
    assert find_faults(case, good, 4.9) == []
    assert any(fault.startswith("check: kinetic energy") for fault in find_faults(case, bad, 0.0))
    assert find_faults(case, good, 5.1)[0].startswith("5.1 s of processor time")


def test_a_run_that_does_not_end_is_broken_off(monkeypatch):
    monkeypatch.setattr(soak_judge, "CPU_END", -1.0)
    (fault,) = bench_soak.try_seed("wall", 0).faults
    assert fault.startswith("TooSlow")


@pytest.mark.parametrize("kinds", [(2, "impact"), ("impact", "impact")])
def test_impacts_are_found_by_number_and_by_word(kinds):
    log = SimpleNamespace(events={"kind": np.array(kinds, dtype=object), "time": np.array([1.0, 2.0])})
    assert soak_judge.list_impacts(log).tolist() == [1.0, 2.0]


# ------------------------------------------------------------------------------------------------------------- counts


def test_counts_of_a_good_soak(capsys):
    assert bench_soak.main(["3", "7", "wall"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:6] for line in lines[1:]] == [[name, "3", "0", "3", "0", "0"] for name in ("wall", "all")]


def test_failures_are_counted_and_listed(capsys, monkeypatch):
    def build(kind, seed):
        wrong = {1: NO_SOLUTION, 2: replace(build_case("wall", 2), gravity=(0.0, -9.0)), 3: None}
        if seed == 4:
            raise ZeroDivisionError("a defect")
        return wrong.get(seed, build_case(kind, seed))

    monkeypatch.setattr(bench_soak, "build_case", build)
    assert bench_soak.main(["6", "wall"]) == 1
    _, *failures, wall, total = capsys.readouterr().out.splitlines()
    starts = ["  wall 1: NO_SOLUTION", "  wall 2: energy grows", "  wall 4: ZeroDivisionError: a defect"]
    assert [line.startswith(start) for line, start in zip(failures, starts, strict=True)] == [True] * 3
    assert wall.split()[:5] == ["wall", "6", "1", "2", "3"] and total.split()[:5] == ["all", "6", "1", "2", "3"]


def test_interrupted_soak_prints_the_counts_so_far(capsys, monkeypatch):
    def judge_few(case):
        if case is not None and case == build_case("knee", 11):
            raise KeyboardInterrupt
        return Judgement([], n_bridges=2, cpu=0.5)

    monkeypatch.setattr(bench_soak, "judge", judge_few)
    assert bench_soak.main(["2", "10", "wall", "knee"]) == 130
    lines = capsys.readouterr().out.splitlines()
    assert lines[-4].startswith("Interrupted")
    assert [line.split()[:2] for line in lines[-3:]] == [["wall", "2"], ["knee", "1"], ["all", "3"]]
    assert lines[-1].split()[5:] == ["3", "6", "0.50", "s", "wall", "10"]


@pytest.mark.parametrize("words, found", [
    ([], (200, 0, list(KINDS))),
    (["50"], (50, 0, list(KINDS))),
    (["knee", "50", "9", "wall"], (50, 9, ["knee", "wall"])),
])  # fmt: skip
def test_words(words, found):
    assert bench_soak.parse_words(words) == found


@pytest.mark.parametrize("words", [["0"], ["1", "2", "3"], ["nonsense"], ["-5"]])
def test_wrong_words_are_refused(words, capsys):
    assert bench_soak.main(words) == 2
    assert "usage:" in capsys.readouterr().err
