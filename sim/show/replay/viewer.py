"""Look at a trajectory: a frame, a movie, or a window with play, pause, slider and single steps.

    draw_frame(axes, trajectory, i)              one row onto axes of your own
    save_movie(trajectory, "a.gif")              .gif or .mp4; needs no display
    show(trajectory)                             a window

`save_movie` and `show` take a tree of motions as well, and show its branches together.

Only `show` imports pyplot, which chooses a window system.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from matplotlib.backend_bases import KeyEvent, MouseButton, MouseEvent, key_press_handler
from matplotlib.figure import Figure
from matplotlib.widgets import Button

from sim.log.trajectory import Trajectory
from sim.log.tree import Tree
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.replay.frames import ReplayError
from sim.show.replay.movie import open_source, save_movie
from sim.show.replay.painter import FAINT, PART_FACE, FramePainter, draw_frame
from sim.show.replay.picture import Repainter
from sim.show.replay.tree_frames import TreeMotion
from sim.show.replay.tree_picture import make_picture

__all__ = ["FramePainter", "ReplayError", "Viewer", "draw_frame", "save_movie", "show"]

WINDOW_SIZE = (9.6, 6.4)  # inches
NO_DISPLAY = "there is no display to open a window on; save a page or a movie instead: --save NAME.html, .gif or .mp4"
BUTTONS_HEIGHT = 0.08  # share of the window
KEYS = "space: play, pause     ← →: one row of the log, with shift ten     time line: press or drag"
LONGEST_PAUSE = 0.25  # s of real time: after a longer one, such as a dragged window, the replay goes on from there


def show(trajectory: Trajectory | Tree | str | Path, fps: float = 25.0, speed: float = 1.0,
         block: bool = True, options: PictureOptions = PLAIN) -> Viewer:
    """Open a window with the replay of a trajectory or tree, or of the log with that name; wait until it is closed.

    Raises ReplayError where there is no display. With `block=False` the caller runs pyplot's event loop.
    """
    trajectory = open_source(trajectory)
    if len(trajectory) == 0:
        raise ReplayError("there is nothing to show: the log has no rows")
    figure = open_window(trajectory.record.name)
    viewer = Viewer(figure, trajectory, fps, speed, options)
    viewer.play()

    import matplotlib.pyplot as plt

    plt.show(block=block)
    return viewer


def open_window(title: str, help_text: str = NO_DISPLAY, size: tuple[float, float] = WINDOW_SIZE) -> Figure:
    """An empty figure in a window of its own. Raises ReplayError with the help text where there is no display."""
    import matplotlib.pyplot as plt
    from matplotlib.backends import BackendFilter, backend_registry

    try:
        figure = plt.figure(figsize=size)
    except Exception as error:  # each window system has its own errors
        raise ReplayError(f"{help_text} ({type(error).__name__}: {str(error).splitlines()[0]})") from error
    windows = {name.lower() for name in backend_registry.list_builtin(BackendFilter.INTERACTIVE)}
    if plt.get_backend().lower() not in windows and not plt.get_backend().startswith("module://"):
        plt.close(figure)
        raise ReplayError(help_text)
    figure.canvas.manager.set_window_title(f"Stiction: {title}")
    return figure


class Viewer:
    """A picture with controls on a figure. The figure holds the viewer, so that it lives as long as its window.

    The time line is the slider: press or drag there. Keys: space plays and pauses; left and right step by one row of
    the log, with shift by ten; home and end.
    """

    def __init__(self, figure: Figure, trajectory: Trajectory | TreeMotion, fps: float = 25.0,
                 speed: float = 1.0, options: PictureOptions = PLAIN):
        for name, value in (("fps", fps), ("speed", speed)):
            if not 0.0 < value < 1e12:
                raise ReplayError(f"{name} must be a positive number, not {value!r}")
        self.trajectory = trajectory
        self.speed = speed
        self.playing = False
        self.time = float(trajectory.time[0])
        self._row = 0
        self._last_tick: float | None = None
        self.picture = make_picture(figure, trajectory, speed, BUTTONS_HEIGHT, options)
        self.picture.paint(self.time)
        self._repainter = Repainter(self.picture)
        self._add_controls(figure)
        self._timer = figure.canvas.new_timer(interval=max(1, round(1000.0 / fps)))
        self._timer.add_callback(self.tick)
        manager = figure.canvas.manager
        if manager is not None and getattr(manager, "key_press_handler_id", None) is not None:
            figure.canvas.mpl_disconnect(manager.key_press_handler_id)  # arrows would also move through zoom levels
        figure.canvas.mpl_connect("key_press_event", self.press)
        figure.canvas.mpl_connect("close_event", lambda event: self.pause())
        figure.stiction_viewer = self  # type: ignore[attr-defined]  # lives as long as its figure

    def play(self) -> None:
        """Go on, from the start if the end is reached."""
        if self.time >= self.trajectory.time[-1]:
            self.go_to(self.trajectory.time[0])
        self.playing = True
        self._last_tick = None
        self.play_button.label.set_text("Pause")
        self._timer.start()
        self.picture.figure.canvas.draw_idle()

    def pause(self) -> None:
        """Stand still."""
        self.playing = False
        self._timer.stop()
        self.play_button.label.set_text("Play")
        self.picture.figure.canvas.draw_idle()

    def toggle(self) -> None:
        """Play or pause."""
        (self.pause if self.playing else self.play)()

    def tick(self, now: float | None = None) -> None:
        """Move on by the real time since the last tick, times the speed; at the end, pause."""
        now = time.perf_counter() if now is None else now
        elapsed = 0.0 if self._last_tick is None else min(now - self._last_tick, LONGEST_PAUSE)
        self._last_tick = now
        if self.playing:
            self.go_to(self.time + self.speed * elapsed)
            if self.time >= self.trajectory.time[-1]:
                self.pause()

    def go_to(self, moment: float) -> None:
        """Show a time."""
        times = self.trajectory.time
        self.time = float(min(max(moment, times[0]), times[-1]))
        self._row = int(times.searchsorted(self.time, side="right")) - 1
        self.picture.paint(self.time)
        self._repainter.update()

    def step(self, rows: int) -> None:
        """Pause, and show the row that lies so many rows further on; backwards, first the row at or before now."""
        if self.playing:
            self.pause()
        if rows < 0 and self.time > self.trajectory.time[self._row]:
            rows += 1
        self._row = min(max(self._row + rows, 0), len(self.trajectory) - 1)
        self.time = float(self.trajectory.time[self._row])
        self.picture.paint_row(self._row)
        self._repainter.update()

    def press(self, event: KeyEvent) -> None:
        """A key was pressed."""
        steps = {"left": -1, "right": 1, "shift+left": -10, "shift+right": 10}
        if event.key in steps:
            self.step(steps[event.key])
        elif event.key == " ":
            self.toggle()
        elif event.key in ("home", "end"):
            self.pause()
            self.step(-len(self.trajectory) if event.key == "home" else len(self.trajectory))
        else:
            key_press_handler(event)  # matplotlib's own keys: q closes, s saves, f fills the screen

    def _add_controls(self, figure: Figure) -> None:
        self.back_button = self._add_button(figure, 0.085, "−1", lambda event: self.step(-1))
        self.play_button = self._add_button(figure, 0.140, "Play", lambda event: self.toggle(), 0.075)
        self.next_button = self._add_button(figure, 0.220, "+1", lambda event: self.step(1))
        figure.text(0.30, 0.0475, KEYS, fontsize=8.5, color=FAINT, va="center")
        self.picture.timeline.add_handle()
        figure.canvas.mpl_connect("button_press_event", self.drag)
        figure.canvas.mpl_connect("motion_notify_event", self.drag)

    def _add_button(self, figure: Figure, left: float, text: str, action: Callable, width: float = 0.05) -> Button:
        button = Button(figure.add_axes((left, 0.022, width, 0.05)), text, color="white", hovercolor=PART_FACE)
        button.label.set_fontsize(9)
        for spine in button.ax.spines.values():
            spine.set_color(FAINT)
        button.on_clicked(action)
        return button

    def drag(self, event: MouseEvent) -> None:
        """The mouse was pressed, or moved while pressed, on the time line: it is the slider."""
        if event.inaxes is self.picture.timeline.axes and event.button == MouseButton.LEFT:
            if self.playing:
                self.pause()
            self.go_to(event.xdata / self.picture.timeline.factor)
