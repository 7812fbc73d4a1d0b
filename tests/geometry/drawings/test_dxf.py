"""Outlines from DXF files: what is drawn, how it is chained, and what is refused and how."""

import itertools
import math
import random
import subprocess
import sys
from pathlib import Path

import ezdxf
import numpy as np
import pytest

from geometry.errors import InputError
from geometry.shapes.outline import Outline

SLOT = [(-15, -5, 0), (15, -5, 1), (15, 5, 0), (-15, 5, 1)]
MM2 = 1e-6


@pytest.fixture
def draw(tmp_path):
    """A function that lets another one draw into a new file and reads its outline."""

    def read(*drawers, units=4, **options):
        document = ezdxf.new()
        document.header["$INSUNITS"] = units
        for drawer in drawers:
            drawer(document.modelspace())
        path = tmp_path / "part.dxf"
        document.saveas(path)
        return Outline.from_file(path, **options)

    return read


def rounded_rectangle(gap=0.0, turn=0.3, digits=5, layer="0", seed=1):
    """B03: 40 x 20 with radii of 5, as 4 lines and 4 arcs in any order and direction, all numbers rounded."""

    def place(point):
        c, s = math.cos(turn), math.sin(turn)
        x, y = point
        return round(c * x - s * y + 1 / 3, digits), round(s * x + c * y + 1 / 7, digits)

    def drawer(space):
        shuffle = random.Random(seed)
        lines = [((5, 0), (35, 0)), ((40, 5), (40, 15)), ((35, 20), (5, 20)), ((0, 15), (0, 5))]
        arcs = [((35, 5), 270), ((35, 15), 0), ((5, 15), 90), ((5, 5), 180)]
        jobs = []
        for k, (a, b) in enumerate(lines):
            ends = [place((a[0] + (gap if k == 1 else 0.0), a[1])), place(b)]
            jobs.append(("add_line", shuffle.sample(ends, 2)))
        for centre, angle in arcs:
            first = round(angle + math.degrees(turn), digits)
            jobs.append(("add_arc", (place(centre), 5.0, first, first + 90.0)))
        shuffle.shuffle(jobs)
        for name, arguments in jobs:
            getattr(space, name)(*arguments, dxfattribs={"layer": layer})

    return drawer


def polyline(rows, closed=True, **attributes):
    return lambda space: space.add_lwpolyline(rows, format="xyb", close=closed, dxfattribs=attributes)


def line(start, end, **attributes):
    return lambda space: space.add_line(start, end, dxfattribs=attributes)


def circle(centre, radius, **attributes):
    return lambda space: space.add_circle(centre, radius, dxfattribs=attributes)


# ---------------------------------------------------------------------------------------------------------- open cases


