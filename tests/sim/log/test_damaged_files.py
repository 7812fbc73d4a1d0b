"""Whatever is wrong with a file, reading it ends at once, with one line that names it; and sound files of any age and
size are read."""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import threading
from pathlib import Path

import h5py
import numpy as np
import pytest

from geometry.shapes.polygon import Polygon
from sim import load_scene, read_refinements, read_sweep, read_trajectory, read_tree, refine
from sim.log.bodies import BodyRecord, SceneRecord
from sim.log.reading import TrajectoryFileError, check_meaning, read_source
from sim.log.sink import H5Sink
from sim.log.trajectory import Trajectory
from sim.rows.status import Status
from sim.run.branches import simulate_branches
from sim.run.simulation import simulate
from sim.scene.build import parse_scene
from sim.sweep.sweep import sweep
from sim.sweep.sweep_file import SweepFile, SweepFileError, is_sweep_file, read_sweep_file
from sim.sweep.table import Rows
from tests import scene_builders
from tests.sim.fuzz_files import HANG, READ, REFUSED, try_file
from tests.sim.synthetic import FLOOR, make_slide

ROOT = Path(__file__).parents[3]
POSIX = pytest.mark.skipif(os.name == "nt", reason="needs processes of POSIX")
S1 = scene_builders.s1()


