"""Pictures of sweeps: the right colour in the right place, and a word for all that a picture leaves out."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from sim.rows.status import Status
from sim.scene.schema import OUTCOMES
from sim.show.palette import OUTCOME_COLOURS, WORD_COLOURS
from sim.show.plots.draw_sweep import draw_sweep
from sim.show.plots.sweep_view import MOST_CURVES, MOST_PANELS, choose_view
from sim.sweep.axes import SweepError, make_axis
from sim.sweep.plan import Plan
from sim.sweep.refine.refinement import Refinement, build_boundary_dtype
from sim.sweep.sweep_file import SweepRecord
from sim.sweep.sweep_result import Sweep
from sim.sweep.table import build_row_dtype


def make_sweep(cells=None, samples=None, **axes):
    """A table that no run has made: at rest where the first value exceeds 0.5; the end time is the number of the
    cell, and NaN in cell 0."""
    plan = Plan(tuple(make_axis(name, values) for name, values in axes.items()), samples)
    cells = np.arange(len(plan)) if cells is None else np.array(cells)
    table = np.zeros(len(cells), build_row_dtype([axis.name for axis in plan.axes]))
    table["cell"] = cells
    for name, values in zip(axes, plan.tabulate(cells).T, strict=True):
        table[name] = values
    first = table[next(iter(axes))]
    table["outcome"] = np.where(first > 0.5, OUTCOMES.index("at rest"), OUTCOMES.index("timed out"))
    table["end_time"] = np.where(cells == 0, np.nan, cells)
    record = SweepRecord("", "peg.toml", plan, "stiction", "", (*OUTCOMES, "seated"))
    return Sweep(record, table, [""], Status.COMPLETED)


def read_mesh(axes):
    """{(x, y) of the middle of a cell: its colour} of a map, None where nothing is drawn."""
    (mesh,) = (one for one in axes.collections if hasattr(one, "get_coordinates"))
    corners = mesh.get_coordinates()
    middles = 0.25 * (corners[1:, 1:] + corners[:-1, 1:] + corners[1:, :-1] + corners[:-1, :-1]).reshape(-1, 2)
    mesh.update_scalarmappable()
    colours = mesh.get_facecolors().reshape(-1, 4)
    return {tuple(np.round(middle, 12)): tuple(colour[:3]) if colour[3] else None
            for middle, colour in zip(middles, colours, strict=True)}


def draw(sweep, *words, **options):
    view = choose_view(sweep, *words, **options)
    return view, draw_sweep(view)


def test_cells_are_centred_on_their_values_and_have_the_colour_of_their_outcome():
    _, figure = draw(make_sweep(mu="0:1:11", rho="0.01:0.03:3"), "mu", "rho")
    cells = read_mesh(figure.axes[0])
    expected = {(round(mu, 12), round(rho, 12)): to_rgb(OUTCOME_COLOURS["at rest" if mu > 0.5 else "timed out"])
                for mu in np.linspace(0, 1, 11) for rho in (0.01, 0.02, 0.03)}
    assert cells.keys() == expected.keys()
    for place in cells:
        assert cells[place] == pytest.approx(expected[place], abs=1e-6), place
    turned = read_mesh(draw(make_sweep(mu="0:1:11", rho="0.01:0.03:3"), "rho", "mu")[1].axes[0])
    assert {(y, x): colour for (x, y), colour in turned.items()} == cells


def test_values_of_a_list_in_any_order_are_drawn_rising():
    cells = read_mesh(draw(make_sweep(mu="0.9,0.1,0.5", rho="0.01,0.02"), "mu", "rho")[1].axes[0])
    assert len({x for x, _ in cells}) == 3
    assert [cells[place] for place in sorted(cells)[-2:]] == [pytest.approx(to_rgb("#56B4E9"), abs=1e-6)] * 2


def test_a_grid_has_a_dimension_an_axis_and_gaps_where_no_cell_has_run():
    sweep = make_sweep(cells=[1, 4, 5], mu="0:1:3", rho="0.01,0.02")
    assert np.array_equal(sweep.get_grid("end_time"), [[np.nan, 1], [np.nan, np.nan], [4, 5]], equal_nan=True)
    assert sweep.get_grid("outcome").tolist() == [["", "timed out"], ["", ""], ["at rest", "at rest"]]
    assert make_sweep(mu="uniform(0, 1)", rho="1,2", samples=5).get_grid("mu").shape == (1, 2, 5)


def test_cells_that_have_not_run_are_hatched_and_counted():
    view, figure = draw(make_sweep(cells=[0, 1, 2, 5], mu="0:1:3", rho="0.01,0.02"), "mu", "rho")
    assert view.notes == ("2 of 6 cells have not run (hatched)",)
    assert sum(colour is None for colour in read_mesh(figure.axes[0]).values()) == 2
    hatched = [one for one in figure.axes[0].collections if one.get_hatch()]
    assert len(hatched) == 1 and len(hatched[0].get_paths()) == 2
    assert "has not run" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_numbers_have_one_bar_for_all_panels_and_cells_without_a_number_a_grey_of_their_own():
    _, figure = draw(make_sweep(mu="0:1:3", rho="0.01,0.02", **{"workpiece.mass": "1,2"}), "mu", "rho", "end_time")
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == ["mass of the part = 1 kg", "mass of the part = 2 kg"]
    meshes = [next(one for one in axes.collections if hasattr(one, "get_coordinates")) for axes in panels]
    assert {mesh.get_clim() for mesh in meshes} == {(1.0, 11.0)}
    assert np.array_equal(meshes[1].get_array().ravel(), [1, 5, 9, 3, 7, 11])
    assert "no number" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_too_many_panels_and_curves_are_limited_and_said():
    sweep = make_sweep(mu="0:1:3", rho="0.01:0.02:30")
    view, figure = draw(sweep, "mu")
    assert len(view.panels) == MOST_PANELS and view.notes[0].startswith("12 of 30 panels (rho)")
    assert view.panels[0].fixed == {"rho": 0.01} and view.panels[-1].fixed == {"rho": 0.02}
    view, figure = draw(sweep, "mu", None, "end_time")
    assert len(figure.axes[0].lines) == MOST_CURVES and view.notes[0].startswith("8 of 30 curves (rho)")
    assert figure.axes[0].lines[-1].get_ydata().tolist() == [29, 59, 89]
    view, _ = draw(sweep, "mu", where=[("rho", "0.01")])
    assert len(view.panels) == 1 and view.notes == ()


def test_curves_may_be_asked_for_as_the_height_and_name_their_series():
    _, figure = draw(make_sweep(mu="0:1:3", rho="1,2"), "rho", "end_time", "mu")
    assert [line.get_ydata().tolist()[1] for line in figure.axes[0].lines] == [1, 3, 5]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["0", "0.5", "1"]


def test_random_values_are_points():
    view, figure = draw(make_sweep(mu="uniform(0, 1)", rho="uniform(1, 2)", samples=40), "mu", "rho")
    offsets = figure.axes[0].collections[0].get_offsets()
    assert len(offsets) == 40 and np.array_equal(np.asarray(offsets)[:, 0], view.points[:, 0])


def test_words_are_names_on_an_axis():
    _, figure = draw(make_sweep(mu="0:1:3", **{"run.choice": "continue,stick"}), "mu", "run.choice")
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["continue", "stick"]


def test_boundaries_are_drawn_where_they_are_and_cells_painted_up_to_them():
    sweep = make_sweep(mu="0:1:3", rho="0.01,0.02")
    rows = np.zeros(3, build_boundary_dtype(["mu", "rho"]))
    rows["mu"], rows["rho"], rows["before"], rows["after"] = [0.7, 0.6, 0.9], [0.01, 0.02, 0.02], [0, 0, 2], [1, 2, 1]
    found = Refinement("mu", "outcome", 1e-9, ("timed out", "at rest", "jammed"), rows, 6, 2, 1.0, 9, "done")
    _, figure = draw(sweep, "mu", "rho", refinements=[found])
    axes = figure.axes[0]
    (strokes,) = (one for one in axes.collections if hasattr(one, "get_segments"))
    assert np.allclose(strokes.get_segments(), [[(0.7, 0.005), (0.7, 0.015)], [(0.6, 0.015), (0.6, 0.025)],
                                                [(0.9, 0.015), (0.9, 0.025)]])
    painted = {tuple(np.round(one.get_paths()[0].vertices[:2, 0], 9)): to_rgb(one.get_facecolor()[0])
               for one in axes.collections if one.get_zorder() == 2}
    names = {(0.5, 0.7): "timed out", (0.7, 1.0): "at rest", (0.5, 0.6): "timed out", (0.6, 0.9): "jammed",
             (0.9, 1.0): "at rest"}
    assert painted == {span: pytest.approx(to_rgb(OUTCOME_COLOURS[word]), abs=1e-6) for span, word in names.items()}
    assert "jammed  (between cells only)" in [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("words, said", [
    (("nu",), "--x nu: the sweep does not vary this; valid: mu, rho"),
    (("mu", "nu"), "--y nu: the sweep does not vary this; valid: mu, rho; or a column: end_time, goal_time, x, y"),
    (("mu", "rho", "colour"), "--color colour: there is no such column; valid: mu, rho, outcome, status, end_time"),
    (("mu", "mu"), "--x and --y are both mu"),
    (("mu", "outcome"), "--y outcome: is a word"),
    (("mu", "end_time", "status"), "--color status: with --y end_time"),
])
def test_names_that_are_none_get_those_that_are(words, said):
    with pytest.raises(SweepError) as error:
        choose_view(make_sweep(mu="0:1:3", rho="1,2"), *words)
    assert str(error.value).startswith(said)


def test_colours_can_be_told_apart_without_red_or_green_cones():
    """Machado, Oliveira and Fernandes (2009): what a protanope and a deuteranope see, in linear RGB."""
    seen = {"all": np.eye(3),
            "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                                [-0.003882, -0.048116, 1.051998]]),
            "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                                [-0.011820, 0.042940, 0.968881]])}
    colours = {**OUTCOME_COLOURS, "first goal": WORD_COLOURS[0], "second goal": WORD_COLOURS[1]}
    for eye, matrix in seen.items():
        shown = {word: compute_lab(matrix @ linearise(to_rgb(colour))) for word, colour in colours.items()}
        for one in shown:
            for other in shown:
                assert one == other or np.linalg.norm(shown[one] - shown[other]) > 10.0, (eye, one, other)


def linearise(rgb):
    rgb = np.array(rgb)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def compute_lab(rgb):
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0, 1)
    ratio = xyz / [0.9505, 1.0, 1.089]
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
