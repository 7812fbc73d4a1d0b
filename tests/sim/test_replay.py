"""Pictures, movies and the window: what they show, that they need no display, and what they say when they cannot."""

import base64
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backend_bases import KeyEvent, MouseEvent
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from sim import movie
from sim.draw import KIND_TEXT, FramePainter, build_arrow, build_cone, draw_frame, format_force, round_down
from sim.frames import compute_state, find_frame_times, read_state
from sim.movie import draw_frames, save_movie
from sim.picture import Picture
from sim.replay import ReplayError, Viewer, show
from sim.status import Status
from sim.trajectory import Trajectory
from sim.view import compute_view, cut_polygon
from tests.sim.synthetic import BOX, FLOOR, GRAVITY, make_slide, make_tip

ROOT = Path(__file__).parents[2]


def make_figure(size=(8.0, 5.0)):
    figure = Figure(figsize=size, dpi=50)
    FigureCanvasAgg(figure)
    return figure


def make_painter(trajectory, size=(8.0, 5.0)):
    return FramePainter(make_figure(size).add_axes((0.1, 0.1, 0.8, 0.8)), trajectory)


def change(trajectory, status=Status.COMPLETED, **fields):
    """A copy with other values in the step table."""
    steps = trajectory.steps.copy()
    for name, value in fields.items():
        steps[name] = value
    return Trajectory(None, steps, trajectory.contacts, trajectory.events, trajectory.impulses, status,
                      trajectory.account, record=trajectory.record)  # fmt: skip


def take_rows(trajectory, rows):
    """The same run with fewer rows in its log."""
    return Trajectory(None, trajectory.steps[rows], trajectory.contacts, trajectory.events, trajectory.impulses,
                      trajectory.status, trajectory.account, record=trajectory.record)  # fmt: skip


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


def test_forces_and_letters_are_those_of_the_row():
    state = read_state(make_slide(), 0)
    assert state.letters == "rr" and state.set_kind == "one"
    assert np.allclose(state.normal_forces.sum(axis=0), [0.0, GRAVITY])
    assert np.allclose(state.friction_forces.sum(axis=0), [-0.3 * GRAVITY, 0.0])  # against the motion


def test_frame_times():
    trajectory = make_slide()  # 0.408 s
    times = find_frame_times(trajectory, 25.0, 1.0)
    assert len(times) == 12 and times[0] == 0.0 and times[-1] == trajectory.time[-1]
    assert np.allclose(np.diff(times)[:-1], 0.04)
    assert len(find_frame_times(trajectory, 25.0, 0.1)) == 103
    assert len(find_frame_times(make_tip(1.0), 25.0, 1.0)) == 26
    assert len(find_frame_times(take_rows(trajectory, [3]), 25.0, 1.0)) == 1
    for fps, speed in ((0.0, 1.0), (-5.0, 1.0), (np.nan, 1.0), (25.0, 0.0), (25.0, np.inf)):
        with pytest.raises(ReplayError, match="must be a positive number"):
            find_frame_times(trajectory, fps, speed)
    with pytest.raises(ReplayError, match="million frames"):
        find_frame_times(trajectory, 25.0, 1e-6)
    with pytest.raises(ReplayError, match="no rows"):
        find_frame_times(take_rows(trajectory, slice(0)), 25.0, 1.0)


# ------------------------------------------------------------------------------------------------ what is looked at


@pytest.mark.parametrize("scale", [1e-3, 0.1, 1.0, 1e5])
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
    assert view.unit == {1e-3: "mm", 0.1: "mm", 1.0: "m", 1e5: "km"}[scale]


def test_axes_are_equal_and_labelled():
    painter = make_painter(make_slide(scale=0.1))
    axes = painter.axes
    painter.paint(0.1)
    axes.figure.canvas.draw()
    box = axes.get_window_extent()
    assert box.width / np.ptp(axes.get_xlim()) == pytest.approx(box.height / np.ptp(axes.get_ylim()))
    assert axes.get_xlabel() == "x (mm)" and axes.get_ylabel() == "y (mm)"


def test_a_long_way_is_followed():
    trajectory = make_slide(v0=8.0, rate=50.0)
    painter = make_painter(trajectory)
    assert painter.view.follows
    for time in (0.0, 1.0, 2.5):
        state = painter.paint(time)
        assert np.mean(painter.axes.get_xlim()) == pytest.approx(state.pose[0])
        assert np.ptp(painter.axes.get_xlim()) < 20 * 0.1
        assert len(painter._obstacles.get_paths()) >= 1