def make_old(path):
    """Rewrite a file with texts of any length, as former versions wrote them."""
    def loosen(value):
        if isinstance(value, bytes):
            return value.decode()
        if isinstance(value, np.ndarray) and value.dtype.kind == "S":
            return np.array([text.decode() for text in value], dtype=h5py.string_dtype())
        return value

    def visit(_, thing):
        for name, value in list(thing.attrs.items()):
            if isinstance(value, bytes) or getattr(value, "dtype", np.dtype(int)).kind == "S":
                del thing.attrs[name]
                thing.attrs[name] = loosen(value)

    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        for name in ("scene", "plan"):
            if name in file:
                attributes, text = dict(file[name].attrs), file[name][()].decode()
                del file[name]
                file.create_dataset(name, data=text, dtype=h5py.string_dtype()).attrs.update(attributes)
        visit("", file)
        file.visititems(visit)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file of every kind: name -> path."""
    folder = tmp_path_factory.mktemp("sound")
    found = {name: folder / f"{name}.h5" for name in ("log", "tree", "sweep", "killed_log", "killed_sweep")}
    trajectory = simulate(load_scene("peg_in_hole"))
    trajectory.save(found["log"])
    simulate_branches(load_scene("erdmann_figure_5")).save(found["tree"])
    sweep(load_scene("block_on_incline"), mu="0:1:11", rho="0.1,0.2", output=found["sweep"])
    refine(found["sweep"], "mu", 1e-3)
    sink = H5Sink(folder / "open.h5", load_scene("peg_in_hole"))
    sink.write(trajectory.steps, trajectory.contacts, trajectory.events, trajectory.impulses)
    shutil.copy(folder / "open.h5", found["killed_log"])
    sink.close(Status.COMPLETED, trajectory.account)
    record, table, texts, status = read_sweep_file(found["sweep"])
    sink = SweepFile(folder / "open.h5", record)
    sink.write(Rows(table, texts))
    shutil.copy(folder / "open.h5", found["killed_sweep"])
    sink.close(status)
    for name in ("log", "tree", "sweep"):
        found[f"old_{name}"] = folder / f"old_{name}.h5"
        shutil.copy(found[name], found[f"old_{name}"])
        make_old(found[f"old_{name}"])
    return found


# ---- damage ----------------------------------------------------------------------------------------------------------


@POSIX
def test_damaged_files_are_read_or_refused_and_nothing_else(files, tmp_path):
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}: python -m tests.sim.fuzz_files {seed} 24 FILE ...")
    copies = [shutil.copy(path, tmp_path) for path in files.values()]
    process = subprocess.run([sys.executable, "-m", "tests.sim.fuzz_files", str(seed), "24", *copies], cwd=ROOT,
                             capture_output=True, text=True, timeout=550)
    assert process.returncode == 0, process.stderr
    found = json.loads(process.stdout)
    assert found["wrong"] == []
    for name, counts in found["counts"].items():
        assert counts[REFUSED] > 2 and sum(counts.values()) == 24, name


@POSIX
@pytest.mark.parametrize("name", ["log", "tree", "sweep", "killed_log", "killed_sweep"])
def test_a_file_that_is_cut_off_ends_at_once(files, tmp_path, name):
    whole = files[name].read_bytes().rstrip(b"\0")
    for part in range(1, 25):
        path = tmp_path / "cut.h5"
        path.write_bytes(whole[:len(whole) * part // 25])
        what, why = try_file(path, "sweep" in name)
        assert what == REFUSED or (what == READ and "killed" in name), (part, what, why)


@POSIX
@pytest.mark.parametrize("name", ["old_log", "old_tree", "old_sweep"])
@pytest.mark.parametrize("length", [0, 2**64 - 16, 2**62, 1])
def test_texts_of_any_length_that_lead_in_a_circle(files, tmp_path, name, length):
    """The length of an object in a heap: of each heap, of its free rest and of its first text."""
    whole = files[name].read_bytes()
    heaps = [match.start() for match in re.finditer(b"GCOL", whole)]
    assert heaps
    for heap in heaps:
        place, end = heap + 16, heap + struct.unpack_from("<Q", whole, heap + 8)[0]
        while place + 16 <= end and struct.unpack_from("<H", whole, place)[0]:
            place += 16 + (struct.unpack_from("<Q", whole, place + 8)[0] + 7) // 8 * 8
        assert end - 16 < place <= end or struct.unpack_from("<Q", whole, place + 8)[0] == end - place
        for where in {heap + 8, heap + 16 + 8, *([place + 8] if place + 16 <= end else [])}:  # a full one has no rest
            path = tmp_path / "circle.h5"
            path.write_bytes(whole[:where] + struct.pack("<Q", length) + whole[where + 8:])
            what, why = try_file(path, "sweep" in name)
            assert what == REFUSED or (what == READ and length == 1), (where, what, why)
            assert what != HANG


@pytest.mark.parametrize("place, value, reason", [
    ("committed", [1, 10**15], "rows or texts"), ("committed", [-1, 3], "rows or texts"),
    ("rows/cell", 10**9, "cell"), ("rows/outcome", 77, "outcome 77; valid: 0 to"), ("rows/status", 99, "status 99"),
    ("rows/modes", -5, "modes -5"), ("rows/message", 10**12, "message"),
    ("plan", b'{"axes": [', "damaged"), ("plan", b'{"axes": [], "samples": null, "seed": 0}', "damaged"),
    ("plan", b"\xff\xfe", "damaged"), ("attrs/status", 99, "damaged"), ("attrs/format_version", 7, "version 7"),
    ("refinements/0/boundaries/after", 1000, "words that are not there"),
])
def test_numbers_of_a_sweep_that_mean_nothing(files, tmp_path, place, value, reason):
    path = tmp_path / "s.h5"
    shutil.copy(files["sweep"], path)
    with h5py.File(path, "r+") as file:
        name, _, field = place.rpartition("/")
        if name == "attrs":
            file.attrs[field] = value
        elif name:
            table = file[name][...]
            table[field][0] = value
            file[name][...] = table
        else:
            data = value if isinstance(value, list) else np.array(value, f"S{len(value)}")
            del file[place]
            file[place] = data
    with pytest.raises(SweepFileError, match=reason) as caught:
        read_sweep(path)
        read_refinements(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("table, field, value", [
    ("steps", "time", np.nan), ("steps", "time", 1e300), ("steps", "set_kind", 9), ("contacts", "letter", -1),
    ("contacts", "letter", 100), ("contacts", "obstacle", 2), ("contacts", "type", 55), ("events", "kind", 99),
    ("events", "obstacle", -2),
])
def test_numbers_of_a_log_that_mean_nothing(tmp_path, table, field, value):
    slide = make_slide()
    assert check_meaning(slide, "a.h5") is slide
    tables = {"steps": slide.steps, "contacts": slide.contacts, "events": slide.event_rows, "impulses": slide.impulses}
    tables = {name: np.array(rows) for name, rows in tables.items()}
    tables[table][field][0] = value
    path = Trajectory(None, *tables.values(), slide.status, slide.account, record=slide.record).save(tmp_path / "a.h5")
    read_trajectory(path)  # the numbers as they are
    with pytest.raises(TrajectoryFileError, match="is damaged") as caught:
        read_source(path)
    assert str(path) in str(caught.value)


@POSIX
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "empty", "text", "missing", "foreign"])
def test_what_is_no_file_of_ours(tmp_path, kind):
    path = tmp_path / "a.h5"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    elif kind == "foreign":
        with h5py.File(path, "w") as file:
            file["x"] = 1
    elif kind != "missing":
        path.write_text("" if kind == "empty" else "time,x\n" * 100)
    assert not is_sweep_file(path)
    for read in (read_sweep, read_refinements, read_trajectory, read_tree):
        with pytest.raises((ValueError, FileNotFoundError)) as caught:
            read(path)
        assert str(path) in str(caught.value) and "\n" not in str(caught.value)


# ---- sound files -----------------------------------------------------------------------------------------------------


def test_texts_have_fixed_length(files):
    def look(name, thing):
        kinds = [(f"{name}@{key}", thing.attrs.get_id(key).dtype) for key in thing.attrs]
        if isinstance(thing, h5py.Dataset):
            kinds.append((name, thing.dtype))
        for where, kind in kinds:
            text = h5py.check_string_dtype(kind)
            assert (text is None or text.length) and h5py.check_vlen_dtype(kind) is None, where

    for name in ("log", "tree", "sweep"):
        with h5py.File(files[name], "r") as file:
            look("/", file)
            file.visititems(look)
        assert b"GCOL" not in files[name].read_bytes()
        assert b"GCOL" in files[f"old_{name}"].read_bytes()


def test_old_files_are_read_as_before(files):
    new, old = read_trajectory(files["log"]), read_trajectory(files["old_log"])
    for name in ("steps", "contacts", "event_rows", "impulses"):
        assert getattr(new, name).tobytes() == getattr(old, name).tobytes()
    assert (new.record.text, new.account, new.message) == (old.record.text, old.account, old.message)
    new, old = read_tree(files["tree"]), read_tree(files["old_tree"])
    assert [branch.taken for branch in new.branches] == [branch.taken for branch in old.branches]
    new, old = read_sweep(files["sweep"]), read_sweep(files["old_sweep"])
    assert new.table.tobytes() == old.table.tobytes() and new.texts == old.texts
    assert new.record.find_difference(old.record) == ""
    new, old = read_refinements(files["sweep"]), read_refinements(files["old_sweep"])
    assert new[0].words == old[0].words and new[0].boundaries.tobytes() == old[0].boundaries.tobytes()


def test_an_old_sweep_is_refined(files, tmp_path):
    path = tmp_path / "s.h5"
    shutil.copy(files["old_sweep"], path)
    refine(path, "mu", 1e-4)
    assert len(read_refinements(path)) == 1 and read_refinements(path)[0].tolerance == 1e-4
    assert read_sweep(path).table.tobytes() == read_sweep(files["sweep"]).table.tobytes()


def test_c03_texts_and_outlines_of_any_size(tmp_path):
    angle = np.linspace(0.0, 2.0 * np.pi, 5000, endpoint=False)
    outline = np.column_stack((np.cos(angle), np.sin(angle)))
    long = "größe 日本 " * 8_000  # more than 100 kB
    record = SceneRecord(long, long, "# " + long, "Prüfstand/" + long,
                         BodyRecord(long, Polygon(outline), mass=2.0, rho=1.0),
                         tuple(BodyRecord(name, Polygon(FLOOR), surface_speed=0.1)
                               for name in (long, long, "Führung-β", "", " ")))
    slide = make_slide()
    path = tmp_path / "Prüfstand" / "日本" / "läufe.h5"
    with H5Sink(path, record) as sink:
        sink.write(slide.steps, slide.contacts, slide.events, slide.impulses)
        sink.close(Status.COMPLETED, slide.account, long)
    read = read_trajectory(path)
    for name in ("name", "summary", "text", "source"):
        assert getattr(read.record, name) == getattr(record, name), name
    assert read.record.workpiece.name == long and np.array_equal(read.record.workpiece.outline.vertices, outline)
    assert [body.name for body in read.record.obstacles] == [body.name for body in record.obstacles]
    assert read.message and long.startswith(read.message)


def test_c03_a_sweep_of_a_large_scene(tmp_path):
    text = "# " + "größe 日本 " * 8_000 + "\n" + S1
    path = tmp_path / "Prüfstand" / "läufe.h5"
    result = sweep(parse_scene(text), mu=[0.1, 0.2], output=path)
    assert "日本" in read_sweep(path).record.text and read_sweep(path).table.tobytes() == result.table.tobytes()


def test_a_reader_never_blocks_a_writer_of_a_sweep(files, tmp_path):
    record, table, texts, status = read_sweep_file(files["sweep"])
    writer = SweepFile(tmp_path / "s.h5", record)
    lengths, stop = [], threading.Event()

    def follow():
        while not stop.is_set():
            lengths.append(len(read_sweep(tmp_path / "s.h5")))

    writer.write(Rows(table[:1], texts))
    plain = "import h5py, sys; print(len(h5py.File(sys.argv[1], 'r', swmr=True)['rows']))"  # as sim/log/README.md says
    assert subprocess.run([sys.executable, "-c", plain, str(tmp_path / "s.h5")], capture_output=True).stdout == b"1\n"
    reader = threading.Thread(target=follow)
    reader.start()
    try:
        for place in range(1, len(table)):
            writer.write(Rows(table[place : place + 1], texts))
    finally:
        stop.set()
        reader.join()
    writer.close(status)
    assert lengths == sorted(lengths) and len(read_sweep(tmp_path / "s.h5")) == len(table)


def damage_number(table, field):
    def damage(file):
        file[table][field][-1] = -1

    return damage


def remove_obstacle(file):
    body = next(body for body in file["bodies"].values() if body.attrs["role"] in ("obstacle", b"obstacle"))
    del file[body.name]


@pytest.mark.parametrize("damage", [damage_number("steps", "n_contacts"), damage_number("events", "n_impulses"),
                                    remove_obstacle], ids=["contacts", "impulses", "obstacle"])
def test_rows_that_point_at_nothing_are_told(tmp_path, damage):
    path = simulate(parse_scene(S1)).save(tmp_path / "a.h5")
    with h5py.File(path, "r+") as file:
        damage(file)
    with pytest.raises(TrajectoryFileError, match=r"a\.h5: is damaged"):
        read_source(path)
