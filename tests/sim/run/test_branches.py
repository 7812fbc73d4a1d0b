"""Every motion is followed: trees of branches, choice at random."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim import load_scene, simulate
from sim.log.tree import describe_spread
from sim.rows.status import Status
from sim.run.branches import simulate_branches
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from tests import scene_builders as builders
from tests.sim.engine.test_analytic_motions import build_rod
from tests.sim.engine.test_corner_on_corner import tip_on_tip
from tests.sim.motion import check_laws, get_kinds


def check_tree(tree):
    """Every leaf is an ordinary motion that keeps all laws; links go both ways."""
    for branch in tree.branches[1:]:
        assert branch.number in tree.branches[branch.parent].children
        assert tree.branches[branch.parent].status is Status.SPLIT and branch.taken
    for number in tree.leaves:
        if tree.branches[number].status is Status.COMPLETED:
            trajectory = tree.trajectory(number)
            check_laws(trajectory)
            assert (np.diff(trajectory.time) >= 0.0).all() and trajectory.time[0] == 0.0


def get_starts(tree):
    """{mode: member} of the branches that begin at the first split."""
    return {branch.taken.split()[1]: np.array(branch.member) for branch in tree.branches[1:] if branch.parent == 0}


def test_three_accelerations_are_three_branches():
    """Erdmann's Figure 5 with mu = 4 and F = (-4, 1, 0): free, pivot about the left, tip and slip about the left."""
    tree = simulate_branches(load_scene("erdmann_figure_5"), 0.5)
    check_tree(tree)
    starts = get_starts(tree)
    assert starts["sss"] == pytest.approx((-4.0, 1.0, 0.0))
    assert starts["nss"] == pytest.approx((-5 / 3, 5 / 3, 5 / 3))
    assert starts["lss"] == pytest.approx((-2.0, 1.5, 1.5))
    assert len(tree) == 4 and tree.outcomes() == [[1], [2], [3]] and describe_spread(tree) > 0.1
    for branch in tree.branches[1:]:
        np.testing.assert_allclose(branch.rows.acceleration[0], branch.member, atol=1e-9)


def test_a09_iii_flies_or_slides():
    tree = simulate_branches(parse_scene(builders.a09("iii")))
    check_tree(tree)
    assert set(get_starts(tree)) == {"s", "l"}
    for branch, choice in zip(tree.branches[1:], ("separate", "stick"), strict=True):
        alone = simulate(parse_scene(builders.a09("iii")), choice=choice)
        np.testing.assert_array_equal(branch.rows.pose[-1], alone.pose[-1])


def test_a_unique_motion_is_one_branch():
    tree = simulate_branches(load_scene("block_tips"))
    alone = simulate(load_scene("block_tips"))
    assert len(tree) == 1 and tree.outcomes() == [[0]] and describe_spread(tree) == 0.0
    np.testing.assert_array_equal(tree.trajectory(0).pose, alone.pose)


def test_other_solutions_that_appear_under_way_split_the_run():
    """A rod rolls over its tip, pushed sideways, ever faster: from some time on it could also lift off."""
    theta, omega = 2.3230265, 0.6755709
    text = build_rod(theta, (0.0, 0.0), (-omega * math.sin(theta), omega * math.cos(theta), omega), mu=2.0,
                     duration=0.3, gravity=[11.12887, -0.518672], run={"output_interval": 0.001})
    plain = simulate(parse_scene(text))
    check_laws(plain)
    assert get_kinds(plain) == ["start", "uniqueness"]
    time = plain.events["time"][1]
    np.testing.assert_array_equal(plain.steps["set_kind"], np.where(plain.time < time, 1, 2))
    assert plain.account.time_not_unique == pytest.approx(0.3 - time)
    tree = simulate_branches(parse_scene(text))
    check_tree(tree)
    assert set(get_starts(tree)) == {"n", "r", "s"} and tree.branches[1].time == pytest.approx(time, abs=1e-12)
    rolls = next(branch for branch in tree.branches[1:] if branch.taken.endswith("n"))
    np.testing.assert_allclose(rolls.rows.pose[-1], plain.pose[-1], atol=1e-9)


def rod_between_walls(speed: float, phi: float = 0.0, mu: float = 0.5) -> str:
    """A rod of half length 1, at an angle phi, with its ends on two walls; rho^2 = 1/3, g = 10."""
    c = math.cos(phi)
    part = {"outline": {"vertices": [[-1, 0], [0, -0.01], [1, 0], [0, 0.01]]}, "mass": 1.0, "rho": 3**-0.5,
            "pose": [0.0, 0.0, phi], "velocity": [0.0, speed, 0.0]}  # fmt: skip
    walls = [{"name": "left", "outline": builders.box_outline(-c - 1, -50, -c, 50)},
             {"name": "right", "outline": builders.box_outline(c, -50, c + 1, 50)}]
    return builders.build_scene(part, walls, gravity=[0.0, -10.0], friction={"default": mu}, run={"duration": 0.3})