def test_polygons_are_cut_to_the_view():
    low, high = np.array([-1.0, -1.0]), np.array([1.0, 2.0])
    cut = cut_polygon(np.array([[-1e9, -1e9], [1e9, -1e9], [1e9, 0.0], [-1e9, 0.0]]), low, high)
    assert np.ptp(cut, axis=0) == pytest.approx([2.0, 1.0]) and cut.max(axis=0) == pytest.approx([1.0, 0.0])
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
    assert np.allclose(painter._part.get_xy()[:4], BOX + trajectory.pose[30, :2])
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
    longest = max(np.ptp(path.vertices, axis=0).max() for path in painter._normal.get_paths())
    assert longest == pytest.approx(2.0 * painter.length)


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


def test_a_run_of_a_single_row_can_be_drawn(tmp_path):
    save_movie(take_rows(make_slide(), [0]), tmp_path / "one.gif", dpi=40)
    with Image.open(tmp_path / "one.gif") as image:
        assert image.n_frames == 1
    with pytest.raises(ReplayError, match="no rows"):
        save_movie(take_rows(make_slide(), slice(0)), tmp_path / "none.gif")


def test_quick_frames_equal_full_ones():
    """Repainting what changes gives the same image as drawing everything, but for the edges of what lies beneath."""
    trajectory, times = make_slide(), [0.0, 0.12, 0.3]
    for time, quick in zip(times, (frame.copy() for frame in draw_frames(trajectory, times, 60)), strict=True):
        full = next(draw_frames(trajectory, [time], 60))
        assert np.array_equal(quick, full), f"t = {time}: {np.count_nonzero(quick != full)} values differ"


# ------------------------------------------------------------------------------------------------------------- movies


@pytest.fixture(scope="module")
def fifty_frames():
    """49 intervals of 0.04 s."""
    trajectory = make_tip(1.96, rate=100.0)
    assert len(find_frame_times(trajectory, 25.0, 1.0)) == 50
    return trajectory


def test_d03_fifty_distinct_frames_in_a_gif(tmp_path, fifty_frames):
    save_movie(fifty_frames, tmp_path / "a.gif", dpi=40)
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == 50
        frames, delay = set(), 0
        for k in range(50):
            image.seek(k)
            delay += image.info["duration"]
            frames.add(image.convert("RGB").tobytes())
    assert len(frames) == 50 and delay == 2000


def test_at_rest_the_clock_still_tells_frames_apart(tmp_path):
    still = change(make_slide(rate=500.0), x=0.0, kinetic=0.0, vx=0.0, set_kind=1)
    save_movie(still, tmp_path / "a.gif", dpi=40, speed=0.4)
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == len(find_frame_times(still, 25.0, 0.4))


def test_gif_delays_add_up_for_any_rate(tmp_path):
    save_movie(make_tip(1.0), tmp_path / "a.gif", fps=30.0, dpi=30)
    with Image.open(tmp_path / "a.gif") as image:
        delays = [image.seek(k) or image.info["duration"] for k in range(image.n_frames)]
    assert len(delays) == 31 and sum(delays) == pytest.approx(31 * 1000 / 30, abs=10)
    with pytest.raises(ReplayError, match="at most 50 frames"):
        save_movie(make_tip(0.1), tmp_path / "b.gif", fps=60.0)


def test_colours_of_a_gif_are_true(tmp_path):
    save_movie(make_slide(), tmp_path / "a.gif", dpi=60, speed=0.5)
    times = find_frame_times(make_slide(), 25.0, 0.5)
    with Image.open(tmp_path / "a.gif") as image:
        for k, frame in enumerate(draw_frames(make_slide(), times, 60)):
            image.seek(k)
            difference = np.abs(np.asarray(image.convert("RGB"), dtype=int) - frame[:, :, :3])
            assert difference.mean() < 0.5 and difference.max() < 32, f"frame {k}"


def test_mp4_needs_no_ffmpeg_on_the_path(tmp_path, monkeypatch, fifty_frames):
    """D01: the encoder comes with a package."""
    import imageio_ffmpeg

    monkeypatch.setenv("PATH", str(tmp_path))
    save_movie(fifty_frames, tmp_path / "a.mp4", dpi=40)
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "a.mp4"))
    assert count == 50 and seconds == pytest.approx(2.0, abs=0.01)
    reader = imageio_ffmpeg.read_frames(str(tmp_path / "a.mp4"))
    width, height = next(reader)["size"]
    first = np.frombuffer(next(reader), np.uint8).reshape(height, width, 3)
    reader.close()
    drawn = next(draw_frames(fifty_frames, [0.0], 40))[:, :, :3]
    assert first.shape == drawn.shape and np.abs(first.astype(int) - drawn).mean() < 3.0


def test_html_is_complete_in_itself(tmp_path, fifty_frames):
    save_movie(fifty_frames, tmp_path / "a.html", dpi=40)
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", text)
    frames = json.loads(re.search(r"const frames = (\[.*?\])", text).group(1))
    images = [base64.b64decode(frame) for frame in frames]
    assert len(set(images)) == 50 and all(image.startswith(b"\x89PNG") for image in images)
    assert "fps = 25.0" in text and "block_tips" in text


