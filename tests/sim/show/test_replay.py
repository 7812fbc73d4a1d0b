"""What a picture of a trajectory shows: pose, limits, contacts, forces, cones, marks."""

import numpy as np
import pytest

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.log.bodies import BodyRecord, SceneRecord
from sim.log.trajectory import Trajectory
from sim.rows.records import EVENT_DTYPE, STEP_DTYPE
from sim.rows.status import Status
from sim.show.loops import cut_loops, cut_polygon, trace_loops
from sim.show.replay.frames import build_state, compute_state, find_recent_impacts, read_state
from sim.show.replay.painter import (
    KIND_TEXT,
    FramePainter,
    build_arrow,
    build_cone,
    draw_frame,
    format_force,
    round_down,
)
from sim.show.replay.picture import Picture
from sim.show.replay.view import compute_view
from tests.sim.synthetic import (
    BOX,
    FLOOR,
    GRAVITY,
    change,
    make_bounce,
    make_contact,
    make_figure,
    make_slide,
    make_tip,
    take_rows,
)


def render(figure):
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())


def make_painter(trajectory, size=(8.0, 5.0)):
    return FramePainter(make_figure(size).add_axes((0.1, 0.1, 0.8, 0.8)), trajectory)


# ------------------------------------------------------------------------------------------- what a frame contains


def test_pose_between_rows_is_exact_for_constant_acceleration():
    sparse = take_rows(make_slide(), [0, 50, -1])
    for time in (0.0, 0.013, 0.11, 0.19):
        expected = time - 0.5 * 0.3 * GRAVITY * time**2
        assert compute_state(sparse, time).pose[0] == pytest.approx(expected, abs=1e-15)


def test_pose_never_leaves_the_span_of_the_log():
    trajectory = make_slide()
    assert np.array_equal(compute_state(trajectory, -1.0).pose, trajectory.pose[0])
    assert np.array_equal(compute_state(trajectory, 99.0).pose, trajectory.pose[-1])


def test_rows_at_one_time_show_the_last(rng):
    trajectory = make_tip()
    doubled = take_rows(trajectory, np.repeat(np.arange(len(trajectory)), 2))
    for row in rng.integers(0, len(trajectory), 20):
        state = compute_state(doubled, trajectory.time[row])
        assert state.index == 2 * row + 1 and np.array_equal(state.pose, trajectory.pose[row])


def test_contacts_ride_with_the_vertex():
    slide = take_rows(make_slide(), [0, 50])
    state = compute_state(slide, 0.1)
    assert np.allclose(state.points, state.pose[:2] + BOX[:2], atol=1e-15)
    tip = make_tip()
    contacts = tip.contacts.copy()
    contacts["type"] = 0  # an edge of the part on a corner of the slope: the point stays, the normal turns
    tip = Trajectory(None, tip.steps[[0, 100]], contacts, tip.events, tip.impulses, tip.status, tip.account,
                     record=tip.record)  # fmt: skip
    state = compute_state(tip, 0.3)
    turned = state.pose[2] - tip.pose[0, 2]
    first = np.arctan2(contacts["ny"][0], contacts["nx"][0])
    assert np.array_equal(state.points, [[0.0, 0.0]])
    assert np.arctan2(*state.normals[0][::-1]) == pytest.approx(first + turned, abs=1e-14)


def test_contacts_of_arcs_roll_along_between_rows():
    """Two rows, and between them a disc that has turned by more than a radian: on a floor (B), under a beam (A), and on
    a disc (C)."""
    disc, turned, radius = Outline.disc(0.1), 1.2, 0.1
    for kind, part, wall, before, after, point, normal, expected in (
        (1, disc, Polygon(FLOOR), (0.0, 0.1, 0.0), (0.12, 0.1, -turned), (0.0, 0.0), (0.0, 1.0), (0.12, 0.0)),
        (0, Polygon.box(1.0, 0.2), disc, (0.0, 0.2, 0.0), (0.05, 0.2, 0.0), (0.0, 0.1), (0.0, 1.0), (0.0, 0.1)),
        (2, disc, Outline.disc(0.3), (0.0, 0.4, 0.0), (0.4 * np.sin(0.3), 0.4 * np.cos(0.3), -turned), (0.0, 0.3),
         (0.0, 1.0), (0.3 * np.sin(0.3), 0.3 * np.cos(0.3))),
        (2, disc, Outline.disc(0.5).with_holes(Outline.disc(0.3)), (0.0, -0.2, 0.0),
         (0.2 * np.sin(0.3), -0.2 * np.cos(0.3), turned), (0.0, -0.3), (0.0, 1.0),
         (0.3 * np.sin(0.3), -0.3 * np.cos(0.3))),
    ):
        steps = np.zeros(2, STEP_DTYPE)
        steps["time"], steps["n_contacts"], steps["set_kind"] = (0.0, 1.0), 1, 1
        for name, one, other in zip(("x", "y", "theta"), before, after, strict=True):
            steps[name] = one, other
        contacts = np.concatenate([make_contact(0, point, normal, 1.0, 0.0, 0.0, "n", kind)] * 2)
        bodies = BodyRecord("part", part, mass=1.0, rho=radius), (BodyRecord("wall", wall),)
        record = SceneRecord("roll", "", "", "", *bodies)
        trajectory = Trajectory(None, steps, contacts, np.zeros(0, EVENT_DTYPE), contacts[:0], Status.COMPLETED, None,
                                record=record)  # fmt: skip
        state = build_state(trajectory, 0, 1.0, np.array(after))
        np.testing.assert_allclose(state.points, [expected], atol=1e-12)
        assert np.array_equal(build_state(trajectory, 0, 0.0, np.array(before)).points, [point]) or kind


