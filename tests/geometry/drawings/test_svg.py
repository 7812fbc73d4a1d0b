"""Outlines from SVG files: every command and shape, transforms, units, styles, and what is refused and how."""

import itertools
import math

import numpy as np
import pytest

from geometry.errors import InputError
from geometry.shapes.outline import Outline

PAGE = 'width="100mm" height="100mm" viewBox="0 0 100 100"'
MM2 = 1e-6
NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ' \
        'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'


@pytest.fixture
def read(tmp_path):
    """A function from the content of an SVG file to its outline."""

    def read(body, page=PAGE, **options):
        path = tmp_path / "part.svg"
        path.write_text(f"<svg {NAMES} {page}>{body}</svg>", encoding="utf-8")
        return Outline.from_file(path, **options)

    return read


def flip(points):
    """Points of the page in mm as they are in the outline, m: y upwards from the lower edge."""
    return (np.asarray(points, dtype=float) * (1, -1) + (0, 100)) * 1e-3


def same(outline, wanted):
    """The same features, whichever is the first."""
    assert len(outline) == len(wanted) and sorted(outline.sign) == sorted(wanted.sign)
    assert outline.area == pytest.approx(wanted.area, rel=1e-12)
    np.testing.assert_allclose(sorted(map(tuple, outline.start.round(12))), sorted(map(tuple, wanted.start.round(12))),
                               rtol=0, atol=2e-12)


# ---------------------------------------------------------------------------------------------------------- open cases

POTRACE = '<g transform="translate(0,512) scale(0.1,-0.1)"><path d="M0 0H5120V2560H0z"/></g>'


def test_b05_transform_and_view_box(read):
    outline = read(POTRACE, 'width="128mm" height="128mm" viewBox="0 0 512 512"')
    np.testing.assert_allclose(outline.bounds * 1e3, [[0, 0], [128, 64]], atol=1e-13)
    assert outline.area / MM2 == pytest.approx(8192.0, rel=1e-14)
    assert any("y was turned upwards" in note for note in outline.conversion.notes)


@pytest.mark.parametrize("page", ['viewBox="0 0 512 512"', 'width="512" height="512"', 'width="100%" height="100%"',
                                  ""])
def test_b05_without_a_unit_an_inch_has_96(read, page):
    outline = read(POTRACE, page)
    assert np.ptp(outline.bounds[:, 0]) * 1e3 == pytest.approx(135.466666666667, rel=1e-14)
    assert any("96 units are an inch" in note for note in outline.conversion.notes)
    in_mm = read(POTRACE, page, unit="mm")
    assert np.ptp(in_mm.bounds[:, 0]) * 1e3 == pytest.approx(512.0, rel=1e-14)


def test_b05_nested_rotations(read):
    body = f'<g transform="rotate(30)"><g transform="translate(50 -20)">{POTRACE}</g></g>'
    outline = read(body, 'width="128mm" height="128mm" viewBox="0 0 512 512"')
    assert outline.area / MM2 == pytest.approx(8192.0, rel=1e-13)
    sides = sorted(outline.length * 1e3)
    np.testing.assert_allclose(sides, [64, 64, 128, 128], rtol=1e-13)


# -------------------------------------------------------------------------------------------------------- path commands


@pytest.mark.parametrize("data", [
    "M10 10 H50 V40 H10 Z", "m10,10 h40 v30 h-40 z", "M10 10L50 10 50 40 10 40z", "M10 10 50 10 50 40 10 40z",
    "m10 10 40 0 0 30-40 0z", "M1e1 10l+40 0 0 3E1L10,40Z", "M10 10h20h20v30H10", "M10 10l40 0 0 30 -40 0 0 -30",
    "M10 10z l40 0 0 30 -40 0z", "M10-.0m0 10h40.0v.3e2h-40z", "\n M 10,10\tH 50 V 40 , H 10 z ",
])
def test_lines(read, data):
    same(read(f'<path d="{data}"/>'), Outline.from_vertices(flip([(10, 10), (50, 10), (50, 40), (10, 40)])))