def test_the_reading_libraries_load_only_when_a_drawing_is_read():
    code = ("import sys, geometry; geometry.Outline.from_vertices([(0, 0), (1, 0), (0, 1)]).with_fillets(0.1); "
            "print({'ezdxf', 'svgelements', 'scipy', 'xml.etree.ElementTree'} & set(sys.modules))")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[3])
    assert result.stdout.strip() == "set()", result.stderr


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("side", [1, -1])
def test_b01_slot_with_the_bulge_on_its_last_vertex(draw, old, side):
    rows = [(x, y, side * b) for x, y, b in SLOT]
    drawer = (lambda space: space.add_polyline2d(rows, format="xyb", close=True)) if old else polyline(rows)
    outline = draw(drawer)
    area = 300.0 + side * 25.0 * math.pi
    assert abs(outline.area / MM2 - area) <= 1e-10 * area
    assert len(outline) == 4 and sorted(outline.sign) == sorted([0, 0, side, side])
    np.testing.assert_allclose(outline.centroid, 0.0, atol=1e-17)
    if side == 1:
        assert outline.second_moment * 1e12 == pytest.approx(48653.2063806894, rel=1e-12)
        np.testing.assert_allclose(outline.bounds[:, 0], [-0.02, 0.02], rtol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_b03_loose_lines_and_arcs(draw, seed):
    outline = draw(rounded_rectangle(seed=seed, turn=0.3 * seed))
    assert outline.n_loops == 1 and sorted(outline.sign) == [0] * 4 + [1] * 4
    assert outline.area / MM2 == pytest.approx(800.0 - (4.0 - math.pi) * 25.0, abs=1e-3)
    # rounding has left gaps and corners that nobody drew; both are mended by no more than there was of it, and told
    assert not outline.corner.any()
    assert outline.conversion.gap <= 3e-5 * 1e-3 and outline.conversion.moved <= 3e-5 * 1e-3


def test_b03_a_gap_is_a_mistake(draw):
    with pytest.raises(InputError, match=r"part\.dxf: the outline is open: a gap of 0\.49999\d* from \(37\.\d+, "
                                         r"16\.\d+\), "
                                         r"the end of \w+ #\w+, to .*, the end of \w+ #\w+; valid are gaps up to "
                                         r"0\.0005"):
        draw(rounded_rectangle(gap=0.5))


def test_b03_a_stray_line_on_another_layer(draw):
    drawers = rounded_rectangle(layer="PART"), line((-5, 10), (50, 10), layer="CONSTRUCTION")
    assert draw(*drawers, layer="PART") == draw(*drawers, layer="part")
    with pytest.raises(InputError, match=r"is open: .*LINE #\w+ on layer 'CONSTRUCTION'; closed: \w+ #\w+ and 7 more "
                                         r"on "
                                         r"layer 'PART'.*give it: 'CONSTRUCTION', 'PART'"):
        draw(*drawers)
    with pytest.raises(InputError, match=r"nothing is drawn on layer 'PRT'; valid: 'CONSTRUCTION', 'PART'"):
        draw(*drawers, layer="PRT")


def test_b03_a_circle_is_a_disc(draw):
    disc = draw(circle((3, 4), 5))
    assert len(disc) == 1 and not disc.corner.any()
    assert disc.area / MM2 == pytest.approx(25.0 * math.pi, rel=1e-14)
    np.testing.assert_allclose(disc.centre, [[0.003, 0.004]], rtol=1e-15)


# ------------------------------------------------------------------------------------------------------------- chains


def test_two_lines_and_two_arcs(draw):
    """A chain that `edgeminer.find_all_loops` misses."""
    outline = draw(line((0, -1), (4, -1)), line((0, 1), (4, 1)), lambda s: s.add_arc((4, 0), 1, -90, 90),
                   lambda s: s.add_arc((0, 0), 1, 90, 270))
    assert outline.area / MM2 == pytest.approx(8.0 + math.pi, rel=1e-14) and not outline.corner.any()


def test_arcs_that_make_a_circle_are_a_disc(draw):
    third = [lambda s, k=k: s.add_arc((1 / 3, 1 / 7), 2, 120.00001 * k, 120.0 * (k + 1)) for k in range(3)]
    disc = draw(*third)
    assert len(disc) == 1 and disc.area / MM2 == pytest.approx(4.0 * math.pi, rel=1e-5)
    whole = draw(lambda s: s.add_arc((1, 2), 3, 45, 405))
    assert len(whole) == 1 and whole.area / MM2 == pytest.approx(9.0 * math.pi, rel=1e-14)


def test_polylines_that_end_where_they_began(draw):
    rows = [(0, 0, 0), (4, 0, 0), (4, 3, 0), (0, 3, 0), (0, 0, 0)]
    for rest, closed in ((rows, True), (rows, False), ([*rows[:-1], (1e-6, -1e-6, 0)], True)):
        outline = draw(polyline(rest, closed))
        assert len(outline) == 4 and outline.area / MM2 == pytest.approx(12.0, rel=1e-6)


def test_a_line_drawn_twice_is_told(draw):
    sides = list(itertools.pairwise([(0, 0), (4, 0), (4, 3), (0, 3), (0, 0)]))
    outline = draw(*(line(a, b) for a, b in sides), line(sides[1][1], sides[1][0]), circle((1, 1), 0.5),
                   circle((1, 1), 0.5))
    assert len(outline) == 5 and outline.area / MM2 == pytest.approx(12.0 - math.pi / 4.0, rel=1e-14)
    assert sum("lies on" in note and "left out" in note for note in outline.conversion.notes) == 2


def test_branches_are_refused_with_their_place(draw):
    sides = list(itertools.pairwise([(0, 0), (4, 0), (4, 3), (0, 3), (0, 0)]))
    with pytest.raises(InputError, match=r"3 ends meet at \(4, 0\), where the outline would branch: of LINE #\w+, LINE "
                                         r"#\w+, LINE #\w+"):
        draw(*(line(a, b) for a, b in sides), line((4, 0), (9, 0)))
    with pytest.raises(InputError, match=r"branch.*give it: '0', 'AXIS'"):
        draw(*(line(a, b) for a, b in sides), line((4, 0), (9, 0), layer="AXIS"))


def test_short_edges_stay(draw):
    """A chamfer that is shorter than a gap may be, exactly closed."""
    e = 1e-4
    points = [(0, 0), (40, 0), (40, 20 - e), (40 - e, 20), (0, 20), (0, 0)]
    assert len(draw(*(line(a, b) for a, b in itertools.pairwise(points)))) == 5


def test_holes_by_even_and_odd(draw):
    plate = draw(circle((0, 0), 1), circle((5, 0), 1), circle((2, 0), 9))
    assert plate.n_loops == 3 and plate.area / MM2 == pytest.approx(79.0 * math.pi, rel=1e-14)
    assert plate.sign.tolist() == [1, -1, -1]


def test_several_parts_are_listed(draw):
    with pytest.raises(InputError, match=r"2 outer loops, where a part has one: CIRCLE #\w+ on layer 'A', 2 x 2 mm; "
                                         r"CIRCLE "
                                         r"#\w+ on layer 'B', 6 x 6 mm; if the part is on one.*give it: 'A', 'B'"):
        draw(circle((0, 0), 1, layer="A"), circle((9, 0), 3, layer="B"))
    with pytest.raises(InputError, match="2 outer loops"):  # an island in a hole
        draw(circle((0, 0), 9), circle((0, 0), 5), circle((0, 0), 1))


def test_crossing_loops_are_named(draw):
    with pytest.raises(InputError, match=r"part\.dxf: .*crosses itself at .* m: CIRCLE #\w+, feature 0 .* and CIRCLE "
                                         r"#\w+"):
        draw(circle((0, 0), 3), circle((4, 0), 3))
    with pytest.raises(InputError, match=r"part\.dxf: .*crosses itself at \(0\.002, 0\.002\) m: LWPOLYLINE #\w+, "
                                         r"feature 0"):
        draw(polyline([(0, 0, 0), (4, 4, 0), (4, 0, 0), (0, 4, 0)]))


# ------------------------------------------------------------------------------------------- layers, units, frames


def test_hidden_layers_are_left_out_and_told(draw):
    def hide(space):
        layers = space.doc.layers
        layers.add("COLD").freeze()
        layers.add("DARK").off()
        for name in ("COLD", "DARK", "DARK"):
            space.add_circle((50, 0), 1, dxfattribs={"layer": name})
        space.add_text("a part")
        space.add_circle((9, 9), 1, dxfattribs={"invisible": 1})

    outline = draw(circle((0, 0), 9), hide)
    assert outline.n_loops == 1
    text = "; ".join(outline.conversion.notes)
    for words in ("1 entities left out: layer 'COLD' is frozen", "2 entities left out: layer 'DARK' is off", "1 TEXT",
                  "invisible"):
        assert words in text


@pytest.mark.parametrize("code, metres", [(1, 0.0254), (2, 0.3048), (4, 1e-3), (5, 1e-2), (6, 1.0), (13, 1e-6)])
def test_units(draw, code, metres):
    assert draw(circle((0, 0), 2), units=code).radius[0] == pytest.approx(2.0 * metres, rel=1e-15)


def test_without_a_unit_one_is_asked_for(draw):
    with pytest.raises(InputError, match=r"part\.dxf: in which unit it is drawn is not known: \$INSUNITS does not say "
                                         r"one; "
                                         "give the unit: m, cm, mm, um, in"):
        draw(circle((0, 0), 2), units=0)
    assert draw(circle((0, 0), 2), units=0, unit="in").radius[0] == pytest.approx(0.0508, rel=1e-15)
    with pytest.raises(InputError, match=r"\$INSUNITS is 18"):
        draw(circle((0, 0), 2), units=18)
    with pytest.raises(InputError, match="unknown unit of length 'ell'; valid: m, cm"):
        draw(circle((0, 0), 2), unit="ell")


def block(name, *drawers, base=(0, 0)):
    def make(space):
        content = space.doc.blocks.new(name, base_point=base)
        for drawer in drawers:
            drawer(content)

    return make


def insert(name, place, **attributes):
    return lambda space: space.add_blockref(name, place, dxfattribs=attributes)


FLAG = [(0, 0, 0), (4, 0, 1), (4, 2, 0), (1, 2, 0)]


def turn_points(points, scale, degrees, place, base=(0, 0)):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = (np.asarray(points, dtype=float) - base).T * np.array(scale)[:, None]
    return np.stack([c * x - s * y, s * x + c * y], axis=1) + place


@pytest.mark.parametrize("scale", [(1, 1), (-2, 2), (2, -2), (-1, -1), (0.5, 0.5)])
def test_inserts_that_keep_circles(draw, scale):
    outline = draw(block("B", polyline(FLAG), base=(1, 1)),
                   insert("B", (7, -3), xscale=scale[0], yscale=scale[1], rotation=33))
    mirrored = math.copysign(1.0, scale[0] * scale[1])
    points = turn_points([row[:2] for row in FLAG], scale, 33, (7, -3), (1, 1))
    wanted = Outline.from_vertices(points, [mirrored * row[2] for row in FLAG], unit="mm")
    assert outline.area == pytest.approx(wanted.area, rel=1e-13) and sorted(outline.sign) == [0, 0, 0, 1]
    np.testing.assert_allclose(outline.centroid, wanted.centroid, rtol=0, atol=1e-16)
    np.testing.assert_allclose(outline.bounds, wanted.bounds, rtol=0, atol=1e-16)
    assert outline.conversion.n_arcs == 0


def test_inserts_that_make_ellipses(draw):
    outline = draw(block("B", circle((1, 0), 2)), insert("B", (5, 5), xscale=3, yscale=-1, rotation=20), tolerance=1e-3)
    assert outline.area / MM2 == pytest.approx(12.0 * math.pi, rel=1e-4) and not outline.corner.any()
    c, s = math.cos(math.radians(20)), math.sin(math.radians(20))
    np.testing.assert_allclose(outline.centroid * 1e3, [5 + 3 * c, 5 + 3 * s], atol=1e-6)
    assert 0.0 < outline.conversion.deviation <= 1e-6 and outline.conversion.n_arcs > 8
    assert outline.conversion.converted[0].startswith("CIRCLE #")


def test_nested_inserts_layers_and_arrays(draw):
    outline = draw(block("IN", circle((0, 0), 1, layer="0")), block("OUT", insert("IN", (2, 0), layer="0")),
                   insert("OUT", (0, 0), layer="HOLES", row_count=2, column_count=3, row_spacing=4, column_spacing=5),
                   circle((7, 2), 20, layer="RIM"))
    assert outline.n_loops == 7 and outline.area / MM2 == pytest.approx(394.0 * math.pi, rel=1e-14)
    with pytest.raises(InputError, match="6 outer loops"):
        draw(block("IN", circle((0, 0), 1, layer="0")),
             insert("IN", (0, 0), layer="HOLES", row_count=2, column_count=3, row_spacing=4, column_spacing=5),
             circle((7, 2), 20, layer="RIM"), layer="HOLES")


def test_blocks_that_cannot_be_followed(draw):
    with pytest.raises(InputError,
                       match=r"INSERT #\w+ on layer '0': it inserts block 'NONE', which is not in the file"):
        draw(insert("NONE", (0, 0)))
    with pytest.raises(InputError, match="nested more than 64 deep, or insert themselves"):
        draw(block("A", insert("A", (1, 0))), insert("A", (0, 0)))


def test_what_is_seen_from_behind_is_mirrored(draw):
    """An extrusion of -z: x runs the other way."""
    attributes = {"extrusion": (0, 0, -1)}
    for drawer in (polyline(FLAG, **attributes),
                   lambda s: s.add_polyline2d(FLAG, format="xyb", close=True, dxfattribs=attributes)):
        outline = draw(drawer)
        wanted = Outline.from_vertices([(-x, y) for x, y, _ in FLAG], [-b for _, _, b in FLAG], unit="mm")
        np.testing.assert_allclose(outline.centroid, wanted.centroid, atol=1e-17)
        assert outline.area == pytest.approx(wanted.area, rel=1e-14)
    half = draw(lambda s: s.add_arc((5, 0), 2, -90, 90, dxfattribs=attributes), line((-5, -2), (-5, 2)))
    np.testing.assert_allclose(half.bounds * 1e3, [[-7, -2], [-5, 2]], atol=1e-14)
    disc = draw(circle((5, 1), 2, **attributes))
    np.testing.assert_allclose(disc.centre * 1e3, [[-5, 1]])
    # an ellipse is given in the world, and only runs the other way
    part = draw(lambda s: s.add_ellipse((0, 0), (4, 0), 0.5, 0, math.pi, dxfattribs=attributes), line((-4, 0), (4, 0)))
    np.testing.assert_allclose(part.bounds * 1e3, [[-4, -2], [4, 0]], atol=1e-3)


@pytest.mark.parametrize("drawer, message", [
    (circle((0, 0), 2, extrusion=(0, 1, 1)), r"CIRCLE #\w+ on layer '0': its extrusion .* tilts it out of the plane"),
    (line((0, 0, 0), (4, 0, 3)), r"LINE #\w+ on layer '0': it is not level: z runs from 0 to 3"),
    (lambda s: s.add_3dface([(0, 0), (1, 0), (1, 1), (0, 1)]), "a 3DFACE cannot be part of an outline"),
    (polyline([(0, 0, 1e9), (1, 0, 0)]), r"LWPOLYLINE #\w+ on layer '0': the bulge of vertex 0 is 1e\+09; valid are "
                                         r"bulges"),
    (polyline([(0, 0, 0), (1, 0, math.nan)]), r"the bulge of vertex 1 is nan"),
    (circle((0, 0), -2), r"its radius is -2"), (circle((0, 0), 0), r"its radius is 0"),
    (lambda s: s.add_text("x"), r"nothing is drawn in it that could be an outline \(1 TEXT\)"),
    (lambda s: None, "nothing is drawn in it"),
    (line((0, 0), (0, 0)), r"nothing is drawn"),
    (circle((0, 0), 1e300), "too large"),
])
def test_entities_that_are_refused(draw, drawer, message):
    with pytest.raises(InputError, match=message):
        draw(drawer)


# -------------------------------------------------------------------------------------------------------------- curves


def test_ellipses_within_the_tolerance(draw):
    for tolerance in (0.1, 1e-3, 1e-5):
        outline = draw(lambda s: s.add_ellipse((1, 2), (20, 5), 0.4), tolerance=tolerance)
        a = math.hypot(20, 5)
        assert outline.conversion.deviation <= tolerance * 1e-3 and not outline.corner.any()
        assert outline.area / MM2 == pytest.approx(0.4 * a * a * math.pi, abs=2 * math.pi * a * tolerance)
        # each point of the arcs is as near to the ellipse
        u = np.array([20, 5]) / a
        points = np.concatenate(outline.sample(1e-9)) * 1e3 - (1, 2)
        x, y = points @ u / a, points @ np.array([-u[1], u[0]]) / (0.4 * a)
        slope = np.hypot(x / a, y / (0.4 * a))
        off = np.abs(x * x + y * y - 1.0) / (2.0 * slope)
        assert off.max() <= 1.05 * outline.conversion.deviation * 1e3


def test_elliptic_arcs(draw):
    half = draw(lambda s: s.add_ellipse((0, 0), (0, 6), 0.5, math.pi, 2 * math.pi), line((0, 6), (0, -6)))
    assert half.area / MM2 == pytest.approx(9.0 * math.pi, rel=1e-4)
    np.testing.assert_allclose(half.bounds * 1e3, [[0, -6], [3, 6]], atol=2e-4)


def test_splines(draw):
    from scipy.interpolate import BSpline

    rng = np.random.default_rng(7)
    angle = np.arange(9) * 2 * math.pi / 9
    points = (rng.uniform(8, 12, (9, 1)) * np.stack([np.cos(angle), np.sin(angle)], axis=1)).tolist()
    closed = [*points, *points[:3]]
    knots = list(range(len(closed) + 4))
    outline = draw(lambda s: s.add_spline(degree=3).__setattr__("control_points", [(*p, 0) for p in closed])
                   or setattr(list(s)[-1], "knots", knots))
    curve = BSpline(knots, np.array(closed), 3)(np.linspace(3, 12, 20001))
    import shapely

    fine = shapely.Polygon(curve)
    assert outline.area / MM2 == pytest.approx(fine.area, rel=1e-4) and not outline.corner.any()
    rim = shapely.LinearRing(np.concatenate(outline.sample(1e-9)) * 1e3)
    off = shapely.distance(shapely.points(curve), rim).max()
    assert off <= outline.conversion.deviation * 1e3 + 1e-6


def test_a_rational_spline_is_a_circle(draw):
    r = math.sqrt(0.5)
    points = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1), (1, 0)]
    weights = [1, r, 1, r, 1, r, 1, r, 1]
    outline = draw(lambda s: s.add_rational_spline(points, weights, 2, [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4]))
    assert outline.area / MM2 == pytest.approx(math.pi, rel=1e-12)
    assert outline.conversion.deviation <= 1e-15 and len(outline) == 1


