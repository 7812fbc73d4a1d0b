"""Maps of solutions: the known boundary of the Painleve rod, the answers of one state at a time, and exact ends."""

import math

import numpy as np
import pytest

from dynamics import find_accelerations
from sim import compute_map, load_scene
from sim.instant.instant import contact_problem
from sim.scene.build import parse_scene
from sim.scene.scene_errors import OverlapError, SceneError
from sim.show.plots.draw_map import draw_map, find_borders
from sim.study.solution_map import Axis, MapError, parse_axis, read_axis
from tests import scene_builders as builders

LENGTH, G = 0.5, 9.81  # of the rod: from its tip to its centre of mass


def predict_rod(theta, omega, mu, rho):
    """Kind by the closed form for the rod that slides to the left, and how far it is from changing (relative).

    A = 1 + cos (cos - mu sin) / kappa, b0 = l omega^2 sin - g (Champneys and Varkonyi 2016): for b0 < 0 one
    acceleration if A > 0, else none; for b0 > 0 one if A > 0 (separation), else two.
    """
    c, s = math.cos(theta), math.sin(theta)
    A = 1.0 + c * (c - mu * s) / (rho / LENGTH) ** 2
    b0 = LENGTH * omega**2 * s - G
    kind = "one" if A > 0.0 else "several" if b0 > 0.0 else "none"
    return kind, min(abs(A), abs(b0) / G)


@pytest.mark.parametrize("second, span", [("workpiece.velocity.omega", (0.0, 9.0)), ("friction.default", (0.2, 3.0))])
def test_painleve_rod_shows_the_known_boundary(second, span):
    scene = load_scene("painleve_rod")
    solutions = compute_map(scene, "workpiece.pose.theta=2:88 deg:44", f"{second}={span[0]}:{span[1]}:29", hold=0)
    compared = {}
    for row, value in enumerate(solutions.y.values):
        for column, degrees in enumerate(solutions.x.values):
            omega, mu = (value, 2.0) if second.endswith("omega") else (6.0, value)
            kind, distance = predict_rod(math.radians(degrees), omega, mu, scene.workpiece.rho)
            if distance > 1e-6:
                assert solutions.names[row, column] == kind, (degrees, value)
                compared[kind] = compared.get(kind, 0) + 1
    assert sum(compared.values()) > 0.99 * solutions.kinds.size
    assert set(compared) == {"none", "one", "several"} and min(compared.values()) > 30
    assert (solutions.members[solutions.names == "several"] == 2).all()


@pytest.mark.parametrize("name, x, y", [
    ("erdmann_figure_5", "load.0.force.fx=-5:3:9", "load.0.force.fy=-2:2:9"),
    ("ladder", "friction.default=0:2:6", "workpiece.velocity.vx=0:0.4:3"),
    ("three_point_block", "workpiece.rho=0.3:3:4", "workpiece.mass=0.5:2:3"),
])
def test_each_cell_is_what_one_state_says(name, x, y):
    solutions = compute_map(load_scene(name), x, y)
    for row, column in np.ndindex(solutions.kinds.shape):
        values = {axis.key: axis.get_value(i) for axis, i in ((solutions.x, column), (solutions.y, row))}
        problem, contacts = contact_problem(load_scene(name, values))
        found = find_accelerations(problem)
        kind = "impact" if any(c["gap_rate"] < 0.0 for c in contacts) else found.kind if contacts else "free"
        assert solutions.names[row, column] == kind
        if kind in ("one", "several"):
            assert solutions.members[row, column] == len(found.pieces)


def test_figure_5_has_three_where_the_paper_block_is_pushed():
    solutions = compute_map(load_scene("erdmann_figure_5"), "load.0.force.fx=-5:-3:3", "load.0.force.fy=0.5:1:2")
    assert solutions.members[1, 1] == 3 and solutions.names[1, 1] == "several"
    assert solutions.count()["several"] >= 1


def test_a_scene_without_a_load_takes_one():
    """The block on a slope of 30 degrees, mu = 0.3: it stays as it is up to the weight, then flies."""
    scene = load_scene("block_on_incline")
    pushed = compute_map(scene, "load.0.force.fy=0:20:2", "load.0.force.fx=0:1:2")
    assert pushed.names.tolist() == [["one", "one"]] * 2 and pushed.build_scene(1, 1).load == (1.0, 20.0, 0.0)
    assert load_scene("block_on_incline", {"load.0.torque": 1.0}).load == (0.0, 0.0, 1.0)
    assert scene.load == load_scene("block_on_incline").load == (0.0, 0.0, 0.0)