@pytest.mark.parametrize("data", [
    "M10 10A5 5 0 0 1 20 10H40V30H10z", "M10 10a5 5 0 0 1 10 0h20v20h-30z", "M10 10a5 5 0 0110 0h20v20h-30z",
    "M10 10a5,5 0 01,10,0h20v20h-30z", "M10 10A5 5 77 1 1 20 10H40V30H10z", "M10 10a1 1 0 0110 0h20v20h-30z",
    "M10 10a-5-5 0 0 1 10 0h20v20h-30z",
])
def test_round_arcs_stay_arcs(read, data):
    """Packed flags, any rotation of a circle, radii that are too small or negative."""
    outline = read(f'<path d="{data}"/>')
    wanted = Outline.from_vertices(flip([(10, 10), (20, 10), (40, 10), (40, 30), (10, 30)]), [-1, 0, 0, 0, 0])
    same(outline, wanted)
    assert outline.conversion.n_arcs == 0


@pytest.mark.parametrize("large, sweep", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_flags_of_arcs(read, large, sweep):
    """Of the two circles of radius 10 through two points 12 apart, and their two arcs."""
    outline = read(f'<path d="M30 30A10 10 0 {large} {sweep} 42 30z"/>')
    half = math.asin(0.6)
    angle = 2.0 * (math.pi - half) if large else 2.0 * half
    assert outline.area / MM2 == pytest.approx(50.0 * (angle - math.sin(angle)), rel=1e-12)
    above = outline.centroid[1] > 0.07  # in the outline y is upwards; sweep 1 goes clockwise on the page
    assert above == bool(sweep)


def test_packed_flags(read):
    arc = read('<path d="M0 0a1 1 0 00.5.5L2 2H-2z"/>')
    assert sorted(arc.sign) in ([-1, 0, 0, 0], [0, 0, 0, 1])
    assert arc.radius.max() == pytest.approx(1e-3, rel=1e-12)


@pytest.mark.parametrize("data, control", [
    ("M10 40C10 10 40 10 40 40z", [(10, 40), (10, 10), (40, 10), (40, 40)]),
    ("m10 40c0-30 30-30 30 0z", [(10, 40), (10, 10), (40, 10), (40, 40)]),
    ("M10 40Q25 10 40 40z", [(10, 40), (25, 10), (40, 40)]), ("M10 40q15-30 30 0z", [(10, 40), (25, 10), (40, 40)]),
    ("M10 40S40 10 40 40z", [(10, 40), (10, 40), (40, 10), (40, 40)]),
    ("M10 40C10 40 40 10 40 40z", [(10, 40), (10, 40), (40, 10), (40, 40)]),
    ("M10 40C10 10 40 40 40 40z", [(10, 40), (10, 10), (40, 40), (40, 40)]),
])
def test_bezier_curves(read, data, control):
    import shapely

    outline = read(f'<path d="{data}"/>', tolerance=1e-3)
    t = np.linspace(0, 1, 2001)[:, None]
    level = [np.array(point, dtype=float) * (1 - 0 * t) for point in control]
    while len(level) > 1:
        level = [(1 - t) * p + t * q for p, q in itertools.pairwise(level)]
    fine = flip(level[0])
    rim = shapely.LinearRing(np.concatenate(outline.sample(3e-9)))
    assert 0.0 < outline.conversion.deviation <= 1e-6
    off = shapely.distance(shapely.points(fine), rim).max()
    assert off == pytest.approx(outline.conversion.deviation, rel=1e-2, abs=6e-9)
    assert outline.area == pytest.approx(shapely.Polygon(fine).area, rel=1e-4)


def test_smooth_commands_reflect(read):
    first = read('<path d="M10 40C10 20 30 20 30 40S50 60 50 40V70H10z"/>')
    same(first, read('<path d="M10 40C10 20 30 20 30 40C30 60 50 60 50 40V70H10z"/>'))
    second = read('<path d="M10 40Q20 20 30 40T50 40V70H10z"/>')
    same(second, read('<path d="m10 40q10-20 20 0t20 0v30h-40z"/>'))
    same(second, read('<path d="M10 40Q20 20 30 40Q40 60 50 40V70H10z"/>'))
    assert second.corner.sum() == 4  # where one curve goes on in the next, the joint is smooth


def test_elliptic_arcs(read):
    outline = read('<path d="M10 50A20 10 0 0 1 50 50z"/>', tolerance=1e-4)
    assert outline.area / MM2 == pytest.approx(100.0 * math.pi, rel=1e-5)
    turned = read('<path d="M10 50A20 10 90 0 1 30 50z"/>', tolerance=1e-4)
    assert turned.area / MM2 == pytest.approx(100.0 * math.pi, rel=1e-5)
    line = read('<path d="M10 50A0 10 0 0 1 50 50V60z"/>')
    assert line.sign.tolist() == [0, 0, 0]


# --------------------------------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize("body", [
    '<rect x="10" y="20" width="30" height="40"/>', '<polygon points="10,20 40,20 40,60 10,60"/>',
    '<polyline points="10 20,40 20 40 60,10 60,10,20"/>', '<rect x="10" y="20%" width="30%" height="40"/>',
    '<line x1="10" y1="20" x2="40" y2="20" stroke="red"/><line x1="40" y1="60" x2="40" y2="20" stroke="red"/>'
    '<polyline fill="none" stroke="red" points="10 20 10 60 40 60"/>',
    '<rect width="30" height="40" transform="translate(10 20)"/>', '<rect x="10" y="20" width="30" height="40" '
                                                                   'rx="0"/>',
])
def test_rectangles(read, body):
    same(read(body), Outline.from_vertices(flip([(10, 20), (40, 20), (40, 60), (10, 60)])))