def test_splines_through_points(draw):
    points = [(0, 0), (3, 1), (5, -1), (8, 0)]
    outline = draw(lambda s: s.add_spline(points), line((8, 0), (8, -6)), line((8, -6), (0, -6)), line((0, -6), (0, 0)))
    assert any("4 points that it passes through" in note for note in outline.conversion.notes)
    assert outline.corner.sum() == 4


def test_tolerances_that_are_refused(draw):
    for tolerance in (0.0, -1.0, math.nan, "fine"):
        with pytest.raises(InputError, match=r"the tolerance is .*; valid is a positive number"):
            draw(circle((0, 0), 1), tolerance=tolerance)


# --------------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("name, data, message", [
    ("a.dxf", b"", "it is empty"), ("a.dxf", b"  \n", "it is empty"), ("a.dxf", b"hello", "it is no DXF file"),
    ("a.dxf", bytes(range(256)) * 9, "it is no DXF file"), ("a.dxf", b"AC1027\x00\x00", "it is a DWG file"),
    ("a.txt", b"x", r"it has the suffix '\.txt'; valid are drawings in \.dxf and \.svg"), ("a", b"x", "no suffix"),
    ("a.dxf", b"0\nSECTION\n2\nENTITIES\n0\nLINE\n8\n0\n", "it is cut off: a DXF file ends with EOF"),
    ("a.dxf", b"0\nSECTION\n2\nENTITIES\n0\nENDSEC\n0\nEOF\n", "nothing is drawn"),
    ("a.dxf", b"0\nSECTION\n" + b"\xff\xfe\x00" * 50 + b"\n0\nEOF", "cannot be read as DXF|nothing is drawn"),
    ("a.dxf", b"AutoCAD Binary DXF\r\n\x1a\x00SECTION" + b"\x07" * 60, "cut off"),
])
def test_files_that_are_none(tmp_path, name, data, message):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=message) as error:
        Outline.from_file(path)
    assert str(error.value).startswith(str(path))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(InputError, match=r"no\.dxf: cannot be read: No such file"):
        Outline.from_file(tmp_path / "no.dxf")
    (tmp_path / "d.dxf").mkdir()
    with pytest.raises(InputError, match=r"d\.dxf: cannot be read: Is a directory"):
        Outline.from_file(tmp_path / "d.dxf")


