"""Reports of users of other programs as tests: seams, bad polygons, overlap, narrow clearances, repeatability."""

import dataclasses
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from geometry.shapes.polygon import Polygon
from geometry.shapes.pose import Pose
from sim import simulate
from sim.scene.build import parse_scene
from sim.scene.scene_errors import SceneError
from tests import scene_builders as builders
from tests.sim.motion import (
    check_laws,
    get_kinds,
    get_times,
    measure_depth,
    mirror_scene,
    place_points,
    relabel_scene,
    run,
    shift_scene,
    turn_scene,
)

G = builders.G
BOX = [[-0.05, 0.0], [0.05, 0.0], [0.05, 0.1], [-0.05, 0.1]]


# ------------------------------------------------------------------------------------------------------ A10: level seam


@pytest.mark.parametrize("overlap", [0.0, 1e-12])
@pytest.mark.parametrize("angle", [0.0, 0.3, -2.0])
def test_a10_a_seam_is_not_felt_without_friction(overlap, angle):
    trajectory = run(turn_scene(builders.a10(0.0, overlap), angle))
    check_laws(trajectory)
    start = np.array([-0.5 * math.cos(angle), -0.5 * math.sin(angle)])
    travel = trajectory.pose[-1, :2] - trajectory.pose[0, :2]
    np.testing.assert_allclose(travel, -2.0 * start, rtol=0, atol=1e-9)
    np.testing.assert_allclose(trajectory.velocity[-1], [2 * math.cos(angle), 2 * math.sin(angle), 0.0], atol=1e-9)
    assert "impact" not in get_kinds(trajectory) and len(trajectory.impulses) == 0
    assert abs(trajectory.pose[:, 2] - angle).max() < 1e-9


@pytest.mark.parametrize("overlap", [0.0, 1e-12])
@pytest.mark.parametrize(
    "way", [lambda text: text, mirror_scene, lambda text: relabel_scene(text, 1), lambda text: turn_scene(text, 0.9)]
)
def test_a10_a_seam_is_not_felt_with_friction(overlap, way):
    trajectory = run(way(builders.a10(0.3, overlap, duration=1.0)))
    check_laws(trajectory)
    travel = trajectory.pose[-1] - trajectory.pose[0]
    assert abs(math.hypot(*travel[:2]) - 4.0 / 5.886) < 1e-9 and abs(travel[2]) < 1e-9
    assert abs(get_times(trajectory, "rest")[0] - 4.0 / 5.886) < 1e-9
    assert "impact" not in get_kinds(trajectory)
    assert len(set(trajectory.contacts["obstacle"])) == 2


@pytest.mark.parametrize("overlap", [0.0, 1e-12])
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a10_dropped_flat_on_the_seam(overlap, mu):
    trajectory = run(builders.a10(mu, overlap, dropped=True))
    check_laws(trajectory)
    np.testing.assert_allclose(trajectory.pose[-1], [0.0, 0.05, 0.0], rtol=0, atol=1e-12)
    assert get_kinds(trajectory)[-1] == "rest" and (trajectory.pose[:, 1] > 0.05 - 1e-12).all()
    np.testing.assert_allclose(get_times(trajectory, "impact"), [math.sqrt(0.2 / G)], rtol=0, atol=1e-12)


@pytest.mark.parametrize("step", [1e-6, 1e-3])
def test_a10_a_real_step_is_felt(step):
    scene = parse_scene(builders.a10())
    left, right = scene.obstacles
    lifted = dataclasses.replace(right, pose=Pose(0.0, step, 0.0))
    trajectory = simulate(dataclasses.replace(scene, obstacles=(left, lifted)))
    check_laws(trajectory)
    assert abs(get_times(trajectory, "impact")[0] - 0.225) < 1e-9


# --------------------------------------------------------------------------------------------------------- A17: overlap


@pytest.mark.parametrize("angle", [0.0, 0.4])
def test_a17_overlap_is_refused(angle):
    with pytest.raises(SceneError) as caught:
        run(turn_scene(builders.a17(), angle))
    found = re.search(r"'box' overlaps obstacle 'floor' at the start: (\S+) m deep", str(caught.value))
    assert abs(float(found[1]) - 0.001) < 1e-9
    with pytest.raises(SceneError, match="'box' lies wholly inside obstacle 'floor'"):
        run(turn_scene(builders.a17(-0.5), angle))
    check_laws(run(turn_scene(builders.a17(0.0), angle), 0.1))