@pytest.mark.parametrize("rounding", ['rx="5"', 'ry="5"', 'rx="5" ry="5"', 'rx="5" ry="auto"', 'rx="5%" ry="5"'])
def test_round_rectangles(read, rounding):
    outline = read(f'<rect x="10" y="20" width="30" height="40" {rounding}/>')
    wanted = Outline.from_vertices(flip([(10, 20), (40, 20), (40, 60), (10, 60)])).with_fillets(0.005)
    same(outline, wanted)
    assert not outline.corner.any() and outline.conversion.n_arcs == 0


def test_radii_of_rectangles_are_limited(read):
    capsule = read('<rect x="10" y="20" width="20" height="40" rx="99" ry="10"/>')
    assert len(capsule) == 4 and capsule.area / MM2 == pytest.approx(400.0 + 100.0 * math.pi, rel=1e-13)
    oval = read('<rect x="10" y="20" width="30" height="40" rx="5" ry="8"/>', tolerance=1e-4)
    assert oval.area / MM2 == pytest.approx(1200.0 - (4.0 - math.pi) * 40.0, rel=1e-6) and not oval.corner.any()


def test_circles_and_ellipses(read):
    disc = read('<circle cx="50" cy="40" r="20"/>')
    assert len(disc) == 1 and disc.area / MM2 == pytest.approx(400.0 * math.pi, rel=1e-14)
    np.testing.assert_allclose(disc.centre * 1e3, [[50, 60]], rtol=1e-14)
    ellipse = read('<ellipse cx="50" cy="40" rx="20" ry="10"/>', tolerance=1e-4)
    assert ellipse.area / MM2 == pytest.approx(200.0 * math.pi, rel=1e-5)
    # an ellipse that its group makes round is a disc, exactly
    same(read('<g transform="scale(1 2)"><ellipse cx="50" cy="20" rx="20" ry="10"/></g>'), disc)
    assert read('<circle r="10%"/>').radius[0] == pytest.approx(0.01, rel=1e-14)


