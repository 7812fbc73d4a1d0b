"""Pictures of curves: what is drawn is what the run was, jumps stand upright, words are words."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import stiction
from sim.log.columns.run_columns import ColumnError
from sim.rows.records import SET_KINDS
from sim.run.branches import simulate_branches
from sim.run.simulation import simulate
from sim.scene.build import load_scene
from sim.show.palette import BRANCH_COLOURS
from sim.show.plot_file import save_figure
from sim.show.plots.curves.curve_view import choose_curve_view, find_unit, split_names
from sim.show.plots.curves.draw_curve_view import SEVERAL_WORDS, draw_curve_view
from sim.show.plots.curves.plot_runs import plot_runs
from tests.sim.cli.test_names import NAMES, build_scene


@pytest.fixture(scope="module")
def bounce():
    return simulate(load_scene("bouncing_block"))


@pytest.fixture(scope="module")
def slides():
    return {f"mu = {mu}": simulate(load_scene("block_on_incline", overrides={"friction.default": mu}), duration=0.5)
            for mu in (0.1, 0.3)}


def get_lines(axes):
    return [line for line in axes.lines if len(line.get_xdata()) > 2]


def read_words(figure):
    legends = [legend for axes in figure.axes if (legend := axes.get_legend())] + figure.legends
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def test_jumps_stand_upright(bounce):
    """At the first impact the curve of the velocity has two points, 4.43 m/s down and 2.21 m/s up, at one time."""
    figure = plot_runs(bounce, "vy", "energy")
    (line,) = get_lines(figure.axes[0])
    t, v = line.get_data()
    at = np.flatnonzero(np.abs(t - np.sqrt(2.0 / 9.81)) < 1e-9)
    assert v[at] == pytest.approx([-np.sqrt(2.0 * 9.81), 0.5 * np.sqrt(2.0 * 9.81)]) and t[at[0]] == t[at[1]]
    flights = np.diff(v)[np.diff(t) > 1e-9] / np.diff(t)[np.diff(t) > 1e-9]
    assert flights[: at[0] + 20] == pytest.approx(np.full(at[0] + 20, -9.81), rel=1e-6)
    (line,) = get_lines(figure.axes[1])
    assert set(np.round(line.get_ydata()[: at[1] + 3], 6)) == {0.0, round(-0.75 * 9.81, 6)}
    assert read_words(figure) == ["vy"]  # the panel of the energy says so on its axis


def test_events_are_marked_by_their_words(bounce):
    texts = [text.get_text() for text in plot_runs(bounce, "y").axes[0].texts]
    assert texts[:2] == ["impact", "impact"] and "start" not in texts and texts[-1].endswith("rest")
    assert [text.get_text() for text in plot_runs(bounce, "y", events="start").axes[0].texts] == ["start"]
    assert not plot_runs(bounce, "y", events="none").axes[0].texts
    assert not plot_runs([bounce, bounce], "y").axes[0].texts
    assert plot_runs([bounce, bounce], "y", events=["impact"]).axes[0].texts
    with pytest.raises(ColumnError, match="valid: all, none, start, contact, impact"):
        plot_runs(bounce, "y", events=["bang"])


def test_very_many_events_are_counted():
    run = simulate(load_scene("vibratory_track"), duration=0.6)
    figure = plot_runs(run, "contact.fn")
    n = int((run.events["kind"] == "slip").sum())
    assert any(f"dashed lines: {n} slip" in text.get_text() for text in figure.texts)


def test_units_fit_the_values(bounce, slides):
    figure = plot_runs(simulate(load_scene("peg_in_hole")), "y", "theta", "contact.fn", "energy")
    assert [axes.get_ylabel() for axes in figure.axes] == [
        "position (mm)", "orientation (°)", "contact force (N)", "energy (mJ)"]
    assert figure.axes[-1].get_xlabel() == "time (s)"
    for axes, name, factor in zip(figure.axes, ("y", "theta"), (1e3, 180.0 / np.pi), strict=False):
        run = simulate(load_scene("peg_in_hole"))
        assert get_lines(axes)[0].get_ydata()[0] == pytest.approx(factor * run.column(name)[0])
    speed = stiction.plot_runs(bounce, "speed", "ay", x="y")
    assert [axes.get_ylabel() for axes in speed.axes] == ["velocity (m/s)", "acceleration (m/s²)"]
    assert speed.axes[-1].get_xlabel() == "position y (m)"
    assert find_unit(stiction_columns(bounce, "n_contacts")) == (1.0, "")
    assert find_unit(stiction_columns(bounce, "alpha")) == (1.0, "rad/s²")


def stiction_columns(run, name):
    from sim.log.columns.run_columns import get_columns

    return get_columns(run, name)


def test_several_runs_have_colours_and_names(slides):
    figure = plot_runs(slides, "speed", "contact.fn", "contact.ft")
    for axes, n in zip(figure.axes, (1, 2), strict=True):
        lines = get_lines(axes)
        assert len(lines) == 2 * n
        assert {to_hex(line.get_color()) for line in lines} == {colour.lower() for colour in BRANCH_COLOURS[:2]}
    ends = {to_hex(line.get_color()): line.get_ydata()[-1] for line in get_lines(figure.axes[0])}
    for (_, run), colour in zip(slides.items(), BRANCH_COLOURS, strict=False):
        assert ends[colour.lower()] == pytest.approx(run.column("speed")[-1])
    assert set(slides) <= set(read_words(figure))
    assert set(read_words(plot_runs(list(slides.values()), "y"))) >= {"block_on_incline 1", "block_on_incline 2"}


def test_runs_that_lack_a_column_are_left_out(slides, bounce):
    view = choose_curve_view(slides | {"b": bounce}, ["contact.floor.fn", "y"])
    assert [(panel.family, len(panel.curves)) for panel in view.panels] == [("contact force", 1), ("position", 3)]
    assert view.notes == ["2 of 3 runs have no contact.floor.fn"]
    with pytest.raises(ColumnError, match=r"no column 'contact\.roof\.fn'"):
        choose_curve_view(slides | {"b": bounce}, ["contact.roof.fn"])


def test_times_that_were_not_unique_are_a_band():
    run = simulate(load_scene("painleve_rod"))
    figure = plot_runs(run, "y", "set_kind")
    assert SEVERAL_WORDS in read_words(figure)
    (band,) = figure.axes[0].patches
    assert [band.get_x(), band.get_x() + band.get_width()] == pytest.approx((1e3 * run.not_unique[0]).tolist())
    assert [text.get_text() for text in figure.axes[1].get_yticklabels()] == list(SET_KINDS)
    over_angle = plot_runs(run, "y", x="theta")
    assert SEVERAL_WORDS in read_words(over_angle) and len(get_lines(over_angle.axes[0])) == 2
    assert SEVERAL_WORDS not in read_words(plot_runs(simulate(load_scene("block_on_incline"), duration=0.1), "y"))


def test_unbounded_forces_are_gaps_and_said():
    run = simulate(load_scene("pusher_to_wall"))
    view = choose_curve_view({"p": run}, ["contact.fn"])
    wall = next(curve for curve in view.panels[0].curves if "wall" in curve.column.name)
    assert np.isnan(wall.y[-1]) and wall.unbounded.tolist() == [run.time[-1]]
    assert any("unbounded (jammed)" in note for note in view.notes)
    assert "unbounded (jammed)" in read_words(draw_curve_view(view, "p"))


def test_of_several_runs_each_has_its_own_mark_where_it_was_not_unique(slides):
    rod = simulate(load_scene("painleve_rod"))
    figure = plot_runs({"rod": rod} | slides, "y")
    assert not figure.axes[0].patches and SEVERAL_WORDS in read_words(figure)
    (pale,) = [line for line in get_lines(figure.axes[0]) if line.get_linewidth() > 3.0]
    shown = np.isfinite(pale.get_ydata())
    assert pale.get_xdata()[shown].max() == pytest.approx(rod.not_unique[0, 1]) and not shown.all()


def test_a_curve_on_another_one_is_seen():
    run = simulate(load_scene("cam_follower"), duration=0.2)
    left, right = get_lines(plot_runs(run, "contact.fn").axes[0])
    assert left.get_linestyle() == "-" and right.get_linestyle() == "--"
    one, other = get_lines(plot_runs(run, "x", "y").axes[0])
    assert one.get_linestyle() == other.get_linestyle() == "-"


def test_trees_have_a_curve_for_each_branch():
    tree = simulate_branches(load_scene("erdmann_figure_5"), duration=0.2)
    figure = tree.plot("theta")
    assert len(get_lines(figure.axes[0])) == len(tree.leaves)
    assert [word for word in read_words(figure) if word.startswith("branch")] == [f"branch {k}" for k in tree.leaves]
    assert "<svg" in tree._repr_html_()


def test_any_column_over_any_other():
    run = simulate(load_scene("chamfered_peg"), duration=0.3)
    figure = run.plot("gripper_force", "contact.fn", x="depth")
    x, y = get_lines(figure.axes[0])[0].get_data()
    assert figure.axes[-1].get_xlabel() == "depth (mm)" and not figure.axes[0].texts
    assert x[-1] == pytest.approx(1e3 * run.column("depth")[-1])
    assert y[-1] == pytest.approx(run.column("gripper_force")[-1])
    with pytest.raises(ColumnError, match="3 columns; say which: x, y, theta"):
        run.plot("y", x="pose")
    with pytest.raises(ColumnError, match="no column 'nothing'"):
        run.plot("y", x="nothing")


def test_too_many_panels_are_refused(bounce):
    with pytest.raises(ColumnError, match="panels; at most 12"):
        plot_runs(bounce, "pose", "velocity", "acceleration", "load", "gripper", "command", "wrist", "set_kind")
    with pytest.raises(ColumnError, match="no run"):
        plot_runs([])


def test_poses_between_rows_are_those_of_the_motion():
    coarse = simulate(load_scene("bouncing_block", overrides={"run.output_interval": 0.1}))
    (curve,) = choose_curve_view({"a": coarse}, ["y"]).panels[0].curves
    time, y = curve.x, curve.y
    assert len(time) > 300 and np.all(np.diff(time) >= 0.0)
    first = time < 0.4  # it falls from 1.1 m
    assert np.abs(y[first] - (1.1 - 0.5 * 9.81 * time[first] ** 2)).max() < 1e-12


def test_titles_and_labels_can_be_given(bounce):
    figure = plot_runs(bounce, "y", "vx", "vy", title="Drop $1", labels={"y": "height_", "vy": "falls", "time": "t"})
    assert figure.texts[0].get_text() == r"Drop \$1"
    assert figure.axes[0].get_ylabel() == "height_ (m)" and figure.axes[-1].get_xlabel() == "t (s)"
    assert "falls" in read_words(figure)


def test_names_with_commas_are_kept_together(tmp_path):
    run = simulate(build_scene("a,b.fn"), duration=0.02)
    obstacle = run.record.obstacles[0].name
    assert split_names(run, [f"y, contact.{obstacle}.fn,vx", "energy"]) == [
        "y", f"contact.{obstacle}.fn", "vx", "energy"]
    assert split_names(run, ["y,nothing,vx,"]) == ["y", "nothing", "vx"]


@pytest.mark.parametrize("name", NAMES)
def test_names_have_no_power_in_pictures(name, tmp_path):
    run = simulate(build_scene(name), duration=0.02)
    figure = plot_runs({name: run, name + "'": run}, "contact.fn", "contact.ft", "x")
    save_figure(figure, tmp_path / "a.svg")
    save_figure(figure, tmp_path / "a.png")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_picture_has_the_same_bytes(bounce, tmp_path, suffix):
    pictures = [save_figure(plot_runs(bounce), tmp_path / f"{k}{suffix}").read_bytes() for k in (0, 1)]
    assert pictures[0] == pictures[1]