def test_a_hole_is_seen_through_and_a_round_part_has_a_spoke():
    """Of a picture, one pixel in a hole and one beside it, of the part and of an obstacle."""
    slide = make_slide()
    ring = Outline.disc(0.05).with_holes(Outline.disc(0.03))
    wall = Outline.from_vertices(FLOOR).with_holes(Outline.disc(0.1, (0.1, -0.2)))
    record = SceneRecord("ring", "", "", "", BodyRecord("ring", ring, mass=1.0, rho=0.04), (BodyRecord("wall", wall),))
    trajectory = Trajectory(None, slide.steps, slide.contacts[:0], slide.event_rows, slide.impulses, slide.status,
                            slide.account, record=record)  # fmt: skip
    painter = make_painter(change(trajectory, n_contacts=0))
    painter.paint(0.0)
    axes = painter.axes
    axes.set_xlim(-0.4, 0.4)  # as wide as the axes, which keep the scales alike
    axes.set_ylim(-0.35, 0.15)
    image = render(axes.figure)

    def look(x, y):
        column, row = axes.transData.transform((x, y))
        return tuple(image[image.shape[0] - 1 - int(row), int(column), :3])

    white = (255, 255, 255)
    assert look(0.01, 0.06) == white != look(0.0, 0.09) and look(0.1, -0.2) == white != look(-0.1, -0.2)
    path = painter._part.get_path()
    assert path.vertices[-1] == pytest.approx([0.03, 0.05]) and path.vertices[-2] == pytest.approx([0.05, 0.05])
    lengths = np.hypot(*np.diff(path.vertices[:40], axis=0).T)
    assert lengths.max() < 0.01
    square = make_painter(slide)
    square.paint(0.1)
    assert square._part.get_path().codes[-1] == path.CLOSEPOLY


def test_an_arc_of_any_size_has_few_points_and_is_true_where_it_is_seen():
    low, high = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    planet = Outline.disc(6e6, (0.0, -6e6))
    (loop,) = trace_loops(planet, 1e-4, low, high)
    assert len(loop) < 200
    (cut,) = cut_loops([loop], low, high)
    assert cut[:, 1].max() == pytest.approx(0.0, abs=1e-4) and np.ptp(cut, axis=0) == pytest.approx([2.0, 1.0])
    (whole,) = trace_loops(planet, 60.0)
    for points in (loop, whole):
        assert np.hypot(points[:, 0], points[:, 1] + 6e6) == pytest.approx(6e6)
    middles = 0.5 * (whole + np.roll(whole, -1, axis=0))
    assert np.hypot(middles[:, 0], middles[:, 1] + 6e6).min() > 6e6 - 60.0


def test_forces_and_letters_are_those_of_the_row():
    state = read_state(make_slide(), 0)
    assert state.letters == "rr" and state.set_kind == "one"
    assert np.allclose(state.normal_forces.sum(axis=0), [0.0, GRAVITY])
    assert np.allclose(state.friction_forces.sum(axis=0), [-0.3 * GRAVITY, 0.0])  # against the motion


# ------------------------------------------------------------------------------------------------ what is looked at


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 2e5])
def test_the_whole_motion_is_seen_at_every_scale(scale):
    """A floor of 100 m does not shrink the part, and the units suit the size."""
    trajectory = make_slide(scale=scale)
    view = compute_view(trajectory, 2.0)
    low, high = view.limits(trajectory.pose[0])
    corners = BOX * scale
    for pose in trajectory.pose:
        assert np.all(corners + pose[:2] > low) and np.all(corners + pose[:2] < high)
    assert view.half[0] == pytest.approx(2.0 * view.half[1])
    assert 2.0 * view.half[0] < 10 * 0.1 * scale
    assert view.unit == {1e-3: "mm", 0.1: "mm", 1.0: "m", 2e5: "km"}[scale]