def test_a17_overlap_of_a_scene_made_by_hand_is_refused_before_the_first_step():
    scene = parse_scene(builders.a17(0.0))
    lower = dataclasses.replace(scene.workpiece, pose=Pose(0.0, 0.049, 0.0))
    with pytest.raises(SceneError, match=r"'box' overlaps obstacle 'floor'.* 0\.001 m deep"):
        simulate(dataclasses.replace(scene, workpiece=lower))


# ---------------------------------------------------------------------------------------------------- A19: bad polygons


@pytest.fixture(scope="module")
def plain_square():
    return run(builders.a19("plain"))


@pytest.mark.parametrize("variant", builders.A19_ACCEPTED)
def test_a19_accepted_outlines_move_alike(variant, plain_square):
    trajectory = run(builders.a19(variant))
    check_laws(trajectory)
    travel = trajectory.pose[-1] - trajectory.pose[0]
    assert abs(travel[0] - 0.5 / (0.3 * G)) < 1e-12 and abs(travel[1:]).max() < 1e-12
    assert abs(travel[0] - 0.169894665) < 1e-9
    assert abs(get_times(trajectory, "rest")[0] - 1.0 / (0.3 * G)) < 1e-12
    np.testing.assert_allclose(trajectory.pose[-1], plain_square.pose[-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(trajectory.time, plain_square.time, rtol=0, atol=1e-12)
    assert (trajectory.steps["set_kind"] == 1).all()


def test_a19_foot_points_in_a_row_move_like_a_plain_square(plain_square):
    """Contact points that no simplification removes: feet at four points, the two in the middle redundant."""
    feet = [[0.0, 0.0], [0.02, 0.01], [0.04, 0.0], [0.05, 0.01], [0.06, 0.0], [0.08, 0.01], [0.1, 0.0], [0.1, 0.1],
            [0.0, 0.1]]  # fmt: skip
    trajectory = run(builders.slope_block({"vertices": feet}, 0.0, 0.3, 0.5, speed=1.0))
    check_laws(trajectory)
    assert abs(trajectory.pose[-1, 0] - trajectory.pose[0, 0] - 0.5 / (0.3 * G)) < 1e-12
    assert trajectory.mode_at(0) == "rrrr" and trajectory.mode_at(-1) == "nnnn"
    assert (trajectory.steps["set_kind"] == 1).all()


@pytest.mark.parametrize("variant", builders.A19_REFUSED)
def test_a19_refused_outlines(variant):
    words = {
        "bow-tie": r"crosses itself at \(0\.05, 0\.05\)",
        "line": "zero area",
        "two points": "three distinct points",
        "nan": r"vertex 2 is \[0\.1, nan\].*must be finite",
    }
    with pytest.raises(SceneError, match=words[variant]):
        run(builders.a19(variant))


def test_a19_a_bracket_is_not_its_hull():
    bracket = Polygon.from_vertices(builders.L_BRACKET_MM, "mm")
    assert abs(bracket.area - 700e-6) < 1e-15 and abs(bracket.centroid - 0.013571429).max() < 1e-9
    assert abs(bracket.rho - 16.423395e-3) < 1e-9
    # A pin in the notch touches nothing and is met by the inner faces.
    pin = {"name": "pin", "outline": {"unit": "mm", **builders.box_outline(20, 20, 24, 24)}}
    part = {"name": "L", "outline": {"unit": "mm", "vertices": builders.L_BRACKET_MM}, "mass": 0.1,
            "velocity": [0.0, 0.1, 0.0]}  # fmt: skip
    trajectory = run(builders.build_scene(part, [pin], gravity=[0.0, 0.0], friction={"default": 0.2},
                                          run={"duration": 0.2}))  # fmt: skip
    check_laws(trajectory)
    np.testing.assert_allclose(get_times(trajectory, "impact")[0], 0.1, rtol=0, atol=1e-12)


# ----------------------------------------------------------------------------------------------------- A24: peg in hole


@pytest.mark.parametrize("clearance_mm", [0.02, 0.002, 2e-5, 2e-6])
@pytest.mark.parametrize("side", [0.0, 1.0, -1.0])
def test_a24_a_peg_falls_through_any_clearance(clearance_mm, side):
    offset = side * 0.45 * clearance_mm  # almost at one wall
    trajectory = run(builders.a24(clearance_mm, offset))
    check_laws(trajectory)
    assert get_kinds(trajectory) == ["start", "impact", "rest"]
    assert trajectory.scene.obstacles[trajectory.events["obstacle"][1]].name == "bottom"
    assert abs(trajectory.events["time"][1] - math.sqrt(2 * 0.031 / G)) < 1e-9
    np.testing.assert_allclose(trajectory.pose[-1], [offset / 1000.0, -0.01, 0.0], rtol=0, atol=1e-9)


def test_a24_without_clearance_an_aligned_peg_enters():
    trajectory = run(builders.a24(0.0))
    check_laws(trajectory)
    np.testing.assert_allclose(trajectory.pose[-1], [0.0, -0.01, 0.0], rtol=0, atol=1e-9)
    assert abs(get_times(trajectory, "impact")[-1] - math.sqrt(2 * 0.031 / G)) < 1e-9


@pytest.mark.parametrize("offset_mm", [1e-3, -1e-3, 1e-6, -1e-6])
def test_a24_without_clearance_a_peg_beside_the_hole_is_stopped_at_the_mouth(offset_mm):
    trajectory = run(builders.a24(0.0, offset_mm))
    check_laws(trajectory)
    first = int(np.flatnonzero(np.array(get_kinds(trajectory)) == "impact")[0])
    name = trajectory.scene.obstacles[trajectory.events["obstacle"][first]].name
    assert name == ("right" if offset_mm > 0 else "left")
    assert abs(trajectory.events["time"][first] - math.sqrt(2 * 0.001 / G)) < 1e-9
    # the corner that met the mouth never goes below it, and the peg never reaches the bottom
    corner = [[math.copysign(0.005, offset_mm), 0.0]]
    for i in range(len(trajectory)):
        assert place_points(trajectory, corner, i)[0, 1] > -1e-12
    assert "bottom" not in {trajectory.scene.obstacles[k].name for k in trajectory.contacts["obstacle"]}


@pytest.mark.parametrize("offset_mm", [0.1, -0.1])
def test_a24_an_oblique_peg_jams_or_goes_but_never_overlaps(offset_mm):
    for tilt in (0.001, 0.01, 0.03, -0.02):
        scene = parse_scene(builders.a24(0.02, offset_mm))
        part = dataclasses.replace(scene.workpiece, pose=Pose(offset_mm / 1000.0, 0.0215, tilt))
        trajectory = simulate(dataclasses.replace(scene, workpiece=part))
        check_laws(trajectory)


# ---------------------------------------------------------------------------------------------------------- A28: masses


@pytest.mark.parametrize("mass", [1e-9, 1e-3, 1.0, 1e6, 1e9])
def test_a28_mass_does_not_matter(mass):
    trajectory = run(builders.a28(mass))
    check_laws(trajectory)
    assert abs(get_times(trajectory, "rest")[0] - 0.3397893306) < 1e-9
    assert abs(trajectory.pose[-1, 0] - trajectory.pose[0, 0] - 0.1698946653) < 1e-9
    np.testing.assert_allclose(trajectory.contacts_at(0)["fn"].sum() / mass, G, rtol=1e-12)
    np.testing.assert_allclose(trajectory.contacts_at(0)["ft"].sum() / mass, -0.3 * G, rtol=1e-12)


# ------------------------------------------------------------------------------------------------------- C05: same bits


def digest(trajectory) -> str:
    import hashlib

    tables = (trajectory.steps, trajectory.contacts, trajectory.event_rows, trajectory.impulses)
    return hashlib.sha256(b"".join(table.tobytes() for table in tables)).hexdigest()


C05 = builders.a05("c", 30.1, duration=5.0)


def test_c05_same_bits_in_one_process():
    first = digest(run(C05, output_interval=0.01))
    assert digest(run(C05, output_interval=0.01)) == first
    run(builders.a24(0.02, 0.005))
    run(builders.s7b())
    assert digest(run(C05, output_interval=0.01)) == first


def test_c05_same_bits_in_a_fresh_process():
    code = (
        "from tests.sim.engine.test_open_cases_contact import C05, digest, run\n"
        "print(digest(run(C05, output_interval=0.01)))"
    )
    root = Path(__file__).parents[3]
    result = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert result.stdout.split()[-1] == digest(run(C05, output_interval=0.01))


def test_c05_output_is_observation():
    """Output times and a saved log change no bit of the motion."""
    coarse, fine = run(C05), run(C05, output_interval=0.001)
    assert coarse.events.tobytes() == fine.events.tobytes()
    assert coarse.pose[-1].tobytes() == fine.pose[-1].tobytes()


def test_a_scene_at_another_place_moves_alike():
    plain, moved = run(builders.s5()), run(shift_scene(builders.s5(), 3.0, -7.0))
    np.testing.assert_allclose(moved.pose[-1] - moved.pose[0], plain.pose[-1] - plain.pose[0], rtol=0, atol=1e-10)
    assert measure_depth(moved, -1) < 1e-12