def test_a_log_can_be_given_by_name(tmp_path):
    path = make_slide().save(tmp_path / "a.h5")
    counts = []
    save_movie(path, tmp_path / "A.GIF", dpi=30, progress=lambda done, count: counts.append((done, count)))
    assert (tmp_path / "A.GIF").is_file() and counts == [(k, 12) for k in range(1, 13)]


# ------------------------------------------------------------------------------------------- D01: told before drawing


@pytest.fixture
def no_drawing(monkeypatch):
    def fail(*arguments):
        raise AssertionError("a frame was drawn before the check")

    monkeypatch.setattr(movie, "draw_frames", fail)


@pytest.mark.parametrize("name", ["a.avi", "a", "a.gif.txt", ".gif"])
def test_d01_unknown_suffix(tmp_path, no_drawing, name):
    with pytest.raises(ReplayError, match=r"use \.gif, \.mp4 or \.html"):
        save_movie(make_slide(), tmp_path / name)
    assert not any(tmp_path.iterdir())


def test_d01_encoder_missing(tmp_path, no_drawing, monkeypatch):
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(ReplayError, match=r"encoder for \.mp4 is missing.*\.gif and \.html work"):
        save_movie(make_slide(), tmp_path / "run.mp4")
    assert not any(tmp_path.iterdir())


def test_d01_missing_folder_is_made(tmp_path):
    save_movie(make_slide(), tmp_path / "missing" / "dir" / "run.gif", dpi=30)
    assert [path.name for path in (tmp_path / "missing" / "dir").iterdir()] == ["run.gif"]


def test_d01_impossible_folder(tmp_path, no_drawing):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReplayError, match=r"cannot write the movie .*file.*run\.gif"):
        save_movie(make_slide(), tmp_path / "file" / "run.gif")
    (tmp_path / "a.gif").mkdir()
    with pytest.raises(ReplayError, match="it is a folder"):
        save_movie(make_slide(), tmp_path / "a.gif")
    for numbers in ({"dpi": 0.0}, {"dpi": np.nan}, {"fps": 0.0}, {"speed": -1.0}):
        with pytest.raises(ReplayError):
            save_movie(make_slide(), tmp_path / "b.gif", **numbers)


@pytest.mark.parametrize("suffix", [".gif", ".mp4", ".html"])
def test_an_interrupted_movie_leaves_the_older_one(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_text("older")

    def interrupt(done, count):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_movie(make_slide(), path, dpi=30, progress=interrupt)
    assert path.read_text() == "older" and list(tmp_path.iterdir()) == [path]


# --------------------------------------------------------------------------------------- D03: no display, no leftovers

NO_DISPLAY = """
import sys, threading, warnings
warnings.simplefilter("error")
from tests.sim.synthetic import make_slide
from sim.replay import ReplayError, save_movie, show
folder, trajectory = sys.argv[1], make_slide()

def animate():
    save_movie(trajectory, f"{folder}/dropped.gif", dpi=30)

animate()
thread = threading.Thread(target=animate)
thread.start()
thread.join()
assert "matplotlib.pyplot" not in sys.modules and "tkinter" not in sys.modules, "a window system was loaded"
try:
    show(trajectory)
except ReplayError as error:
    print(error)
else:
    print("no error")
"""


def test_d03_without_a_display(tmp_path):
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("DISPLAY", "WAYLAND_DISPLAY", "MPLBACKEND")} | {"PYTHONPATH": str(ROOT)}  # fmt: skip
    result = subprocess.run([sys.executable, "-c", NO_DISPLAY, str(tmp_path)], env=environment, capture_output=True,
                            text=True, timeout=120)  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "no display" in result.stdout and "--save" in result.stdout and result.stderr == ""


def test_d03_nothing_is_left_open(tmp_path):
    import gc
    import weakref

    import matplotlib.pyplot as plt

    figures = []
    for _ in range(4):
        frames = draw_frames(make_slide(), [0.1], 30)
        next(frames)
        figures.append(weakref.ref(frames.gi_frame.f_locals["figure"]))
        frames.close()
        del frames
    gc.collect()
    assert plt.get_fignums() == [] and not any(figure() for figure in figures)


def test_d03_threads_draw_the_same(tmp_path):
    trajectories = [make_slide(), make_tip(0.5)] * 2
    alone = [[frame.copy() for frame in draw_frames(each, [0.0, 0.2], 40)] for each in trajectories]
    together = [None] * len(trajectories)

    def work(k):
        together[k] = [frame.copy() for frame in draw_frames(trajectories[k], [0.0, 0.2], 40)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(trajectories))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, frames in enumerate(alone):
        assert all(np.array_equal(a, b) for a, b in zip(frames, together[k], strict=True)), f"thread {k}"