def test_axes_are_equal_and_labelled():
    painter = make_painter(make_slide(scale=0.1))
    axes = painter.axes
    painter.paint(0.1)
    for size in ((8.0, 5.0), (5.0, 6.0), (12.0, 3.0)):  # a window changes its shape
        axes.figure.set_size_inches(size)
        axes.figure.canvas.draw()
        box = axes.get_window_extent()
        assert box.width / np.ptp(axes.get_xlim()) == pytest.approx(box.height / np.ptp(axes.get_ylim())), size
    assert axes.get_xlabel() == "x (mm)" and axes.get_ylabel() == "y (mm)"


def test_a_long_way_is_followed():
    trajectory = make_slide(v0=8.0, rate=50.0)
    painter = make_painter(trajectory)
    assert painter.view.follows
    for time in (0.0, 1.0, 2.5):
        state = painter.paint(time)
        assert np.mean(painter.axes.get_xlim()) == pytest.approx(state.pose[0])
        assert np.ptp(painter.axes.get_xlim()) < 20 * 0.1
        assert len(painter._obstacles._fixed.get_paths()) >= 1


def test_polygons_are_cut_to_the_view():
    low, high = np.array([-1.0, -1.0]), np.array([1.0, 2.0])
    cut = cut_polygon(np.array([[-1e9, -1e9], [1e9, -1e9], [1e9, 0.0], [-1e9, 0.0]]), low, high)
    assert np.ptp(cut, axis=0) == pytest.approx([2.0, 1.0]) and cut.max(axis=0) == pytest.approx([1.0, 0.0])
    slope = cut_polygon(np.array([[-1e9, -1.3e9], [1.1e9, 1e9], [1e9, 1.7e9]]), low, high)
    assert len(slope) > 2 and np.all(slope >= low) and np.all(slope <= high)
    assert len(cut_polygon(FLOOR - np.array([0.0, 50.0]), low, high)) == 0
    inner = BOX * 3
    assert np.array_equal(cut_polygon(inner, low, high), inner)


def test_cut_polygons_keep_their_area(rng):
    """Against counting: a random point is inside the cut polygon if it is inside the polygon and the box."""
    from matplotlib.path import Path as Outline

    for _ in range(20):
        angles = np.sort(rng.uniform(0.0, 2.0 * np.pi, 9))
        polygon = rng.uniform(0.5, 3.0, (9, 1)) * np.column_stack((np.cos(angles), np.sin(angles)))
        low, high = np.array([-1.0, -0.8]), np.array([0.9, 1.1])
        points = rng.uniform(-3.0, 3.0, (400, 2))
        boxed = np.all((points > low) & (points < high), axis=1)
        cut = cut_polygon(polygon, low, high)
        inside_cut = Outline(cut).contains_points(points) if len(cut) > 2 else np.zeros(400, bool)
        assert np.array_equal(inside_cut, boxed & Outline(polygon).contains_points(points))


# ----------------------------------------------------------------------------------------------------- what is drawn


def test_artists_agree_with_the_row():
    painter = draw_frame(make_figure().add_subplot(), make_slide(), 30)
    trajectory, state = painter.trajectory, read_state(make_slide(), 30)
    assert np.allclose(painter._part.get_path().vertices[:4], BOX + trajectory.pose[30, :2])
    assert np.allclose(np.column_stack(painter._points.get_data()), state.points)
    assert [text.get_text() for text in painter._letters] == ["r", "r"]
    for collection in (painter._cones, painter._normal, painter._friction):
        assert len(collection.get_paths()) == 2
    tips = [path.vertices[3] for path in painter._normal.get_paths()]
    lengths = np.linalg.norm(tips - state.points, axis=1)
    forces = np.linalg.norm(state.normal_forces, axis=1)
    assert np.allclose(lengths / forces, painter.length / painter.force_scale)
    assert all(tip[1] > 0.0 for tip in tips), "normal forces push the part up"


def test_cone_has_the_angle_of_friction():
    for mu in (0.1, 1.0, 8.0, 1e12):
        cone = build_cone(np.array([1.0, 2.0]), np.array([0.6, 0.8]), mu, 0.5)
        edge = (cone[1] - cone[0]) / 0.5
        assert np.linalg.norm(edge) == pytest.approx(1.0)
        assert np.arccos(edge @ [0.6, 0.8]) == pytest.approx(np.arctan(mu))


def test_arrows_of_all_sizes_point_the_right_way():
    for size in (1e-6, 0.1, 1.0, 3.0):
        arrow = build_arrow(np.array([1.0, 1.0]), np.array([0.0, size]), 1.0)
        assert np.allclose(arrow[3], [1.0, 1.0 + size]) and arrow[:, 1].max() == arrow[3, 1]
        assert np.all(np.isfinite(arrow)) and arrow[:, 1].min() == 1.0


