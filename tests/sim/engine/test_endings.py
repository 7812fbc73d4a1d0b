"""Runs that end before their time: in a goal that stops them, and where the part has left the scene for good."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from sim import simulate
from sim.instant.outcome import is_inside
from sim.log.check_log import check_log
from sim.run.branches import simulate_branches
from sim.scene.build import parse_scene
from sim.scene.scene import Goal, Scene
from sim.scene.scene_errors import SceneError
from tests import scene_builders as builders
from tests.sim.motion import mirror_scene

G = 9.81
MU, V = 0.5, 3.0


def slide(speed: float = V, half_length: float = 10.0, **run) -> str:
    """A box that slides on a floor."""
    part = {"outline": builders.standing_box(0.1, 0.1), "mass": 1.0, "pose": [0.0, 0.0, 0.0],
            "velocity": [speed, 0.0, 0.0]}
    return builders.build_scene(part, [builders.build_floor(half_length=half_length)], friction={"default": MU},
                                run={"duration": 2.0, **run})


def fly(velocity, gravity=(0.0, -G), duration: float = 2.0, obstacles=(), pose=(0.0, 0.0, 0.0), **top) -> str:
    part = {"outline": builders.box_outline(-0.05, -0.05, 0.05, 0.05), "mass": 1.0, "pose": list(pose),
            "velocity": list(velocity)}
    return builders.build_scene(part, list(obstacles), gravity=list(gravity), friction={"default": MU},
                                run={"duration": duration}, **top)


def aim(text: str, *goals: Goal) -> Scene:
    return dataclasses.replace(parse_scene(text), goals=goals)


def region(name="goal", x=None, y=None, theta=None, at_rest=False, stop=True) -> Goal:
    return Goal(name, x, y, theta, at_rest, stop)


def when_slid(way: float) -> float:
    return (V - math.sqrt(V * V - 2.0 * MU * G * way)) / (MU * G)


@pytest.mark.parametrize("goal, time", [
    (region(x=(0.3, 0.4)), when_slid(0.3)),
    (region(x=(0.3, math.inf), y=(-1.0, 1.0)), when_slid(0.3)), (region(x=(-0.2, 0.1)), 0.0),
    (region(x=(0.3, 1.0), at_rest=True), V / (MU * G)), (region(x=(1.0, 2.0)), None),
    (region(x=(0.3, 0.4), at_rest=True), None),
])
def test_a_box_slides_into_a_goal(goal, time):
    for side in (1.0, -1.0):
        text = slide() if side > 0.0 else mirror_scene(slide())
        own = goal if side > 0.0 else dataclasses.replace(goal, x=(-goal.x[1], -goal.x[0]))
        run = simulate(aim(text, own))
        assert run.status.name == "COMPLETED" and all(verdict.holds for verdict in check_log(run))
        kinds = run.events["kind"].tolist()
        if time is None:
            assert run.time[-1] == 2.0 and run.outcome.startswith("at rest on edge") and "goal" not in kinds
            continue
        assert kinds[-1] == "goal" and run.outcome == "goal" and run.goal_time == run.time[-1]
        assert run.time[-1] == pytest.approx(time, abs=1e-14)
        assert own.x[0] <= run.pose[-1, 0] <= own.x[1]


def test_the_motion_is_the_same_up_to_the_goal():
    """To the last bit; and a goal that does not stop changes nothing."""
    text = slide(output_interval=0.01)
    whole, stopped = simulate(parse_scene(text)), simulate(aim(text, region(x=(0.3, 0.4))))
    seen = simulate(aim(text, region(x=(0.3, 0.4), stop=False), region("slow", y=(-1.0, 1.0), stop=False)))
    assert seen.steps.tobytes() == whole.steps.tobytes() and seen.event_rows.tobytes() == whole.event_rows.tobytes()
    before = whole.time < stopped.time[-1]
    assert stopped.steps[:-1].tobytes() == whole.steps[before].tobytes() and before.sum() > 5
    assert stopped.event_rows[:-1].tobytes() == whole.event_rows[: len(stopped.event_rows) - 1].tobytes()


@pytest.mark.parametrize("width", [1e-3, 1e-9, 1e-13])
def test_a_short_visit_is_not_missed(width):
    """At 40 m/s through a slit, in one step of a flight of 2 s."""
    place = 1.0 / 3.0
    run = simulate(aim(fly([40.0, 0.0, 0.0], (0.0, 0.0)), region(x=(place, place + width))))
    assert run.outcome == "goal" and run.time[-1] == pytest.approx(place / 40.0, rel=1e-14)
    both = aim(fly([40.0, 3.0, 0.0], (0.0, 0.0)), region(x=(place, place + width), y=(0.024, 0.026)))
    assert simulate(both).time[-1] == pytest.approx(place / 40.0, rel=1e-14)
    beside = dataclasses.replace(both, goals=(region(x=(place, place + width), y=(0.0251, 0.026)),))
    assert "goal" not in simulate(beside).events["kind"]


@pytest.mark.parametrize("above", [-1e-6, -1e-12, 1e-12, 1e-6])
def test_the_top_of_a_throw(above):
    """4 m/s upwards: the top is reached, or just not."""
    top = 16.0 / (2.0 * G)
    run = simulate(aim(fly([0.0, 4.0, 0.0]), region(y=(top + above, 9.0))))
    if above > 0.0:
        assert "goal" not in run.events["kind"] and run.time[-1] == 2.0
    else:
        assert run.time[-1] == pytest.approx(4.0 / G - math.sqrt(-2.0 * above / G), abs=2e-8 if above > -1e-9 else 1e-9)


@pytest.mark.parametrize("omega", [3.0, -3.0, 700.0, -700.0])
def test_angles_count_modulo_a_turn(omega):
    """A narrow range of angles, a turn and more off as typed."""
    low = 1.0 + 4.0 * math.pi
    run = simulate(aim(fly([0.0, 0.0, omega], (0.0, 0.0), 3.0), region(theta=(low, low + 1e-6))))
    way = 1.0 if omega > 0.0 else 2.0 * math.pi - 1.0 - 1e-6
    assert run.time[-1] == pytest.approx(way / abs(omega), rel=1e-12)


def test_the_frame_of_the_outline_counts():
    """Its origin is a corner, which turns about the centre of mass and passes x = 0 m on its way."""
    part = {"outline": {"vertices": [[0.0, 0.0], [0.2, 0.0], [0.2, 0.2], [0.0, 0.2]]}, "mass": 1.0,
            "pose": [-0.1, -0.1, 0.0], "velocity": [0.0, 0.0, 1.0]}
    scene = parse_scene(builders.build_scene(part, [], gravity=[0.0, 0.0], run={"duration": 4.0}))
    centre = np.array([scene.workpiece.pose.x, scene.workpiece.pose.y])
    assert scene.workpiece.origin == pytest.approx((-0.1, -0.1))
    run = simulate(dataclasses.replace(scene, goals=(region(x=(centre[0], centre[0] + 0.01)),)))
    assert run.time[-1] == pytest.approx(math.pi / 4.0, rel=1e-13)


def test_the_first_goal_in_time_ends_the_run_and_of_two_at_once_the_first_in_the_scene():
    early, late = region("early", x=(0.2, 0.25)), region("late", x=(0.3, 0.4))
    same, rest = region("same", x=(0.2, 0.3)), region("rest", x=(-9.0, 9.0), at_rest=True)
    assert simulate(aim(slide(), late, early, same, rest)).outcome == "early"
    assert simulate(aim(slide(), rest, same, early)).outcome == "same"
    assert simulate(aim(slide(), region("seen", x=(0.0, 9.0), stop=False), rest)).outcome == "rest"


def test_random_regions_against_rows(rng):
    """A box that tumbles and bounces: no row before the stop is in the region, and where no run stops none is."""
    floor = [builders.build_floor(half_length=10.0)]
    reached = 0
    for _ in range(12):
        velocity = rng.uniform([-1.0, -2.0, -20.0], [1.0, 2.0, 20.0])
        text = fly(velocity, pose=[0.0, 0.4, rng.uniform(-3.0, 3.0)], obstacles=floor, duration=0.6,
                   restitution={"default": 0.6})
        scene = parse_scene(text)
        rows = simulate(scene, output_interval=1e-3)
        for _ in range(4):
            aimed = rows.pose[rng.integers(len(rows))] + rng.uniform(-0.03, 0.03, 3)
            size = rng.uniform(0.001, 0.05, 3)
            goal = region(x=(aimed[0] - size[0], aimed[0] + size[0]), y=(aimed[1] - size[1], aimed[1] + size[1]),
                          theta=(aimed[2] - 5.0 * size[2], aimed[2] + 5.0 * size[2]))
            run = simulate(dataclasses.replace(scene, goals=(goal,)))
            inside = rows.time[is_inside(goal, scene.workpiece.origin, rows.pose)]
            stopped = run.events["kind"][-1] == "goal"
            reached += stopped
            assert not len(inside) or (stopped and run.time[-1] <= inside[0] + 1e-12)
            if stopped:
                assert run.outcome == "goal"
                assert len(inside) or not len(rows) or run.time[-1] <= 0.6
    assert reached > 10


def test_branches_stop_in_their_goals():
    goal = '\n[[goal]]\nname = "goal"\nx = [-99, 99]\nat_rest = false\nstop = true\n'
    tree = simulate_branches(parse_scene(builders.a09("iii") + goal))
    assert [tree.trajectory(leaf).outcome for leaf in tree.leaves] == ["goal"] * len(tree.leaves)
    assert all(tree.trajectory(leaf).time[-1] == 0.0 for leaf in tree.leaves) and len(tree.leaves) == 2


def test_goals_that_cannot_be_are_refused():
    with pytest.raises(SceneError, match="with stop, x needs two different values"):
        parse_scene(slide() + '[[goal]]\nname = "line"\nx = [1, 1]\nstop = true\n')
    text = slide() + "".join(f'[[goal]]\nname = "g{k}"\nx = [-1, {k}]\nstop = true\n' for k in range(65))
    with pytest.raises(SceneError, match="65 goals; valid: at most 64"):
        parse_scene(text)


# ---- leaving ---------------------------------------------------------------------------------------------------------


REACH = math.hypot(0.05, 0.05)
TABLE = [{"name": "table", "outline": builders.box_outline(-0.2, -0.5, 0.2, -0.1)}]


@pytest.mark.parametrize("velocity, gravity, time", [
    ((2.0, 0.0, 5.0), (0.0, 0.0), (0.2 + REACH) / 2.0),
    ((0.0, 2.0, 0.0), (0.0, 0.0), (0.05 + REACH) / 2.0),
    ((2.0, 8.0, 0.0), (0.0, -G), (0.2 + REACH) / 2.0),  # to the side before it falls back
    ((0.0, 0.0, 0.0), (0.0, 3.0), math.sqrt(2.0 * (0.05 + REACH) / 3.0)),
    ((-3.0, 0.0, 0.0), (4.0, 0.0), (3.0 + math.sqrt(9.0 + 8.0 * (0.2 + REACH))) / 4.0),  # out, and back, and out
])
def test_a_part_leaves_for_good(velocity, gravity, time):
    for side in (1.0, -1.0):
        text = fly(velocity, gravity, obstacles=TABLE)
        run = simulate(parse_scene(text if side > 0.0 else mirror_scene(text)))
        assert run.status.completed and run.outcome == "left the scene" and run.events["kind"][-1] == "left"
        assert run.time[-1] == pytest.approx(time, rel=1e-14) and "left the scene" in run.happened
        assert all(verdict.holds for verdict in check_log(run))


@pytest.mark.parametrize("change", [
    {"obstacles": ()}, {"gravity": (0.0, 0.0), "velocity": (0.0, 0.0, 1.0)}, {"drag": {"linear": 0.1}},
    {"load": [{"force": [0.0, 1.0], "sinusoid": [{"amplitude": [1.0, 0.0, 0.0], "frequency": 1.0}]}]},
])
def test_a_part_that_may_come_back_or_is_alone_runs_to_the_end(change):
    run = simulate(parse_scene(fly(**{"velocity": (2.0, 0.0, 0.0), "gravity": (0.0, 0.0), "obstacles": TABLE,
                                      **change})))
    assert run.time[-1] == 2.0 and "left" not in run.events["kind"]


def test_a_goal_below_all_that_is_there_is_reached():
    goal = region("bin", y=(-3.0, -2.0), x=(-9.0, 9.0), stop=False)
    run = simulate(aim(fly((2.0, 0.0, 0.0), obstacles=TABLE, duration=0.7, pose=(0.3, 0.0, 0.0)), goal))
    assert run.outcome == "bin" and run.time[-1] == 0.7
    stopped = simulate(aim(fly((2.0, 0.0, 0.0), obstacles=TABLE, pose=(0.3, 0.0, 0.0)),
                           dataclasses.replace(goal, stop=True)))
    assert stopped.outcome == "bin" and stopped.time[-1] == pytest.approx(2.0 / math.sqrt(G), rel=1e-14)


def test_obstacles_on_their_ways_are_waited_for():
    """A hand comes down from 1 m above and out again: the box is that of its whole way."""
    hand = {"name": "hand", "outline": builders.box_outline(-0.1, 1.0, 0.1, 1.1),
            "motion": {"waypoints": [[0.0, 0.0, 0.0, 0.0], [5.0, 3.0, 0.0, 0.0]]}}
    run = simulate(parse_scene(fly((2.0, 0.0, 0.0), (0.0, 0.0), obstacles=[*TABLE, hand], duration=5.0)))
    assert run.events["kind"][-1] == "left" and run.time[-1] == pytest.approx((3.1 + REACH) / 2.0, rel=1e-14)
