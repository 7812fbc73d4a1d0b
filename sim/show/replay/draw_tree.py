"""Draw a tree of motions at one time onto matplotlib axes: the part in each branch, in the colour of the branch."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from sim.log.tree import Branch, Tree
from sim.show.loops import PartShape
from sim.show.obstacle_names import NamePainter
from sim.show.palette import pick_branch_style
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.replay.draw_obstacles import ObstaclePainter
from sim.show.replay.frames import ReplayError
from sim.show.replay.painter import FAINT, PART_EDGE, TEXT, find_trace_rows
from sim.show.replay.tree_frames import Strand, TreeMotion
from sim.show.replay.view import frame_motions, frame_window, pick_poses
from sim.show.ticks import show_all_digits

FILL, FILL_ENDED = 0.22, 0.06


def pick_styles(tree: Tree) -> dict[int, tuple[str, str | tuple]]:
    """Colour and line style of each branch: leaves have their own, branches that split that of the part."""
    styles = dict.fromkeys(range(len(tree)), (PART_EDGE, "-"))
    followed = [number for number in tree.leaves if tree.branches[number].rows is not None]
    styles.update((number, pick_branch_style(index)) for index, number in enumerate(followed))
    styles.update((number, (FAINT, "-")) for number in tree.leaves if tree.branches[number].rows is None)
    return styles


class TreePainter:
    """Draws a tree onto axes; `paint(time)` moves the same artists to another time."""

    def __init__(self, axes: Axes, motion: TreeMotion, options: PictureOptions = PLAIN):
        self.axes = axes
        self.motion = motion
        self.styles = pick_styles(motion.tree)
        box = axes.get_window_extent()
        poses = np.concatenate([pick_poses(branch.rows) for branch in motion.branches])
        aspect = box.width / box.height
        if options.follow:
            raise ReplayError("--follow: a picture of all branches of a tree cannot go with the part; --branch K shows "
                              "one of them")
        self.view = (frame_motions(motion.record, poses, motion.time, aspect, follows=False) if options.view is None
                     else frame_window(motion.record, options.view, poses, aspect, follows=False))
        self._shape = PartShape(motion.record.workpiece.outline, self.view.chord_tolerance)
        self._prepare_axes()
        self._names = NamePainter(axes, motion.record.obstacles if options.names else (), self.view.factor)
        self._parts, self._centres, self._traces = {}, {}, {}
        for branch in motion.branches:
            self._add_artists(branch)
        self._note = axes.text(0.5, 0.965, "", transform=axes.transAxes, ha="center", va="top", fontsize=9.5,
                               color=TEXT, zorder=12, bbox={"boxstyle": "round,pad=0.35", "facecolor": "white",
                                                "edgecolor": "#C9C5BC"})  # fmt: skip

    def paint(self, time: float) -> list[Strand]:
        """Show a time; returns the branches that are shown."""
        strands = self.motion.find_strands(time)
        window = self.view.limits(self.motion.branches[0].rows.pose[0])
        self._obstacles.show(time, *window)
        self._names.show(time, *window)
        live = {strand.branch.number: strand for strand in strands}
        factor = self.view.factor
        for branch in self.motion.branches:
            strand = live.get(branch.number)
            part, centre = self._parts[branch.number], self._centres[branch.number]
            part.set_visible(strand is not None)
            centre.set_visible(strand is not None)
            if strand is not None:
                pose = strand.state.pose
                part.set_path(self._shape.place(pose, factor, window))
                part.set_facecolor(to_rgba(self.styles[branch.number][0], FILL_ENDED if strand.ended else FILL))
                centre.set_data([pose[0] * factor], [pose[1] * factor])
            self._show_trace(branch, strand, time)
        self._note.set_text(describe_strands(strands, self.view))
        return strands

    def moving_artists(self) -> list[Artist]:
        """The artists that change from picture to picture, in the order in which they are drawn."""
        artists = [*self._obstacles.moving_artists(), *self._names.moving_artists(), *self._traces.values(),
                   *self._parts.values(), *self._centres.values(), self._note]
        return sorted(artists, key=lambda artist: artist.get_zorder())

    def _show_trace(self, branch: Branch, strand: Strand | None, time: float) -> None:
        """The path of the centre of mass within the branch, up to now."""
        rows = branch.rows
        index = int(np.searchsorted(rows.time, time, side="right")) - 1
        trace = self._traces[branch.number]
        trace.set_visible(index >= 0)
        if index < 0:
            return
        path = rows.pose[find_trace_rows(index), :2]
        if strand is not None:
            path = np.concatenate((path, strand.state.pose[None, :2]))
        trace.set_data(*(path * self.view.factor).T)

    def _prepare_axes(self) -> None:
        axes, view = self.axes, self.view
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_facecolor("white")
        axes.set_xlabel(f"x ({view.unit})", color=FAINT, fontsize=9, labelpad=1.0)
        axes.set_ylabel(f"y ({view.unit})", color=FAINT, fontsize=9)
        axes.tick_params(colors=FAINT, labelsize=8, length=3)
        for spine in axes.spines.values():
            spine.set_color("#C9C5BC")
        low, high = view.limits(self.motion.branches[0].rows.pose[0])
        axes.set_xlim(low[0] * view.factor, high[0] * view.factor)
        axes.set_ylim(low[1] * view.factor, high[1] * view.factor)
        show_all_digits(axes)
        self._obstacles = ObstaclePainter(axes, self.motion.record.obstacles, view.factor)

    def _add_artists(self, branch: Branch) -> None:
        colour, line = self.styles[branch.number]
        part = PathPatch(Path(np.zeros((1, 2))), facecolor=to_rgba(colour, FILL), edgecolor=colour, linestyle=line,
                         linewidth=1.5, joinstyle="round", zorder=3)  # fmt: skip
        centre = Line2D([], [], color=colour, marker="+", markersize=7, markeredgewidth=1.4, linestyle="", zorder=5)
        trace = Line2D([], [], color=colour, linewidth=1.1, linestyle=line, alpha=0.85, zorder=2.5)
        self.axes.add_patch(part)
        self.axes.add_line(centre)
        self.axes.add_line(trace)
        self._parts[branch.number], self._centres[branch.number], self._traces[branch.number] = part, centre, trace


def describe_strands(strands: list[Strand], view) -> str:
    """"3 motions, up to 0.24 m apart"."""
    if len(strands) < 2:
        return "one motion"
    centres = [strand.state.pose[:2] for strand in strands]
    apart = max(math.dist(a, b) for a in centres for b in centres)
    return f"{len(strands)} motions, centres up to {apart * view.factor:.3g} {view.unit} apart"
