"""The window: play, pause, slider, single steps."""

import gc
import sys
import types

import numpy as np
import pytest
from matplotlib.backend_bases import CloseEvent, FigureManagerBase, KeyEvent, MouseEvent
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from sim.show.replay.painter import PART_FACE
from sim.show.replay.viewer import ReplayError, Viewer, show
from tests.sim.synthetic import make_figure, make_slide, take_rows


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
    press(viewer, "right")
    before = bytes(viewer.picture.figure.canvas.buffer_rgba())
    press(viewer, "left")
    for name, dpi in (("b.png", 20), ("c.svg", 50)):  # another size and another format do not spoil the window
        viewer.picture.figure.savefig(tmp_path / name, dpi=dpi)
    press(viewer, "right")
    assert bytes(viewer.picture.figure.canvas.buffer_rgba()) == before
    saved = (tmp_path / "c.svg").read_text()
    assert saved.count(PART_FACE.lower()) == 4  # 3 without the part, which is drawn last


def test_show_opens_a_window_and_plays(monkeypatch, tmp_path):
    """On a window system that only counts."""
    import matplotlib.pyplot as plt

    shown = []

    class Manager(FigureManagerBase):
        @classmethod
        def pyplot_show(cls, *, block=None):
            shown.append(block)

    class Canvas(FigureCanvasAgg):
        manager_class = Manager

    module = types.ModuleType("counting_windows")
    module.FigureCanvas, module.FigureManager = Canvas, Manager
    monkeypatch.setitem(sys.modules, "counting_windows", module)
    plt.switch_backend("module://counting_windows")
    try:
        path = make_slide().save(tmp_path / "a.h5")
        first, second = show(path), show(make_slide(), speed=0.1, block=False)
        assert shown == [True, False] and first.playing and second.playing and len(plt.get_fignums()) == 2
        press(first, "right")
        assert first.time == first.trajectory.time[1] and second.time == 0.0
        press(first, "q")
        assert plt.get_fignums() == [2]
        CloseEvent("close_event", second.picture.figure.canvas)._process()
        assert not second.playing
    finally:
        plt.close("all")
        plt.switch_backend("agg")


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