def test_what_has_no_closed_contact_overlaps_or_strikes():
    box = parse_scene(builders.slope_block(builders.standing_box(0.1, 0.1), mu=0.3))
    solutions = compute_map(box, "workpiece.velocity.vy=-1:1:3", "workpiece.pose.y=-0.01:0.01:3")
    assert solutions.names.tolist() == [["overlap"] * 3, ["impact", "one", "free"], ["free"] * 3]
    assert solutions.count() == {"one": 1, "free": 4, "impact": 1, "overlap": 3}
    with pytest.raises(OverlapError):
        solutions.build_scene(0, 0)
    assert solutions.build_scene(2, 1).workpiece.pose.y == pytest.approx(0.06, abs=1e-15)


def test_continuum():
    walls = [{"name": name, "outline": builders.box_outline(x, -1.0, x + 0.5, 1.0)}
             for name, x in (("left", -1.5), ("right", 1.0))]
    bar = {"name": "bar", "outline": {"box": [2.0, 0.2]}, "mass": 1.0}
    scene = parse_scene(builders.build_scene(bar, walls, friction={"default": 0.5}))
    solutions = compute_map(scene, "friction.default=0:1:3", "workpiece.mass=1:2:2")
    assert solutions.names.tolist() == [["one", "continuum", "continuum"]] * 2


def edge_on_post(theta=0.3, slip=0.4, omega=0.5):
    """A bar whose lower edge lies on the tip of a post and slides over it: a contact of type A."""
    post = {"name": "post", "outline": {"vertices": [[0.0, 0.0], [-0.1, -1.0], [0.1, -1.0]]}}
    c, s = math.cos(theta), math.sin(theta)
    x, y = 0.2 * c - 0.05 * s, 0.2 * s + 0.05 * c  # centre of mass, seen from the tip
    # the point of the bar on the tip moves along the edge
    velocity = [slip * c - omega * y, slip * s + omega * x, omega]
    bar = {"name": "bar", "outline": builders.box_outline(-0.3, 0.0, 0.7, 0.1), "mass": 1.0, "pose": [0.0, 0.0, theta],
           "velocity": velocity}
    return parse_scene(builders.build_scene(bar, [post], friction={"default": 0.5}))


@pytest.mark.parametrize("make, kind", [(lambda: load_scene("painleve_rod"), "B"), (edge_on_post, "A")])
def test_held_contact_keeps_place_and_slip(make, kind):
    scene = make()
    (before,) = contact_problem(scene)[1]
    assert before["type"] == kind
    solutions = compute_map(scene, "workpiece.pose.theta=20:50 deg:4", "workpiece.velocity.omega=-3:4:3", hold=0)
    assert not {"free", "impact", "overlap"} & set(solutions.count())
    for row, column in np.ndindex(3, 4):
        cell = solutions.build_scene(row, column)
        assert cell.workpiece.pose.theta == pytest.approx(math.radians(20 + 10 * column), abs=1e-15)
        assert cell.workpiece.velocity[2] == (-3.0, 0.5, 4.0)[row]
        (after,) = contact_problem(cell)[1]
        np.testing.assert_allclose(after["point"], before["point"], atol=1e-15)
        assert after["slip"] == pytest.approx(before["slip"], abs=1e-14) and after["type"] == kind
        if kind == "A":
            angle = math.atan2(after["normal"][1], after["normal"][0])
            assert angle == pytest.approx(math.radians(110 + 10 * column), abs=1e-14)


def test_text_of_a_cell_gives_it_again():
    solutions = compute_map(load_scene("painleve_rod"), "workpiece.pose.theta=20:50 deg:2", "friction.default=1:2:2",
                            hold=0)
    cell = solutions.build_scene(1, 0)
    assert parse_scene(cell.text, source=cell.source) == cell and cell.summary


@pytest.mark.parametrize("text, first, last, count, unit", [
    ("friction.default=0.1:0.7:7", 0.1, 0.7, 7, ""), ("workpiece.pose.theta=5:85 deg:3", 5.0, 85.0, 3, "deg"),
    ("a = -1e-3 mm : 2mm : 2", -1e-3, 2.0, 2, "mm"), ("a=0.3:0.1:50", 0.3, 0.1, 50, ""),
])
def test_axes_have_exact_ends(text, first, last, count, unit):
    axis = parse_axis(text)
    assert (axis.values[0], axis.values[-1], len(axis.values), axis.unit) == (first, last, count, unit)
    assert (np.diff(axis.values) * np.sign(last - first) > 0.0).all()