@pytest.mark.parametrize("transform, scale", [
    ("rotate(37)", 1), ("rotate(37 12 13)", 1), ("scale(2)", 2), ("scale(-2 2)", 2), ("matrix(0 3 3 0 1 2)", 3),
    ("translate(3)rotate(90),scale(1,-1)", 1), ("rotate(10) rotate(20) scale(.5) rotate(-77)", 0.5),
    ("skewX(30) skewX(-30)", 1),
])
def test_what_keeps_circles_keeps_arcs(read, transform, scale):
    outline = read(f'<rect x="10" y="20" width="30" height="40" rx="5" transform="{transform}"/>')
    assert outline.sign.tolist().count(1) == 4 and not outline.corner.any() and outline.conversion.n_arcs == 0
    area = 1200.0 - (4.0 - math.pi) * 25.0
    assert outline.area / MM2 == pytest.approx(area * scale**2, rel=1e-12)
    assert outline.radius.max() == pytest.approx(0.005 * scale, rel=1e-12)


def test_what_does_not_makes_ellipses(read):
    for transform, factor in (("skewX(30)", 1.0), ("skewY(-20)", 1.0), ("scale(1 3)", 3.0)):
        outline = read(f'<circle cx="10" cy="10" r="5" transform="{transform}"/>', tolerance=1e-4)
        assert outline.area / MM2 == pytest.approx(25.0 * math.pi * factor, rel=1e-4)
        assert outline.conversion.n_arcs > 4 and not outline.corner.any()


# ------------------------------------------------------------------------------------------------------- use, svg, page


def test_use(read):
    wanted = read('<circle cx="30" cy="40" r="5"/>')
    for body in ('<defs><circle id="c" r="5"/></defs><use href="#c" x="30" y="40"/>',
                 '<defs><circle id="c" r="5"/></defs><use xlink:href="#c" transform="translate(30 40)"/>',
                 '<defs><g id="g"><circle id="c" r="5"/></g></defs><g transform="translate(30)"><use href="#g" '
                 'y="40"/></g>',
                 '<symbol id="s" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5"/></symbol>'
                 '<use href="#s" x="25" y="35" width="10" height="10"/>',
                 '<symbol id="s" viewBox="0 0 1 1"><circle cx=".5" cy=".5" r=".5"/></symbol>'
                 '<use href="#s" x="25" y="30" width="10" height="20"/>'):
        same(read(body), wanted)


@pytest.mark.parametrize("ratio, left, top, size", [
    ("", 20, 10, 20), ("none", 10, 10, None), ("xMinYMin", 10, 10, 20), ("xMaxYMid meet", 30, 10, 20),
    ("xMidYMin slice", 10, 10, 40), ("xMidYMax slice", 10, -10, 40),
])
def test_nested_pictures(read, ratio, left, top, size):
    aspect = f'preserveAspectRatio="{ratio}"' if ratio else ""
    outline = read(f'<svg x="10" y="10" width="40" height="20" viewBox="5 5 10 10" {aspect}>'
                   '<rect x="5" y="5" width="10" height="10"/></svg>')
    width, height = (40, 20) if size is None else (size, size)
    np.testing.assert_allclose(outline.bounds * 1e3, [[left, 100 - top - height], [left + width, 100 - top]],
                               atol=1e-12)


@pytest.mark.parametrize("page, millimetres", [
    ('width="10cm" height="10cm" viewBox="0 0 1 1"', 100.0), ('width="1in" height="1in" viewBox="0 0 1 1"', 25.4),
    ('width="72pt" height="72pt" viewBox="0 0 1 1"', 25.4), ('width="96px" height="96px" viewBox="0 0 1 1"', 25.4),
    ('width="96" height="96" viewBox="0 0 1 1"', 25.4), ('width="6pc" viewBox="0 0 1 1"', 25.4),
    ('height="40Q" viewBox="0 0 1 1"', 10.0), ('width="20mm" height="10mm" viewBox="0 0 1 1"', 10.0),
    ('width="20mm" height="10mm" viewBox="-3 -3 1 1" preserveAspectRatio="none"', (20.0, 10.0)),
])
def test_units_of_the_page(read, page, millimetres):
    width, height = millimetres if isinstance(millimetres, tuple) else (millimetres, millimetres)
    outline = read('<rect width="1" height="1"/>', page)
    np.testing.assert_allclose(np.ptp(outline.bounds, axis=0) * 1e3, [width, height], rtol=1e-15)


