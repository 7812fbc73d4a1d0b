"""Outlines with arcs in a scene: what may be said of them, and what comes out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from geometry.shapes.outline import Outline
from geometry.shapes.polygon import Polygon
from sim.scene.build import load_scene, parse_scene
from sim.scene.scene_errors import SceneError

SCENE = """
# A part above a floor
[workpiece]
outline = {outline}
mass = 1.0
pose = [0.0, 5.0, 0.0]
[[obstacle]]
name = "floor"
outline = {{box = [10, 1]}}
pose = [0.0, -2.0, 0.0]
[friction]
default = 0.3
"""


def build(outline, **overrides):
    return parse_scene(SCENE.format(outline=outline), overrides)


def test_a_disc_has_its_closed_forms():
    part = build('{disc = "5 mm"}').workpiece
    assert part.outline.radius.tolist() == [0.005] and len(part.outline) == 1
    assert part.rho == pytest.approx(0.005 / math.sqrt(2.0), rel=1e-15)
    assert part.origin == (0.0, 0.0)
    moved = build("{disc = 2, center = [3, 4], unit = 'cm'}").workpiece
    assert moved.origin == (-0.03, -0.04) and moved.outline.centre.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize(("text", "outline"), [
    ("{vertices = [[0, 0], [2, 0], [2, 2], [0, 2]], bulge = [0, 1, 0, 0]}",
     Outline.from_vertices([[0, 0], [2, 0], [2, 2], [0, 2]], [0, 1, 0, 0])),
    ("{box = [4, 2], fillet = 0.5}", Outline.from_vertices(Polygon.box(4, 2).vertices).with_fillets(0.5)),
    ("{box = [4, 2], fillet = [0, 0.5, 0, 1]}",
     Outline.from_vertices(Polygon.box(4, 2).vertices).with_fillets([0, 0.5, 0, 1])),
    ("{regular = {n = 6, circumradius = 1}, fillet = '100 mm'}",
     Outline.from_vertices(Polygon.regular(6, 1.0).vertices).with_fillets(0.1)),
    ("{capsule = {length = '1 m', radius = 0.25}}", Outline.capsule(1.0, 0.25)),
    ("{box = [4, 2], holes = [{disc = 0.5, center = [1, 0]}, {box = [0.5, 0.5]}]}",
     Outline.from_vertices(Polygon.box(4, 2).vertices).with_holes(
         Outline.disc(0.5, (1, 0)), Outline.from_vertices(Polygon.box(0.5, 0.5).vertices))),
])  # fmt: skip
def test_an_outline_is_that_of_its_words(text, outline):
    part = build(text).workpiece
    assert part.outline == outline.translated(*-outline.centroid)
    assert part.rho == outline.rho


def test_edges_alone_are_a_polygon():
    assert isinstance(build("{box = [4, 2], fillet = 0}").workpiece.outline, Polygon)
    assert isinstance(build("{vertices = [[0, 0], [1, 0], [0, 1]], bulge = [0, 0, 0]}").workpiece.outline, Polygon)


def test_fillet_and_disc_are_overridden_by_their_paths():
    scene = build("{box = [4, 2], fillet = 0.5}", **{"workpiece.outline.fillet": "250 mm"})
    assert set(scene.workpiece.outline.radius.tolist()) == {0.0, 0.25}
    assert parse_scene(scene.text).workpiece == scene.workpiece
    assert build("{disc = 1}", **{"workpiece.outline.disc": 2}).workpiece.outline.reach == 2.0


@pytest.mark.parametrize(("text", "message"), [
    ("{box = [4, 2], disc = 1}", "needs exactly one of box, regular, vertices, disc, capsule, file; given"),
    ("{disc = 1, fillet = 2}", "fillet goes with box, regular, vertices, file, and this is an outline of disc"),
    ("{box = [4, 2], bulge = [1, 0, 0, 0]}", "bulge goes with vertices, and this is an outline of box"),
    ("{box = [4, 2], fillet = 1.5}", "the fillet of 1.5 m at vertex 1"),
    ("{disc = 0}", "the radius of a disc must be a number, positive and finite, not 0.0 m"),
    ("{capsule = {length = 1}}", "workpiece.outline.capsule.radius is missing"),
    ("{vertices = [[0, 0], [1, 0], [0, 1]], bulge = [1]}", "an outline of 3 vertices has 3 bulges"),
    ("{file = 'none.dxf'}", "workpiece.outline.file: none.dxf: cannot be read: No such file or directory"),
    ("{disk = 1}", "unknown key; did you mean 'disc'?"),
    ("{box = [4, 2], holes = [{box = [8, 1]}]}", "the outline crosses itself"),
    ("{box = [4, 2], holes = [{box = [1, 1], holes = [{disc = 0.1}]}]}", "without holes of its own"),
])  # fmt: skip
def test_what_cannot_be_an_outline_is_refused(text, message):
    with pytest.raises(SceneError) as error:
        build(text)
    assert message in str(error.value)


def write_drawing(path, radius=5.0, unit=4):
    """A slot 40 long with half-round ends, and a hole in it."""
    import ezdxf

    drawing = ezdxf.new(units=unit)
    space = drawing.modelspace()
    space.add_lwpolyline([(-15, -radius, 0), (15, -radius, 1), (15, radius, 0), (-15, radius, 1)], format="xyb",
                         close=True, dxfattribs={"layer": "PART"})
    space.add_circle((5, 0), 2, dxfattribs={"layer": "PART"})
    space.add_line((0, 0), (100, 0), dxfattribs={"layer": "DIM"})
    drawing.saveas(path)


def test_a_drawing_stays_in_the_scene(tmp_path):
    """The scene holds the outline and the hash of the drawing: it is built again without it, bit for bit."""
    import hashlib

    write_drawing(tmp_path / "slot.dxf")
    sha = hashlib.sha256((tmp_path / "slot.dxf").read_bytes()).hexdigest()
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(outline='{file = "slot.dxf", layer = "PART"}'))
    scene = load_scene(file)
    outline = scene.workpiece.outline
    assert outline.n_loops == 2 and sorted(outline.radius[outline.sign != 0]) == [0.002, 0.005, 0.005]
    assert scene.workpiece.rho == pytest.approx(Outline.from_file(tmp_path / "slot.dxf", "PART").rho, rel=1e-15)
    assert scene.workpiece.drawing.sha256 == sha and scene.workpiece.drawing.deviation == 0.0
    assert "# A part above a floor" in scene.text
    (tmp_path / "slot.dxf").unlink()
    again = parse_scene(scene.text, source=str(file))
    assert again.workpiece == scene.workpiece and again.text == scene.text
    turned = parse_scene(scene.text, {"workpiece.pose.theta": 0.1}, str(file))
    assert turned.workpiece.outline == outline
    with pytest.raises(SceneError, match=r"slot\.dxf: cannot be read"):  # another layer is not in what was kept
        parse_scene(scene.text, {"workpiece.outline.layer": "DIM"}, str(file))


def test_a_drawing_that_changes_is_read_again(tmp_path):
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(outline='{file = "slot.dxf", layer = "PART", unit = "cm", fillet = 0}'))
    write_drawing(tmp_path / "slot.dxf")
    first = load_scene(file)
    write_drawing(tmp_path / "slot.dxf", radius=6.0)
    second = load_scene(file)
    assert np.ptp(first.workpiece.outline.bounds, axis=0) == pytest.approx([0.4, 0.1], rel=1e-15)
    assert np.ptp(second.workpiece.outline.bounds, axis=0) == pytest.approx([0.42, 0.12], rel=1e-15)


def test_a_drawing_of_many_edges_is_kept_soon(tmp_path):
    """Ten thousand features pass into the text of the scene, and out of it."""
    import ezdxf

    angle = np.linspace(0.0, 2.0 * math.pi, 10_000, endpoint=False)
    drawing = ezdxf.new(units=4)
    drawing.modelspace().add_lwpolyline(np.stack([50 * np.cos(angle), 30 * np.sin(angle)], axis=1), close=True)
    drawing.saveas(tmp_path / "rim.dxf")
    file = tmp_path / "scene.toml"
    file.write_text(SCENE.format(outline='{file = "rim.dxf"}'))
    scene = load_scene(file)
    assert len(scene.workpiece.outline) == 10_000
    assert parse_scene(scene.text).workpiece == scene.workpiece


@pytest.mark.parametrize(("part", "obstacle"), [
    ("{disc = 0.5}", "{box = [4, 4], holes = [{disc = 0.5000001}]}"),
    ("{box = [1, 1], holes = [{disc = 0.25}]}", "{disc = 0.25}"),
])
def test_arcs_of_one_radius_face_to_face_are_refused(part, obstacle):
    text = SCENE.format(outline=part).replace("{box = [10, 1]}", obstacle)
    with pytest.raises(SceneError, match=r"have one radius, 0\.[25]+ m, .* make the one that bulges out smaller"):
        parse_scene(text)
    parse_scene(text.replace("holes = [{disc = 0.25}]", "holes = [{disc = 0.2501}]").replace("0.5000001", "0.5001"))