@pytest.mark.parametrize("text, said", [
    ("friction.default", "KEY=a:b:n"), ("friction.default=0:1", "KEY=a:b:n"), ("=0:1:3", "KEY=a:b:n"),
    ("a=0:1:1", "from 2 to"), ("a=0:1:2.5", "from 2 to"), ("a=0:1:-3", "from 2 to"), ("a=zero:1:3", "KEY=a:b:n"),
    ("a=1:1:3", "two different"), ("a=0 deg:1 rad:3", "different units deg and rad"), ("a=1e999:1:3", "finite"),
])
def test_axes_that_are_none(text, said):
    with pytest.raises(MapError, match=said):
        parse_axis(text)


def test_axes_in_python():
    assert read_axis(("mu", [1, 2])).values.tolist() == [1.0, 2.0]
    axis = Axis("a", np.array([1.0]))
    assert read_axis(axis) is axis
    for values in ([[1.0]], [], [math.nan]):
        with pytest.raises(MapError, match="a: the values"):
            read_axis(("a", values))


@pytest.mark.parametrize("x, y, hold, error, said", [
    ("friction.default=0:1:3", "friction.default=0:2:3", None, MapError, "both axes vary friction.default"),
    ("friction.defalt=0:1:3", "workpiece.mass=1:2:2", None, SceneError, "friction.defalt"),
    ("friction.default=-1:1:3", "workpiece.mass=1:2:2", None, SceneError, "friction.default = -1.0"),
    ("workpiece.velocity=0:1:3", "workpiece.mass=1:2:2", None, SceneError, "workpiece.velocity = 0.0: must be"),
    ("workpiece.pose.phi=0:1:3", "workpiece.mass=1:2:2", None, SceneError, "has no member 'phi'; valid: x, y, theta"),
    ("friction.default=0:1:3", "workpiece.mass=1:2:2", 1, MapError, "valid: 0 to 0"),
    ("workpiece.pose.x=0:1:3", "workpiece.mass=1:2:2", 0, MapError, "workpiece.pose.x: follows"),
    ("workpiece.center_of_mass.x=0:1:3", "workpiece.mass=1:2:2", 0, MapError, "stands on"),
])
def test_maps_that_cannot_be(x, y, hold, error, said):
    with pytest.raises(error, match=said):
        compute_map(load_scene("painleve_rod"), x, y, hold)


def test_hold_needs_a_contact():
    with pytest.raises(MapError, match="no contact is closed at the start"):
        compute_map(load_scene("bouncing_block"), "friction.default=0:1:2", "workpiece.mass=1:2:2", hold=0)


def test_progress_reaches_all_cells():
    seen = []
    compute_map(load_scene("block_tips"), "friction.default=0:1:3", "workpiece.mass=1:2:2",
                progress=lambda done, total: seen.append((done, total)))
    assert seen == [(3, 6), (6, 6)]


def test_picture_puts_each_value_in_the_middle_of_its_cell():
    assert find_borders(np.array([0.0, 1.0, 3.0])).tolist() == [-0.5, 0.5, 2.0, 4.0]
    solutions = compute_map(load_scene("erdmann_figure_5"), "load.0.force.fx=-5:3:3", "load.0.force.fy=-1:1:3")
    figure = draw_map(solutions)
    figure.canvas.draw()
    (axes,) = figure.axes
    assert axes.get_xlim() == (-7.0, 5.0) and axes.get_xlabel() == "load 0: force along x (N)"
    (mesh,) = axes.collections
    assert mesh.get_array().shape == (3, 3)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    shares = [float(label.split("(")[1].split(" %")[0]) for label in labels]
    assert sum(shares) == pytest.approx(100.0, abs=0.2)


@pytest.mark.parametrize(("part", "wall"), [
    ({"outline": {"disc": 0.1}, "mass": 1.0, "pose": [0.0, 0.1, 0.0]}, {"box": [4.0, 2.0]}),
    ({"outline": {"box": [1.0, 0.2]}, "mass": 1.0, "pose": [0.02, 0.1, 0.0]}, {"disc": 1.0}),
    ({"outline": {"disc": 0.1}, "mass": 1.0, "pose": [0.0, 0.1, 0.0]}, {"disc": 1.0}),
])
def test_contacts_of_arcs_are_held_at_every_angle(part, wall):
    """Types B, A and C: the gap stays zero, and the slip velocity is that of the scene."""
    wall = {"name": "wall", "outline": wall, "pose": [0.0, -1.0, 0.0]}
    scene = parse_scene(builders.build_scene({**part, "velocity": [0.5, 0.0, 0.0]}, [wall], friction={"default": 0.3}))
    found = compute_map(scene, ("workpiece.pose.theta", [-0.3, 0.0, 0.2]), ("workpiece.velocity.omega", [0.0, 2.0]),
                        hold=0)
    for row, column in np.ndindex(found.kinds.shape):
        _, (contact,) = contact_problem(found.build_scene(row, column))
        assert contact["slip"] == pytest.approx(0.5) and contact["gap_rate"] == 0.0