@pytest.mark.parametrize("length, millimetres", [("25.4mm", 25.4), ("1in", 25.4), ("72pt", 25.4), ("96px", 25.4)])
def test_units_of_lengths(read, length, millimetres):
    outline = read(f'<rect width="{length}" height="{length}"/>', "")
    np.testing.assert_allclose(np.ptp(outline.bounds, axis=0) * 1e3, millimetres, rtol=1e-15)


def test_millimetres_are_exact(read):
    """A library's factor of 3.7795 user units is 5e-7 off."""
    disc = read('<circle r="10"/>', 'width="210mm" height="297mm" viewBox="0 0 210 297"')
    assert disc.radius[0] == pytest.approx(0.01, rel=1e-15)


# --------------------------------------------------------------------------------------------------------------- styles


@pytest.mark.parametrize("hidden", [
    '<circle r="3" display="none"/>', '<g style="display: none"><circle r="3"/></g>',
    '<style>.a, #z {display:none}</style><circle class="b a" r="3"/><circle id="z" r="2"/>',
    '<circle r="3" visibility="hidden"/>', '<defs><circle r="3"/></defs>', '<clipPath><circle r="3"/></clipPath>',
    '<symbol><circle r="3"/></symbol>', '<circle r="3" fill="none"/>', '<circle r="3" style="fill:none;stroke:none"/>',
    '<style>/* x */ circle.q { fill : none } @import "x";</style><circle class="q" r="3"/>', '<circle r="0"/>',
    '<metadata><x:circle xmlns:x="http://x" r="3"/></metadata><x:circle xmlns:x="http://x" r="3"/>', "<title>t</title>",
    '<style>circle{display:none} #w{display:inline !important}</style><circle r="3"/>', "<text>3</text>", "<!-- c -->",
])
def test_what_is_not_shown_is_left_out(read, hidden):
    outline = read(f'{hidden}<rect id="w" x="50" y="50" width="10" height="10"/>')
    assert len(outline) == 4


def test_what_is_left_out_is_told(read):
    outline = read('<circle r="3" display="none"/><text>a</text><circle r="2" fill="none"/><path d="M0 0"/>'
                   '<rect width="50" height="50" clip-path="url(#c)"/><style>g > rect {display: none}</style>')
    text = "; ".join(outline.conversion.notes)
    for words in ("1 elements with display: none", "<text>", "neither fill nor stroke", "clip-path was not applied",
                  "'g > rect' is not understood", "<path> has no length"):
        assert words in text, text


def test_where_nothing_is_painted_all_is_taken(read):
    outline = read('<path fill="none" d="M0 0H9V9H0z M3 3H6V6H3z"/>')
    assert outline.n_loops == 2 and any("nothing has a fill or a stroke" in n for n in outline.conversion.notes)


@pytest.mark.parametrize("rule, inner, holes", [
    ("evenodd", "M10 10H20V20H10z", 1), ("evenodd", "M10 10V20H20V10z", 1), ("nonzero", "M10 10H20V20H10z", 0),
    ("nonzero", "M10 10V20H20V10z", 1), (None, "M10 10V20H20V10z", 1), (None, "M10 10H20V20H10z", 0)])
def test_fill_rules(read, rule, inner, holes):
    attribute = "" if rule is None else f'fill-rule="{rule}"'
    for body in (f'<path {attribute} d="M0 0H50V50H0z{inner}"/>', f'<g {attribute}><path d="M0 '
                                                                  f'0H50V50H0z{inner}"/></g>'):
        outline = read(body)
        assert outline.n_loops == 1 + holes
        told = any("is no hole by the rule 'nonzero'" in note for note in outline.conversion.notes)
        assert told == (holes == 0)