def test_a_continuum_is_followed_at_its_ends_and_its_middle():
    tree = simulate_branches(parse_scene(rod_between_walls(0.0)))
    check_tree(tree)
    assert [branch.sample for branch in tree.branches] == [False, True, True, True]
    found = sorted(branch.member[1] for branch in tree.branches[1:])
    assert found == pytest.approx([-10.0, -5.0, 0.0], abs=1e-9)
    for branch in tree.branches[1:]:
        way = 0.5 * branch.member[1] * 0.3**2
        assert branch.rows.pose[-1] == pytest.approx((0.0, way, 0.0), abs=1e-9)
        assert branch.rows.account.work_friction == pytest.approx((branch.member[1] + 10.0) * way, abs=1e-9)


def test_an_unbounded_continuum_is_followed_from_its_corner():
    """Already falling: any upward acceleration; one point on is followed too."""
    tree = simulate_branches(parse_scene(rod_between_walls(-1.0)))
    check_tree(tree)
    assert sorted(branch.member[1] for branch in tree.branches[1:]) == pytest.approx([-10.0, 0.0], abs=1e-9)
    # rising: it stops, and then there are three motions for each way of stopping
    tree = simulate_branches(parse_scene(rod_between_walls(1.0)))
    check_tree(tree)
    assert [branch.depth for branch in tree.branches] == [0, 1, 1, 2, 2, 2, 2, 2, 2]
    assert {round(branch.time, 12) for branch in tree.branches} == {0.0, 0.1, 0.05}


def test_two_isolated_answers():
    """At tan(phi) = .3 < mu the rod jams or falls."""
    starts = get_starts(simulate_branches(parse_scene(rod_between_walls(0.0, math.atan(0.3)))))
    assert len(starts) == 2 and not starts["nn"].any() and sorted(starts) == ["lr", "nn"]


def test_branches_that_meet_are_merged():
    """The peg that strikes the mouth slips in, or sticks and then slips in or jams: both ways in are one."""
    tree = simulate_branches(load_scene("peg_in_hole"))
    (merged,) = (branch for branch in tree.branches if branch.status is Status.MERGED)
    other = tree.branches[merged.merged_into]
    assert other.status is Status.COMPLETED and len(tree.outcomes()) == 2
    np.testing.assert_allclose(merged.rows.pose[-1], other.rows.pose[-1], rtol=0, atol=1e-9)


def test_a_balanced_square_stays_or_leaves_to_either_side():
    tree = simulate_branches(tip_on_tip(duration=0.1))
    check_tree(tree)
    assert set(get_starts(tree)) == {"ls", "sr", "nn"} and len(tree.outcomes()) == 3


def test_limits_leave_branches_unfollowed():
    scene = parse_scene(rod_between_walls(1.0))
    few = simulate_branches(scene, max_branches=4)
    assert len(few) == 9 and sum(branch.status is Status.NOT_FOLLOWED for branch in few.branches) == 5
    flat = simulate_branches(scene, max_depth=1)
    assert [branch.status.name for branch in flat.branches[3:]] == ["NOT_FOLLOWED"] * 6
    assert flat.outcomes() == []


def test_interrupted_trees_keep_what_was_followed(monkeypatch):
    scene = load_scene("erdmann_figure_5")
    calls = []

    def stop(time):
        calls.append(time)
        if len(calls) == 2:
            raise KeyboardInterrupt

    tree = simulate_branches(scene, 0.5, progress=stop)
    assert [branch.status.name for branch in tree.branches] == ["SPLIT", "INTERRUPTED", "NOT_FOLLOWED", "NOT_FOLLOWED"]


def test_simulate_refuses_to_follow_one_of_many():
    with pytest.raises(SceneError, match="simulate_branches"):
        simulate(load_scene("erdmann_figure_5"), choice="branch")


def test_random_choice_is_decided_by_its_seed():
    scene = parse_scene(builders.a09("iii"))
    ends = {}
    for seed in range(30):
        first, second = (simulate(scene, choice="random", seed=seed) for _ in range(2))
        np.testing.assert_array_equal(first.steps, second.steps)
        ends.setdefault(first.mode_at(0), []).append(seed)
        assert get_kinds(first)[0] == "start"
    assert set(ends) == {"", "l"} and min(map(len, ends.values())) >= 5, ends


@pytest.mark.parametrize("seed", [-1, 2**31, 1.5])
def test_seed_is_checked(seed):
    with pytest.raises(SceneError, match=r"run\.seed"):
        parse_scene(builders.a09("iii"), {"run.seed": seed})
