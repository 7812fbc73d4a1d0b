"""`stiction outline`: what it says of a drawing, its picture, its refusals."""

import pytest

from geometry.shapes.outline import Outline
from sim.cli import main

PLATE = """<svg xmlns="http://www.w3.org/2000/svg" width="120mm" height="80mm" viewBox="0 0 120 80">
<path fill-rule="evenodd" d="M10 10H70A10 10 0 0 0 90 10H110V40C110 60 90 70 60 70Q30 70 20 55L10 60z
M30 25h20v10h-20z"/>
<circle cx="75" cy="45" r="8"/><text>$a$</text></svg>
"""


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    """Runs the command on a drawing in an empty folder; gives exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plate.svg").write_text(PLATE)

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            main(["outline", *map(str, words)])
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call


def test_features_measures_and_changes(call):
    code, out, err = call("plate.svg", "--tolerance", "0.05")
    assert (code, err) == (0, "")
    outline = Outline.from_file("plate.svg", tolerance=0.05)
    lines = out.splitlines()
    assert lines[0] == "plate.svg: 9 edges, 16 arcs, 2 holes"
    for words in ("size      100 x 60 mm, x from 10 to 110, y from 10 to 70", f"{outline.area * 1e6:.9g} mm^2",
                  f"{outline.rho * 1e3:.9g} mm, the radius of gyration", "10 corners, 14 smooth", "1 mm = 0.001 m",
                  f"at most {outline.conversion.deviation * 1e3:.3g} mm off, of 0.05 allowed", "2 Bezier curves, 14 "
                                                                                               "arcs",
                  "y was turned upwards", "left out: 1 elements <text>"):
        assert words in out, words
    rows = [line.split() for line in lines[lines.index("Features [mm, deg]") + 2 :]]
    assert [row[0] for row in rows] == [str(k) for k in range(len(outline))]
    assert rows[18][1:4] == ["outer", "concave", "arc"] and rows[24][1:3] == ["hole", "1"] and rows[24][-1] == "none"
    assert "…" not in out


def test_the_unit_is_that_of_the_drawing(call):
    code, out, _ = call("plate.svg", "--unit", "in")
    assert code == 0 and "size      100 x 60 in" in out and "1 in = 0.0254 m" in out
    assert Outline.from_file("plate.svg", unit="in").size == pytest.approx(0.0254 * (100**2 + 60**2) ** 0.5)


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.pdf"])
def test_the_picture(call, tmp_path, name):
    code, out, err = call("plate.svg", "--plot", name)
    assert (code, err) == (0, "") and f"Drawn: {name}" in out
    first = (tmp_path / name).read_bytes()
    assert len(first) > 10_000
    call("plate.svg", "--plot", name)
    assert (tmp_path / name).read_bytes() == first


def test_arcs_are_drawn_as_arcs_and_holes_as_holes():
    import numpy as np

    from sim.show.loops import make_path
    from sim.show.plots.parts.outline_picture import draw_outline

    plate = Outline.from_vertices([(0, 0), (4, 0), (4, 2), (0, 2)], [0, 1, 0, -0.3]).with_holes(Outline.disc(0.5, (2,
                                                                                                                   1)))
    outer, hole = (np.asarray(loop) for loop in make_path(plate, 10.0).to_polygons(closed_only=True))
    areas = [0.5 * float((loop[:-1, 0] * loop[1:, 1] - loop[1:, 0] * loop[:-1, 1]).sum()) for loop in (outer, hole)]
    assert areas[0] > 0.0 > areas[1] and sum(areas) == pytest.approx(100.0 * plate.area, rel=1e-3)
    numbers = {text.get_text() for text in draw_outline(plate, "a $b$").axes[0].texts}
    assert numbers == {str(k) for k in range(5)}
    many = Outline.from_vertices([(np.cos(t), np.sin(t)) for t in np.linspace(0, 6, 200)])
    figure = draw_outline(many, "many")
    assert len(figure.axes[0].texts) <= 64 and "one feature in 4 numbered" in figure.axes[0].get_title()


@pytest.mark.parametrize("words, message", [
    (["no.svg"], "no.svg: cannot be read: No such file"), (["plate.svg", "--layer", "x"], "nothing is drawn on layer "
                                                                                          "'x'"),
    (["plate.svg", "--unit", "ell"], "unknown unit of length 'ell'; valid: m, cm, mm, um, in"),
    (["plate.svg", "--tolerance", "-1"], "the tolerance is -1.0; valid is a positive number"),
    (["plate.svg", "--plot", "a.bmp"], "cannot draw a.bmp"),
])
def test_refusals(call, words, message):
    code, out, err = call(*words)
    assert code == 2 and out == "" and message in err and "defect" not in err
