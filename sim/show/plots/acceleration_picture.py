"""One figure of all accelerations of a state: the part with its contacts, configuration space, and the answers."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynamics.cones.cone import find_dipping
from dynamics.sets.acceleration_set import AccelerationSet
from dynamics.sets.explanation import describe_mode
from sim.scene.scene import Scene
from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.cone_space import ConeSpace, Line, build_cone_space
from sim.show.plots.draw_space import SpacePainter, draw_cone_plane, draw_intervals
from sim.show.plots.draw_state import draw_state
from sim.show.replay.painter import FAINT, NORMAL_FORCE, NOT_UNIQUE, TEXT
from sim.tolerances import SAME_C

HEIGHT = 5.7  # inches
MOST_LINES = 7  # of the list of answers
MOST_CHARACTERS = 165  # of one line
CAPTION_LETTERS, CAPTION_LINE = 15.5, 0.165  # letters of the caption in an inch; inches of a line of it
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
    width = 13.0 if third else 10.6  # inches
    caption = [line for text in explain_space(problem, found, space)
               for line in textwrap.wrap(text, int(CAPTION_LETTERS * width))]
    below = CAPTION_LINE * len(caption) + 0.1
    foot = 0.2 * len(lines) + 0.15 + below
    head = 1.0
    height = HEIGHT + foot + head - 1.0
    figure = Figure(figsize=(width, height), facecolor="white")
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
        figure.text(0.985, (foot - 0.1) / height, "$a$ = ($a_x$, $a_y$, $\\alpha$) in m/s$^2$, m/s$^2$, rad/s$^2$",
                    fontsize=8.5, va="center", ha="right", color=FAINT)
    for row, line in enumerate(caption):
        figure.text(0.02, (below - CAPTION_LINE * (row + 0.5)) / height, line, fontsize=8.5, va="center", color=FAINT)
    return figure


def explain_space(problem, found: AccelerationSet, space: ConeSpace) -> list[str]:
    """Sentences on what is drawn: cones and solutions; the line F_R(c) with t_c and c (Erdmann 1993, 5.5), and why its
    legal c are what they are; which contacts each solution opens; why there can be several."""
    if len(problem) == 0:
        return []
    words = ["The cone of a contact holds the forces that it can exert, as $(F_x,F_y,\\tau/\\rho)$. The reaction $F_R$ "
             "of a solution is a sum of edges $N\\pm\\mu{}T$ of cones, and the dashed line from $-F_A$ to it is "
             "$m\\,a=F_A+F_R$."]
    count, line = len(problem), space.line
    opened = {answer.number: [i for i, letter in enumerate(answer.mode) if letter == "s"] for answer in space.answers}
    if line is not None:
        t = ",\u00a0".join(f"{value + 0.0:.3g}".replace("-", "−") for value in np.round(line.direction, 12))
        both = "both" if count == 2 else f"all {count}"
        words.append(f"$t_c$ = ({t}) is at right angles to the normals of {both} contacts: along it the part can "
                     f"begin to move and keep {both} closed. The reactions that keep {both} closed are the points "
                     "$F_R(c)$ of the violet line, $c$ newtons along $t_c$. Such a $c$ is legal where $F_R(c)$ is a sum "
                     "of edges that may act there, which their bars tell: those against the slip that it leaves.")
        words.append(_explain_legal(line, both))
    if line is not None and not line.legal and opened:
        start = (f" The {len(opened)} solutions that there are do not stand on the line, for each opens a contact: "
                 if len(opened) > 1 else " The solution that there is does not stand on the line: ")
        words[-1] += start + ", ".join(f"{number} opens {_name_contacts(own, count)}" for number, own in opened.items()
                                       if own) + "."
    dipping = [int(i) for i in find_dipping(problem)]
    if found.kind in ("several", "continuum") and dipping:
        which = _name_contacts(dipping, 0)
        cones, dip = ("cone", "dips") if len(dipping) == 1 else ("cones", "dip")
        words.append(f"Several solutions can stand beside each other because the friction {cones} of {which} {dip} "
                     "below the tangent plane, $\\mu|n_qv_q|>\\rho^2+n_q^2$: a push that leans so far drives the place "
                     "of contact into the obstacle, so that a contact that would open can push as well.")
    return words


def _explain_legal(line: Line, both: str) -> str:
    if line.legal:
        ends = [f"{a:.4g} N" if a == b or b - a <= SAME_C * max(abs(a), abs(b)) else f"{a:.4g} N to {b:.4g} N"
                for a, b in line.legal]
        return f"Legal is $c$ = {' and '.join(ends)}.".replace("-", "−").replace("inf N", "∞")
    if line.is_met:
        return ("No $c$ is legal: the line passes through the sum of the cones, but at no $c$ may all the edges act "
                "that its point there needs.")
    return ("No $c$ is legal: the line passes beside the sum of the cones, so that no forces within the cones, which "
            f"push and never pull, can keep {both} contacts closed.")


def _name_contacts(numbers: list[int], count: int) -> str:
    """"contact 0", "contacts 1 and 2", or "all contacts" if they are so many."""
    if len(numbers) == count:
        return "all contacts"
    names = [str(number) for number in numbers]
    return f"contact {names[0]}" if len(names) == 1 else f"contacts {', '.join(names[:-1])} and {names[-1]}"


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
