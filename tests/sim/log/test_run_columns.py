"""Columns of a run, tables and frames of it: known numbers, both sides of a jump, every name of every scene."""

import csv
import math
import sys

import numpy as np
import pytest

import scenes
from sim.log.columns.run_columns import (
    CONTACT_QUANTITIES,
    DERIVED,
    FIELDS,
    ColumnError,
    get_column,
    get_columns,
    list_columns,
)
from sim.log.columns.run_rows import extrapolate, find_jumps
from sim.log.columns.step_groups import CONTINUOUS, FAMILIES, STEP_GROUPS, TOLD
from sim.log.reading import read_trajectory
from sim.rows.records import SET_KINDS
from sim.run.branches import simulate_branches
from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from tests.sim.cli.test_names import NAMES, build_scene

G = 9.81
HOSTILE = ("a.b", "fn", "x,y", "</script><b>", "$a$", "a.b.fn", "= 1", '"')


@pytest.fixture(scope="module")
def slide():
    return simulate(load_scene("block_on_incline"))


@pytest.fixture(scope="module")
def bounce():
    return simulate(load_scene("bouncing_block"))


def test_every_field_has_its_place():
    """What jumps, what does not, and what a panel is called is said of each field once."""
    assert set(FAMILIES) | set(TOLD) | set(CONTINUOUS) == set(FIELDS)
    assert not set(TOLD) & set(CONTINUOUS)
    assert {field for fields in STEP_GROUPS.values() for field in fields} <= set(FIELDS)


def test_a_slide_has_the_forces_and_energies_of_the_textbook(slide):
    """m = 1 kg, 30 degrees, mu = 0.3: fn = m g cos, |ft| = mu fn against the slip, heat = |ft| times the way."""
    n = len(slide)
    fn, ft, way = G * math.cos(math.pi / 6), 0.3 * G * math.cos(math.pi / 6), 0.5 * 2.356287 * slide.time**2
    assert slide.column("contact.fn") == pytest.approx(np.full(n, fn), rel=1e-12)
    slip = slide.column("contact.slope.slip")
    assert np.abs(slip) == pytest.approx(2.356287 * slide.time, rel=1e-6, abs=1e-12)
    assert slide.column("contact.slope.ft") == pytest.approx(-ft * np.sign(slip[1]), rel=1e-12)
    assert slide.column("energy") == pytest.approx(-ft * way, rel=1e-6, abs=1e-12)
    assert slide.column("potential") == pytest.approx(-G * 0.5 * way, rel=1e-6, abs=1e-12)
    assert slide.column("speed") == pytest.approx(2.356287 * slide.time, rel=1e-6)
    # the whole force on the block but its weight: m a - m g
    assert slide.column("contact.fx") == pytest.approx(slide.column("ax"), rel=1e-9)
    assert slide.column("contact.fy") == pytest.approx(slide.column("ay") + G, rel=1e-9)
    assert np.abs(slide.column("contact.gap")).max() <= 1e-12


def test_a_bouncing_block_loses_its_energy_in_steps(bounce):
    """Dropped from 1 m with e = 0.5: after k impacts it rises to 4^-k m, and the energy is (4^-k - 1) m g h."""
    energy, y, times = bounce.column("energy"), bounce.column("y") - 0.1, bounce.time
    impacts = np.sqrt(2.0 / G) * np.cumsum([1.0, *(2.0 * 0.5**k for k in range(1, 6))])
    for k, (start, end) in enumerate(zip([0.0, *impacts[:-1]], impacts, strict=True)):
        inside = (times > start + 1e-9) & (times < end - 1e-9)
        assert energy[inside] == pytest.approx(np.full(inside.sum(), (0.25**k - 1.0) * G), abs=1e-9)
        height = 0.25**k - 0.5 * G * (times[inside] - 0.5 * (start + end if k else -end + end)) ** 2
        assert y[inside] == pytest.approx(height, abs=1e-9)
    assert energy[-1] == pytest.approx(-G, rel=1e-12) and bounce.column("contact.floor.fn")[-1] == pytest.approx(G)
    assert bounce.column("contact.floor.fn")[:40].tolist() == [0.0] * 40
    assert np.isnan(bounce.column("contact.floor.slip")[:40]).all()


