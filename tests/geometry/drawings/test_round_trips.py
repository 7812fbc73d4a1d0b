"""Random outlines, written as drawings and read again: as polylines, as loose pieces, as paths, under transforms."""

import math

import ezdxf
import numpy as np
import pytest

from geometry.shapes.features import compute_bulges
from geometry.shapes.outline import Outline
from tests.geometry.shapes.test_outline import build_random


def make_outline(rng):
    """Some 10 to 100 mm across, one or two holes."""
    points, bulge = build_random(rng, int(rng.integers(6, 20)))
    outline = Outline.from_vertices(points, bulge)
    holes = [Outline.disc(0.1, (0.11, 0.02)), Outline.from_vertices([(-0.2, -0.1), (0, -0.1), (-0.1, 0.1)], [0, 0.3,
                                                                                                             0.2])]
    outline = outline.with_holes(*holes[: int(rng.integers(0, 3))])
    return outline.scaled(float(rng.uniform(0.005, 0.05)))


def compare(found, wanted, tolerance):
    """Same kinds of features, the same measures."""
    assert (len(found), found.n_loops) == (len(wanted), wanted.n_loops)
    assert sorted(found.sign) == sorted(wanted.sign)
    assert found.area == pytest.approx(wanted.area, rel=tolerance)
    assert found.rho == pytest.approx(wanted.rho, rel=tolerance)
    np.testing.assert_allclose(found.centroid, wanted.centroid, rtol=0, atol=tolerance * wanted.size)
    assert int(found.corner.sum()) == int(wanted.corner.sum())


def list_rows(outline, k):
    rows = outline.loop == k
    return outline.start[rows] * 1e3, compute_bulges(outline.features)[rows]


def write_dxf(outline, path, rng, loose, digits):
    """In mm, in a block that is inserted turned and mirrored, where the map back is done in advance."""
    document = ezdxf.new()
    document.header["$INSUNITS"] = 4
    block = document.blocks.new("PART")
    turn, mirror, shift = float(rng.uniform(0, 360)), float(rng.choice([-1.0, 1.0])), rng.uniform(-50, 50, 2)
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))

    def undo(points):
        x, y = (points - shift).T
        return np.stack([mirror * (c * x + s * y), -s * x + c * y], axis=1).round(digits)

    jobs = []
    for k in range(outline.n_loops):
        points, bulges = list_rows(outline, k)
        if len(points) == 1:
            rows = outline.loop == k
            centre, radius = undo(outline.centre[rows] * 1e3)[0], float(outline.radius[rows][0] * 1e3)
            jobs.append(lambda centre=centre, radius=radius: block.add_circle(centre, round(radius, digits)))
            continue
        points, bulges = undo(points), mirror * bulges
        if not loose:
            rows = np.column_stack([points, bulges]).tolist()
            jobs.append(lambda rows=rows: block.add_lwpolyline(rows, format="xyb", close=True))
            continue
        for p, q, b in zip(points, np.roll(points, -1, axis=0), bulges, strict=True):
            if abs(b) < 1e-9:
                ends = (p, q) if rng.random() < 0.5 else (q, p)
                jobs.append(lambda ends=ends: block.add_line(*ends))
                continue
            centre, first, last, radius = ezdxf.math.bulge_to_arc(p, q, b)
            angles = round(math.degrees(first), digits + 2), round(math.degrees(last), digits + 2)
            jobs.append(lambda centre=centre, radius=radius, angles=angles: block.add_arc(
                (round(centre.x, digits + 2), round(centre.y, digits + 2)), round(radius, digits + 2), *angles))
    for k in rng.permutation(len(jobs)):
        jobs[k]()
    document.modelspace().add_blockref("PART", shift, dxfattribs={"xscale": mirror, "rotation": turn})
    document.saveas(path)


@pytest.mark.parametrize("loose", [False, True])
@pytest.mark.parametrize("digits, tolerance", [(12, 1e-9), (5, 2e-5)])
def test_dxf(tmp_path, rng, loose, digits, tolerance):
    for _ in range(8):
        outline = make_outline(rng)
        write_dxf(outline, tmp_path / "a.dxf", rng, loose, digits)
        compare(Outline.from_file(tmp_path / "a.dxf"), outline, tolerance)


def test_svg(tmp_path, rng):
    for _ in range(20):
        outline = make_outline(rng)
        data = []
        for k in range(outline.n_loops):
            rows = np.flatnonzero(outline.loop == k)
            if len(rows) == 1:
                (x, y), r = outline.centre[rows[0]] * 1e3, outline.radius[rows[0]] * 1e3
                data.append(f"M{x - r!r} {y!r}A{r!r} {r!r} 0 0 0 {x + r!r} {y!r}A{r!r} {r!r} 0 1 0 {x - r!r} {y!r}z")
                continue
            data.append(f"M{outline.start[rows[0], 0] * 1e3!r} {outline.start[rows[0], 1] * 1e3!r}")
            for row in rows:
                x, y = outline.end[row] * 1e3
                r, large = outline.radius[row] * 1e3, int(outline.sweep[row] > math.pi)
                data.append(f"A{r!r} {r!r} 0 {large} {int(outline.sign[row] > 0)} {x!r} {y!r}" if outline.sign[row] else
                            f"L{x!r} {y!r}")
            data.append("z")
        text = " ".join(data).replace("np.float64(", "").replace(")", "")
        turn = float(rng.uniform(0, 360))
        (tmp_path / "a.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="100mm" height="100mm" viewBox="0 0 200 200"><g '
            f'transform="scale(2)rotate({turn})"><g transform="rotate({-turn}) translate(0 100)scale(1,-1)"><path '
            f'fill-rule="evenodd" d="{text}"/></g></g></svg>')
        compare(Outline.from_file(tmp_path / "a.svg"), outline, 1e-9)
