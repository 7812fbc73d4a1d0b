"""Plans of tilts: the search against all sequences of tilts in trays made up of tables, and parts in trays by runs."""

import math
from itertools import pairwise, product

import numpy as np
import pytest

import stiction
from sim.cli import main
from sim.feeding.tilt_plan import NoPlanError, _TiltSearch, plan_tilts, replay_tilts
from sim.feeding.tray import Outcomes, TiltPose, Tray
from sim.scene.build import parse_scene

DOWN, RIGHT, UP, LEFT = -math.pi / 2, 0.0, math.pi / 2, math.pi
TRAY = """# A part in a tray of 100 mm
[workpiece]
name = "part"
outline = OUTLINE
mass = 0.05

[[obstacle]]
name = "tray"
outline = {vertices = [[-60, -60], [60, -60], [60, 60], [-60, 60]], unit = "mm", holes = [
    {vertices = [[-50, -50], [-50, 50], [50, 50], [50, -50]]}]}
mu = 0.2
"""
L = '{vertices = [[0, 0], [40, 0], [40, 10], [10, 10], [10, 40], [0, 40]], unit = "mm"}'
TRIANGLE = '{vertices = [[0, 0], [40, 0], [0, 30]], unit = "mm"}'
BOX = '{box = [40, 20], unit = "mm"}'


def build(outline):
    return parse_scene(TRAY.replace("OUTLINE", outline))


# ---- the search ------------------------------------------------------------------------------------------------------


class TableTray:
    """A tray whose tilts are a table: lead[angle][pose] is the set of poses in which it may end."""

    def __init__(self, lead, rate=None):
        self.lead, self.rate, self.n_runs = lead, rate, 0
        self.poses = [TiltPose(k, (0.0, 0.0, 0.0), (), True) for k in range(len(lead[0]))]

    def release(self, start, angle, before=None):
        return self.tilt(start, angle, before)

    def tilt(self, number, angle, before):
        ends = self.lead[int(angle)][number]
        return Outcomes(frozenset(ends - {-1}), "lost" if -1 in ends else "")


@pytest.mark.parametrize("seed", range(40))
def test_the_shortest_plan_is_that_of_all_sequences(seed):
    rng = np.random.default_rng(seed)
    n, angles = int(rng.integers(2, 6)), (0.0, 1.0, 2.0)
    lead = [[{int(rng.integers(n))} for _ in range(n)] for _ in angles]
    lead[0][0].add(int(rng.integers(n)))  # not unique
    lead[2][int(rng.integers(n))].add(-1)  # may get lost

    def follow(sequence):
        held = set(range(n))
        for angle in sequence:
            held = set().union(*(lead[int(angle)][pose] for pose in held))
            if -1 in held:
                return held
        return held

    shortest = next((length for length in range(1, 6) for sequence in product(angles, repeat=length)
                     if len(follow(sequence)) == 1 and -1 not in follow(sequence)), None)
    search = _TiltSearch(TableTray(lead), angles, None)
    if shortest is None:
        with pytest.raises(NoPlanError, match="no plan"):
            search.find(tuple(range(n)), 5)
        return
    way = search.find(tuple(range(n)), 5)
    assert len(way) == shortest
    assert follow([angle for angle, _ in way]) == way[-1][1] and len(way[-1][1]) == 1


# ---- parts in trays --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.1, 0.3])
def test_a_triangle_in_a_tray_ends_in_one_pose_from_72_starts(mu):
    plan = plan_tilts(build(TRIANGLE), [DOWN, RIGHT, UP, LEFT], mu=mu, starts=12)
    assert plan.pose.fixed and len(plan.tilts[-1].poses) == 1 and plan.mus == (mu,)
    (end,) = replay_tilts(plan, 72)
    assert end.contacts == plan.pose.contacts
    assert np.abs(np.subtract(end.pose, plan.pose.pose)).max() < 1e-9


def test_a_tilt_that_hangs_on_friction_leads_to_all_its_outcomes():
    """A box on end, let go on a wall that gravity leans from: it slides where friction is low, and tips over its corner
    where it is more than a half, the half width over the half height."""
    scene, start = build(BOX), (0.0, -0.03, math.pi / 2)
    low, high = (Tray(scene, (mu,)) for mu in (0.1, 0.45))
    both = Tray(scene, (0.1, 0.45))
    angle = DOWN + math.atan(0.3)  # steeper than the low friction allows
    ends = [[tray.poses[k].contacts for k in tray.release(start, angle).poses] for tray in (low, high, both)]
    assert ends[0] != ends[1] and sorted(ends[0] + ends[1]) == sorted(ends[2])


