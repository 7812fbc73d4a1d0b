"""Pictures of wrench cones for `dynamics/README.md`: `python -m sim.show.plots.cone_gallery [FOLDER]` draws them again.

The situations are those of Figures 3 and 4 of Balkcom, Gottlieb and Trinkle, "Computing wrench cones for planar contact
tasks" (2002). Figure 3 has the paper's coordinates; of Figure 4 it prints none, so these are our own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from dynamics.cones.contact_set import ContactSet, place_contacts
from dynamics.cones.peg import compute_section, insertion_cone, place_tilted_peg, place_upright_peg
from dynamics.cones.statics import check_form_closure
from dynamics.cones.wrench import Region, wrench_cone, wrench_cones
from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon as Square
from sim.scene.build import load_scene
from sim.show.loops import cut_polygon
from sim.show.plots.cone_picture import build_scenery, draw_cones, write_figure
from sim.show.plots.draw_cone import Scenery, draw_generators, draw_scenery
from sim.show.replay.painter import (
    CONE,
    FAINT,
    NORMAL_FORCE,
    OBSTACLE_EDGE,
    OBSTACLE_FACE,
    PART_EDGE,
    PART_FACE,
    TEXT,
    TRACE,
)
from sim.study.scene_contacts import find_contact_set, find_load

FOLDER = Path(__file__).parents[3] / "outputs" / "gallery"
S = np.sqrt(0.5)


def build_disc() -> tuple[Scenery, ContactSet]:
    """Figure 3: a disc rests on fixel 0 and is to approach fixel 1; unit radius, M = 1, mu = 0.2."""
    contacts = place_contacts([(0, -1), (1.12, 0)], [(0, 1), (-1, 0)], 0.2, closed=[True, False])
    return Scenery(Outline.disc(1.0)), contacts


def build_figure_4() -> list[tuple[str, str, Scenery, ContactSet]]:
    """(title, mode, scenery, contacts) in the manner of Figures 4a to 4d."""
    over = place_contacts([(-1, -1), (1, -1), (-1.2, 0)], [(0, 1), (0, 1), (1, 0)], 0.2, closed=[True, True, False])
    held = place_contacts([(-1, -1), (1, -1), (-1, 0)], [(0, 1), (0, 1), (1, 0)], 0.0)
    peg = place_contacts([(1, -0.2), (-1, 0.2), (0, -1.15)], [(-1, 0), (1, 0), (0, 1)], 0.5,
                         closed=[True, True, False])  # fmt: skip
    box = Scenery(Square.box(2.0, 2.0))
    return [("a  over 0 and 1 to 2", "lla", box, over), ("b  a finger on the thick line closes", "nnn", box, held),
            ("c  the peg goes in", "lra", box, peg), ("d  the peg jams", "nns", box, peg)]


def draw_figure_3() -> Figure:
    scenery, contacts = build_disc()
    region = Region(("na",), (wrench_cone(contacts, "na"),))
    return draw_cones(scenery, contacts, region, np.zeros(3), "roll on 0, approach 1")


def draw_figure_4() -> Figure:
    figure = Figure(figsize=(9.6, 7.4), facecolor="white")
    for number, (title, mode, scenery, contacts) in enumerate(build_figure_4()):
        axes = figure.add_axes((0.02 + 0.5 * (number % 2), 0.51 - 0.5 * (number // 2), 0.46, 0.43))
        draw_scenery(axes, scenery, contacts)
        draw_generators(axes, scenery, contacts, wrench_cone(contacts, mode))
        axes.set_title(f"{title}: {mode}", fontsize=11, color=TEXT, fontweight="bold")
        if number == 1:
            start, end = find_finger_places(contacts)
            axes.plot([start, end], [1.0, 1.0], color="black", linewidth=4.5, solid_capstyle="butt", zorder=7)
    return figure


def find_finger_places(contacts: ContactSet) -> tuple[float, float]:
    """Where on the top side, from x to x, a frictionless finger that presses along (-1, -1) closes the fixture."""

    def closes(x: float) -> bool:
        rows = place_contacts([*contacts.points, (x, 1.0)], [*contacts.normals, (-S, -S)], 0.0)
        return check_form_closure(rows)[0]

    places = np.linspace(-1.0, 1.0, 41)
    inside = [x for x in places if closes(x)]
    ends = []
    for good, bad in ((inside[0], -1.0), (inside[-1], 1.0)):
        for _ in range(40):
            middle = 0.5 * (good + bad)
            good, bad = (middle, bad) if closes(middle) else (good, middle)
        ends.append(float(good))
    return ends[0], ends[1]


def draw_jamming(radius: float = 1.0, depth: float = 1.0, mu: float = 0.3) -> Figure:
    """A peg in its hole, and Whitney's diagram of the loads that push it in, as the section of its insertion cone."""
    figure = Figure(figsize=(9.6, 4.6), facecolor="white")
    left, right = figure.add_axes((0.03, 0.04, 0.38, 0.84)), figure.add_axes((0.53, 0.125, 0.44, 0.755))
    _draw_peg(left, radius, depth)
    corners = compute_section(insertion_cone(place_upright_peg(radius, depth, mu)))[:, [0, 2]]
    right.add_patch(Polygon(corners, facecolor=CONE, alpha=0.35, edgecolor="none"))
    right.add_patch(Polygon(corners, facecolor="none", edgecolor=NORMAL_FORCE, linewidth=1.6, linestyle=(0, (3, 2))))
    right.plot(*corners.T, linestyle="", marker="o", color=NORMAL_FORCE, markersize=4)
    reach = 1.25 * np.abs(corners).max(axis=0)
    for name, place in (("goes in", (0.0, 0.0)), ("jams", (0.62 * reach[0], 0.55 * reach[1])),
                        ("jams", (-0.62 * reach[0], -0.55 * reach[1]))):
        right.annotate(name, place, ha="center", va="center", color=TEXT, fontsize=10)
    right.set_xlim(-reach[0], reach[0])
    right.set_ylim(-reach[1], reach[1])
    right.axhline(0.0, color="#C9C5BC", linewidth=0.7, zorder=0)
    right.axvline(0.0, color="#C9C5BC", linewidth=0.7, zorder=0)
    right.set_xlabel("$F_x / F_z$", color=FAINT)
    right.set_ylabel("$M / (r F_z)$", color=FAINT)
    right.tick_params(colors=FAINT, labelsize=8, length=3)
    figure.text(0.03, 0.935, f"Jamming of a peg: mu = {mu:g}, depth / radius = {depth / radius:g}", fontsize=12.5,
                fontweight="bold", color=TEXT, va="center")  # fmt: skip
    return figure


