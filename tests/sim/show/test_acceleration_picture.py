"""The picture of all accelerations: something readable for every number of contacts and every kind of answer."""

import subprocess
import sys
from pathlib import Path

import pytest

from dynamics import find_accelerations
from sim.instant.instant import contact_problem
from sim.scene.build import load_scene, parse_scene
from sim.show.plot_file import PlotError, check_plot_file
from sim.show.plots.acceleration_picture import draw_acceleration_picture
from tests import scene_builders as builders


def bar_between_walls():
    walls = [{"name": name, "outline": builders.box_outline(x, -1.0, x + 0.5, 1.0)}
             for name, x in (("left", -1.5), ("right", 1.0))]
    return builders.build_scene({"name": "bar", "outline": {"box": [2.0, 0.2]}, "mass": 1.0}, walls,
                                friction={"default": 0.5})


def corner_box():
    """A box in the corner of floor and wall, pushed into both: normals of three dimensions."""
    wall = {"name": "wall", "outline": builders.box_outline(-1.0, 0.0, 0.0, 2.0)}
    box = {"name": "box", "outline": builders.box_outline(0.0, 0.0, 0.15, 0.1), "mass": 1.0}
    return builders.build_scene(box, [builders.build_floor(), wall], friction={"default": 0.3},
                                load=[{"force": [-1.0, 0.0]}])


CASES = {  # scene: contacts, kind, axes
    "free flight": (lambda: load_scene("bouncing_block"), 0, "one", 2),
    "one contact": (lambda: load_scene("erdmann_figure_4"), 1, "one", 3),
    "no answer": (lambda: parse_scene(builders.a09("i")), 1, "none", 3),
    "two answers": (lambda: load_scene("painleve_rod"), 1, "several", 3),
    "resting in a corner": (lambda: parse_scene(corner_box()), 4, "one", 2),
    "two contacts": (lambda: load_scene("ladder"), 2, "one", 3),
    "three contacts": (lambda: load_scene("erdmann_figure_6"), 3, "one", 3),
    "three answers": (lambda: load_scene("erdmann_figure_5"), 3, "several", 3),
    "continuum": (lambda: parse_scene(bar_between_walls()), 4, "continuum", 3),
    "without end": (lambda: parse_scene(bar_between_walls(), {"workpiece.velocity": [0.0, -1.0, 0.0]}), 4, "continuum",
                    3),
    "no load": (lambda: load_scene("bouncing_block", {"gravity": [0.0, 0.0]}), 0, "one", 2),
    "rest without load": (lambda: load_scene("block_tips", {"gravity": [0.0, 0.0]}), 2, "one", 3),
    "huge friction": (lambda: load_scene("ladder", {"friction.default": 1e9}), 2, "one", 3),
    "no friction": (lambda: load_scene("erdmann_figure_4", {"friction.default": 0.0}), 1, "one", 3),
}


@pytest.mark.parametrize("case", CASES)
def test_every_answer_is_shown_inside_the_figure(case):
    make, count, kind, panels = CASES[case]
    scene = make()
    problem, contacts = contact_problem(scene)
    found = find_accelerations(problem)
    assert (len(problem), found.kind) == (count, kind)
    figure = draw_acceleration_picture(scene, scene.workpiece.pose, 0.0, problem, contacts, found)
    figure.canvas.draw()
    assert len(figure.axes) == panels
    space = figure.axes[1]
    numbers = [text.get_text() for text in space.texts if text.get_text().isdigit()]
    assert numbers == [str(i) for i, piece in enumerate(found.pieces, 1) for _ in piece.vertices]
    assert figure.texts[0].get_text().endswith(
        {"none": "no acceleration is possible", "one": "one acceleration is possible",
         "several": f"{len(found.pieces)} accelerations are possible",
         "continuum": "a continuum of accelerations is possible"}[kind])
    (legend,) = figure.legends
    labels = [label for axes in figure.axes for label in (axes.xaxis.label, axes.yaxis.label)]
    for artist in [*figure.texts, legend, *labels]:
        box = artist.get_window_extent()
        assert box.x0 >= 0.0 and box.x1 <= figure.bbox.x1 and box.y0 >= 0.0 and box.y1 <= figure.bbox.y1, artist
    texts = sorted((text.get_window_extent() for text in figure.texts), key=lambda box: box.y0)
    assert not any(a.overlaps(b) for i, a in enumerate(texts) for b in texts[:i])
    shown = " ".join(text.get_text() for text in figure.texts)
    assert ("and on without end along" in shown) == any(len(piece.rays) for piece in found.pieces)
    labels = [axes.get_xlabel() + axes.get_ylabel() for axes in figure.axes]
    assert "x (" in labels[0] and "F_x$ (" in labels[1] and "rho$ (" in labels[1]


def test_a_closing_contact_is_said():
    scene = parse_scene(builders.slope_block(builders.standing_box(0.1, 0.1), mu=0.3),
                        {"workpiece.velocity": [0.0, -1.0, 0.0]})
    problem, contacts = contact_problem(scene)
    figure = draw_acceleration_picture(scene, scene.workpiece.pose, 0.0, problem, contacts,
                                       find_accelerations(problem))
    assert "an impact comes first" in figure.texts[0].get_text()


@pytest.mark.parametrize("name, said", [("a.gif", "valid: .png, .svg, .pdf"), ("a", "no suffix"), ("b.png", "folder"),
                                        ("c/d.png", "cannot draw")])
def test_files_that_cannot_be_drawn(tmp_path, name, said):
    (tmp_path / "b.png").mkdir()
    (tmp_path / "c").write_text("")
    with pytest.raises(PlotError, match=said):
        check_plot_file(tmp_path / name)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["b.png", "c"]


FULL_DISK = """
import pathlib, resource, signal, sys
from matplotlib.figure import Figure
from sim.show.plot_file import PlotError, save_figure
figure = Figure()
figure.add_subplot().plot(range(5000), [k * k % 997 for k in range(5000)], marker="o")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
for limit in (1000, 25_000, 30_000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    for suffix in (".svg", ".pdf"):
        try:
            save_figure(figure, pathlib.Path(sys.argv[1]) / ("a" + suffix))
        except PlotError as error:
            print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_picture_that_does_not_fit_is_told(tmp_path):
    done = subprocess.run([sys.executable, "-B", "-c", FULL_DISK, str(tmp_path)], cwd=Path(__file__).parents[3],
                          text=True, capture_output=True, timeout=120)
    assert done.stdout.count(f"cannot draw {tmp_path}") == 6, done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
