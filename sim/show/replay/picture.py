"""A whole picture on one figure: title, frame, legend and time line. Movies and the window show the same picture."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.backend_bases import DrawEvent, RendererBase
from matplotlib.figure import Figure

from sim.log.trajectory import Trajectory
from sim.show.labels import as_typed
from sim.show.measure import measure_text
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.replay.frames import FrameState
from sim.show.replay.painter import FAINT, TEXT, FramePainter
from sim.show.replay.timeline import Timeline

SIZE = (9.6, 5.8)  # inches
CLOCK, MODE_LEAST = 0.835, 0.12  # of the width: where the clock begins, and what a title leaves to the mode
LETTER_KEY = {"n": "rolling", "r": "sliding right", "l": "sliding left", "s": "separating", "a": "approaching"}


class Picture:
    """The figure of a replay; `paint(time)` and `paint_row(i)` change what it shows, the caller draws the canvas."""

    def __init__(self, figure: Figure, trajectory: Trajectory, speed: float = 1.0, bottom: float = 0.0,
                 options: PictureOptions = PLAIN):
        """`speed` is only told; `bottom` is a share of the height that is left free, for buttons."""
        self.figure = figure
        self.trajectory = trajectory
        figure.set_facecolor("white")
        height = 1.0 - bottom
        axes = figure.add_axes((0.085, bottom + 0.255 * height, 0.895, 0.605 * height))
        self.painter = FramePainter(axes, trajectory, options=options)
        strip = figure.add_axes((0.085, bottom + 0.085 * height, 0.895, 0.075 * height))
        self.timeline = Timeline(strip, trajectory, speed)
        top = bottom + height
        line = top - 0.035 * height
        style = {"color": TEXT, "va": "center"}
        title = as_typed(trajectory.record.name or "replay")
        heading = options.put_title(figure.text(0.085, line, title, fontsize=12.5, fontweight="bold", **style),
                                    CLOCK - MODE_LEAST)
        self._clock = figure.text(0.98, line, "", fontsize=12.5, ha="right", **style)
        # the mode is in the middle, or further right beside a long title; words that do not fit there are left out
        taken = 0.085 + measure_text(heading.get_text(), heading.get_fontproperties()) / (72.0 * figure.get_figwidth())
        self._room = (taken + 0.02, CLOCK)
        self._mode = figure.text(0.5, line, "", fontsize=10, ha="center", **style)
        self._digits = count_digits(trajectory, self.timeline.factor)
        entries = self.painter.legend_entries()
        small = len(entries) > 8
        legend = figure.legend(
            handles=entries, loc="center", bbox_to_anchor=(0.5325, top - 0.098 * height), ncols=len(entries),
            fontsize=7.2 if small else 8, frameon=False, handlelength=1.5, columnspacing=0.9 if small else 1.4,
            handletextpad=0.5,
        )  # fmt: skip
        for text in legend.get_texts():
            text.set_color(FAINT)

    def paint(self, time: float) -> None:
        """Show a time."""
        self._tell(self.painter.paint(time))

    def paint_row(self, index: int) -> None:
        """Show one row of the log."""
        self._tell(self.painter.paint_row(index))

    def moving_artists(self) -> list[Artist]:
        """The artists that change from picture to picture, in the order in which they are drawn."""
        return [*self.painter.moving_artists(), self.timeline.cursor, self._clock, self._mode]

    def _tell(self, state: FrameState) -> None:
        self.timeline.move(state.time)
        self._clock.set_text(f"t = {state.time * self.timeline.factor:.{self._digits}f} {self.timeline.unit}")
        self._show_mode(state)

    def _show_mode(self, state: FrameState) -> None:
        low, high = self._room
        words = describe_mode(state)
        for text in (words, words.split(":")[0]):
            half = 0.5 * measure_text(text, self._mode.get_fontproperties()) / (72.0 * self.figure.get_figwidth())
            if 2.0 * half <= high - low:
                break
        self._mode.set_text(text if 2.0 * half <= high - low else "")
        self._mode.set_x(min(max(0.5, low + half), high - half))


class Repainter:
    """Draws the changing artists over a picture of all others, about ten times as fast as drawing everything.

    `update()` brings the canvas up to date after the picture was painted. A view that follows the part moves its axes
    and is drawn in full.
    """

    def __init__(self, picture: Any):  # a Picture or a TreePicture
        self._picture = picture
        self._canvas: Any = picture.figure.canvas  # one that can copy its pixels
        self._background = None
        for artist in picture.moving_artists():
            artist.set_animated(True)
        self._canvas.mpl_connect("draw_event", self._complete)

    def update(self) -> None:
        """Show what was painted."""
        if self._background is None or self._picture.painter.view.follows or not self._canvas.supports_blit:
            self._canvas.draw()
            return
        self._canvas.restore_region(self._background)
        self._draw_moving(self._canvas.get_renderer())
        self._canvas.blit(self._picture.figure.bbox)

    def _complete(self, event: DrawEvent) -> None:
        """All but the changing artists were drawn, on the window or for a file: keep that, then add them."""
        self._background = None  # a file may have another size, and leaves nothing on the canvas
        if self._canvas.supports_blit and event.canvas is self._canvas and not self._canvas.is_saving():
            self._background = self._picture.figure.canvas.copy_from_bbox(self._picture.figure.bbox)
        self._draw_moving(event.renderer)

    def _draw_moving(self, renderer: RendererBase) -> None:
        for artist in self._picture.moving_artists():
            artist.draw(renderer)


def describe_mode(state: FrameState) -> str:
    """"mode rn: r sliding right, n rolling"; "free" without contacts; no letters where no motion is possible."""
    letters = state.letters
    if state.set_kind == "none":
        return "no motion is possible"
    if not letters:
        return "free flight"
    shown = letters if len(letters) <= 12 else letters[:12] + "…"
    return f"mode {shown}:  " + ", ".join(f"{key} {LETTER_KEY[key]}" for key in LETTER_KEY if key in letters)


def count_digits(trajectory: Trajectory, factor: float) -> int:
    """Digits of the clock: a five-hundredth of the run must be told apart."""
    span = float(trajectory.time[-1] - trajectory.time[0]) * factor
    digits = 3
    while digits < 9 and 0.0 < span < 0.5 * 10.0 ** (3 - digits):
        digits += 1
    return digits
