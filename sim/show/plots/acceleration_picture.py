"""One figure of all accelerations of a state: the part with its contacts, configuration space, and the answers."""

from __future__ import annotations

import textwrap
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynamics.sets.acceleration_set import AccelerationSet
from dynamics.sets.explanation import describe_mode
from sim.scene.scene import Scene
from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.cone_space import build_cone_space
from sim.show.plots.draw_space import SpacePainter, draw_cone_plane, draw_intervals
from sim.show.plots.draw_state import draw_state
from sim.show.replay.painter import FAINT, NORMAL_FORCE, NOT_UNIQUE, TEXT

HEIGHT = 5.7  # inches
MOST_LINES = 7  # of the list of answers
MOST_CHARACTERS = 165  # of one line
COLOURS = {"none": NORMAL_FORCE, "one": TEXT, "several": NOT_UNIQUE, "continuum": NOT_UNIQUE}


def save_acceleration_picture(path, scene: Scene, pose, time: float, problem, contacts, found) -> Path:
    """Write the figure of `draw_acceleration_picture` to `path` (.png, .svg or .pdf). Raises PlotError."""
    file = check_plot_file(path)
    figure = draw_acceleration_picture(scene, pose, time, problem, contacts, found, file.options)
    return save_figure(figure, file)


def draw_acceleration_picture(
    scene: Scene, pose, time: float, problem, contacts: list[dict], found: AccelerationSet,
    options: PictureOptions = PLAIN,
) -> Figure:
    """The figure of a state with the given answer; pose (3,): x, y, theta of the centre of mass."""
    space = build_cone_space(problem, found, scene.workpiece.mass)
    third = len(problem) == 1 or space.line is not None
    lines = list_answers(scene, found, contacts)
    foot = 0.2 * len(lines) + 0.15  # inches
    head = 1.0
    height = HEIGHT + foot + head - 1.0
    figure = Figure(figsize=(13.0 if third else 10.6, height), facecolor="white")
    FigureCanvasAgg(figure)
    bottom, top = (foot + 0.5) / height, 1.0 - head / height
    widths = (0.29, 0.37, 0.195) if third else (0.37, 0.53)
    edge = 0.06 if third else 0.075
    left = figure.add_axes((edge, bottom, widths[0] - 0.015, top - bottom))
    middle = figure.add_axes((edge - 0.005 + widths[0], bottom - 0.03, widths[1], top - bottom + 0.04), projection="3d")
    state_handles = draw_state(left, scene, pose, contacts, problem, time, options)
    painter = SpacePainter(middle, space)
    if third:
        right = figure.add_axes((0.985 - widths[2], bottom + 0.02, widths[2], top - bottom - 0.1))
        if len(problem) == 1:
            draw_cone_plane(right, space, problem)
        else:
            draw_intervals(right, space)
    heading = figure.text(0.02, 1.0 - 0.26 / height, describe_verdict(scene, time, contacts, found), fontsize=13,
                          fontweight="bold", va="center", color=COLOURS[found.kind])
    options.put_title(heading)
    style = {"fontsize": 8.5, "frameon": False, "handlelength": 1.6, "columnspacing": 1.4, "borderaxespad": 0.0,
             "labelcolor": FAINT}
    handles = [*state_handles, *painter.legend_entries()]
    columns = 7 if third else 6
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.02, 1.0 - 0.46 / height), ncols=columns, **style)
    for row, line in enumerate(lines):
        figure.text(0.02, (foot - 0.2 * (row + 0.5)) / height, line, fontsize=9.5, va="center", color=TEXT)
    if found.pieces:
        figure.text(0.985, 0.5 * foot / height, "$a$ = ($a_x$, $a_y$, $\\alpha$) in m/s$^2$, m/s$^2$, rad/s$^2$",
                    fontsize=8.5, va="center", ha="right", color=FAINT)
    return figure


def describe_verdict(scene: Scene, time: float, contacts: list[dict], found: AccelerationSet) -> str:
    """The title: how many accelerations are possible."""
    count = len(found.pieces)
    words = {"none": "no acceleration is possible", "one": "one acceleration is possible",
             "several": f"{count} accelerations are possible",
             "continuum": "a continuum of accelerations is possible"}[found.kind]
    impact = "; an impact comes first" if any(contact["gap_rate"] < 0.0 for contact in contacts) else ""
    return f"{as_typed(scene.name)} at t = {time:.6g} s: {words}{impact}"


def list_answers(scene: Scene, found: AccelerationSet, contacts: list[dict]) -> list[str]:
    """A line for each answer with its mode and its acceleration; why there is none, where there is none."""
    names = [str(i) for i in range(len(contacts))]
    if found.kind == "none":
        words = [line for text in found.explain(unit=" m/s²").splitlines()[1:]
                 for line in textwrap.wrap(_typeset(text), MOST_CHARACTERS)]
    else:
        words = []
        for number, piece in enumerate(found.pieces, start=1):
            mode = describe_mode(piece.mode, names)
            places = " to ".join(_describe_vertex(scene, vertex) for vertex in piece.vertices)
            places += "".join(f" and on without end along {_describe_vertex(scene, ray)}" for ray in piece.rays)
            text = f"{number}   {'' if mode == 'free flight' else 'contact '}{mode}:  $a$ = {places}"
            words += textwrap.wrap(text, MOST_CHARACTERS, subsequent_indent="    ")
    return words if len(words) <= MOST_LINES else [*words[: MOST_LINES - 1], "... the printed list holds all"]


def _typeset(text: str) -> str:
    for plain, symbol in (("rho^2", "ρ²"), ("n_q^2", "$n_q^2$"), ("n_q v_q", "$n_q v_q$"), ("mu ", "µ ")):
        text = text.replace(plain, symbol)
    return text


def _describe_vertex(scene: Scene, vertex) -> str:
    values = (vertex[0], vertex[1], vertex[2] / scene.workpiece.rho)
    return "(" + ",\u00a0".join(f"{value + 0.0:.5g}".replace("-", "−") for value in values) + ")"