def test_loops_of_several_elements_are_holes(read):
    """As drawings for laser cutters have them."""
    plate = read('<rect width="50" height="50"/><circle cx="20" cy="20" r="5" fill="red"/>'
                 '<path fill="none" stroke="red" d="M30 30H40V40H30z"/>')
    assert plate.n_loops == 3 and plate.area / MM2 == pytest.approx(2500.0 - 25.0 * math.pi - 100.0, rel=1e-13)


def test_what_is_open_is_closed_only_where_it_is_filled(read):
    outline = read('<path d="M0 0H50V50H0"/>')
    assert outline.area / MM2 == pytest.approx(2500.0)
    assert any("straight line of 50" in note for note in outline.conversion.notes)
    with pytest.raises(InputError, match=r"is open: a gap of 50 from \(0, 100\), the end of <path id='p'>, to \(0, "
                                         r"50\)"):
        read('<path id="p" fill="none" stroke="red" d="M0 0H50V50H0"/>')
    # two halves, each of which would be closed by itself
    disc = read('<path d="M10 10A5 5 0 0 1 20 10"/><path d="M20 10A5 5 0 0 1 10 10"/>')
    assert len(disc) == 1


def test_the_rounding_of_relative_moves_closes(read):
    outline = read('<path d="M10 10h30v30h-30.00002l.00001-29.99999z"/>')
    assert len(outline) == 4 and 0.0 < outline.conversion.gap <= 3e-8


def test_layers(read):
    body = ('<g inkscape:groupmode="layer" inkscape:label="Part" id="layer1"><circle id="rim" r="9"/></g>'
            '<g id="layer2"><rect x="50" width="9" height="9"/></g>')
    for layer in ("Part", "layer1", "rim"):
        assert len(read(body, layer=layer)) == 1
    assert len(read(body, layer="layer2")) == 4
    with pytest.raises(InputError, match=r"nothing is drawn on layer 'x'; valid: 'Part', 'layer1', 'layer2', 'rim'"):
        read(body, layer="x")
    with pytest.raises(InputError, match=r"2 outer loops.*<circle id='rim'> on layer .*, 18 x 18 mm; <rect> on layer"):
        read(body)


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("body, message", [
    ('<path id="p" d="M0 0 X 5"/>', r"<path id='p'>: d = 'M0 0 X 5': the character 'X' at place 5 is no path data"),
    ('<path d="M0 0 L1"/>', r"<path>: d = 'M0 0 L1': a command has too few numbers, or wrong ones"),
    ('<path d="M0 0C1 1 2 2"/>', "too few numbers"), ('<path d="M0 0A1 1 0 2 0 3 3z"/>', "too few numbers, or wrong"),
    ('<path d="L1 1"/>', "a path begins with M"), ('<path d="M0 0L1e99 0 0 1z"/>', "a number is too large"),
    ('<g id="g" transform="foo(3)"><path d="M0 0h1v1z"/></g>', r"<g id='g'>: transform = 'foo\(3\)': foo with 1 "
                                                               r"numbers; "
     r"valid are matrix\(6\)"),
    ('<rect transform="rotate(1,2)" width="1" height="1"/>', "rotate with 2 numbers"),
    ('<rect transform="scale(1" width="1" height="1"/>', "cannot be read from 'scale"),
    ('<rect transform="scale(0 1)" width="1" height="1"/>', "its transforms leave it no area"),
    ('<rect style="transform:rotate(3deg)" width="1" height="1"/>', "transforms in styles"),
    ('<rect width="-3" height="3"/>', r"width = '-3': valid are lengths that are not negative"),
    ('<rect width="3em" height="3"/>', r"width = '3em': valid are numbers, alone or with mm, cm"),
    ('<rect width="a" height="3"/>', "width = 'a'"), ('<circle r="1e200"/>', "r = '1e200': the number is too large"),
    ('<polygon points="1 2 3"/>', "points has 3 numbers; valid are pairs"), ('<polygon points="1 2 x"/>',
                                                                             "valid are num"),
    ('<use href="#z"/>', "<use>: it uses '#z', which is not in the file"),
    ('<use href="other.svg#z"/>', "it uses 'other.svg#z', which is not in the file"),
    ('<g id="g"><use href="#g"/></g>', "nested more than 64 deep, or use themselves"),
    ('<text>hi</text>', r"nothing is drawn in it that could be an outline \(1 elements <text>"), ("",
                                                                                                  "nothing is drawn"),
    ('<path d="M0 0C30 30 -20 30 10 0z"/>', "crosses itself"),
    ('<path d="M0 0H9V9H5V0z"/>', "turns straight back"),
])
def test_refused_by_name(read, body, message):
    with pytest.raises(InputError, match=message) as error:
        read(body)
    assert "part.svg: " in str(error.value)