def test_jumps_have_both_sides(bounce):
    """Just before an impact: the velocity of the event, the energy of the flight before; never a mixture of both."""
    jumps = find_jumps(bounce)
    first = np.flatnonzero(bounce.events["kind"] == "impact")[0]
    k = int(np.flatnonzero(bounce.time[jumps.places] == bounce.events["time"][first])[0])
    row = jumps.places[k]
    speed = math.sqrt(2.0 * G)
    for name, before, after in (("vy", -speed, 0.5 * speed), ("kinetic", G, 0.25 * G), ("speed", speed, 0.5 * speed),
                                ("energy", 0.0, -0.75 * G), ("work_impact", 0.0, -0.75 * G), ("y", 0.1, 0.1),
                                ("potential", -G, -G), ("work_load", G, G)):
        column = get_column(bounce, name)
        assert column.find_before(bounce, jumps)[k] == pytest.approx(before, abs=1e-9), name
        assert column.values[row] == pytest.approx(after, abs=1e-9), name
    assert get_column(bounce, "contact.floor.fn").find_before(bounce)[k] == 0.0
    assert get_column(bounce, "ay").find_before(bounce)[k] == pytest.approx(-G)


def test_obstacles_that_move_work_at_impacts():
    """A plate throws a block: what the impact adds beyond its losses is the plate's work, before and after."""
    run = simulate(load_scene("shaken_plate"), duration=0.5)
    jumps = find_jumps(run)
    total = sum(get_column(run, name).find_before(run, jumps) for name in (
        "work_load", "work_friction", "work_impact", "work_obstacles"))
    kinetic = get_column(run, "kinetic").find_before(run, jumps)
    assert (run.events["kind"] == "impact").sum() > 2
    assert kinetic - run.steps["kinetic"][0] == pytest.approx(total, abs=1e-9)
    own = np.isin(run.time[jumps.places], run.events["time"][run.events["kind"] == "impact"])
    lost = np.searchsorted(run.time, run.events["time"][~np.isin(run.events["time"], run.time)])  # events without a row
    flew = np.flatnonzero(own & (run.steps["n_contacts"][jumps.places - 1] == 0) & ~np.isin(jumps.places, lost))
    before = get_column(run, "work_obstacles").find_before(run, jumps)
    assert len(flew) > 2
    assert before[flew] == pytest.approx(run.steps["work_obstacles"][jumps.places[flew] - 1], abs=1e-9)
    assert (np.abs(run.steps["work_obstacles"][jumps.places[flew]] - before[flew]) > 1e-7).all()


def test_what_only_rows_tell_goes_on_along_a_line_to_the_event():
    times = np.array([0.0, 1.0, 2.0, 2.5, 3.0, 4.0])
    values = np.array([0.0, 1.0, 2.0, 9.0, 7.0, np.inf])  # rows 3, 4 and 5 begin at events
    assert extrapolate(times, values, np.array([0, 3, 4, 5])).tolist()[1:] == [2.5, 9.0, 7.0]
    assert np.isnan(extrapolate(times, values, np.array([0])))[0]
    kinds = np.array([1, 1, 2, 1, 1, 1])
    assert extrapolate(times, kinds, np.array([3, 4])).tolist() == [2.0, 1.0]
    assert extrapolate(times, np.array([0.0, 1.0, np.inf, 0.0, 0.0, 0.0]), np.array([3])).tolist() == [np.inf]


