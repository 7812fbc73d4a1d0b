"""A whole picture of wrench cones: contacts with lines of force on the left, the section on the right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dynamics.cones.contact_set import ContactSet
from dynamics.cones.wrench import Region
from sim.scene.scene import Scene
from sim.show.labels import as_typed
from sim.show.picture_options import PLAIN, PictureFile, PictureOptions
from sim.show.plot_file import check_plot_file, save_figure
from sim.show.plots.draw_cone import Scenery, choose_plane, draw_generators, draw_scenery, draw_sections
from sim.show.replay.painter import FAINT, TEXT

SIZE = (9.6, 4.6)  # inches


def save_cones(path, scene: Scene, contacts: ContactSet, region: Region, load) -> None:
    """Draw the cones of a scene into a file; load: the scene's own wrench, or zeros."""
    file = check_plot_file(path)
    write_figure(draw_cones(build_scenery(scene), contacts, region, load, scene.name, file.options), file)


def write_figure(figure: Figure, file: PictureFile | Path) -> None:
    """A file without date or version, so that the same picture gives the same bytes. Raises PlotError."""
    save_figure(figure, file, **({"Software": None} if file.suffix.lower() == ".png" else {}))


def build_scenery(scene: Scene) -> Scenery:
    """Part and obstacles at the start, relative to the centre of mass."""
    pose = scene.workpiece.pose
    centre = np.array([pose.x, pose.y])
    return Scenery(scene.workpiece.outline.placed(pose).translated(*-centre),
                   tuple(obstacle.shape.translated(*-centre) for obstacle in scene.obstacles))


def draw_cones(scenery: Scenery, contacts: ContactSet, region: Region, load, title: str,
               options: PictureOptions = PLAIN) -> Figure:
    """One cone with its generators, or several with their letters; all relative to the centre of mass."""
    figure = Figure(figsize=SIZE, facecolor="white")
    left = figure.add_axes((0.01, 0.02, 0.46, 0.86))
    right = figure.add_axes((0.565, 0.125, 0.42, 0.755))
    draw_scenery(left, scenery, contacts)
    several = len(set(region.modes)) > 1
    whole = [cone for cone in region.cones if len(region.cones) == 1 or cone.dimension == 3]
    if len(whole) == 1:
        draw_generators(left, scenery, contacts, whole[0])
    plane = choose_plane(region, load)
    if region.is_empty:
        right.axis("off")
        right.text(0.5, 0.5, "no wrench at all", ha="center", va="center", color=FAINT, transform=right.transAxes)
    else:
        draw_sections(right, region, plane, load, several)
    names = list(dict.fromkeys(region.modes))
    words = f"mode {names[0]}" if len(names) == 1 else f"{len(names)} modes" if names else "no mode"
    heading = figure.text(0.02, 0.935, f"{as_typed(title)}: {words}", fontsize=12.5, fontweight="bold", color=TEXT,
                          va="center")
    options.put_title(heading, 0.8)
    if not region.is_empty:
        sign = "-" if plane.sign < 0.0 else ""
        figure.text(0.985, 0.935, f"section {sign}{('Fx', 'Fy', 'torque / rho')[plane.axis]} = 1", fontsize=10,
                    color=FAINT, ha="right", va="center")
    return figure