@pytest.mark.parametrize("page, message", [
    ('viewBox="0 0 5"', "viewBox = '0 0 5': valid are left, top, width and height"), ('viewBox="0 0 0 5"', "viewBox"),
    ('viewBox="a"', "viewBox = 'a': valid are numbers"), ('width="5furlong"', "width = '5furlong': valid are numbers "
                                                                              "with"),
    ('width="0"', "width = '0': valid are positive lengths"),
    ('width="5" height="5" viewBox="0 0 1 1" preserveAspectRatio="left"', "preserveAspectRatio = 'left': valid are "
                                                                          "none"),
])
def test_pages_that_are_refused(read, page, message):
    with pytest.raises(InputError, match=message):
        read('<circle r="3"/>', page)


@pytest.mark.parametrize("data, message", [
    (b"", "it is empty"), (b"<svg", "cannot be read as SVG"), (b"hello", "cannot be read as SVG"),
    (b"\x1f\x8b\x08" * 9, "it is compressed"), (b"<html/>", "it begins with <html>; valid is <svg>"),
    (bytes(range(256)), "cannot be read as SVG"), (b"\xff\xfe<\x00s\x00", "cannot be read as SVG"),
    (b'<?xml version="1.0" encoding="klingon"?><svg/>', "cannot be read as SVG"),
    (b"<svg>" + b"<g>" * 5000 + b'<circle r="1"/>' + b"</g>" * 5000 + b"</svg>", "nested more than 64 deep"),
    (b'<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa">' + b"".join(
        f'<!ENTITY {chr(98 + k)} "{("&" + chr(97 + k) + ";") * 10}">'.encode() for k in range(9)) +
     b']><svg><text>&j;</text></svg>', "cannot be read as SVG"),
])
def test_files_that_are_none(tmp_path, data, message):
    path = tmp_path / "a.svg"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message) as error:
        Outline.from_file(path)
    assert str(error.value).startswith(str(path))


def test_damaged_files_are_told_or_read(tmp_path, rng):
    whole = (f'<svg {NAMES} {PAGE}><style>.a{{fill:red}}</style><g transform="rotate(3) translate(1,2)"><path '
             f'class="a" '
             'd="M10 10C20 0 30 0 40 10A5 5 0 0 1 40 20L10,20z"/><use href="#c" x="3"/><circle id="c" cx="20" cy="14" '
             'r="1"/>'
             '</g></svg>').encode()
    path = tmp_path / "a.svg"
    for _ in range(300):
        hurt = bytearray(whole)
        for place in rng.integers(0, len(hurt), int(rng.integers(1, 4))):
            hurt[place] = int(rng.choice(list(b'0123456789.-eE,"<>/ MzLAC()x#%')))
        path.write_bytes(hurt)
        try:
            Outline.from_file(path)
        except InputError as error:
            assert str(error).startswith(str(path))