def _draw_peg(axes: Axes, radius: float, depth: float) -> None:
    """Two-point contact with much clearance, for the eye."""
    hole = 1.06 * radius
    contacts = place_tilted_peg(radius, hole, depth, 0.3)
    mouth, tip = contacts.points
    across = contacts.normals[0]
    along = np.array([-across[1], across[0]])
    base = np.array([tip - 2.0 * radius * across, tip])
    peg = np.vstack([base, base[::-1] + 2.6 * radius * along])
    for sign in (-1.0, 1.0):
        x = tip[0] if sign > 0.0 else mouth[0]
        wall = np.array([(x, mouth[1]), (x + sign * radius, mouth[1]), (x + sign * radius, -1.6), (x, -1.6)])
        piece = cut_polygon(wall, np.array([-9.0, tip[1] - 0.6]), np.array([9.0, 9.0]))
        axes.add_patch(Polygon(piece, facecolor=OBSTACLE_FACE, edgecolor=OBSTACLE_EDGE))
    axes.add_patch(Polygon(peg, facecolor=PART_FACE, edgecolor=PART_EDGE, linewidth=1.4, alpha=0.85))
    axes.plot(*contacts.points.T, linestyle="", marker="o", color=TEXT, markersize=5)
    middle = base.mean(axis=0)
    axes.plot(*middle, marker="+", color=TRACE, markersize=9, markeredgewidth=1.5)
    for name, vector in (("$F_z$", -0.9 * along), ("$F_x$", 0.8 * across)):
        end = middle + 0.95 * along * radius
        axes.annotate("", end + vector * radius * 0.8, end, arrowprops={"arrowstyle": "-|>", "color": NORMAL_FORCE})
        axes.annotate(name, end + vector * radius * 0.8 + 0.14 * across, color=NORMAL_FORCE, fontsize=10, va="center")
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.axis("off")


def draw_pawl() -> Figure:
    """Which mode does a load begin? The pawl of the scene `pawl_fixture` on two fixels, before the third."""
    scene = load_scene("pawl_fixture")
    contacts, _ = find_contact_set(scene, approach=["fixel 1"])
    return draw_cones(build_scenery(scene), contacts, wrench_cones(contacts), find_load(scene), "pawl_fixture")


def draw_gallery(folder=FOLDER) -> list[Path]:
    """Write all pictures of this module into a folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {"cone_roll_and_approach": draw_figure_3, "cones_of_four_tasks": draw_figure_4,
                "peg_jamming": draw_jamming, "pawl_modes": draw_pawl}  # fmt: skip
    paths = []
    for name, draw in pictures.items():
        paths.append(folder / f"{name}.png")
        write_figure(draw(), paths[-1])
    return paths


def read_folder(words: list[str]) -> Path:
    """The folder that the words of the command line name; ends the program with advice where they name none."""
    parser = argparse.ArgumentParser(prog="python -m sim.show.plots.cone_gallery",
                                     description="Draw the pictures of wrench cones in dynamics/README.md.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER,
                        help="where to put them; outputs/gallery if not given")
    return parser.parse_args(words).folder


if __name__ == "__main__":
    for path in draw_gallery(read_folder(sys.argv[1:])):
        print(path)
