"""What users say about pictures is in the objects of the figure: titles, labels, ticks, contours, views, names."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.figure import Figure

from sim.cli.reports.cli_words import UserError, check_plot, read_picture_options
from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from sim.show.level_lines import choose_levels, draw_contours, read_levels
from sim.show.picture_options import PictureError, PictureOptions
from sim.show.plots.draw_sweep import ENDLESS_STYLE, ENDLESS_WORDS, INFINITE_WORDS, draw_sweep
from sim.show.plots.sweep_view import choose_view
from sim.show.replay.picture import Picture
from sim.sweep.axes import SweepError
from sim.sweep.table import FIELD_NAMES
from sim.values.expression import ExpressionError
from sim.words.key_words import describe_column, describe_key
from tests.sim.show.test_sweep_plot import make_sweep

HOSTILE = ["$x$ and $", "_hidden_", "漢字", "a" * 5000, "a\nb", r"\frac{1}{2}", "</script>", "x = y"]


@pytest.fixture(scope="module")
def slide():
    floor = {"name": "floor", "outline": {"vertices": [[-9, -1], [9, -1], [9, 0], [-9, 0]]}}
    post = {"name": "post", "outline": {"vertices": [[0.5, 0], [0.6, 0], [0.6, 1], [0.5, 1]]}}
    box = {"name": "box", "mass": 1.0, "outline": {"box": [0.2, 0.2]}, "pose": [0, 0.1, 0], "velocity": [0.5, 0, 0]}
    from tests import scene_builders as builders

    return simulate(parse_scene(builders.build_scene(box, [floor, post], friction={"default": 0.2})), duration=0.1)


def draw(sweep, *words, options=None, contours=None, **more):
    return draw_sweep(choose_view(sweep, *words, **more), None, options or PictureOptions(), contours)


def list_texts(figure):
    return [text.get_text().removeprefix("\u200b").replace(r"\$", "$") for text in figure.findobj(
        lambda one: hasattr(one, "get_text"))]


# ---- titles and labels -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", HOSTILE)
def test_titles_and_labels_stand_as_they_were_typed_and_within_the_figure(words):
    options = PictureOptions(title=words, labels={"mu": words, "rho": "second"})
    figure = draw(make_sweep(mu="0:1:3", rho="0.01,0.02"), "mu", "rho", options=options)
    figure.canvas.draw()
    heading = figure.texts[0]
    assert heading.get_window_extent().x1 <= figure.bbox.x1
    if len(words) < 50 and words.isprintable() and words.isascii():
        assert heading.get_text().removeprefix("\u200b").replace(r"\$", "$") == words
        assert figure.axes[0].get_xlabel().removeprefix("\u200b").replace(r"\$", "$") == words
    assert figure.axes[0].get_ylabel() == "second"


def test_a_long_title_leaves_the_mode_and_the_clock_alone(slide):
    figure = Figure(figsize=(9.6, 5.8))
    picture = Picture(figure, slide, options=PictureOptions(title="m" * 300))
    picture.paint(0.05)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.texts if text.get_text()]
    assert len(boxes) >= 2 and all(not one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])


def test_labels_may_be_for_names_keys_columns_and_arithmetic_and_reach_panels_and_legends():
    sweep = make_sweep(mu="0:1:3", rho="0.01,0.02", **{"workpiece.mass": "1,2"})
    options = PictureOptions(labels={"friction.default": "rub", "workpiece.mass": "weight", "end_time*2": "twice"})
    figure = draw(sweep, "mu", "rho", "end_time*2", options=options)
    texts = list_texts(figure)
    assert {"rub", "twice", "weight = 1 kg", "radius of gyration (m)", "peg: twice"} <= set(texts)
    curves = draw(sweep, "mu", "end_time", "rho", where=[("workpiece.mass", "1")], options=PictureOptions(
        labels={"rho": "reach"}))
    assert curves.legends[0].get_title().get_text() == "reach"


def test_a_label_for_nothing_lists_what_there_is():
    with pytest.raises(PictureError, match=r"'nu'.*valid: mu, friction.default, rho, workpiece.r"):
        draw(make_sweep(mu="0:1:3", rho="1,2"), "mu", "rho", options=PictureOptions(labels={"nu": "a"}))


@pytest.mark.parametrize("words, said", [
    ({"labels": ["mu"]}, "KEY=TEXT"), ({"labels": ["=a"]}, "KEY=TEXT"), ({"labels": ["mu=a", "mu=b"]}, "twice"),
    ({"view": "1,2,3"}, "X0,X1,Y0,Y1"), ({"view": "2,1,0,1 mm"}, "X0 < X1"), ({"view": "0,1,0,3 kg"}, "length"),
    ({"view": "0,nan,0,1"}, "finite"),
    ({"view": "-8 mm,8,-6 mm,6"}, "some have none")])
def test_options_that_cannot_be_read_say_how_they_are_written(words, said):
    with pytest.raises(UserError, match=said):
        read_picture_options(**words)


def test_what_is_said_of_no_picture_is_refused():
    with pytest.raises(UserError, match=r"--title.*--plot FILE"):
        check_plot(None, "a title")
    assert check_plot(None) is None


def test_views_are_lengths_with_units():
    assert read_picture_options(view="-8 mm, 1 cm,-2mm,6 mm").view == (-0.008, 0.01, -0.002, 0.006)
    assert read_picture_options(view="-8,1e1, -2,6mm").view == (-0.008, 0.01, -0.002, 0.006)
    assert read_picture_options(view="-8,8,-2,6").view == (-8.0, 8.0, -2.0, 6.0)


# ---- words of keys ---------------------------------------------------------------------------------------------------


def test_every_column_of_a_table_has_words_and_keys_without_them_stay_readable():
    assert all(describe_column(name) != name for name in FIELD_NAMES if name not in ("cell", "outcome"))
    assert describe_key(["workpiece", "rho"]) == "radius of gyration"
    assert describe_key(["friction", "left {0} wall"]) == "friction coefficient of left {0} wall"
    assert describe_key(["obstacle", "wall", "pose", "x"]) == "obstacle wall: pose.x"
    assert describe_key(["gripper", "stiffness", "0"]) == "gripper.stiffness.0"


def test_axes_have_the_unit_of_their_values():
    figure = draw(make_sweep(**{"workpiece.pose.theta": "1,2,3 deg", "obstacle.wall.pose.x": "0,1 mm"}),
                  "workpiece.pose.theta", "obstacle.wall.pose.x")
    assert figure.axes[0].get_xlabel() == "angle at the start (deg)"
    assert figure.axes[0].get_ylabel() == "obstacle wall: pose.x (mm)"


# ---- ticks -----------------------------------------------------------------------------------------------------------


def test_every_value_has_a_tick_where_they_fit_and_round_values_where_not():
    figure = draw(make_sweep(mu="0:1:11", rho="0.01:0.02:3"), "mu", "rho")
    assert np.allclose(figure.axes[0].get_xticks(), np.linspace(0, 1, 11))
    assert [one.get_text() for one in figure.axes[0].get_yticklabels()] == ["0.01", "0.015", "0.02"]
    many = draw(make_sweep(mu="0:1:201", rho="0.01,0.02"), "mu", "rho").axes[0].get_xticks()
    assert 4 <= len(many) <= 12 and np.allclose(np.round(many * 200), many * 200)
    words = [f"word{k}" * 8 for k in range(6)]
    names = draw(make_sweep(**{"run.choice": ",".join(words)}, mu="0,1"), "run.choice", "mu")
    assert len(names.axes[0].get_xticks()) == 6 and names.axes[0].get_xticklabels()[0].get_rotation() == 90.0


# ---- contours --------------------------------------------------------------------------------------------------------


def test_contours_are_where_the_numbers_have_their_levels():
    figure = draw(make_sweep(mu="0:1:5", rho="1:2:5"), "mu", "rho", "mu*2 + rho", contours=(2.0, 3.0))
    (lines,) = (one for one in figure.axes[0].collections if hasattr(one, "levels"))
    assert lines.levels.tolist() == [2.0, 3.0]
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        assert len(path.vertices) and np.allclose(2.0 * path.vertices[:, 0] + path.vertices[:, 1], level)


def test_levels_that_no_number_reaches_are_refused_with_the_range():
    sweep = make_sweep(mu="0:1:5", rho="1:2:5")
    with pytest.raises(PictureError, match="go from 1 to 4, and no level lies between"):
        draw(sweep, "mu", "rho", "mu*2 + rho", contours=(4.5, 7.0))


def test_cells_without_a_finite_number_have_no_contours_beside_them():
    axes = Figure().subplots()
    values = np.add.outer(np.arange(4.0), np.arange(4.0))
    values[0, 0], values[3, 3] = np.nan, np.inf
    assert draw_contours(axes, np.arange(4.0), np.arange(4.0), values, [1.5, 4.5]) > 0
    points = np.concatenate([path.vertices for path in axes.collections[0].get_paths()])
    assert not ((points < 0.999).all(axis=1) | (points > 2.001).all(axis=1)).any()
    assert draw_contours(axes, np.arange(2.0), np.arange(4.0), np.full((4, 2), np.nan), [1.0]) == 0


@pytest.mark.parametrize("text, levels", [("8", 8), ("0.5", (0.5,)), ("5,", (5.0,)), ("2,1,1", (1.0, 2.0))])
def test_contours_are_read_as_a_number_or_as_levels(text, levels):
    assert read_levels(text) == levels


@pytest.mark.parametrize("text", ["0", "99", "a", "nan,1", "", "1;2"])
def test_contours_that_are_none_are_refused(text):
    with pytest.raises(PictureError, match="--contours"):
        read_levels(text)


def test_contours_need_a_map_of_numbers():
    assert 3 <= len(choose_levels(5, 0.0, 1.0, False)) <= 8 and choose_levels(4, 1e-6, 1.0, True) == [
        pytest.approx(10.0**power) for power in (-6, -4, -2, 0)]
    for words in ((), ("mu", None, "end_time")):
        with pytest.raises(PictureError, match="only maps of numbers"):
            draw(make_sweep(mu="0:1:3", rho="1,2"), *words, contours=3)


# ---- arithmetic ------------------------------------------------------------------------------------------------------


def test_arithmetic_stands_for_a_column():
    sweep = make_sweep(mu="0:1:3", rho="1,2")
    view = choose_view(sweep, "mu", "end_time/2 + friction.default")
    assert view.has_curves and view.sources == ("end_time", "friction.default")
    assert np.array_equal(view.data, sweep["end_time"] / 2 + sweep["mu"], equal_nan=True)
    assert choose_view(sweep, "mu", "rho", "sqrt(end_time)").data[4] == 2.0


@pytest.mark.parametrize("text, error, said", [
    ("end_tim/2", ExpressionError, "mean 'end_time'"), ("outcome*2", SweepError, "is a word"),
    ("cell + 1", ExpressionError, "no column 'cell'"), ("sin(mu)", ExpressionError, "no function 'sin'"),
    ("().__class__", ExpressionError, "is not arithmetic")])
def test_wrong_arithmetic_says_what_is_wrong(text, error, said):
    with pytest.raises(error, match=said):
        choose_view(make_sweep(mu="0:1:3", rho="1,2"), "mu", "rho", text)


def test_forces_without_bound_have_a_hatch_and_are_not_missing_runs():
    sweep = make_sweep(mu="0:1:3", rho="1,2")
    sweep.table["largest_fn"] = [1, 2, np.inf, np.inf, 3, np.nan]
    sweep.table["status"][5] = -1
    for column, words in (("largest_fn", ENDLESS_WORDS), ("largest_fn/2", ENDLESS_WORDS), ("1/mu", INFINITE_WORDS)):
        figure = draw(sweep, "mu", "rho", column)
        entries = [text.get_text() for text in figure.legends[0].get_texts()]
        assert words in entries and ("no run" in entries) == (column != "1/mu")
        assert ENDLESS_STYLE["hatch"] in [one.get_hatch() for one in figure.axes[0].collections]


# ---- views and names -------------------------------------------------------------------------------------------------


def paint(slide, time=0.05, **options):
    figure = Figure(figsize=(9.6, 5.8))
    picture = Picture(figure, slide, options=PictureOptions(**options))
    picture.paint(time)
    figure.canvas.draw()
    return picture, picture.painter.axes


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e-5])
def test_a_view_shows_what_was_asked_for_with_numbers_that_tell_its_ticks_apart(slide, size):
    picture, axes = paint(slide, view=(0.1, 0.1 + size, 0.0, 0.1 * size))
    left, right = np.array(axes.get_xlim()) / picture.painter.view.factor
    assert left <= 0.1 + 1e-12 and right >= 0.1 + size - 1e-12 and right - left <= 3.1 * size
    shown = [label.get_text().replace("−", "-") for label, tick in zip(axes.get_xticklabels(), axes.get_xticks(),
                                                                   strict=True)
             if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
    assert len(shown) >= 2 and len(set(shown)) == len(shown) and axes.xaxis.get_offset_text().get_text() == ""
    assert all(abs(float(text) - tick) <= 1e-9 * max(1.0, abs(tick)) for text, tick in zip(
        shown, [t for t in axes.get_xticks() if axes.get_xlim()[0] <= t <= axes.get_xlim()[1]], strict=True))
    boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
    assert all(one.x1 <= other.x0 for one, other in pairwise(boxes) if one.x0 >= 0)


def test_a_view_that_follows_stays_to_the_part_as_it_is_at_the_start(slide):
    start, axes = paint(slide, 0.0, view=(0.0, 0.1, 0.0, 0.1), follow=True)
    before = np.array(axes.get_xlim()) / start.painter.view.factor
    start.paint(0.1)
    moved = np.array(axes.get_xlim()) / start.painter.view.factor - before
    assert np.allclose(moved, slide.pose[-1, 0] - slide.pose[0, 0]) and moved[0] > 0.01
    assert paint(slide, follow=True)[0].painter.view.follows
    assert not paint(slide, follow=False)[0].painter.view.follows


def test_a_view_that_follows_shows_no_more_than_one_that_holds_the_whole_motion():
    still = simulate(load_scene("hook_over_post"))
    widths = [float(np.ptp(paint(still, follow=follow)[1].get_xlim())) for follow in (True, False)]
    assert widths[0] <= widths[1] * (1.0 + 1e-12)


def test_a_name_does_not_stand_out_at_the_side_of_a_thin_obstacle():
    run = simulate(load_scene("erdmann_figure_5"), duration=0.01)
    picture, axes = paint(run, names=True)
    (text,) = [text for text in axes.texts if text.get_text() == "table"]
    box, to_data = text.get_window_extent(), axes.transData.inverted()
    outline = run.record.obstacles[0].outline
    assert to_data.transform((box.x0, box.y0))[0] >= outline.bounds[0][0] * picture.painter.view.factor


def test_obstacles_have_their_names_within_what_is_seen_of_them(slide):
    picture, axes = paint(slide, names=True, view=(-1.0, 1.0, -0.5, 0.8))
    names = {text.get_text(): np.array(text.get_position()) / picture.painter.view.factor for text in axes.texts
             if text.get_text() in ("floor", "post")}
    assert names.keys() == {"floor", "post"}
    assert -1.0 <= names["floor"][1] <= 0.0 and 0.5 <= names["post"][0] <= 0.6
    assert not [text for text in paint(slide)[1].texts if text.get_text() == "floor"]


def test_an_acceleration_picture_zooms_and_names():
    from dynamics import find_accelerations
    from sim.instant.instant import contact_problem
    from sim.show.plots.acceleration_picture import draw_acceleration_picture

    scene = load_scene("erdmann_figure_5")
    problem, contacts = contact_problem(scene)
    options = PictureOptions(title="T", view=(-1.1, -0.9, -0.1, 0.1), names=True)
    figure = draw_acceleration_picture(scene, [0.0, 1.0, 0.0], 0.0, problem, contacts, find_accelerations(problem),
                                       options)
    left, right = figure.axes[0].get_xlim()
    assert figure.texts[0].get_text() == "T" and 0.2 <= right - left + 1e-9 <= 0.7  # m
    assert "table" in [text.get_text() for text in figure.axes[0].texts]
    caption = " ".join(text.get_text() for text in figure.texts)
    assert "$t_c$ = (1,\u00a00,\u00a00)" in caption and "No $c$ is legal: the line passes beside" in caption
    assert "1 opens all contacts, 2 opens contacts 1 and 2, 3 opens contacts 1 and 2" in caption
    assert "cones of contacts 0 and 2 dip below" in caption
