"""Movies: as many frames as the log asks for, true colours, no display, and failures told before drawing."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sim.show.replay import movie
from sim.show.replay.frames import ReplayError, find_frame_times
from sim.show.replay.movie import draw_frames, save_movie
from tests.sim.synthetic import change, make_slide, make_tip, take_rows

ROOT = Path(__file__).parents[3]


def test_frame_times():
    trajectory = make_slide()  # 0.408 s
    times = find_frame_times(trajectory, 25.0, 1.0)
    assert len(times) == 12 and times[0] == 0.0 and times[-1] == trajectory.time[-1]
    assert np.allclose(np.diff(times)[:-1], 0.04)
    assert len(find_frame_times(trajectory, 25.0, 0.1)) == 103
    assert len(find_frame_times(make_tip(1.0), 25.0, 1.0)) == 26
    assert len(find_frame_times(take_rows(trajectory, [3]), 25.0, 1.0)) == 1
    assert 0.28 / 0.04 > 7.0  # rounding must not add a frame that differs from the last by 1e-17 s
    assert len(find_frame_times(change(take_rows(trajectory, [0, 1]), time=[0.0, 0.28]), 25.0, 1.0)) == 8
    for fps, speed in ((0.0, 1.0), (-5.0, 1.0), (np.nan, 1.0), (25.0, 0.0), (25.0, np.inf)):
        with pytest.raises(ReplayError, match="must be a positive number"):
            find_frame_times(trajectory, fps, speed)
    with pytest.raises(ReplayError, match="million frames"):
        find_frame_times(trajectory, 25.0, 1e-6)
    with pytest.raises(ReplayError, match="no rows"):
        find_frame_times(take_rows(trajectory, slice(0)), 25.0, 1.0)


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
        for k, frame in enumerate(draw_frames(make_slide(), times, 60, 0.5)):
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
    assert first.shape == drawn.shape
    difference = np.abs(first.astype(int) - drawn)
    blue = drawn[:, :, 2].astype(int) - drawn[:, :, 0] > 40  # the part
    assert np.count_nonzero(blue) > 100 and difference.mean() < 3.0 and difference[blue].mean() < 15.0


@pytest.mark.parametrize("dpi", [30, 45, 61, 72.5, 100])
def test_frames_have_even_sides(dpi):
    height, width, _ = next(draw_frames(make_slide(), [0.0], dpi)).shape
    assert height % 2 == width % 2 == 0 and abs(height - 5.8 * dpi) <= 1.0 and abs(width - 9.6 * dpi) <= 1.0


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


@pytest.mark.parametrize("name", ["a.avi", "a", "a.gif.txt", ".gif", "a.html"])
def test_d01_unknown_suffix(tmp_path, no_drawing, name):
    with pytest.raises(ReplayError, match=r"use \.gif or \.mp4, \.html for a page"):
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


FULL_DISK = """
import resource, signal, sys
from tests.sim.synthetic import make_slide
from sim.show.replay.movie import save_movie
from sim.show.replay.frames import ReplayError
trajectory = make_slide()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    save_movie(trajectory, sys.argv[1], dpi=60)
except ReplayError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_a_movie_that_does_not_fit_is_told(tmp_path, suffix):
    """The encoder of .mp4 is another program: what it leaves unfinished is no movie."""
    path = tmp_path / f"a{suffix}"
    done = subprocess.run([sys.executable, "-B", "-c", FULL_DISK, str(path)], cwd=ROOT, text=True, capture_output=True,
                          timeout=120)
    assert f"cannot write the movie {path}" in done.stdout, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
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
from sim.show.replay.viewer import ReplayError, save_movie, show
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