def test_files_that_are_too_large(tmp_path):
    path = tmp_path / "big.dxf"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    with pytest.raises(InputError, match="it has 200 MB; valid are drawings up to 100 MB"):
        Outline.from_file(path)


def test_damaged_files_are_told_or_read(tmp_path, rng):
    """Cut, overwritten, shuffled: an outline or an InputError, never anything else."""
    document = ezdxf.new()
    document.header["$INSUNITS"] = 4
    rounded_rectangle()(document.modelspace())
    document.modelspace().add_ellipse((20, 10), (5, 0), 0.5)
    document.modelspace().add_spline([(0, 50), (9, 60), (5, 55)])
    whole = tmp_path / "whole.dxf"
    document.saveas(whole)
    data = whole.read_bytes()
    path = tmp_path / "hurt.dxf"
    start = data.index(b"ENTITIES")
    for _ in range(40):
        hurt = bytearray(data)
        match rng.integers(3):
            case 0:
                del hurt[int(rng.integers(len(data))):]
            case 1:
                for place in rng.integers(start, len(data), 20):
                    hurt[place] = int(rng.integers(256))
            case 2:
                a, b = sorted(rng.integers(start, len(data), 2).tolist())
                del hurt[a:b]
        path.write_bytes(hurt)
        try:
            Outline.from_file(path)
        except InputError as error:
            assert str(error).startswith(str(path))


def test_binary_dxf(tmp_path):
    document = ezdxf.new()
    document.header["$INSUNITS"] = 4
    polyline(SLOT)(document.modelspace())
    path = tmp_path / "binary.dxf"
    document.saveas(path, fmt="bin")
    assert Outline.from_file(path).area / MM2 == pytest.approx(300.0 + 25.0 * math.pi, rel=1e-14)