@pytest.mark.parametrize("name", scenes.names())
def test_every_column_of_every_scene_can_be_had(name):
    scene = load_scene(name)
    run = (simulate_branches(scene, duration=0.02).trajectory(0) if scene.run.choice == "branch" else
           simulate(scene, duration=0.02))
    listed = list_columns(run)
    names = [column for column, _, _ in listed]
    assert len(names) == len(set(names))
    assert set(FIELDS) - {"first_contact"} <= set(names) and set(DERIVED) <= set(names)
    assert ("depth" in names) == (scene.insertion is not None)
    moving = [other.name for other in scene.obstacles if other.name in run.obstacle_poses]
    assert {f"obstacle.{each}.theta" for each in moving} <= set(names)
    jumps = find_jumps(run)
    for each, unit, meaning in listed:
        column = get_column(run, each)
        assert (column.name, column.unit, column.meaning) == (each, unit, meaning)
        assert column.values.shape == (len(run),) and column.find_before(run, jumps).shape == jumps.places.shape
        assert each.startswith("contact.") or np.isfinite(column.values).all(), each
    for group in (*STEP_GROUPS, *(f"contact.{quantity}" for quantity in CONTACT_QUANTITIES)):
        assert {column.name for column in get_columns(run, group)} <= set(names)
    for obstacle, poses in run.obstacle_poses.items():
        assert np.array_equal(run.column(f"obstacle.{obstacle}.x"), poses[:, 0])


def test_unknown_names_say_what_there_is(slide):
    for name, said in (("velocty", "did you mean 'velocity'?"),
                       ("contact.slop.fn", "did you mean 'contact.slope.fn'?"),
                       ("depth", "names no hole"), ("contact.slope.fm", "contact.NAME.fn"),
                       ("obstacle.slope.x", "valid"), ("", "valid: time"),
                       ("contact.", "valid"), ("contact", "valid"), ("x" * 1000, "...")):
        with pytest.raises(ColumnError) as raised:
            get_columns(slide, name)
        assert said in str(raised.value) and len(str(raised.value)) < 1500, name
    with pytest.raises(ColumnError, match="3 columns; say which: x, y, theta"):
        slide.column("pose")
    with pytest.raises(ColumnError, match=r"no obstacle 'slop'; did you mean 'slope'\? \(valid: slope\)"):
        slide.contact("slop")


def test_contacts_of_one_obstacle(slide):
    rows = slide.contact("slope")
    assert len(rows) == len(slide.contacts) and not rows.flags.writeable
    assert np.array_equal(rows["fn"], slide.contacts["fn"])
    assert np.array_equal(rows["point"][:, 0], slide.contacts["px"])
    assert set(rows["letter"]) <= {"n", "r", "l"} and set(rows["type"]) == {"B"}
    for i in (0, 7, -1):
        step = range(len(slide))[i]
        assert np.array_equal(rows["ft"][rows["step"] == step], slide.contacts_at(i)["ft"])
        assert (rows["time"][rows["step"] == step] == slide.time[i]).all()


def test_contacts_are_those_of_their_obstacle_only():
    run = simulate(load_scene("ladder"), duration=0.1)
    names = [body.name for body in run.record.obstacles]
    parts = [run.contact(name) for name in names]
    assert sum(map(len, parts)) == len(run.contacts) and all(map(len, parts))
    total = sum(run.column(f"contact.{name}.fx") for name in names)
    assert total == pytest.approx(run.record.workpiece.mass * run.column("ax"), abs=1e-9)


def test_a_jam_is_unbounded():
    run = simulate(load_scene("pusher_to_wall"))
    assert run.column("contact.wall.fn")[-1] == math.inf and run.column("contact.finger.fn")[-1] == math.inf
    assert np.isfinite(run.column("contact.wall.fn")[:-1]).all()


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_csv_keeps_every_bit(bounce, tmp_path):
    head, *rows = read_csv(bounce.to_csv(tmp_path / "deep" / "b.csv"))
    assert len(rows) == len(bounce) and head[0] == "time [s]" and head[-1] == "events" and "set_kind" in head
    for place, title in enumerate(head[:-1]):
        name = title.partition(" [")[0]
        if name == "set_kind":
            assert {row[place] for row in rows} <= set(SET_KINDS)
            continue
        assert np.array_equal([float(row[place]) for row in rows], bounce.column(name), equal_nan=True), name
    words = [word for row in rows for word in row[-1].split("; ") if word]
    assert [word.partition(" at ")[0] for word in words] == bounce.events["kind"].tolist()
    for row in rows:
        assert ("impact" in row[-1].split("; ")) == (
            float(row[0]) in bounce.events["time"][bounce.events["kind"] == "impact"])