def test_poses_that_symmetry_makes_alike_are_one_and_places_along_a_wall_are_not():
    tray = Tray(build(BOX))
    numbers = [tray.meet(pose) for pose in (
        (-0.03, -0.04, 0.0), (-0.03, -0.04, math.pi), (-0.03, -0.04, -math.pi - 1e-12), (0.0, -0.04, 0.0),
        (-0.04, -0.03, math.pi / 2), (-0.04, -0.03, -math.pi / 2))]
    assert numbers == [0, 0, 0, 1, 2, 2]
    assert [pose.fixed for pose in tray.poses] == [True, False, True]
    assert tray.poses[1].describe() == "v0 v1 on wall 7 of tray"


def test_all_tilts_in_one_run_are_the_tilts_one_after_the_other():
    angles = [DOWN, RIGHT, UP]
    for rate in (None, 3.0):
        tray = Tray(build(TRIANGLE), (0.15,), 0.2, rate)
        for start in tray.sample_starts(3):
            (at_once,) = tray.run_all(start, angles).poses
            (number,) = tray.release(start, angles[0]).poses
            for before, angle in pairwise(angles):
                (number,) = tray.tilt(number, angle, before).poses
            assert number == at_once


def test_starts_are_in_the_tray_and_all_round():
    tray = Tray(build(L))
    starts = np.array(list(tray.sample_starts(12, 0.3)))
    assert np.abs(starts[:, :2]).max() < 0.05
    assert np.diff(starts[:, 2]) == pytest.approx(2 * math.pi / 12)


OPEN = [[-110, -10], [110, -10], [110, 60], [100, 60], [100, 0], [-100, 0], [-100, 60], [-110, 60]]


def test_a_tilt_that_may_lose_the_part_is_not_taken():
    text = TRAY.replace("OUTLINE", BOX).partition("[[obstacle]]")[0] + 'pose = [0, "20 mm", 0]\n'
    scene = parse_scene(text + f"""[[obstacle]]
name = "tray"
outline = {{vertices = {OPEN}, unit = "mm"}}
mu = 0.1
""")
    with pytest.raises(NoPlanError, match="90 deg is not taken, for of the part may become: left the scene"):
        plan_tilts(scene, [UP, DOWN], starts=6, most_tilts=2)


@pytest.mark.parametrize("changes, message", [
    ({"gravity": [0, 0]}, "gravity is 0"),
    ({"load.0.force": [1, 0]}, "nothing but gravity moves"),
    ({"obstacle.tray.motion": {"velocity": [1, 0]}}, "obstacles that stand still"),
])
def test_scenes_that_are_no_trays(tmp_path, changes, message):
    text = TRAY.replace("OUTLINE", BOX)
    text += "[[load]]\nforce = [0, 0]\n" if "load.0.force" in changes else ""
    scene = parse_scene(text, changes)
    with pytest.raises(stiction.SceneError, match=message):
        plan_tilts(scene, [DOWN])


@pytest.mark.parametrize("settings, message", [
    ({"angles": []}, "one finite number or more"),
    ({"mu": (0.3, 0.1)}, "an interval"),
    ({"rate": 0.0}, "must be positive"),
    ({"starts": 0}, "must be 1 or more"),
])
def test_settings_that_are_not_valid(settings, message):
    with pytest.raises(stiction.StictionError, match=message):
        plan_tilts(build(BOX), **{"angles": [DOWN], **settings})


def test_the_command_prints_draws_and_replays(tmp_path, capsys):
    path, picture = tmp_path / "tray.toml", tmp_path / "tray.png"
    path.write_text(TRAY.replace("OUTLINE", TRIANGLE))
    words = ["plan", "tilts", path, "--starts", "12", "--replay", "6", "--mu", "0.3", "--plot", picture]
    with pytest.raises(SystemExit) as end:
        main([*map(str, words)])
    out, _ = capsys.readouterr()
    assert (end.value.code or 0) == 0 and "bring part into one pose" in out
    assert "all end in this pose." in out and picture.read_bytes()[:4] == b"\x89PNG"
    with pytest.raises(SystemExit) as end:
        main([*map(str, words), "--most-tilts", "1"])
    assert end.value.code == 1 and "there is no plan of up to 1 tilts" in capsys.readouterr().out
    for more, message in ((["--mu", "0:1:2"], "LOW:HIGH"), (["--rate", "fast"], "--rate fast: must be")):
        with pytest.raises(SystemExit) as end:
            main([*map(str, words), *more])
        assert end.value.code == 2 and message in capsys.readouterr().err