# --------------------------------------------------------------------------------------------------------- the window


def make_viewer(trajectory=None, **options):
    return Viewer(make_figure((9.6, 6.4)), trajectory or make_slide(), **options)


def press(viewer, key):
    KeyEvent("key_press_event", viewer.picture.figure.canvas, key)._process()


def click(viewer, axes, x, y=0.5, name="button_press_event"):
    pixel = axes.transAxes.transform((x, y))
    MouseEvent(name, viewer.picture.figure.canvas, *pixel, button=1)._process()


def test_playing_follows_the_clock():
    viewer = make_viewer(speed=0.5)
    viewer.play()
    viewer.tick(10.0)
    viewer.tick(10.2)
    assert viewer.time == pytest.approx(0.1) and viewer.playing
    viewer.tick(99.0)  # the window was dragged: no jump
    assert viewer.time == pytest.approx(0.1 + 0.125)
    for k in range(8):
        viewer.tick(99.0 + 0.2 * (k + 1))
    assert viewer.time == viewer.trajectory.time[-1] and not viewer.playing
    viewer.play()
    assert viewer.time == 0.0 and viewer.playing


def test_buttons_and_keys():
    viewer = make_viewer()
    times = viewer.trajectory.time
    click(viewer, viewer.play_button.ax, 0.5)
    click(viewer, viewer.play_button.ax, 0.5, name="button_release_event")
    assert viewer.playing and viewer.play_button.label.get_text() == "Pause"
    press(viewer, " ")
    assert not viewer.playing and viewer.play_button.label.get_text() == "Play"
    for key, row in (("right", 1), ("right", 2), ("shift+right", 12), ("left", 11), ("end", -1), ("right", -1),
                     ("home", 0), ("left", 0), ("shift+right", 10)):  # fmt: skip
        press(viewer, key)
        assert viewer.time == times[row], key
    viewer.play()
    click(viewer, viewer.next_button.ax, 0.5)
    click(viewer, viewer.next_button.ax, 0.5, name="button_release_event")
    assert viewer.time == times[11] and not viewer.playing
    viewer.go_to(0.5 * (times[4] + times[5]))
    press(viewer, "left")
    assert viewer.time == times[4]
    viewer.go_to(0.5 * (times[4] + times[5]))
    press(viewer, "right")
    assert viewer.time == times[5]


def test_time_line_is_a_slider():
    viewer = make_viewer()
    end = viewer.trajectory.time[-1]
    viewer.play()
    click(viewer, viewer.picture.timeline.axes, 0.25)
    assert viewer.time == pytest.approx(0.25 * end, rel=1e-6) and not viewer.playing
    click(viewer, viewer.picture.timeline.axes, 0.75, name="motion_notify_event")
    click(viewer, viewer.picture.painter.axes, 0.1)
    assert viewer.time == pytest.approx(0.25 * end, rel=1e-6) or viewer.time == pytest.approx(0.75 * end, rel=1e-6)


def test_every_step_changes_the_picture():
    viewer = make_viewer()
    canvas, seen = viewer.picture.figure.canvas, set()
    for _ in range(5):
        press(viewer, "right")
        seen.add(bytes(canvas.buffer_rgba()))
    assert len(seen) == 5


def test_a_window_lives_as_long_as_its_figure():
    import gc

    figure = make_figure((9.6, 6.4))
    Viewer(figure, make_slide())
    gc.collect()
    KeyEvent("key_press_event", figure.canvas, "right")._process()
    assert figure.stiction_viewer.time == figure.stiction_viewer.trajectory.time[1]


def test_saving_the_window_contains_the_part(tmp_path):
    viewer = make_viewer()
    viewer.go_to(0.1)
    viewer.picture.figure.savefig(tmp_path / "a.png", dpi=50)
    with Image.open(tmp_path / "a.png") as image:
        saved = np.asarray(image.convert("RGB"), dtype=int)
    shown = np.asarray(viewer.picture.figure.canvas.buffer_rgba(), dtype=int)[:, :, :3]
    assert np.abs(saved - shown).max() == 0


def test_show_refuses_without_a_display_and_without_rows(monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.setenv("MPLBACKEND", "agg")
    plt.switch_backend("agg")
    with pytest.raises(ReplayError, match="no display"):
        show(make_slide())
    assert plt.get_fignums() == []
    with pytest.raises(ReplayError, match="no rows"):
        show(take_rows(make_slide(), slice(0)))
    for numbers in ({"speed": 0.0}, {"fps": np.nan}):
        with pytest.raises(ReplayError, match="must be a positive number"):
            make_viewer(**numbers)
