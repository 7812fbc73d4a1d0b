"""What a page holds: exact numbers, outlines with arcs, features by the numbers of their outlines, nothing that HTML
could take for its own; and how large it is."""

import base64
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

from geometry.prescribed.motion import Coordinate, CurvePiece, Motion, Wave
from geometry.shapes.outline import Outline
from sim import load_scene, simulate
from sim.show.page.body_data import describe_loops, describe_motion
from sim.show.page.build_page import SCRIPTS, build_page, build_script, encode_json, hash_source, read_asset
from sim.show.page.columns import TYPES, Columns
from sim.show.page.feature_names import ContactPairs
from sim.show.page.page_data import describe_branches, describe_trajectory
from sim.show.page.save_page import save_page
from sim.show.page.sweep_data import choose_cells
from sim.show.replay.frames import ReplayError
from tests.sim.synthetic import make_slide, take_rows
from tests.sim.trees import make_fork

ROOT = Path(__file__).parents[4]


def read_column(packed, place):
    """What a page makes of a column."""
    first, count, kind = place
    size = np.dtype(TYPES[kind]).itemsize
    planes = np.frombuffer(zlib.decompress(base64.b64decode(packed)), np.uint8)[first : first + count * size]
    return np.ascontiguousarray(planes.reshape(size, count).T).view(TYPES[kind]).reshape(-1)


def test_columns_keep_every_bit(rng):
    columns = Columns()
    values = np.concatenate([rng.standard_normal(100) * 10.0 ** rng.uniform(-300, 300, 100),
                             [np.nan, np.inf, -np.inf, -0.0, 5e-324]])
    places = [columns.add(values), columns.add([], "i4"), columns.add([-1, 2**31 - 1], "i4"),
              columns.add([0, 255], "u1")]
    packed = columns.pack()
    assert read_column(packed, places[0]).tobytes() == values.tobytes()
    assert [read_column(packed, place).tolist() for place in places[1:]] == [[], [-1, 2**31 - 1], [0, 255]]
    with pytest.raises(OverflowError):
        columns.add([256], "u1")


def test_the_motion_and_the_rows_are_those_of_the_log():
    trajectory = simulate(load_scene("peg_in_hole"))
    data = describe_trajectory(trajectory)
    (run,) = data["runs"]
    assert np.array_equal(read_column(data["columns"], run["rows"]["time"]), trajectory.time)
    assert np.array_equal(read_column(data["columns"], run["contacts"]["fn"]), trajectory.contacts["fn"])
    assert np.array_equal(read_column(data["columns"], run["pieces"]["coefficients"]),
                          trajectory.pieces.coefficients.ravel())
    assert run["ending"]["well"] and run["outcome"] == "seated"


def test_arcs_stay_arcs():
    (outer,) = describe_loops(Outline.capsule(0.1, 0.02))
    assert sorted(map(len, outer)) == [2, 2, 6, 6]
    assert all(feature[4:] == [pytest.approx(0.02), 1] for feature in outer if len(feature) == 6)
    outer, hole = describe_loops(load_scene("pin_in_bush").obstacles[0].shape)
    assert hole[0][5] == -1


def test_motions_are_laws():
    motion = Motion(x=Coordinate((CurvePiece(-np.inf, 0.0, (1.0, 2.0)), CurvePiece(1.0, 1.0, (3.0,)))),
                    y=Coordinate(waves=(Wave(0.1, 50.0, 0.3),)), pivot=(0.5, 0.25))
    told = json.loads(encode_json(describe_motion(motion)))
    assert told["x"]["pieces"] == [[None, 0.0, 1.0, 2.0], [1.0, 1.0, 3.0]]
    assert told["y"]["waves"] == [[0.1, 50.0, 0.3]] and told["pivot"] == [0.5, 0.25]


def test_features_have_the_numbers_of_their_outlines():
    """A log counts those of obstacles in the boundary of their union, and arcs behind all edges."""
    trajectory = simulate(load_scene("bracket_from_dxf"), 0.2)
    pairs = ContactPairs(trajectory).pairs
    outline = trajectory.record.workpiece.outline
    assert {pair["own"].split()[0] for pair in pairs} == {"arc"} and {pair["other"] for pair in pairs} == {"edge 2"}
    for pair in pairs:
        number = int(pair["own"].split()[1])
        assert outline.radius[number] == pair["radii"][0] * outline.sign[number]
    slide = ContactPairs(make_slide()).pairs
    assert all(re.fullmatch(r"(edge|vertex) [0-3]", pair[side]) for pair in slide for side in ("own", "other"))


def test_nothing_of_a_user_means_anything_in_html():
    evil = "</script><script>alert(1)</script> & <!-- \u2028 \u2029 @TITLE@ 日本"
    page = build_page({"name": evil}, evil)
    assert page.count("<script") == 2 and page.count("</script>") == 2
    (data,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)
    assert json.loads(data) == {"name": evil} and not set(data) & set("<>&\u2028\u2029")
    assert "<title>&lt;/script&gt;" in page
    with pytest.raises(ValueError):
        encode_json({"a": float("nan")})


def test_the_policy_allows_the_script_of_the_page_alone():
    page = build_page({}, "a")
    assert f"script-src {hash_source(build_script())};" in page and "default-src 'none';" in page
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//|@import|url\(|https?://", page)


def test_pages_are_small(tmp_path):
    assert len(build_page({}, "").encode()) < 100_000  # what all pages have
    path = save_page(simulate(load_scene("block_on_incline")), tmp_path / "a.html")
    assert path.stat().st_size < 110_000


def test_assets_are_short_files_and_all_in_the_page():
    folder = ROOT / "sim" / "show" / "page" / "assets"
    assert {path.name for path in folder.iterdir()} == {f"{name}.js" for name in SCRIPTS} | {"page.html", "page.css"}
    for name in SCRIPTS:
        lines = read_asset(f"{name}.js").splitlines()
        assert len(lines) < 400 and max(map(len, lines)) <= 120, name


def test_a_tree_has_a_run_for_each_branch_and_colours_for_leaves():
    data = describe_branches(make_fork())
    branches = data["tree"]["branches"]
    assert [branch["run"] for branch in branches] == [0, 1, 2, 3]
    assert len({branch["colour"] for branch in branches if not branch["children"]}) == 3


@pytest.mark.parametrize(("path", "speed", "said"), [
    ("a.gif", None, "use .html"), ("a.html", 0.0, "positive"), ("a.html", np.nan, "positive"),
    ("folder.html", None, "is a folder")])
def test_what_cannot_be_written_is_told_before(tmp_path, path, speed, said):
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(ReplayError, match=said):
        save_page(make_slide(), tmp_path / path, speed)
    with pytest.raises(ReplayError, match="no rows"):
        save_page(take_rows(make_slide(), slice(0)), tmp_path / "b.html")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder.html"]


def test_of_many_logged_runs_some_come_in():
    assert choose_cells([1, 2, 3], 5) == [1, 2, 3]
    assert choose_cells(list(range(101)), 5) == [0, 25, 50, 75, 100]