def test_very_long_arrows_are_cut():
    trajectory = make_slide()
    contacts = trajectory.contacts.copy()
    contacts["fn"][0] = 1e6
    painter = make_painter(Trajectory(None, trajectory.steps, contacts, trajectory.events, trajectory.impulses,
                                      trajectory.status, trajectory.account, record=trajectory.record))  # fmt: skip
    painter.paint_row(0)
    assert any("longer arrows cut" in text.get_text() for text in painter.axes.texts)
    assert not any("longer arrows cut" in text.get_text() for text in make_painter(trajectory).axes.texts)
    longest = max(np.ptp(path.vertices, axis=0).max() for path in painter._normal.get_paths())
    assert longest == pytest.approx(2.0 * painter.length)


@pytest.mark.parametrize(("scale", "clock"), [(1.0, "t = 0.1000 s"), (0.01, "t = 10.000 ms")])
def test_clock_cursor_and_mode_tell_the_instant(scale, clock):
    trajectory = make_slide(scale=scale)
    picture = Picture(make_figure(), trajectory)
    picture.paint(0.1 * np.sqrt(scale))
    factor = picture.timeline.factor
    assert list(picture.timeline.cursor.get_xdata()) == pytest.approx([0.1 * np.sqrt(scale) * factor] * 2)
    assert picture._clock.get_text() == clock and picture._mode.get_text() == "mode rr:  r sliding right"
    picture.paint_row(-1)
    assert list(picture.timeline.cursor.get_xdata()) == pytest.approx([trajectory.time[-1] * factor] * 2)
    assert picture._mode.get_text() == "mode nn:  n rolling"


def test_impacts_are_shown_for_a_moment():
    trajectory = make_bounce()
    painter = make_painter(trajectory)
    assert "impact" in [entry.get_label() for entry in painter.legend_entries()]
    for time in trajectory.events["time"]:
        shown = []
        for moment in (time - 1e-6, time, time + 0.9 * painter._flash, time + 1.1 * painter._flash):
            painter.paint(moment)
            shown.append(len(painter._impacts.get_xdata()))
        assert shown == ([0, 2, 2, 0] if time + painter._flash < trajectory.time[-1] else [0, 2, 2, 2])
    assert np.allclose(painter._impacts.get_data(), [[-0.05, 0.05], [0.0, 0.0]])
    assert len(find_recent_impacts(trajectory, trajectory.events["time"][0], 1e-3)) == 2
    impulses = trajectory.impulses.copy()
    impulses["fn"][0] = 0.0
    trajectory = Trajectory(None, trajectory.steps, trajectory.contacts, trajectory.events, impulses,
                            trajectory.status, trajectory.account, record=trajectory.record)  # fmt: skip
    assert np.array_equal(find_recent_impacts(trajectory, trajectory.events["time"][0], 1e-3), [[0.05, 0.0]])


def test_forces_in_words():
    assert [format_force(force) for force in (5e6, 2000.0, 1.0, 0.05, 2e-6)] == ["5 MN", "2 kN", "1 N", "50 mN", "2 µN"]
    assert [round_down(value) for value in (1.0, 1.9, 5.0, 0.31, 99.0)] == pytest.approx([1.0, 1.0, 5.0, 0.2, 50.0])


@pytest.mark.parametrize("kind", [0, 2, 3])
def test_what_is_not_unique_is_marked(kind):
    trajectory = change(make_slide(), set_kind=np.where(np.arange(104) < 50, kind, 1))
    picture = Picture(make_figure(), trajectory)
    picture.paint_row(10)
    note = picture.painter._note
    assert note.get_visible() and note.get_text() == KIND_TEXT[["none", "one", "several", "continuum"][kind]]
    assert ("motion not unique" in [entry.get_label() for entry in picture.painter.legend_entries()]) == (kind >= 2)
    spans = [patch for patch in picture.timeline.axes.patches]
    assert len(spans) == (kind >= 2)
    if spans:
        assert spans[0].get_x() == 0.0 and spans[0].get_width() == pytest.approx(trajectory.time[50])
    picture.paint_row(60)
    assert not note.get_visible()


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (Status.NO_SOLUTION, "NO_SOLUTION: the run ends here"),
        (Status.RUNNING, "was not complete"),
        (Status.COMPLETED, ""),
    ],
)
def test_an_early_end_is_marked(status, text):
    painter = make_painter(change(make_slide(), status=status))
    painter.paint_row(-1)
    assert text in painter._note.get_text() and painter._note.get_visible() == bool(text)
    painter.paint_row(-2)
    assert not painter._note.get_visible()
