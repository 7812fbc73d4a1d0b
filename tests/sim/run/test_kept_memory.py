"""What a run of `simulate` leaves for the next one, work memory and checks that need not be made twice, changes no
result."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

import scenes
from geometry.shapes.union.overlap import is_apart, measure_overlap
from sim.run.simulation import override_run, simulate
from sim.scene.build import load_scene
from sim.scene.scene_errors import OverlapError, SceneError

SCENE = "block_on_incline"


def collect(trajectory):
    return [table.copy() for table in (trajectory.steps, trajectory.contacts, trajectory.event_rows)]


def assert_same(trajectory, tables) -> None:
    for own, table in zip(collect(trajectory), tables, strict=True):
        assert (own == table).all()


def test_a_trajectory_owns_its_rows():
    first = simulate(load_scene(SCENE))
    tables = collect(first)
    simulate(load_scene("wedge_in_slot"))
    simulate(load_scene(SCENE), duration=0.1, output_interval=0.001)
    assert_same(first, tables)
    assert_same(simulate(load_scene(SCENE)), tables)


def test_a_run_within_a_callback_of_another_has_memory_of_its_own():
    tables, other = collect(simulate(load_scene(SCENE))), collect(simulate(load_scene("wedge_in_slot")))
    within = []
    outer = simulate(load_scene(SCENE), progress=lambda time: within.append(simulate(load_scene("wedge_in_slot"))))
    assert within
    assert_same(outer, tables)
    assert_same(within[-1], other)


@pytest.mark.parametrize("name", scenes.names())
def test_a_scene_object_can_be_run_again(name):
    """...and within a run of itself: what it is described by is made once, unless something moves."""
    scene = load_scene(name, overrides={"run.duration": 0.05})
    tables, within = collect(simulate(scene)), []
    outer = simulate(scene, progress=lambda time: within.append(simulate(scene)))
    for trajectory in (outer, within[-1], simulate(scene), simulate(replace(scene))):
        assert_same(trajectory, tables)


def test_runs_in_threads_have_memory_of_their_own():
    tables = collect(simulate(load_scene(SCENE)))
    found = []
    threads = [threading.Thread(target=lambda: found.extend(simulate(load_scene(SCENE)) for _ in range(5)))
               for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 15
    for trajectory in found:
        assert_same(trajectory, tables)


def test_settings_that_are_equal_but_of_another_type_are_checked():
    scene = load_scene(SCENE)
    assert override_run(scene, 1.0, {}).duration == 1.0
    with pytest.raises(SceneError, match="duration"):
        override_run(scene, True, {})
    with pytest.raises(SceneError, match="duration"):
        override_run(scene, [1.0], {})


def test_a_start_that_overlaps_is_refused_every_time():
    scene = load_scene(SCENE)
    pose = scene.workpiece.pose
    low = replace(scene, workpiece=replace(scene.workpiece, pose=pose._replace(y=pose.y - 0.01)))
    simulate(scene)
    for _ in range(2):
        with pytest.raises(OverlapError):
            simulate(low)
    simulate(scene)


@pytest.mark.parametrize("seed", range(200))
def test_outlines_that_an_edge_parts_do_not_overlap(seed):
    rng = np.random.default_rng(seed)
    around = (np.arange(6) + rng.uniform(0.0, 0.9, size=(2, 6))) * np.pi / 3.0
    part, other = (np.column_stack([np.cos(a), np.sin(a)]) * rng.uniform(0.5, 1.0, size=(6, 1)) for a in around)
    other = other + rng.uniform(-2.0, 2.0, size=2)
    if is_apart(part, other, 1e-12):
        assert measure_overlap(part, other)[0] <= 1e-12