def test_csv_of_some_columns(slide, tmp_path):
    slide.save(tmp_path / "s.h5")
    path = read_trajectory(tmp_path / "s.h5").to_csv(tmp_path / "s.csv", ["velocity", "contact.fn", "time"])
    assert read_csv(path)[0] == ["time [s]", "vx [m/s]", "vy [m/s]", "omega [rad/s]", "contact.slope.fn [N]", "events"]
    with pytest.raises(ColumnError, match="valid"):
        slide.to_csv(tmp_path / "no.csv", ["nothing"])
    assert not (tmp_path / "no.csv").exists()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        slide.to_csv(tmp_path / "folder")


def test_events_without_a_row_tell_their_time():
    run = simulate(load_scene("peg_in_hole"))
    words = run.to_frame(["events"])["events"]
    (lost,) = [word for word in words if "uniqueness" in word]
    at = run.events["time"][run.events["kind"] == "uniqueness"][0]
    assert lost == f"impact; uniqueness at {float(at)!r} s"


def test_frames(bounce):
    pytest.importorskip("pandas")
    frame = bounce.to_frame()
    assert frame.index.name == "time" and np.array_equal(frame.index, bounce.time)
    assert np.array_equal(frame["vy"], bounce.column("vy")) and set(frame["set_kind"]) == {"one"}
    assert frame.attrs["units"]["contact.floor.fn"] == "N" and frame.attrs["units"]["ay"] == "m/s^2"
    assert "first_contact" not in frame and frame["events"].iloc[0] == "start"
    frame["vy"] = 0.0  # a copy
    assert bounce.column("vy").any()
    assert list(bounce.to_frame(["energy", "pose"])) == ["energy", "x", "y", "theta"]
    assert list(bounce.to_frame("energy")) == ["energy"]
    assert bounce.to_frame(["energy"])["energy"].loc[1.0:].max() < -G * 0.9


def test_frames_say_what_to_install(slide, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ColumnError, match="pip install pandas"):
        slide.to_frame()


@pytest.mark.parametrize("name", [*NAMES, *HOSTILE])
def test_names_of_obstacles_may_be_anything(name, tmp_path):
    run = simulate(build_scene(name), duration=0.05)
    obstacle = run.record.obstacles[0].name
    column = get_column(run, f"contact.{obstacle}.fn")
    assert column.name == f"contact.{obstacle}.fn" and column.values[-1] == pytest.approx(G)
    assert np.array_equal(run.column("contact.fn"), column.values)
    assert len(run.contact(obstacle)) == len(run.contacts)
    head = read_csv(run.to_csv(tmp_path / "a.csv", ["contact.fn"]))[0]
    assert head[1] == f"contact.{obstacle}.fn [N]"
    page = run._repr_html_()
    assert "<script" not in page and page.count("<b>") == 1 and page.count("<svg") == 1


def test_a_scene_with_two_alike_names_of_quantities():
    text = """
[workpiece]
outline = {box = [0.1, 0.1]}
mass = 1.0
pose = [0.0, 0.05, 0.0]
[[obstacle]]
name = "floor.fn"
outline = {vertices = [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]]}
[[obstacle]]
name = "floor"
outline = {vertices = [[2, -0.1], [3, -0.1], [3, 0], [2, 0]]}
[friction]
default = 0.5
[run]
duration = 0.1
"""
    run = simulate(parse_scene(text))
    assert run.column("contact.floor.fn.fn")[-1] == pytest.approx(G)
    assert run.column("contact.floor.fn").tolist() == [0.0] * len(run)
