"""Pictures of a tree: which branches are shown when, in which colour, and where."""

import numpy as np
import pytest
from PIL import Image

from sim.log.tree import Branch, Tree
from sim.rows.status import Status
from sim.show.palette import BRANCH_COLOURS, pick_branch_style
from sim.show.replay.frames import ReplayError
from sim.show.replay.tree_frames import TreeMotion
from sim.show.replay.tree_picture import TreePicture
from sim.show.replay.tree_timeline import place_lanes
from sim.show.replay.viewer import Viewer, save_movie
from tests.sim.synthetic import make_figure
from tests.sim.trees import make_fork, make_tree


def paint(tree, time):
    picture = TreePicture(make_figure((9.6, 5.8)), TreeMotion(tree))
    picture.paint(time)
    return picture


def list_visible(picture):
    return [number for number, part in picture.painter._parts.items() if part.get_visible()]


def test_before_a_split_one_part_is_drawn_and_after_it_one_a_branch():
    tree = make_fork()
    motion = TreeMotion(tree)
    for time, expected in ((0.0, [0]), (0.099, [0]), (0.1, [1, 2, 3]), (0.2, [1, 2, 3]), (0.3, [1, 2, 3])):
        assert [strand.branch.number for strand in motion.find_strands(time)] == expected
        assert list_visible(paint(tree, time)) == expected
    assert [strand.ended for strand in motion.find_strands(0.27)] == [True, False, False]


def test_the_part_stands_where_the_rows_say_in_its_own_colour():
    tree = make_fork()
    picture = paint(tree, 0.2)
    factor = picture.painter.view.factor
    for number in (1, 2, 3):
        part, rows = picture.painter._parts[number], tree.branches[number].rows
        row = int(np.argmin(np.abs(rows.time - 0.2)))
        corners = part.get_path().vertices[:4] / factor
        assert corners.mean(axis=0) == pytest.approx(rows.pose[row, :2])
        assert part.get_edgecolor()[:3] == pytest.approx([int(BRANCH_COLOURS[number - 1][k : k + 2], 16) / 255
                                                          for k in (1, 3, 5)])
    assert "3 motions, centres up to 0.3 m apart" in picture.painter._note.get_text()


def test_between_the_last_row_and_the_split_the_part_moves_on():
    tree = make_fork()
    trunk = tree.branches[0]
    trunk.rows.steps.flags.writeable = False
    short = trunk.rows.steps[:3]  # the last row at 0.04 s, the split at 0.1 s
    trunk.rows = type(trunk.rows)(None, short, trunk.rows.contacts, trunk.rows.events, trunk.rows.impulses,
                                  Status.SPLIT, trunk.rows.account, record=tree.record)
    (strand,) = TreeMotion(tree).find_strands(0.08)
    assert strand.state.pose[0] == pytest.approx(0.08) and not strand.ended


def test_a_merged_branch_is_gone_and_the_legend_says_where():
    tree = make_fork()
    tree.branches[1].merged_into = 2
    tree.branches[1].rows.status = Status.MERGED
    picture = paint(tree, 0.27)
    assert list_visible(picture) == [2, 3]
    texts = [text.get_text() for text in picture.figure.legends[0].get_texts()]
    assert any(text.startswith("1: acceleration rs") and "MERGED into 2" in text for text in texts)
    assert any(text.startswith("3: ") and "COMPLETED at 0.3 s" in text for text in texts)


def test_styles_are_distinct_and_cycle_with_other_lines():
    styles = [pick_branch_style(index) for index in range(32)]
    assert len({colour for colour, _ in styles[:8]}) == 8 and len(set(styles)) == 32
    assert styles[8][0] == styles[0][0] and styles[8][1] != styles[0][1]


def test_lanes_of_leaves_are_apart_and_parents_amid():
    assert place_lanes(make_tree()) == {4: 0.0, 5: 1.0, 2: 2.0, 3: 3.0, 1: 0.5, 0: 1.75}


def test_the_cursor_marks_the_time():
    picture = paint(make_fork(), 0.15)
    assert picture.timeline.cursor.get_xdata()[0] == pytest.approx(0.15 * picture.timeline.factor)
    assert picture._clock.get_text() == "t = 0.1500 s"


def test_many_leaves_and_branches_that_were_not_followed_fit():
    tree = make_fork(leaves=20)
    tree.branches[20].rows = None
    texts = [text.get_text() for text in paint(tree, 0.2).figure.legends[0].get_texts()]
    assert "and 12 more leaves" in texts and "and 1 branches not followed" in texts and len(texts) < 12


def test_a_movie_and_the_viewer_take_a_tree_and_its_log(tmp_path):
    tree = make_fork()
    path = save_movie(tree, tmp_path / "a.gif", fps=25.0, dpi=50.0)
    save_movie(tree.save(tmp_path / "a.h5"), tmp_path / "b.gif", fps=25.0, dpi=50.0)
    assert path.read_bytes() == (tmp_path / "b.gif").read_bytes()
    with Image.open(path) as movie:
        assert movie.n_frames > 5
    viewer = Viewer(make_figure(), TreeMotion(tree))
    viewer.step(7)
    assert viewer.time == pytest.approx(0.14) and list_visible(viewer.picture) == [1, 2, 3]


def test_a_tree_without_rows_is_refused():
    with pytest.raises(ReplayError, match="no branch has rows"):
        TreeMotion(Tree(None, [Branch(0, -1, 0, 0.0, "", False, None)]))
