"""Names of users in files, pictures and on consoles: shown as they were typed, and without any power."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import h5py
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from sim.cli import main
from sim.cli.reports.console import make_bar, make_console, make_table
from sim.instant.instant import contact_problem
from sim.log.reading import read_trajectory
from sim.run.simulation import simulate
from sim.scene.build import load_scene, parse_scene
from sim.scene.formation_start import survey_formation
from sim.show.labels import BOX, as_typed
from sim.show.plots.cone_gallery import read_folder
from sim.show.plots.draw_map import draw_map
from sim.show.plots.formation_picture import draw_formation
from sim.study.solution_map import compute_map
from sim.sweep.sweep import sweep
from sim.words.file_names import MOST_BYTES, choose_output, make_file_name

NAMES = ("Ba$$in", "cost 5$ to 6$", "$", "$x^2", r"\$a$", "_part", "x_1^{2", "\\frac{", "[red]a[/red]", "[/]", "a\nb",
         "a\tb", "漢字", "Führung-β", "\x1b[31mred", "\u202eabc", "a\0b", "../../x", "CON", "😀", "%s {0}",
         "x" * 900)  # fmt: skip


def build_scene(name):
    """A box on a floor, in which everything that can have a name has this one."""
    quoted = "".join(f"\\U{ord(character):08X}" for character in name)
    return parse_scene(f"""
name = "{quoted}"
[workpiece]
name = "{quoted}1"
outline = {{box = [0.1, 0.1]}}
mass = 1.0
pose = [0.0, 0.05, 0.0]
velocity = [0.5, 0.0, 0.0]
[[obstacle]]
name = "{quoted}2"
outline = {{vertices = [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]]}}
[friction]
default = 0.5
[[goal]]
name = "{quoted}3"
x = [-1, 1]
at_rest = false
[run]
duration = 0.01
""")


def read_drawn(figure):
    """Draw a figure without a warning; its texts as matplotlib shows them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()
    shown = []
    for text in figure.findobj(Text):
        words, is_math = text._preprocess_math(text.get_text())
        shown.append((words, is_math))
    return shown


@pytest.mark.parametrize("name", NAMES)
def test_pictures_show_names_as_they_were_typed(name):
    from dynamics.sets.acceleration_set import find_accelerations
    from sim.show.plots.acceleration_picture import draw_acceleration_picture
    from sim.show.plots.draw_sweep import draw_sweep
    from sim.show.plots.sweep_view import choose_view
    from sim.show.replay.picture import Picture

    scene = build_scene(name)
    pose = [*scene.workpiece.pose]
    problem, contacts = contact_problem(scene)
    result = sweep(scene, mu=[0.1, 0.2])
    replay = Figure(figsize=(9.6, 5.8))
    picture = Picture(replay, simulate(scene))
    picture.paint(0.0)
    figures = {
        "replay": replay, "sweep": draw_sweep(choose_view(result)),
        "accelerations": draw_acceleration_picture(scene, pose, 0.0, problem, contacts, find_accelerations(problem)),
        "map": draw_map(compute_map(scene, "friction.default=0:1:2", f'obstacle."{name}2".pose.y=-1:0:2')),
    }
    wanted = {"replay": [name, f"{name}1"], "sweep": [f"{name}3  (100 %)"], "accelerations": [f"{name}1"],
              "map": [f'obstacle {name}2: pose.y (m)']}
    for kind, figure in figures.items():
        plain = [words.removeprefix("\u200b") for words, is_math in read_drawn(figure) if not is_math]
        if name.isprintable() and name.isascii() and len(name) < 50:
            assert set(wanted[kind]) <= set(plain), (kind, plain)


def test_words_among_mathematics_stay_words():
    figure = Figure()
    figure.text(0.1, 0.1, f"$F_A$ of {as_typed('Ba$$in')} and {as_typed('5$')}")
    (words, is_math), = read_drawn(figure)[:1]
    assert is_math and words.count(r"\$") == 3


def test_what_a_font_does_not_have_is_a_box():
    assert as_typed("漢β") == f"{BOX}β" and as_typed("a\nb") == r"a\nb" and as_typed("y" * 99).endswith("…")
    with rc_context({"font.family": ["DejaVu Sans Mono"]}):
        assert as_typed("x漢") == f"x{BOX}"


