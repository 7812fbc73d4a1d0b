"""A whole picture of a tree on one figure: title, all branches, legend of the leaves, and the tree itself."""

from __future__ import annotations

from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sim.log.tree import Branch
from sim.rows.branch_table import NO_PARENT
from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.replay.draw_tree import FILL, TreePainter
from sim.show.replay.painter import FAINT, PART_EDGE, TEXT, list_obstacle_entries
from sim.show.replay.picture import CLOCK, Picture, count_digits
from sim.show.replay.tree_frames import TreeMotion, find_end
from sim.show.replay.tree_timeline import TreeTimeline

MOST_ENTRIES = 7  # leaves that the legend names


class TreePicture:
    """The figure of the replay of a tree, used like a `Picture`: `paint(time)`, `paint_row(i)`, `moving_artists()`."""

    def __init__(self, figure: Figure, motion: TreeMotion, speed: float = 1.0, bottom: float = 0.0,
                 options: PictureOptions = PLAIN):
        """`speed` is only told; `bottom` is a share of the height that is left free, for buttons."""
        self.figure = figure
        self.trajectory = motion
        figure.set_facecolor("white")
        height = 1.0 - bottom
        axes = figure.add_axes((0.085, bottom + 0.365 * height, 0.60, 0.555 * height))
        self.painter = TreePainter(axes, motion, options)
        strip = figure.add_axes((0.085, bottom + 0.085 * height, 0.895, 0.20 * height))
        self.timeline = TreeTimeline(strip, motion, self.painter.styles, speed)
        line = bottom + 0.965 * height
        style = {"color": TEXT, "va": "center"}
        title = as_typed(motion.record.name or "replay")
        options.put_title(figure.text(0.085, line, title, fontsize=12.5, fontweight="bold", **style), CLOCK)
        self._clock = figure.text(0.98, line, "", fontsize=12.5, ha="right", **style)
        self._digits = count_digits(motion, self.timeline.factor)
        legend = figure.legend(
            handles=self._build_entries(), loc="upper left", bbox_to_anchor=(0.695, bottom + 0.925 * height), ncols=1,
            fontsize=8, frameon=False, handlelength=1.5, handletextpad=0.6, borderaxespad=0.0, labelspacing=0.7,
        )  # fmt: skip
        for text in legend.get_texts():
            text.set_color(FAINT)

    def paint(self, time: float) -> None:
        """Show a time."""
        self.painter.paint(time)
        self.timeline.move(time)
        self._clock.set_text(f"t = {time * self.timeline.factor:.{self._digits}f} {self.timeline.unit}")

    def paint_row(self, index: int) -> None:
        """Show the time of one row."""
        self.paint(float(self.trajectory.time[index]))

    def moving_artists(self) -> list[Artist]:
        """The artists that change from picture to picture, in the order in which they are drawn."""
        return [*self.painter.moving_artists(), self.timeline.cursor, self._clock]

    def _build_entries(self) -> list[Patch]:
        tree, styles = self.trajectory.tree, self.painter.styles
        followed = [branch for branch in map(tree.branches.__getitem__, tree.leaves) if branch.rows is not None]
        entries = []
        if any(branch.children for branch in self.trajectory.branches):
            entries.append(Patch(facecolor=(*Patch(color=PART_EDGE).get_facecolor()[:3], FILL), edgecolor=PART_EDGE,
                                 label="before a split"))  # fmt: skip
        for branch in followed[:MOST_ENTRIES]:
            colour, line = styles[branch.number]
            face = (*Patch(color=colour).get_facecolor()[:3], FILL)
            entries.append(Patch(facecolor=face, edgecolor=colour, linestyle=line, linewidth=1.5,
                                 label=self._describe_leaf(branch)))  # fmt: skip
        rest = len(followed) - MOST_ENTRIES
        left = len(tree.leaves) - len(followed)
        for count, words in ((rest, "more leaves"), (left, "branches not followed")):
            if count > 0:
                entries.append(Patch(facecolor="none", edgecolor="none", label=f"and {count} {words}"))
        return [*entries, *list_obstacle_entries(self.trajectory.record.obstacles)]

    def _describe_leaf(self, branch: Branch) -> str:
        """"2: acceleration nss, COMPLETED at 0.5 s", on two lines."""
        taken = shorten(branch.taken or "the whole motion")
        end = f"{find_end(branch) * self.timeline.factor:.4g} {self.timeline.unit}"
        into = f" into {branch.merged_into}" if branch.merged_into != NO_PARENT else ""
        sample = ", of a continuum" if branch.sample else ""
        return f"{branch.number}: {as_typed(taken)}{sample}\n{branch.status}{into} at {end}"


def shorten(text: str, most: int = 26) -> str:
    """Text that fits the legend."""
    return text if len(text) <= most else text[: most - 1] + "…"


def make_picture(figure: Figure, source, speed: float = 1.0, bottom: float = 0.0,
                 options: PictureOptions = PLAIN) -> Picture | TreePicture:
    """The picture for a trajectory, or for a tree as `TreeMotion`."""
    kind = TreePicture if isinstance(source, TreeMotion) else Picture
    return kind(figure, source, speed, bottom, options)