def test_formations_and_their_titles():
    scene = load_scene("three_fingers", overrides={"name": '"$a$"'})
    listing = survey_formation(lambda: scene)
    assert any(words.startswith("$a$: ") and not is_math for words, is_math in read_drawn(draw_formation(listing)))


@pytest.mark.parametrize("name", NAMES)
def test_files_are_named_safely(name):
    safe = make_file_name(name)
    assert safe and len(safe.encode()) <= MOST_BYTES and not set(safe) & set('<>:"/\\|?*\0\n\x1b') and safe[0] != "."
    assert choose_output(name, "_sweep").parent == Path("outputs") and safe.strip(". ") == safe


def test_readable_names_of_files():
    for name, safe in (("", "scene"), (".", "scene"), ("..", "scene"), ("...a.", "a"), ("con", "_con"),
                       ("NUL.txt", "_NUL.txt"), ("com1", "_com1"), ("console", "console"), ("a/b\\c", "a_b_c"),
                       ("../../x", "_.._x"),
                       ("Führung-β 漢字", "Führung-β 漢字"), ("/etc/passwd", "_etc_passwd"),
                       ("a" * 5000, "a" * MOST_BYTES), ("漢" * 500, "漢" * (MOST_BYTES // 3)),
                       ("peg_in_hole", "peg_in_hole")):
        assert make_file_name(name) == safe


@pytest.mark.parametrize("name", ["../../x", "/tmp/evil", "CON", ".", "a/b", "x" * 900, "[red]$漢$[/]"])
def test_logs_stay_in_their_folder(name, tmp_path, monkeypatch):
    inside = tmp_path / "a" / "b" / "c"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    (inside / "s.toml").write_text(build_scene(name).text, encoding="utf-8")
    before = sorted(Path("/tmp").glob("evil*"))
    for words in (["run", "s.toml"], ["sweep", "s.toml", "--mu", "0.1:0.2:2", "--log", "all"]):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "s.toml"]
    assert len(files) == 3 and all(inside / "outputs" in path.parents for path in files)
    assert sorted(Path("/tmp").glob("evil*")) == before


@pytest.mark.parametrize("name", NAMES)
def test_logs_keep_every_name(name, tmp_path):
    path = simulate(build_scene(name)).save(tmp_path / "a.h5")
    record = read_trajectory(path).record
    assert record.workpiece.name == f"{name}1".replace("\0", " ")
    assert record.obstacles[0].name == f"{name}2".replace("\0", " ")
    with h5py.File(path) as file:
        assert sorted(type(member).__name__ for member in file["bodies"].values()) == ["Dataset", "Dataset"]


def test_consoles_show_what_steers_them(capsys):
    console = make_console()
    console.print("\x1b[31m [red]a[/] [/b]")
    table = make_table("t", ["name"], words=("name",))
    table.add_row("\x1b]0;title\x07[red]")
    console.print(table)
    shown = capsys.readouterr().out
    assert "\x1b" not in shown and r"\x1b[31m [red]a[/] [/b]" in shown and "[red]" in shown.splitlines()[-1]
    console = make_console(stderr=True)
    console._force_terminal = True
    with make_bar(console) as bar:
        bar.add_task("[/] [red]{x} %s", total=1)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_consoles_that_are_not_utf8(encoding, tmp_path):
    scene = tmp_path / "s.toml"
    scene.write_text(build_scene("漢 ≤ $").text, encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0",
                   "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(Path(__file__).parents[3])}
    for words in (["check", "s.toml"], ["run", "s.toml", "--set", "workpiece.name=漢"], ["run", "漢.toml"], ["scenes"]):
        ended = subprocess.run([sys.executable, "-m", "sim.cli", *words], cwd=tmp_path, env=environment,
                               capture_output=True, check=False)
        assert ended.returncode == (2 if words[1:2] == ["漢.toml"] else 0), ended
        assert b"Traceback" not in ended.stderr and b"defect" not in ended.stderr, ended


def test_the_gallery_has_a_command_line(capsys):
    with pytest.raises(SystemExit) as ended:
        read_folder(["--help"])
    assert ended.value.code == 0 and "folder" in capsys.readouterr().out and not Path("--help").exists()
    with pytest.raises(SystemExit):
        read_folder(["--nonsense"])
    assert read_folder(["x"]) == Path("x")
